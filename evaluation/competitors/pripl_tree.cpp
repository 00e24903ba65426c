#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <string>

#include "competitors.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"
#include "unary_reports.hpp"

namespace evaluation {

namespace {

/// Values first to end − 1 on a line.
struct Segment {
    std::size_t first, end;
    double share, slope;
};

/// A continuous piecewise linear function of 0 to k − 1, by least squares.
class PiecewiseLinear {
  public:
    explicit PiecewiseLinear(std::size_t k) : cuts_{0, k} {}

    /// Adds breakpoints for these shares until there are `most` segments or another one hardly helps.
    void refine(const std::vector<double>& shares, std::size_t most) {
        double before = fit(shares, cuts_).sum();
        std::vector<double> residues = by_segment(fit(shares, cuts_));
        while (cuts_.size() - 1 < most) {
            std::vector<std::size_t> order(residues.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::ranges::sort(order, std::greater(), [&](std::size_t s) { return residues[s]; });
            const auto worst =
                std::ranges::find_if(order, [&](std::size_t s) { return cuts_[s + 1] - cuts_[s] >= 2; });
            if (worst == order.end()) return;
            const std::vector<std::size_t> cuts = with_best_cut(shares, *worst);
            const Eigen::VectorXd squares = fit(shares, cuts);
            constexpr double enough = 1.005;
            const bool helps = before > enough * squares.sum();
            cuts_ = cuts;
            before = squares.sum();
            residues = by_segment(squares);
            if (!helps) return;
        }
    }

    [[nodiscard]] std::vector<Segment> segments(const std::vector<double>& shares) {
        static_cast<void>(fit(shares, cuts_));
        std::vector<Segment> all;
        for (std::size_t s = 0; s + 1 < cuts_.size(); ++s) {
            double share = 0;
            for (std::size_t v = cuts_[s]; v < cuts_[s + 1]; ++v) share += shares[v];
            all.push_back({cuts_[s], cuts_[s + 1], share, slopes_[static_cast<Eigen::Index>(s) + 1]});
        }
        return all;
    }

  private:
    /// The squared residues of the fit with these cuts; a cut lies half a step before its value.
    Eigen::VectorXd fit(const std::vector<double>& shares, const std::vector<std::size_t>& cuts) {
        const auto k = static_cast<Eigen::Index>(shares.size());
        Eigen::MatrixXd basis(k, static_cast<Eigen::Index>(cuts.size()));
        for (Eigen::Index v = 0; v < k; ++v) {
            basis(v, 0) = 1;
            for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
                const double from = s == 0 ? 0 : static_cast<double>(cuts[s]) - 0.5;
                const double to = static_cast<double>(cuts[s + 1]) - 0.5;
                basis(v, static_cast<Eigen::Index>(s) + 1) =
                    std::clamp(static_cast<double>(v), from, to) - from;
            }
        }
        const Eigen::Map<const Eigen::VectorXd> seen(shares.data(), k);
        slopes_ = (basis.transpose() * basis).ldlt().solve(basis.transpose() * seen);
        return (basis * slopes_ - seen).array().square();
    }
    [[nodiscard]] std::vector<double> by_segment(const Eigen::VectorXd& squares) const {
        std::vector<double> sums;
        for (std::size_t s = 0; s + 1 < cuts_.size(); ++s)
            sums.push_back(squares
                               .segment(static_cast<Eigen::Index>(cuts_[s]),
                                        static_cast<Eigen::Index>(cuts_[s + 1] - cuts_[s]))
                               .sum());
        return sums;
    }
    /// Searched in steps first, then one by one around the best of them.
    std::vector<std::size_t> with_best_cut(const std::vector<double>& shares, std::size_t segment) {
        const std::size_t from = cuts_[segment] + 1, to = cuts_[segment + 1];
        std::vector<std::size_t> best, tried = cuts_;
        tried.insert(tried.begin() + static_cast<std::ptrdiff_t>(segment) + 1, 0);
        double least = HUGE_VAL;
        const auto search = [&](std::size_t low, std::size_t high, std::size_t step) {
            for (std::size_t cut = low; cut < high; cut += step) {
                tried[segment + 1] = cut;
                const double residue = fit(shares, tried).sum();
                if (residue >= least) continue;
                least = residue;
                best = tried;
            }
        };
        const std::size_t step = std::max<std::size_t>(1, (to - from) / 16);
        search(from, to, step);
        const std::size_t near = best[segment + 1];
        search(std::max(from, near - std::min(near, step)), std::min(to, near + step),
               std::max<std::size_t>(1, step / 4));
        return best;
    }

    std::vector<std::size_t> cuts_;
    Eigen::VectorXd slopes_;
};

/// The shares that a fifth of the people report through the square wave, smoothed or not.
std::vector<double> square_wave_shares(std::span<const std::uint32_t> people, std::size_t k, double epsilon,
                                       std::mt19937_64& random, ldp::Smoothing smoothing,
                                       std::vector<std::byte>& summary) {
    const std::string top = std::to_string(k - 1);
    const auto mechanism = ldp::make_mechanism(
        ldp::resolve(R"({"mechanism": "square_wave", "min": 0, "max": )" + top + R"(, "grid": )" + top +
                     R"(, "epsilon": )" + ldp::shortest(epsilon) + "}"));
    if (summary.empty()) {
        ldp::simulation::SeededBits bits(random());
        ldp::Perturber perturber(*mechanism);
        summary.resize(ldp::summary_size(*mechanism));
        ldp::start_summary(*mechanism, summary);
        for (const ldp::Cell value : people)
            static_cast<void>(ldp::accumulate(*mechanism, summary, perturber.perturb({&value, 1}, bits)));
    }
    return ldp::decode(ldp::view_of(*mechanism, summary), smoothing).shares;
}

/// The nodes of one level: which segments they cover, first to end − 1.
struct Covering {
    std::size_t first, end;
    double share, variance;
};

}  // namespace

std::vector<double> pripl_tree(Held people, std::size_t k, double epsilon, std::mt19937_64& random) {
    std::ranges::shuffle(people, random);
    constexpr double first_part = 0.2;
    constexpr std::size_t most_segments = 32;
    const auto first = static_cast<std::size_t>(first_part * static_cast<double>(people.size()));
    std::vector<std::byte> summary;
    const auto fifth = std::span(people).first(first);
    const auto rough = square_wave_shares(fifth, k, epsilon, random, ldp::Smoothing::none, summary);
    const auto smooth = square_wave_shares(fifth, k, epsilon, random, ldp::Smoothing::binomial, summary);
    PiecewiseLinear line(k);
    line.refine(rough, most_segments / 2);
    line.refine(smooth, most_segments);
    std::vector<Segment> leaves = line.segments(smooth);

    std::vector<std::vector<Covering>> levels{{}};
    for (std::size_t s = 0; s < leaves.size(); ++s) levels[0].push_back({s, s + 1, 0, 0});
    while (levels.back().size() > 2) {
        std::vector<Covering> above;
        const std::vector<Covering>& below = levels.back();
        for (std::size_t i = 0; i < below.size(); i += 2)
            above.push_back({below[i].first, below[std::min(i + 1, below.size() - 1)].end, 0, 0});
        levels.push_back(std::move(above));
    }
    const std::size_t each = (people.size() - first) / levels.size();
    // The first fifth's shares have an unknown error: their variance is taken to be that of unary encoding.
    const double variance = unary_variance(epsilon, static_cast<double>(each)),
                 early = unary_variance(epsilon, static_cast<double>(first));
    for (std::size_t l = 0; l < levels.size(); ++l) {
        std::vector<std::uint64_t> held(levels[l].size());
        for (const std::uint32_t value : std::span(people).subspan(first + l * each, each)) {
            const auto after = std::ranges::upper_bound(leaves, value, {}, &Segment::first);
            const auto segment = static_cast<std::size_t>(after - leaves.begin()) - 1;
            const auto node = std::ranges::upper_bound(levels[l], segment, {}, &Covering::first);
            ++held[static_cast<std::size_t>(node - levels[l].begin()) - 1];
        }
        const std::vector<double> shares = unary_shares(held, epsilon, random);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            Covering& node = levels[l][i];
            double before = 0;
            for (std::size_t s = node.first; s < node.end; ++s) before += leaves[s].share;
            const double own = early / (early + variance);
            node.share = own * shares[i] + (1 - own) * before;
            node.variance = own * variance;
        }
    }
    const auto children = [&](std::size_t l, const Covering& node, auto visit) {
        for (Covering& child : levels[l - 1])
            if (child.first >= node.first && child.end <= node.end) visit(child);
    };
    for (std::size_t l = 1; l < levels.size(); ++l)
        for (Covering& node : levels[l]) {
            double share = 0, spread = 0;
            children(l, node, [&](const Covering& child) {
                share += child.share;
                spread += child.variance;
            });
            const double own = spread / (spread + node.variance);
            node.share = own * node.share + (1 - own) * share;
            node.variance = own * node.variance;
        }
    std::vector<double> shares;
    for (const Covering& node : levels.back()) shares.push_back(node.share);
    norm_sub(shares, 1);
    for (std::size_t i = 0; i < shares.size(); ++i) levels.back()[i].share = shares[i];
    for (std::size_t l = levels.size(); l-- > 1;)
        for (const Covering& node : levels[l]) {
            std::vector<double> below;
            children(l, node, [&](const Covering& child) { below.push_back(child.share); });
            norm_sub(below, node.share);
            std::size_t i = 0;
            children(l, node, [&](Covering& child) { child.share = below[i++]; });
        }
    std::vector<double> found(k);
    for (std::size_t s = 0; s < leaves.size(); ++s) {
        const Segment& leaf = leaves[s];
        const auto width = static_cast<double>(leaf.end - leaf.first);
        const double share = levels[0][s].share;
        const double steepest = width > 1 ? 2 * share / (width * (width - 1)) : 0;
        const double slope = std::clamp(leaf.slope, -steepest, steepest);
        for (std::size_t v = leaf.first; v < leaf.end; ++v)
            found[v] = share / width + slope * (static_cast<double>(v - leaf.first) - (width - 1) / 2);
    }
    return found;
}

}  // namespace evaluation

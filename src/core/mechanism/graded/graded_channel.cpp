#include "core/mechanism/graded/graded_channel.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

/// A weight of exp(−vanishing) is below 2^-62, with a margin for the sum of a row.
constexpr double vanishing = 60;

[[noreturn]] void refuse(const char* detail) {
    raise(ErrorCode::invalid_spec, "epsilon cannot be spent on these utilities", detail,
          "Assign each value the largest utility for itself, and less for distant values.");
}

}  // namespace

/// Utilities of outputs for inputs, row after row. None is positive, and each row contains a 0. Distances of
/// values on a line or in a plane have few different values, whose exponentials are computed once.
class GradedChannel::ProbabilityTable {
  public:
    ProbabilityTable(std::uint64_t k, const Utility& utility);

    [[nodiscard]] double least() const noexcept { return std::ranges::min(different_); }
    /// Computes the exponentials at a scale.
    void scale_by(double scale) {
        Work work;
        for (std::size_t i = 0; i < different_.size(); ++i, work.done(4))
            exponentials_[i] = std::exp(scale * different_[i]);
    }
    /// Returns the utility at an index of the table.
    [[nodiscard]] double utility(std::size_t at) const noexcept { return different_[which_[at]]; }
    [[nodiscard]] double exponential(std::size_t at) const noexcept { return exponentials_[which_[at]]; }

    /// Returns the largest log-ratio of the probabilities of an output under two inputs, at a scale.
    [[nodiscard]] double worst_log_ratio(double scale);
    /// Returns the scale at which the largest log-ratio is epsilon, up to rounding error from below.
    [[nodiscard]] double scale_for(double epsilon);

  private:
    std::size_t k_;
    std::vector<double> different_, exponentials_;
    std::vector<std::uint32_t> which_;  ///< index among the different utilities, by index in the table
};

GradedChannel::ProbabilityTable::ProbabilityTable(std::uint64_t k, const Utility& utility)
    : k_(k), which_(k * k) {
    // Index by the bits of a utility, at most half full; if there are more different utilities, they are
    // stored separately.
    constexpr std::size_t slots = std::size_t{1} << 16, most = slots / 2;
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> found(slots, none);
    std::vector<double> row(k);
    Work work;
    for (std::uint64_t in = 0; in < k; ++in, work.done(4 * k)) {
        for (std::uint64_t out = 0; out < k; ++out) row[out] = utility(in, out);
        const double greatest = std::ranges::max(row);
        for (std::uint64_t out = 0; out < k; ++out) {
            const double less = row[out] - greatest;
            std::uint32_t& entry = which_[in * k + out];
            entry = static_cast<std::uint32_t>(different_.size());
            if (different_.size() < most) {
                const auto bits = std::bit_cast<std::uint64_t>(less);
                auto slot = static_cast<std::size_t>(bits * 0x9E3779B97F4A7C15 >> 48);
                while (found[slot] != none && std::bit_cast<std::uint64_t>(different_[found[slot]]) != bits)
                    slot = (slot + 1) % slots;
                if (found[slot] != none) {
                    entry = found[slot];
                    continue;
                }
                found[slot] = entry;
            }
            different_.push_back(less);
        }
    }
    exponentials_.resize(different_.size());
}

double GradedChannel::ProbabilityTable::worst_log_ratio(double scale) {
    scale_by(scale);
    std::vector<double> most(k_, -std::numeric_limits<double>::infinity()),
        least(k_, std::numeric_limits<double>::infinity());
    Work work;
    for (std::size_t row = 0; row < which_.size(); row += k_, work.done(4 * k_)) {
        double sum = 0;
        for (std::size_t y = 0; y < k_; ++y) sum += exponential(row + y);
        const double log_sum = std::log(sum);
        for (std::size_t y = 0; y < k_; ++y) {
            const double log = scale * utility(row + y) - log_sum;
            most[y] = std::max(most[y], log);
            least[y] = std::min(least[y], log);
        }
    }
    double worst = 0;
    for (std::size_t y = 0; y < k_; ++y) worst = std::max(worst, most[y] - least[y]);
    return worst;
}

double GradedChannel::ProbabilityTable::scale_for(double epsilon) {
    const double widest = -least();
    if (widest == 0) refuse("All are equal.");
    const auto left = [&](double scale) { return worst_log_ratio(scale) - epsilon; };
    double low = 0, high = epsilon / widest;
    while (left(high) <= 0) {
        low = high, high *= 2;
        if (high * widest > vanishing) refuse("The differences between them are too small.");
    }
    std::uintmax_t evaluations = 100;
    return boost::math::tools::toms748_solve(left, low, high, boost::math::tools::eps_tolerance<double>(50),
                                             evaluations)
        .first;
}

GradedChannel::GradedChannel(std::uint64_t k, double epsilon, const Utility& utility)
    : k_(k), sums_(k * k), extremes_(k) {
    ProbabilityTable utilities(k, utility);
    // Integer weights have a rounding error, so that the exact scale may exceed ε while a slightly smaller
    // one does not.
    const double scale = utilities.scale_for(epsilon);
    for (double less = 0x1p-50; less < 0x1p-10; less *= 4)
        if (fill(utilities, scale * (1 - less), epsilon)) return;
    refuse("An output would have a probability below 2^-62.");
}

bool GradedChannel::fill(ProbabilityTable& utilities, double scale, double epsilon) {
    utilities.scale_by(scale);
    // Margin for the error of the sum of a row's probabilities.
    const double below_one = 1 - std::ldexp(static_cast<double>(k_), -51);
    std::ranges::fill(extremes_, Odds{0, whole});
    std::vector<std::uint64_t> weights(k_);
    std::vector<double> parts(k_);
    Work work;
    const auto fill_row = [&](std::uint64_t in) {
        work.done(4 * k_);
        double sum = 0;
        for (std::uint64_t out = 0; out < k_; ++out) sum += parts[out] = utilities.exponential(in * k_ + out);
        std::uint64_t left = whole;
        for (std::uint64_t out = 0; out < k_; ++out) {
            weights[out] = static_cast<std::uint64_t>(parts[out] / sum * below_one * 0x1p62);
            left -= weights[out];
        }
        *std::ranges::max_element(weights) += left;
        std::uint64_t up_to = 0;
        for (std::uint64_t out = 0; out < k_; ++out) {
            sums_[in * k_ + out] = up_to += weights[out];
            extremes_[out].high = std::max(extremes_[out].high, weights[out]);
            extremes_[out].low = std::min(extremes_[out].low, weights[out]);
        }
    };
    const auto kept = [&] {
        return std::ranges::all_of(extremes_, [&](const Odds& each) { return keeps(epsilon, each); });
    };
    // Values at the ends of a line or at opposite corners of a map are the furthest. If these two rows
    // violate ε, the others need not be compared.
    fill_row(0);
    fill_row(k_ - 1);
    if (!kept()) return false;
    for (std::uint64_t in = 1; in < k_ - 1; ++in) fill_row(in);
    return kept();
}

Odds GradedChannel::worst_ratio() const noexcept {
    return *std::ranges::max_element(extremes_, [](const Odds& a, const Odds& b) {
        return Uint128{a.high} * b.low < Uint128{b.high} * a.low;
    });
}

}  // namespace ldp

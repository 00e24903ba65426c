#include "core/choice/first_look.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/channel/window_decoder.hpp"
#include "core/math/normals.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t most_people = std::uint64_t{1} << 50;
/// The fit of more steps takes seconds, and its answers do not change by as much as its error.
constexpr std::uint64_t most_steps = 512;
constexpr Limits no_limits{100000, 1000000000};

/// The mean, over all ranges between two of the cuts, of the product of two curves' rises. Both are
/// differences of cumulative shares at the cuts between cells; at the two outer cuts, which are left out,
/// they vanish.
double mean_product(const std::vector<double>& a, const std::vector<double>& b) {
    const auto cuts = static_cast<double>(a.size() + 2);
    double product = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product += a[i] * b[i];
        first += a[i];
        second += b[i];
    }
    return (cuts * product - first * second) / (cuts * (cuts - 1) / 2);
}

/// The smooth mechanism, over cells that are `merged` adjoining points of the first round each.
class Smooth {
  public:
    Smooth(double epsilon, const Attribute& attribute, std::size_t points, std::uint64_t people)
        : merged_((points - 2) / most_steps + 1),
          cells_((points - 1) / merged_ + 1),
          epsilon_(epsilon),
          people_(people),
          mechanism_(make_mechanism(Settings(mechanism_for(Purpose::smooth_distribution), epsilon,
                                             {attribute}, {{"grid", std::uint64_t{cells_ - 1}}}))),
          decoder_(window()) {}

    [[nodiscard]] std::uint64_t grid() const noexcept { return cells_ - 1; }

    /// The sums of adjoining points' shares.
    [[nodiscard]] std::vector<double> merged(std::span<const double> shares) const {
        std::vector<double> sums(cells_);
        for (std::size_t i = 0; i < shares.size(); ++i) sums[i / merged_] += shares[i];
        return sums;
    }
    /// A cumulative curve of points, at the cuts between the cells.
    [[nodiscard]] std::vector<double> at_cuts(std::span<const double> cumulative) const {
        std::vector<double> curve;
        for (std::size_t cut = 1; cut < cells_; ++cut) curve.push_back(cumulative[cut * merged_ - 1]);
        return curve;
    }
    /// The cell of a point.
    [[nodiscard]] std::size_t cell(std::size_t point) const noexcept { return point / merged_; }

    /// What the fit of many noiseless reports makes of these shares of the cells, as a curve.
    [[nodiscard]] std::vector<double> fitted(std::span<const double> shares) const {
        return fit(decoder_.outputs(shares));
    }
    /// The mean square of a range's noise in fits of people who are spread like this, from a few of them.
    [[nodiscard]] double noise(std::span<const double> shares) const {
        constexpr std::size_t fits = 6;
        const std::vector<double> expected = decoder_.outputs(shares);
        const double scale = 1 / std::sqrt(static_cast<double>(people_));
        Normals normal;
        std::vector<std::vector<double>> curves;
        std::vector<double> mean(cells_ - 1);
        for (std::size_t i = 0; i < fits; ++i) {
            std::vector<double> seen;
            for (const double p : expected)
                seen.push_back(std::max(0.0, p + std::sqrt(p) * scale * normal()));
            const double sum = std::accumulate(seen.begin(), seen.end(), 0.0);
            for (double& share : seen) share /= sum;
            curves.push_back(fit(seen));
            for (std::size_t cut = 0; cut < mean.size(); ++cut) mean[cut] += curves.back()[cut] / fits;
        }
        double sum = 0;
        for (std::vector<double>& curve : curves) {
            for (std::size_t cut = 0; cut < mean.size(); ++cut) curve[cut] -= mean[cut];
            sum += mean_product(curve, curve) / (fits - 1);
        }
        return sum;
    }

  private:
    [[nodiscard]] WindowChannel window() const {
        std::uint64_t width = 0;
        for (const auto& [name, value] : mechanism_->parameters())
            if (name == "window") width = static_cast<std::uint64_t>(value);
        return {cells_ - 1, width, epsilon_};
    }
    [[nodiscard]] std::vector<double> fit(const std::vector<double>& seen) const {
        const Distribution found = fit_points({0, 1}, decoder_, seen, people_, epsilon_, Smoothing::binomial);
        std::vector<double> curve(found.shares);
        std::partial_sum(curve.begin(), curve.end(), curve.begin());
        curve.pop_back();
        return curve;
    }

    std::size_t merged_, cells_;
    double epsilon_;
    std::uint64_t people_;
    std::unique_ptr<const Mechanism> mechanism_;
    WindowDecoder decoder_;
};

/// One half of the first round.
struct Half {
    Half(const SummaryView& view, const Smooth& smooth)
        : estimator(capability<Ordered>(*view.mechanism), view) {
        const auto& ordered = capability<Ordered>(*view.mechanism);
        shares = ordered.fit(view, Smoothing::binomial).shares;
        lost = smooth.at_cuts(ordered.cumulative(view));
        const std::vector<double> kept = smooth.fitted(smooth.merged(shares));
        for (std::size_t cut = 0; cut < lost.size(); ++cut) lost[cut] -= kept[cut];
    }
    OrderedEstimator estimator;
    std::vector<double> shares;  ///< the sharp fit
    std::vector<double> lost;    ///< what the smooth fit takes away from the unbiased estimate
};

/// The standard error that one half's estimate gives mean_product() with another half's loss: as a function
/// of the cuts the product is linear, and so the mean of a function of the points.
double product_error(Half& half, const std::vector<double>& lost, const Smooth& smooth) {
    const auto cuts = static_cast<double>(lost.size() + 2);
    const double sum = std::accumulate(lost.begin(), lost.end(), 0.0);
    std::vector<double> function(half.shares.size());
    double behind = 0;
    for (std::size_t point = function.size(); point-- > 0;) {
        const std::size_t cell = smooth.cell(point);
        // The cut behind a cell counts for the points up to there.
        if (cell < lost.size() && smooth.cell(point + 1) != cell)
            behind += (cuts * lost[cell] - sum) / (cuts * (cuts - 1) / 2);
        function[point] = behind;
    }
    return half.estimator.mean_of(function, Target::population).standard_error;
}

void check(const SummaryView& one, const SummaryView& other, std::uint64_t people) {
    if (!std::ranges::equal(one.mechanism->block(), other.mechanism->block()))
        raise(ErrorCode::incompatible, "the two summaries are of different specs",
              "Both halves of a first round must report under one spec.");
    for (const SummaryView* each : {&one, &other}) need_reports(*each);
    const auto& ordered = capability<Ordered>(*one.mechanism);
    if (ordered.blur(one.n) != 0 || !one.mechanism->can_estimate(Quantity::means) || ordered.points() < 3)
        raise(ErrorCode::unsupported, "learning from a first round needs unbiased reports of a number", {},
              "Collect the first round with tree or haar_ordered, and a grid of two steps or more.");
    if (ordered.unanswered() > 0)
        raise(ErrorCode::unsupported, "learning from a first round does not support missing numbers",
              "The attribute of the first round has \"missing\": true.",
              "Choose the mechanism for the remaining people yourself.");
    if (people < 1 || people > most_people)
        raise(ErrorCode::invalid_value, "people must be 1 to " + std::to_string(most_people),
              "Found " + std::to_string(people) + ".");
}

}  // namespace

FirstLook first_look(const SummaryView& one, const SummaryView& other, std::uint64_t people) {
    check(one, other, people);
    const auto& ordered = capability<Ordered>(*one.mechanism);
    const double epsilon = one.mechanism->epsilon();
    const Interval ends = ordered.ends();
    Attribute attribute;
    attribute.name = "value";
    attribute.min = ends.lower;
    attribute.max = ends.upper;
    const std::size_t points = ordered.points();
    const OrderedRequest request{epsilon, attribute, points - 1, no_limits, OrderedUse::ranges};
    const MechanismEntry* const sharp = choose_ordered(request).mechanism;
    const Smooth smooth(epsilon, attribute, points, people);

    Half halves[] = {{one, smooth}, {other, smooth}};
    std::vector<double> shares(points);
    for (std::size_t i = 0; i < points; ++i) shares[i] = (halves[0].shares[i] + halves[1].shares[i]) / 2;

    FirstLook found{};
    found.sharp = sharp;
    found.grid = smooth.grid();
    found.bias_square = mean_product(halves[0].lost, halves[1].lost);
    // The noise of either half meets the other's loss. The product of both noises is in both terms, so that
    // the error is up to √2 times too large where there is next to no bias.
    found.bias_square_error = std::hypot(product_error(halves[0], halves[1].lost, smooth),
                                         product_error(halves[1], halves[0].lost, smooth));
    const auto mechanism =
        make_mechanism(Settings(*sharp, epsilon, {attribute}, {{"grid", std::uint64_t{points - 1}}}));
    const double sharp_square = mean_variance(*mechanism, OrderedUse::ranges, shares, Target::population) /
                                static_cast<double>(people);
    const double smooth_square = std::max(0.0, found.bias_square) + smooth.noise(smooth.merged(shares));
    found.sharp_error = std::sqrt(sharp_square);
    found.smooth_error = std::sqrt(smooth_square);
    found.chosen = smooth_square < sharp_square ? &mechanism_for(Purpose::smooth_distribution) : sharp;
    found.clear = std::abs(smooth_square - sharp_square) > 2 * found.bias_square_error;
    return found;
}

}  // namespace ldp

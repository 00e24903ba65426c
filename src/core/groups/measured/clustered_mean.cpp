#include "core/groups/measured/clustered_mean.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/square.hpp"
#include "core/math/statistics.hpp"
#include "core/math/tails.hpp"

namespace ldp {

namespace {

/// Fewer groups often lack those far out that make the values skewed.
constexpr std::size_t fewest_groups = 30;
/// Intervals hold in at least 90 % of simulations if the skewness of the mean is smaller.
constexpr double clear_skewness = 0.3;

/// Sums over the groups for the error of the weighted mean. With M = Σ c·(deviation)², the mean of M is the variance of the
/// weighted mean, and its variance gives Satterthwaite's degrees of freedom.
struct SampledError {
    double variance, degrees_of_freedom;
};
SampledError error_of(std::span<const MeasuredGroup> groups, std::span<const double> weights,
                      std::span<const double> variances, double mean) {
    double all = 0;  // variance of the mean under the model
    for (std::size_t j = 0; j < groups.size(); ++j) all += square(weights[j]) * variances[j];
    double estimate = 0, c0 = 0, c1 = 0, c2 = 0, equal = 0, own = 0;
    for (std::size_t j = 0; j < groups.size(); ++j) {
        // The deviation of a group from the mean has the variance `left`, and the covariance all − b − b′ with another.
        const double b = weights[j] * variances[j], left = variances[j] - 2 * b + all;
        const double c = left > 0 ? square(weights[j]) * variances[j] / left : 0;
        estimate += c * square(groups[j].value - mean);
        c0 += c, c1 += c * b, c2 += c * b * b;
        equal += square(c) * square(all - 2 * b);
        own += square(c * left);
    }
    const double pairs = square(all) * square(c0) + 2 * c2 * c0 - 4 * all * c1 * c0 + 2 * square(c1);
    const double degrees_of_freedom = square(all) / (pairs - equal + own);
    // Counts of few people can be equal in all groups. A variance far below that of the model is then no estimate of it.
    constexpr double improbable = 1e-3;
    if (degrees_of_freedom > 0 &&
        estimate * degrees_of_freedom <
            all * quantile(boost::math::chi_squared(degrees_of_freedom), improbable))
        estimate = all;
    return {estimate, degrees_of_freedom};
}

/// The skewness of the mean, from the deviations of the groups and its variance. The factor removes the bias of few groups.
double skewness_of(std::span<const MeasuredGroup> groups, std::span<const double> weights, double mean,
                   double variance) {
    double third = 0;
    for (std::size_t j = 0; j < groups.size(); ++j) {
        const double off = weights[j] * (groups[j].value - mean);
        third += off * square(off);
    }
    const auto k = static_cast<double>(groups.size());
    const double size = variance * std::sqrt(variance);
    return size > 0 && k > 2 ? third / size * square(k) / ((k - 1) * (k - 2)) : 0;
}

/// The law of the mean of shares: variance and skewness at each possible mean, if true shares have a beta distribution
/// with this intraclass correlation. The variances are in proportion to that at `center`, which is near the estimate.
ErrorLaw law_of_mean(std::span<const MeasuredGroup> groups, std::span<const double> weights,
                     double correlation, double center, double variance) {
    TruthCurve::Cubic variances{}, thirds{};
    const auto moments = [&](double at) {
        const double between = correlation * at * (1 - at),
                     skew = 2 * correlation * (1 - 2 * at) * between / (1 + correlation);
        std::pair<double, double> sums{0, 0};
        for (std::size_t j = 0; j < groups.size(); ++j) {
            const auto& of = groups[j].variance;
            sums.first += square(weights[j]) * (between + groups[j].variance_around(at, between));
            sums.second +=
                weights[j] * square(weights[j]) *
                (skew * (1 + 3 * of[2]) + 3 * (of[1] + 2 * of[2] * at) * between + groups[j].third_at(at));
        }
        return sums;
    };
    for (std::size_t i = 0; i < variances.size(); ++i)
        std::tie(variances[i], thirds[i]) = moments(static_cast<double>(i) / 3);
    const double there = moments(center).first;
    if (!(there > 0)) return law_of_share();
    const double scale = variance / there;
    for (std::size_t i = 0; i < variances.size(); ++i)
        variances[i] *= scale, thirds[i] *= scale * std::sqrt(scale);
    return {.truths = possible_shares, .curve = TruthCurve::through(1, variances, thirds)};
}

}  // namespace

ClusteredMean clustered_mean(const MeasuredGroups& measured, GroupWeights weights, double critical_value) {
    const std::span<const MeasuredGroup> groups = measured.groups;
    double people = 0, mean = 0, simple = 0;
    for (const MeasuredGroup& group : groups) people += group.people;
    std::vector<double> shares, variances;
    for (const MeasuredGroup& group : groups) {
        shares.push_back(weights == GroupWeights::people ? group.people / people
                                                         : 1 / static_cast<double>(groups.size()));
        mean += shares.back() * group.value;
    }
    const double possible = std::clamp(mean, measured.truths.lower, measured.truths.upper),
                 center = measured.inside(mean);
    const double between = spread_of(measured).between;
    const Interval range = spread_interval(measured, one_sided(critical_value));
    for (const MeasuredGroup& group : groups) {
        variances.push_back(between + group.variance_around(center, between));
        simple += square(group.people / people) * group.variance_at(center);
    }
    const auto [variance, degrees_of_freedom] = error_of(groups, shares, variances, mean);
    ClusteredMean found{.estimate = {mean, std::sqrt(variance)},
                        .interval = {},
                        .degrees_of_freedom = degrees_of_freedom,
                        .between = between,
                        .between_interval = range,
                        .correlation = unknown,
                        .correlation_interval = {unknown, unknown},
                        .design_effect = variance / simple,
                        .few_groups = groups.size() < fewest_groups,
                        .skewed = false};
    const double within = measured.share ? possible * (1 - possible) : measured.within;
    const auto correlation = [&](double of) {
        const double whole = measured.share ? within : of + within;
        return whole > 0 ? std::min(1.0, of / whole) : unknown;
    };
    found.correlation = correlation(between);
    found.correlation_interval = {correlation(range.lower), correlation(range.upper)};
    const double far = student_critical_value(critical_value, degrees_of_freedom);
    const bool correlated = !std::isnan(found.correlation);
    const ErrorLaw law =
        measured.share && (correlated || between == 0)
            ? law_of_mean(groups, shares, correlated ? found.correlation : 0, center, variance)
            : ErrorLaw{};
    found.interval = interval(found.estimate, far, law);
    // With the skewness s, the mean in its estimated errors has the quantile t − s·(1 + 2t²)/6 in place of −t.
    const double skewness = skewness_of(groups, shares, mean, variance);
    Estimate longer = found.estimate;
    longer.standard_error *= 1 + std::abs(skewness) * (1 / far + 2 * far) / 6;
    const double more =
        interval(longer, far, ErrorLaw{}).upper - interval(found.estimate, far, ErrorLaw{}).upper;
    const Interval ends = measured.share ? possible_shares : ErrorLaw{}.truths;
    if (skewness > 0)
        found.interval.upper =
            std::max(found.interval.upper, std::min(found.interval.upper + more, ends.upper));
    else
        found.interval.lower =
            std::min(found.interval.lower, std::max(found.interval.lower - more, ends.lower));
    found.skewed = std::abs(skewness) > clear_skewness;
    return found;
}

}  // namespace ldp

#include "core/choice/plan/error_prediction.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/choice/plan/quantile_error.hpp"
#include "core/math/spread.hpp"
#include "core/mechanism/circular/mean_direction.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/number_series.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

std::uint64_t whole(double n) noexcept {
    return static_cast<std::uint64_t>(std::max(1.0, std::round(n)));
}

/// Splits the variance into noise and sampling error, by the variances against the two targets.
template <class Variance>
Parts parts(Variance variance) {
    const double noise = variance(Target::sample);
    return {noise, std::max(0.0, variance(Target::population) - noise)};
}

/// Returns the variances of an answer of a part of a record from those for the people who report the part.
/// For all people who report, the sampling error of the part counts for the people who do not report it.
Parts of_record(const Parts& part, double chance) {
    return {part.noise + (1 - chance) * part.sampling, chance * part.sampling, part.smearing};
}

/// The values of a category within a range; of bins those within it.
std::vector<bool> values_within(const Attribute& asked, const Interval& within) {
    std::vector<bool> values(asked.domain);
    for (std::size_t v = 0; v < values.size(); ++v) {
        const auto value = static_cast<double>(v);
        const auto [low, high] = asked.binned() ? asked.bin(v) : std::pair(value, value);
        values[v] = within.lower <= low && high <= within.upper;
        const auto inside = [from = low, to = high](double end) { return from < end && end < to; };
        if (inside(within.lower) || inside(within.upper))
            raise(ErrorCode::invalid_value,
                  "a bound of the range lies inside a bin of \"" + asked.name + "\"",
                  "The bin extends from " + shortest(low) + " to " + shortest(high) + ".", "Use whole bins.");
    }
    return values;
}

/// People spread evenly over a category's values or a number's range, where a point stands for what is nearer
/// to it than to the next, so that the outer ones have half of it.
std::vector<double> even(std::size_t points, const Attribute& asked) {
    // Of a set, people have half of the labels that they may have.
    if (asked.several())
        return std::vector<double>(points,
                                   static_cast<double>(asked.most) / (2 * static_cast<double>(points)));
    std::vector<double> shares(
        points, asked.numeric() ? 1 / static_cast<double>(points - 1) : 1 / static_cast<double>(points));
    if (asked.numeric()) shares.front() = shares.back() = shares.front() / 2;
    return shares;
}

/// People spread so over points, and evenly from half way to the one to half way to the next.
Distribution between_points(const Ordered& ordered, const std::vector<double>& shares) {
    return {edges_around(ordered.ends(), shares.size()), shares, 0, true};
}

}  // namespace

std::size_t ErrorPrediction::points_of(const Mechanism& mechanism, std::size_t attribute,
                                       const Attribute& asked) {
    if (asked.strings) return 2;
    if (!asked.numeric()) return asked.domain;
    const Mechanism& part = *part_of(mechanism, attribute).mechanism;
    if (const auto* series = find_capability<NumberSeries>(part)) return series->expected_in(1)->points();
    const auto* ordered = find_capability<Ordered>(part);
    return ordered != nullptr ? ordered->points() : prediction_points;
}

ErrorPrediction::ErrorPrediction(const Mechanism& mechanism, const std::vector<Attribute>& attributes,
                                 std::vector<std::vector<double>> spreads)
    : mechanism_(mechanism), attributes_(attributes), spreads_(std::move(spreads)) {
    spreads_.resize(attributes_.size());
}

const std::vector<double>& ErrorPrediction::spread(std::size_t attribute) const {
    std::vector<double>& own = spreads_[attribute];
    const Attribute& asked = attributes_[attribute];
    if (own.empty() && asked.strings) own = {0, 1};
    if (own.empty()) own = even(points_of(mechanism_, attribute, asked), asked);
    return own;
}

Parts ErrorPrediction::share(std::size_t attribute, std::size_t value, double n) const {
    if (find_capability<JointViews>(*part_of(mechanism_, attribute).mechanism) != nullptr)
        return cell({attribute}, {value}, n);
    const std::vector<double>& shares = spread(attribute);
    const double f = shares[value];
    return {mechanism_.n_variance_of(attribute, value, shares) / n, f * (1 - f) / n};
}

Parts ErrorPrediction::share_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                      std::size_t value, double n) const {
    const RecordPart part = part_of(mechanism_, attribute);
    const std::vector<double>& shares = spread(attribute);
    const double f = shares[value], reports = n * part.chance;
    const double noise =
        round ? part.mechanism->n_variance_of(*round, value, shares) : part.mechanism->n_variance(f);
    return of_record({noise / reports, f * (1 - f) / reports}, part.chance);
}

Parts ErrorPrediction::pair(std::pair<std::size_t, std::size_t> attributes,
                            std::pair<std::size_t, std::size_t> values, double n) const {
    if (attributes.first > attributes.second) {
        std::swap(attributes.first, attributes.second);
        std::swap(values.first, values.second);
    }
    return cell({attributes.first, attributes.second}, {values.first, values.second}, n);
}

// Put together from all tables as an answer will be, each with the shares that are assumed, and as many
// people as are expected of it.
Parts ErrorPrediction::box(const std::vector<std::size_t>& attributes, const JointShares::Box& box,
                           double n) const {
    check_interrupt();
    const RecordPart part = part_of(mechanism_, attributes.front());
    if (attributes.back() >= part.first + part.count)
        raise(ErrorCode::unsupported, "no report contains all of these attributes",
              "They are in several parts of the record.", "Add them to \"joint_tables\".");
    std::vector<std::size_t> within = attributes;
    for (std::size_t& attribute : within) attribute -= part.first;
    const double reports = n * part.chance;
    const std::unique_ptr<const JointShares> shares =
        capability<JointViews>(*part.mechanism)
            .expected_shares(
                within, [&](std::size_t j) -> const std::vector<double>& { return spread(part.first + j); },
                reports);
    if (!shares->known())
        raise(ErrorCode::unsupported, "no report contains all of these attributes", {},
              "Use attributes of one marginal, or declare a marginal of these attributes.");
    const JointShares::Share share = shares->share(box);
    if (std::isnan(share.value))
        raise(ErrorCode::unsupported, "reports do not contain these attributes at this resolution",
              "Because of \"people\", the spec omits levels with too few expected reports.",
              "Use a box with coarser bounds, or omit \"people\" from the spec.");
    return of_record(parts([&](Target target) {
                         return square(estimate_of(*shares, share, whole(reports), target).standard_error);
                     }),
                     part.chance);
}

Parts ErrorPrediction::cell(const std::vector<std::size_t>& attributes,
                            const std::vector<std::size_t>& values, double n) const {
    JointShares::Box one;
    for (std::size_t i = 0; i < attributes.size(); ++i)
        one.emplace_back(attributes_[attributes[i]].domain)[values[i]] = true;
    return box(attributes, one, n);
}

Parts ErrorPrediction::mean(std::size_t attribute, double n, double rate) const {
    check_can_estimate(mechanism_, Quantity::means);
    const RecordPart of = part_of(mechanism_, attribute);
    if (const auto* circle = find_direction(*of.mechanism)) {
        const auto [noise, sampling] = circle->direction_variance(spread(attribute));
        if (std::isinf(noise))
            raise(ErrorCode::unsupported, "the expected values have no mean direction",
                  "They are spread over the circle so that no direction is preferred.",
                  "State the expected distribution, or plan the share of a range.");
        return of_record({noise / (n * of.chance), sampling / (n * of.chance)}, of.chance);
    }
    if (rate < 1) {
        const RecordPart part = part_of(mechanism_, attribute);
        const auto& answered = capability<ResponseRate>(*part.mechanism);
        const auto [mean, variance] = moments_of(spread(attribute));
        const AnsweredMoments answers{mean, variance + square(mean)};
        return of_record(parts([&](Target target) {
                             return answered.variances(rate, answers, target).mean / (n * part.chance);
                         }),
                         part.chance);
    }
    return {mechanism_.n_variance_of(attribute, 0, spread(attribute)) / n,
            moments_of(spread(attribute)).second / n};
}

std::size_t ErrorPrediction::noisiest(std::size_t attribute, std::optional<std::size_t> round) const {
    if (round) return *round;
    const Mechanism& series = *part_of(mechanism_, attribute).mechanism;
    std::size_t worst = 0;
    double largest = 0;
    for (std::size_t t = 0; t < series.cells().size(); ++t) {
        check_interrupt();
        const double variance = series.n_variance_of(t, 0, spread(attribute));
        if (variance > largest) largest = variance, worst = t;
    }
    return worst;
}

Parts ErrorPrediction::mean_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                     double n) const {
    const RecordPart part = part_of(mechanism_, attribute);
    check_can_estimate(*part.mechanism, Quantity::means);
    const std::vector<double>& shares = spread(attribute);
    const double reports = n * part.chance;
    return of_record({part.mechanism->n_variance_of(noisiest(attribute, round), 0, shares) / reports,
                      moments_of(shares).second / reports},
                     part.chance);
}

double ErrorPrediction::rounding(std::size_t attribute, double n) const {
    const double step =
        2 / static_cast<double>(grid_steps(attributes_[attribute], mechanism_.cells()[attribute]));
    return step * step / 6 / n;
}

Parts ErrorPrediction::range(std::size_t attribute, Interval within, double n, std::optional<double> truth,
                             double rate) const {
    const RecordPart part = part_of(mechanism_, attribute);
    if (find_capability<JointViews>(*part.mechanism) != nullptr)
        return box({attribute}, {values_within(attributes_[attribute], within)}, n);
    return range_of(capability<Ordered>(*part.mechanism), part.chance, attribute, within, n, truth, rate);
}

Parts ErrorPrediction::range_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                      Interval within, double n) const {
    const RecordPart part = part_of(mechanism_, attribute);
    const auto& series = capability<NumberSeries>(*part.mechanism);
    return range_of(*series.expected_in(noisiest(attribute, round) + 1), part.chance, attribute, within, n,
                    {});
}

Parts ErrorPrediction::range_of(const Ordered& ordered, double chance, std::size_t attribute, Interval within,
                                double n, std::optional<double> truth, double rate) const {
    OrderedEstimator estimator(ordered, spread(attribute), whole(n * chance), rate);
    const double from = estimator.before(within.lower), to = estimator.behind(within.upper);
    Parts all = of_record(
        parts([&](Target target) {
            return square(estimator.within(within.lower, within.upper, target).share.standard_error);
        }),
        chance);
    if (estimator.sharp()) return all;
    const Distribution evenly = between_points(ordered, spread(attribute));
    all.smearing = estimator.share(from, to, Target::sample).value -
                   truth.value_or(evenly.cdf(within.upper) - evenly.cdf(within.lower));
    return all;
}

// Against the sample, what a curve without smearing is off on average, such as by lying between two points,
// is among the noise.
Parts ErrorPrediction::quantile(std::size_t attribute, double share, double n, std::optional<double> truth,
                                double rate) const {
    const RecordPart part = part_of(mechanism_, attribute);
    return quantile_of(capability<Ordered>(*part.mechanism), part.chance, attribute, share, n, truth, rate);
}

Parts ErrorPrediction::quantile_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                         double share, double n) const {
    const RecordPart part = part_of(mechanism_, attribute);
    const auto& series = capability<NumberSeries>(*part.mechanism);
    return quantile_of(*series.expected_in(noisiest(attribute, round) + 1), part.chance, attribute, share, n,
                       {});
}

Parts ErrorPrediction::quantile_of(const Ordered& ordered, double chance, std::size_t attribute, double share,
                                   double n, std::optional<double> truth, double rate) const {
    check_has_quantiles(ordered);
    const std::vector<double>& shares = spread(attribute);
    OrderedEstimator estimator(ordered, shares, whole(n * chance), rate);
    const auto [low, high] = ordered.ends();
    const double place = (truth.value_or(between_points(ordered, shares).quantile(share)) - low) /
                         (high - low) * estimator.steps();
    const double step = attributes_[attribute].numeric() ? 2 / estimator.steps() : 1;
    double off = 0;
    Parts all = of_record(parts([&](Target target) {
                              const auto [mean, variance] = quantile_error(estimator, shares, share, target);
                              constexpr double rounded = 1e-9;  // of two ways to compute the same point
                              if (target == Target::sample && std::abs(mean - place) > rounded)
                                  off = mean - place;
                              return square(step) * variance;
                          }),
                          chance);
    if (estimator.sharp())
        all.noise += square(step * off);
    else
        all.smearing = step * off;
    return all;
}

double ErrorPrediction::memoized_part(std::size_t attribute, std::size_t value) const {
    if (!mechanism_.header().kept || is_series(mechanism_, attribute)) return 0;
    const Mechanism& own = *part_of(mechanism_, attribute).mechanism;
    const double truth =
        attributes_[attribute].numeric() ? moments_of(spread(attribute)).first : spread(attribute)[value];
    return own.n_covariance(truth) / own.n_variance(truth);
}

}  // namespace ldp

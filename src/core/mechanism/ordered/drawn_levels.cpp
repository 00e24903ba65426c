#include "core/mechanism/ordered/drawn_levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/channel/numeric.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"

namespace ldp {

void write_points(const Settings& settings, Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    writer.put(static_cast<std::uint8_t>(!attribute.numeric() ? 0 : may_be_missing(attribute) ? 2 : 1));
}

PointKind read_points(Reader& reader, std::uint64_t positions) {
    const auto kind = reader.take<std::uint8_t>();
    if (kind > 2 || (kind == 2 && positions < 3))
        refuse_block("the kind of the points is out of range",
                     "Found " + std::to_string(kind) + " for " + std::to_string(positions) + " positions.");
    return {kind != 0, kind == 2};
}

std::uint64_t positions_of(const Settings& settings, std::uint64_t most) {
    const Attribute& attribute = settings.attributes()[0];
    if (!attribute.numeric()) return attribute.domain;
    const std::uint64_t positions = settings.number("grid") + (may_be_missing(attribute) ? 2 : 1);
    if (positions > most)
        raise(ErrorCode::invalid_spec, "the \"grid\" of \"" + attribute.name + "\" is too fine",
              "With \"missing\": true, it may have " + std::to_string(most - 2) + " steps.",
              "Choose a smaller \"grid\".");
    return positions;
}

std::span<const Quantity> DrawnLevels::answers() const noexcept {
    static constexpr Quantity numbers[] = {Quantity::means, Quantity::distribution};
    static constexpr Quantity categories[] = {Quantity::frequencies, Quantity::distribution};
    return range_ ? numbers : categories;
}

std::vector<Estimate> DrawnLevels::estimate(const Counts& counts, const Question& question) const {
    OrderedEstimator estimator(*this, counts);
    switch (question.quantity) {
        case Quantity::frequencies: {
            std::vector<Estimate> shares;
            Work work;
            for (std::size_t point = 0; point < points_; ++point, work.done(std::bit_width(points_)))
                shares.push_back(estimator.between(point, point + 1, question.target));
            return shares;
        }
        case Quantity::means:
            return {range_->on(estimator.mean_of(values(0, 1), question.target))};
        default:
            return without_errors(estimator.fit());
    }
}

bool DrawnLevels::visit_laws(const Counts& counts, Target target,
                             const std::function<void(const ErrorLaw&)>& visit) const {
    OrderedEstimator estimator(*this, counts);
    Work work;
    for (std::size_t point = 0; point < points_; ++point, work.done(std::bit_width(points_)))
        visit(estimator.law_between(point, point + 1, target));
    return true;
}

double DrawnLevels::p_value(std::uint64_t n, const Estimate& estimate) const {
    if (range_) refuse(*this, Significance::offers);
    return Significance::p_value(n, estimate);
}

std::vector<Contribution> DrawnLevels::contributions(const Question& question) const {
    if (question.quantity == Quantity::distribution) return {};
    return worst_contributions_.get(
        [this] { return range_ ? contributions_to_mean() : contributions_to_worst_point(); });
}

std::vector<Contribution> DrawnLevels::contributions_to_mean() const {
    std::vector<Contribution> contributions =
        missing_ ? contributions_to_answered() : contributions_of(values(0, 1));
    const double width = 2 * range_->half();
    double shift = range_->min;  // of the sum, once
    for (auto& [drawn, terms, truths] : contributions) {
        for (Interval* ends : {&terms, &truths})
            *ends = {shift + width * ends->lower, shift + width * ends->upper};
        shift = 0;
    }
    return contributions;
}

std::vector<Contribution> DrawnLevels::contributions_to_worst_point() const {
    std::vector<Contribution> worst;
    for (const std::uint64_t point : distinct_points()) {
        std::vector<Contribution> contributions = contributions_of_point(point);
        if (worst.empty() || influence(contributions) > influence(worst)) worst = std::move(contributions);
    }
    return worst;
}

// All points of a complete subtree have the same components; points at the right edge may differ from all
// others.
std::vector<std::uint64_t> DrawnLevels::distinct_points() const {
    std::vector<std::uint64_t> all;
    for (std::uint64_t point = 0; point < points_; point += std::bit_floor(points_ - point))
        all.push_back(point);
    return all;
}

double DrawnLevels::n_variance(double truth) const {
    if (range_) return noise_of_mean(all_at(truth));
    std::vector<double> held(points_);
    double most = 0;
    for (const std::uint64_t point : distinct_points()) {
        std::ranges::fill(held, (1 - truth) / static_cast<double>(points_ - 1));
        held[point] = truth;
        most = std::max(most, expected_noise(held)->between(point, point + 1));
    }
    return most;
}

double DrawnLevels::n_variance_of(std::size_t, std::size_t item, std::span<const double> shares) const {
    std::vector<double> people(shares.begin(), shares.end());
    if (range_) return noise_of_mean(std::move(people));
    return expected_noise(std::move(people))->between(item, item + 1);
}

double DrawnLevels::noise_of_mean(std::vector<double> shares) const {
    if (!missing_) return expected_noise(std::move(shares))->of(values(-1, 1));
    constexpr std::uint64_t many = 1'000'000;  // the result does not depend on it
    OrderedEstimator estimator(*this, std::move(shares), many);
    return many * square(estimator.mean_of(values(-1, 1), Target::sample).standard_error);
}

// A forged report changes the mean of x − μ by its own value, and so the mean at a response rate of 1. The value is
// linear in μ, which lies in [0,1].
std::vector<Contribution> DrawnLevels::contributions_to_answered() const {
    std::vector<Contribution> worst;
    for (const double mean : {0.0, 1.0}) {
        std::vector<double> off = values(0 - mean, 1 - mean);
        off.push_back(0);
        std::vector<Contribution> contributions = contributions_of(off);
        for (Interval* ends : {&contributions[0].terms, &contributions[0].truths})
            *ends = {ends->lower + mean, ends->upper + mean};
        if (worst.empty()) worst = contributions;
        for (std::size_t i = 0; i < worst.size(); ++i) {
            const auto wider = [](const Interval& one, const Interval& other) -> Interval {
                return {std::min(one.lower, other.lower), std::max(one.upper, other.upper)};
            };
            worst[i].terms = wider(worst[i].terms, contributions[i].terms);
            worst[i].truths = wider(worst[i].truths, contributions[i].truths);
        }
    }
    return worst;
}

// Half of the people who answer are one standard deviation below the mean, half above.
AnsweredVariances DrawnLevels::answered_variances(double response_rate, const AnsweredMoments& answers,
                                                  Target target) const {
    constexpr std::uint64_t many = 1'000'000;  // the result does not depend on it
    const double off = std::sqrt(std::max(0.0, answers.mean_square - square(answers.mean)));
    std::vector<double> shares = all_at(std::clamp(answers.mean - off, -1.0, 1.0));
    const std::vector<double> above = all_at(std::clamp(answers.mean + off, -1.0, 1.0));
    for (std::size_t s = 0; s < shares.size(); ++s) shares[s] = (shares[s] + above[s]) / 2;
    OrderedEstimator estimator(*this, std::move(shares), many, response_rate);
    const double mean = estimator.mean_of(values(-1, 1), target).standard_error,
                 rate = estimator.answered(target).standard_error;
    return {many * square(mean), many * square(rate)};
}

// The set of accepted means is an interval, or contains an end of the range on at least one side of the estimate. It
// is searched from the estimate outwards.
Interval DrawnLevels::answered_mean_interval(const Counts& counts, const AnsweredInterval& terms) const {
    OrderedEstimator estimator(*this, counts, terms.repetitions);
    const AnsweredMean mean = estimator.answered_mean(values(0, 1), terms.target);
    const Interval ends{-terms.margin / 2, 1 + terms.margin / 2};
    const Interval whole{range_->on({ends.lower, 0}).value, range_->on({ends.upper, 0}).value};
    if (!(mean.rate > 0)) return whole;
    const auto accepted = [&](double at) {
        double forged = 0;
        if (terms.forged > 0) {
            check_interrupt();
            std::vector<double> off = values(0 - at, 1 - at);
            off.push_back(0);
            const auto [down, up] = bias(contributions_of(off), std::min(terms.forged, std::nextafter(1, 0)));
            forged = std::max(-down, up);
        }
        return std::abs(mean.at(at)) <= terms.critical_value * mean.error(at) + forged;
    };
    const double start = estimator.mean_of(values(0, 1), terms.target).value;
    const double half = terms.critical_value * mean.error(start) / mean.rate;
    const auto [low, high] = accepted_means(start, half, ends, accepted);
    return {low == ends.lower ? whole.lower : range_->on({low, 0}).value,
            high == ends.upper ? whole.upper : range_->on({high, 0}).value};
}

AnsweredMean DrawnLevels::answered_mean(const Counts& counts, Target target) const {
    return OrderedEstimator(*this, counts).answered_mean(values(0, 1), target);
}

// No known distribution exceeds the result by more than 3 % (test/unit/answers/plan_test.cpp searches for one).
double DrawnLevels::expected_variance_of_part(std::size_t attribute, double part) const {
    if (!range_) return Mechanism::expected_variance_of_part(attribute, part);
    const std::vector<double> numbers = values(-1, 1);
    double most = 0;
    for (std::vector<double>& shares : uncertain_people()) {
        double mean = 0, second = 0;
        for (std::size_t s = 0; s < points(); ++s) {
            mean += shares[s] * numbers[s];
            second += shares[s] * numbers[s] * numbers[s];
        }
        most = std::max(most,
                        noise_of_mean(std::move(shares)) + (1 - part) * std::max(second - mean * mean, 0.0));
    }
    return most;
}

// The variance of a level's mean is largest if the distribution of the people who drew it is least certain:
// half of them on either side in each level. In complete trees, half of the people are next to the root's
// middle and half on its other side, or half at each end. The worse of the two depends on the additional
// variance of concentrated distributions.
std::vector<std::vector<double>> DrawnLevels::uncertain_people() const {
    const std::uint64_t middle = std::bit_floor(points() - 1);
    return {halves_at(middle - 1, middle), halves_at(0, points() - 1)};
}

std::vector<double> DrawnLevels::halves_at(std::uint64_t first, std::uint64_t second) const {
    std::vector<double> shares(points());
    shares[first] += 0.5;
    shares[second] += 0.5;
    return shares;
}

Interval DrawnLevels::ends() const noexcept {
    return range_ ? Interval{range_->min, range_->max} : Interval{0, static_cast<double>(points_ - 1)};
}

Distribution DrawnLevels::fit(const Counts& counts, Smoothing) const {
    return OrderedEstimator(*this, counts).fit();
}

void DrawnLevels::add_level(std::uint64_t draw_weight) {
    draw_below_.push_back((draw_below_.empty() ? 0 : draw_below_.back()) + draw_weight);
}

std::vector<double> DrawnLevels::expected() const {
    std::vector<double> all;
    for (std::size_t level = 0; level < drawn_levels(); ++level) all.push_back(0x1p52 * chance(level));
    return all;
}

std::vector<Check> DrawnLevels::health_of(std::span<const std::uint64_t> reports,
                                          std::span<const std::vector<Check>> checks) const {
    std::vector<double> weights;
    for (std::size_t level = 0; level < drawn_levels(); ++level)
        weights.push_back(static_cast<double>(draw_weight(level)));
    std::vector<Check> worst = worst_of(checks, drawn_levels());
    worst.insert(worst.begin(), goodness_of_fit("levels drawn", reports, weights));
    return worst;
}

std::vector<std::pair<std::string, double>> DrawnLevels::parameters_and(
    std::initializer_list<std::pair<std::string, double>> more) const {
    std::vector<std::pair<std::string, double>> all;
    if (range_)
        all = {{"min", range_->min}, {"max", range_->max}, {"grid", static_cast<double>(points() - 1)}};
    else
        all = {{"domain", static_cast<double>(points_)}};
    all.insert(all.end(), more);
    return all;
}

std::vector<double> DrawnLevels::values(double low, double high) const {
    std::vector<double> all(points());
    for (std::size_t s = 0; s < points(); ++s)
        all[s] = low + (high - low) * static_cast<double>(s) / static_cast<double>(points() - 1);
    return all;
}

std::vector<double> DrawnLevels::all_at(double truth) const {
    const std::uint64_t steps = points() - 1;
    const auto [lower, up] = grid_point((truth + 1) / 2 * static_cast<double>(steps), steps);
    const double above = std::ldexp(static_cast<double>(up), -64);
    std::vector<double> shares(points());
    shares[lower] = 1 - above;
    if (up != 0) shares[lower + 1] = above;
    return shares;
}

}  // namespace ldp

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/square.hpp"
#include "core/choice/plan/error_prediction.hpp"
#include "core/choice/plan/plan.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/response_rate.hpp"

namespace ldp {

namespace {

using Asked = PlanningTarget::Asked;
using Compared = PlanningTarget::Compared;

double normal_below(double deviations) {
    return one_sided(-deviations);
}

/// The mean of what normal numbers have above a place that is so far above their mean.
double mean_excess(double distance, double deviation) {
    constexpr double density_at_0 = 0.3989422804014327;  // 1/√(2π)
    constexpr double far = 38;  // beyond that nothing is left that a double has room for
    const double at = distance / deviation;
    if (at > far) return 0;
    if (at < -far) return -distance;
    return deviation * (density_at_0 * std::exp(-square(at) / 2) - at * one_sided(at));
}

/// How far moving normal numbers into a range moves their mean.
double clamping(const PlanningTarget::Normal& normal, const Attribute& attribute) {
    const auto [mean, deviation] = normal;
    return mean_excess(mean - attribute.min, deviation) - mean_excess(attribute.max - mean, deviation);
}

/// Normal numbers, moved into the range, over bins or over points that stand for what is nearest to them.
std::vector<double> normal_over(const PlanningTarget::Normal& normal, const Attribute& attribute,
                                std::size_t points) {
    std::vector<double> shares;
    double before = 0;
    for (std::size_t i = 0; i < points; ++i) {
        const double edge = attribute.binned()
                                ? attribute.bin(i).second
                                : std::lerp(attribute.min, attribute.max,
                                            (static_cast<double>(i) + 0.5) / static_cast<double>(points - 1));
        const double below = i + 1 == points ? 1 : normal_below((edge - normal.mean) / normal.deviation);
        shares.push_back(std::max(0.0, below - before));
        before = below;
    }
    return shares;
}

/// One value has this share of the people, the others as many each.
std::vector<double> held_by(double share, std::size_t value, std::size_t values) {
    std::vector<double> shares(values, (1 - share) / static_cast<double>(values - 1));
    shares[value] = share;
    return shares;
}

std::vector<std::vector<double>> spreads(const Mechanism& mechanism, const Spec& spec,
                                         const PlanningTarget& question) {
    const auto& attributes = spec.attributes();
    std::vector<std::vector<double>> all(attributes.size());
    const std::size_t j = question.attribute;
    const std::size_t points = ErrorPrediction::points_of(mechanism, j, attributes[j]);
    if (question.normal) all[j] = normal_over(*question.normal, attributes[j], points);
    if (!question.share) return all;
    if (!question.with) {
        all[j] = held_by(*question.share, question.value, points);
    } else {
        const double each = std::sqrt(*question.share);
        all[j] = held_by(each, question.value, points);
        all[*question.with] = held_by(
            each, 0, ErrorPrediction::points_of(mechanism, *question.with, attributes[*question.with]));
    }
    return all;
}

Parts one_answer(const ErrorPrediction& error_prediction, const PlanningTarget& question, bool series,
                 double n, double rate) {
    switch (question.asked) {
        case Asked::mean:
            if (series) return error_prediction.mean_in_round(question.attribute, question.round, n);
            return error_prediction.mean(question.attribute, n, rate);
        case Asked::range:
            if (series)
                return error_prediction.range_in_round(question.attribute, question.round, question.range, n);
            return error_prediction.range(question.attribute, question.range, n, {}, rate);
        case Asked::quantile:
            if (series)
                return error_prediction.quantile_in_round(question.attribute, question.round,
                                                          question.quantile, n);
            return error_prediction.quantile(question.attribute, question.quantile, n, {}, rate);
        case Asked::share:
            if (question.with)
                return error_prediction.pair({question.attribute, *question.with}, {question.value, 0}, n);
            if (series)
                return error_prediction.share_in_round(question.attribute, question.round, question.value, n);
            return error_prediction.share(question.attribute, question.value, n);
    }
    return {};
}

/// The variances of an answer, by what brings them in.
struct VarianceSources {
    double noise = 0, sampling = 0, rounding = 0, repeated = 0;
    double smearing = 0;  ///< not squared: of a difference, that of one answer less that of the other

    [[nodiscard]] double all() const noexcept {
        return noise + sampling + rounding + repeated + square(smearing);
    }
};

/// `rate` is the share of people with a value, if people may leave it out.
VarianceSources split(const ErrorPrediction& error_prediction, const Spec& spec, bool series,
                      const PlanningTarget& question, double people, double rate = 1) {
    const auto rounds = static_cast<double>(question.rounds);
    const double kept = error_prediction.memoized_part(question.attribute, question.value);
    const bool one = spec.attributes().size() == 1;
    std::vector<double> groups{people};
    if (question.compared == Compared::days) groups = {people, people};
    if (question.compared == Compared::groups)
        groups = {people * question.part, people * (1 - question.part)};
    VarianceSources all;
    for (const double group : groups) {
        const Parts parts = one_answer(error_prediction, question, series, group * rounds, rate);
        all.noise += (1 - question.kept * kept) * parts.noise;
        all.repeated += (rounds - 1) * kept * parts.noise;
        all.smearing = parts.smearing - all.smearing;
        if (question.target == Target::population) all.sampling += rounds * parts.sampling;
        if (question.asked == Asked::mean && one && !series)
            all.rounding += error_prediction.rounding(question.attribute, group * rounds);
    }
    return all;
}

void check(const Mechanism& mechanism, const PlanningTarget& question) {
    const bool again = question.rounds > 1 || question.compared == Compared::days;
    const bool series = is_series(mechanism, question.attribute);
    if (again && series)
        raise(ErrorCode::unsupported, "a series can be planned for one round at a time",
              "The estimates of all rounds are computed from the same reports.",
              "Omit \"rounds\" and \"compare\", and set \"round\".");
    if (question.kept > 0 && (series || !mechanism.header().kept))
        raise(ErrorCode::unsupported, "responses are not memoized under this spec",
              "\"repeat_rate\" is the proportion of people who repeat a memoized response.",
              "Omit it, or add \"evolving\" and \"budget\" to the spec.");
}

}  // namespace

double Prediction::error() const noexcept {
    double all = 0;
    for (const Source& source : sources) all += source.square;
    return unit * std::sqrt(all);
}

double Prediction::error_of(const Source& source) const noexcept {
    return unit * std::sqrt(source.square);
}

double Prediction::part_of(const Source& source) const noexcept {
    double all = 0;
    for (const Source& each : sources) all += each.square;
    return source.square / all;
}

// People who do not answer leave fewer reports, or reports of a missing number. What that adds to all the other errors is
// theirs.
Prediction predict(const Mechanism& mechanism, const Spec& spec, const PlanningTarget& question,
                   double people) {
    check(mechanism, question);
    const ErrorPrediction error_prediction(mechanism, spec.attributes(), spreads(mechanism, spec, question));
    const bool series = is_series(mechanism, question.attribute);
    const VarianceSources all = split(error_prediction, spec, series, question, people);
    const Attribute& attribute = spec.attributes()[question.attribute];
    const bool share = question.asked == Asked::share || question.asked == Asked::range;
    Prediction found{{{"randomizer", all.noise}}, share ? 1 : ErrorPrediction::unit(attribute)};
    const auto add = [&](const char* name, double variance) {
        if (variance > 0) found.sources.push_back({name, variance});
    };
    add("sample of people", all.sampling);
    add("rounding", all.rounding);
    add("smearing", square(all.smearing));
    add("repeated answers", all.repeated);
    if (question.answering < 1) {
        const bool missing =
            question.asked != Asked::share && !series &&
            find_capability<ResponseRate>(*part_of(mechanism, question.attribute).mechanism) != nullptr;
        const VarianceSources fewer =
            missing ? split(error_prediction, spec, series, question, people, question.answering)
                    : split(error_prediction, spec, series, question, people * question.answering);
        add("missing answers", fewer.all() - all.all());
    }
    const bool difference = question.compared != Compared::nothing;
    if (question.asked == Asked::mean && question.normal && !difference)
        add("clamping", square(clamping(*question.normal, attribute) / found.unit));
    return found;
}

}  // namespace ldp

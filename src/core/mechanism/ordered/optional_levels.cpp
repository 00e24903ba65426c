#include "core/mechanism/ordered/optional_levels.hpp"

#include "core/mechanism/ordered/ordered_estimator.hpp"

namespace ldp {

Estimate OptionalDistribution::response_rate(const Counts& counts, Target target) const {
    return OrderedEstimator(levels_of(), counts).answered(target);
}

ErrorLaw OptionalDistribution::response_law(const Counts& counts, Target target) const {
    return OrderedEstimator(levels_of(), counts).law_of_answered(target);
}

AnsweredMean OptionalDistribution::answered_mean(const Counts& counts, Target target) const {
    return levels_of().answered_mean(counts, target);
}

Interval OptionalDistribution::answered_interval(const Counts& counts, const AnsweredInterval& terms) const {
    return levels_of().answered_mean_interval(counts, terms);
}

AnsweredVariances OptionalDistribution::variances(double response_rate, const AnsweredMoments& answers,
                                                  Target target) const {
    return levels_of().answered_variances(response_rate, answers, target);
}

}  // namespace ldp

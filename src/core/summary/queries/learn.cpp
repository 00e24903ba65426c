#include "core/summary/queries/learn.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/frequency/label_sets.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

/// Half of the share that may be excluded is excluded at either end. Each end lies beyond its quantile with
/// half of the error probability 1 − range_confidence, so that both hold with range_confidence.
LearntRange quantiles(const Ordered& ordered, const SummaryView& view, double coverage) {
    const auto [least, greatest] = ordered.ends();
    const double blur = resolution(view) / 2;
    const double out = (1 - coverage) / 2;
    const double shares[] = {out, 1 - out};
    const auto both = ldp::quantiles(view, shares, range_confidence, Target::population);
    const double low = std::max(both[0].interval.lower - blur, least),
                 high = std::min(both[1].interval.upper + blur, greatest);
    const bool whole = low == least && high == greatest;
    return {0, low, high, false, whole ? reports_to_narrow(*view.mechanism, coverage) : 0};
}

void check_coverage(double coverage) {
    if (!(coverage > 0 && coverage < 1))
        raise(ErrorCode::invalid_value, "the coverage must lie between 0 and 1",
              "Found " + shortest(coverage) + ".",
              "With 0.9, a tenth of the people may lie outside the range.");
}

std::uint64_t whole_reports(double n) {
    return static_cast<std::uint64_t>(std::ceil(std::min(n, 0x1p62)));
}

}  // namespace

std::vector<LearntRange> learn_ranges(const SummaryView& view, double coverage) {
    check_coverage(coverage);
    need_reports(view);
    const Mechanism& mechanism = *view.mechanism;
    if (const auto* ordered = find_capability<Ordered>(mechanism))
        return {quantiles(*ordered, view, coverage)};
    need_one_round(view, "learning a range");
    if (const RangeLearner* learner = range_learner(mechanism)) return learner->ranges(view, coverage);

    std::vector<LearntRange> ranges;
    for (std::size_t j = 0; j < mechanism.cells().size(); ++j) {
        const SummaryView one = part(view, j);
        if (const auto* ordered = find_capability<Ordered>(*one.mechanism)) {
            const auto [least, greatest] = ordered->ends();
            ranges.push_back(one.n > 0 ? quantiles(*ordered, one, coverage)
                                       : LearntRange{0, least, greatest, false,
                                                     reports_to_narrow(*one.mechanism, coverage)});
            ranges.back().item = j;
            continue;
        }
        if (find_capability<ValueOracle>(*one.mechanism) != nullptr) {
            refuse_label_sets(*one.mechanism, "the range of values");
            const auto [first, last] = shortest_segment(one, coverage);
            const bool whole = first == 0 && last + 1 == one.mechanism->cells()[0];
            ranges.push_back({j, static_cast<double>(first), static_cast<double>(last), false,
                              whole ? reports_to_narrow(*one.mechanism, coverage) : 0});
            continue;
        }
        const Range* range = one.mechanism->range_of_number();
        if (range == nullptr || one.mechanism == &mechanism)
            raise(ErrorCode::unsupported, "ranges cannot be learned from these reports",
                  "The mechanism does not estimate a distribution.",
                  "Collect numbers with square_wave or haar_ordered, vectors with haar_ranges, or bins of "
                  "values as categories.");
        ranges.push_back({j, range->min, range->max, false});
    }
    return ranges;
}

// For an ordered attribute: the interval of the quantile must end within the outer sixteenth, which is nearly
// empty. This holds if the critical value times the share's standard error is at most half of the share that
// may be excluded. For an oracle: the upper bound of the values there must be at most the share that may be
// excluded.
std::uint64_t reports_to_narrow(const Mechanism& mechanism, double coverage) {
    check_coverage(coverage);
    constexpr std::size_t outer = 16;
    if (const auto* ordered = find_capability<Ordered>(mechanism)) {
        constexpr std::uint64_t many = 100000;
        const std::size_t points = ordered->points();
        std::vector<double> middle(points);
        middle[points / 2] = 1;
        OrderedEstimator estimator(*ordered, std::move(middle), many);
        const double cut = std::max(1.0, estimator.steps() / outer);
        const double error =
            estimator.share(OrderedEstimator::left_end, cut, Target::population).standard_error;
        return whole_reports(many *
                             square(interval({0, error}, range_confidence).upper / ((1 - coverage) / 2)));
    }
    if (find_capability<ValueOracle>(mechanism) == nullptr)
        raise(ErrorCode::unsupported, "ranges cannot be learned from these reports",
              "The mechanism does not estimate a distribution.",
              "Use a mechanism for an ordered attribute or a category.");
    const auto k = static_cast<double>(mechanism.cells()[0]);
    const double radius = one_of_many_radius(k * (k + 1) / 2), share = 1 - coverage;
    const double variance = std::max(1.0, std::round(k / outer)) * mechanism.n_variance(0);
    return whole_reports(square(radius / share) * (variance + share * (1 - share)));
}

}  // namespace ldp

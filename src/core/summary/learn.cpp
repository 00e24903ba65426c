#include "core/summary/learn.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/summary/distribution.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

/// Half of those who may be left out are left out at either end. Each end is beyond the quantile with
/// half of what is missing to range_confidence, so both are with all of it.
LearntRange quantiles(const Ordered& ordered, const SummaryView& view, double coverage) {
    const auto [least, greatest] = ordered.ends();
    const double blur = resolution(view) / 2;
    const double out = (1 - coverage) / 2;
    const double shares[] = {out, 1 - out};
    const auto both = ldp::quantiles(view, shares, range_confidence, Target::population);
    return {0, std::max(both[0].interval.lower - blur, least),
            std::min(both[1].interval.upper + blur, greatest), false};
}

}  // namespace

std::vector<LearntRange> learn_ranges(const SummaryView& view, double coverage) {
    if (!(coverage > 0 && coverage < 1))
        raise(ErrorCode::invalid_value, "the coverage must lie between 0 and 1",
              "Found " + shortest(coverage) + ".",
              "0.9 says that a tenth of the people may lie outside the range.");
    need_reports(view);
    const Mechanism& mechanism = *view.mechanism;
    if (const auto* ordered = find_capability<Ordered>(mechanism))
        return {quantiles(*ordered, view, coverage)};
    need_one_round(view, "a range");
    if (const auto* learner = find_capability<RangeLearner>(mechanism))
        return learner->ranges(view, coverage);

    std::vector<LearntRange> ranges;
    for (std::size_t j = 0; j < mechanism.cells().size(); ++j) {
        const SummaryView one = part(view, j);
        if (find_capability<ValueOracle>(*one.mechanism) != nullptr) {
            const auto [first, last] = shortest_stretch(one, coverage);
            ranges.push_back({j, static_cast<double>(first), static_cast<double>(last), false});
            continue;
        }
        const auto* number = find_capability<Number>(*one.mechanism);
        if (number == nullptr || one.mechanism == &mechanism)
            raise(ErrorCode::unsupported, "these reports tell no distribution to learn a range from", {},
                  "Collect numbers with square_wave or haar_ordered, vectors with haar_ranges, or the "
                  "bins that values fall in as categories.");
        ranges.push_back({j, number->range().min, number->range().max, false});
    }
    return ranges;
}

}  // namespace ldp

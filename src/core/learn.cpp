#include "learn.hpp"

#include <algorithm>
#include <cmath>

#include "distribution.hpp"
#include "error.hpp"
#include "mechanism/numeric_mean.hpp"
#include "mechanism/oracle.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace ldp {

namespace {

constexpr double confidence = 0.99;

/// Half of those who may be left out are left out at either end. Each end is beyond the quantile with
/// confidence 99.5 %, so both are with 99 %.
LearntRange quantiles(const OrderedMechanism& ordered, const Mechanism& mechanism, Bytes summary,
                      double coverage) {
    const auto interval = [&](double share) {
        return quantile(mechanism, summary, share, confidence, Target::population).interval;
    };
    const auto [least, greatest] = ordered.ends();
    const double blur = resolution(mechanism, summary) / 2;
    const double out = (1 - coverage) / 2;
    return {0, std::max(interval(out).lower - blur, least),
            std::min(interval(1 - out).upper + blur, greatest), false};
}

}  // namespace

// What lies outside a stretch is bounded for all stretches at once, so that it does not matter which one is
// picked. An oracle's estimates are not positively correlated: the variance of a sum is at most the sum of
// the variances. The people's own part of it is that of a stretch which just fails to hold the share, not of
// the estimate: a single report has an error too.
Stretch shortest_stretch(const Part& oracle, double coverage, bool from_first) {
    const std::size_t k = oracle.mechanism->cells()[0];
    const Stretch all{0, k - 1};
    if (oracle.n == 0) return all;
    const auto shares = oracle.mechanism->estimate(oracle.n, oracle.state, {Quantity::frequencies});
    // Of the values below each number, and of all.
    std::vector<double> sums(k + 1), variances(k + 1);
    for (std::size_t v = 0; v < k; ++v) {
        sums[v + 1] = sums[v] + shares[v].value;
        variances[v + 1] = variances[v] + shares[v].standard_error * shares[v].standard_error;
    }
    const auto values = static_cast<double>(k);
    const double stretches = from_first ? values : values * (values + 1) / 2;
    const double radius = reach(1 - 2 * (1 - confidence) / stretches);
    const double sampling = coverage * (1 - coverage) / static_cast<double>(oracle.n);
    const auto holds = [&](std::size_t first, std::size_t last) {
        const double outside = sums[first] + sums[k] - sums[last + 1];
        const double noise = std::max(0.0, variances[first] + variances[k] - variances[last + 1]);
        return outside + radius * std::sqrt(noise + sampling) <= 1 - coverage;
    };
    Stretch shortest = all;
    for (std::size_t first = 0, last = 0; first < (from_first ? 1 : k); ++first) {
        last = std::max(last, first);
        while (last < k && !holds(first, last)) ++last;
        if (last == k) break;  // what begins later leaves out more
        if (last - first < shortest.last - shortest.first) shortest = {first, last};
    }
    return shortest;
}

std::vector<LearntRange> learn_ranges(const Mechanism& mechanism, Bytes summary, double coverage) {
    if (!(coverage > 0 && coverage < 1))
        throw Error(ErrorCode::invalid_value, "the coverage must lie between 0 and 1",
                    "Found " + shortest(coverage) + ".",
                    "0.9 says that a tenth of the people may lie outside the range.");
    const std::uint64_t n = summary_count(mechanism, summary);
    if (n == 0)
        throw Error(ErrorCode::invalid_value, "the summary holds no reports", {},
                    "Estimates need at least one report.");
    const Bytes state = summary_state(mechanism, summary);
    if (const auto* learner = dynamic_cast<const RangeMechanism*>(&mechanism))
        return learner->ranges(n, state, coverage);
    if (const auto* ordered = dynamic_cast<const OrderedMechanism*>(&mechanism))
        return {quantiles(*ordered, mechanism, summary, coverage)};

    std::vector<LearntRange> ranges;
    for (std::size_t j = 0; j < mechanism.cells().size(); ++j) {
        const Part part = mechanism.part(n, state, j);
        if (dynamic_cast<const Oracle*>(part.mechanism) != nullptr) {
            const auto [first, last] = shortest_stretch(part, coverage, false);
            ranges.push_back({j, static_cast<double>(first), static_cast<double>(last), false});
            continue;
        }
        const auto* number = dynamic_cast<const NumericMean*>(part.mechanism);
        if (number == nullptr || part.mechanism == &mechanism)
            throw Error(ErrorCode::unsupported, "these reports tell no distribution to learn a range from",
                        {},
                        "Collect numbers with square_wave or haar_ordered, vectors with haar_ranges, or the "
                        "bins that values fall in as categories.");
        ranges.push_back({j, number->range().min, number->range().max, false});
    }
    return ranges;
}

}  // namespace ldp

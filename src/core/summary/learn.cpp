#include "core/summary/learn.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/frequency/oracle.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/summary/distribution.hpp"
#include "core/summary/summary.hpp"

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

/// The people whose value lies outside a stretch of an oracle's values, bounded for so many stretches at once
/// that it does not matter which of them is picked.
class Outside {
  public:
    Outside(const Part& oracle, double stretches)
        : n_(static_cast<double>(oracle.n)), radius_(reach(1 - 2 * (1 - confidence) / stretches)) {
        for (const auto& [share, error] :
             oracle.mechanism->estimate(oracle.n, oracle.state, {Quantity::frequencies})) {
            sums_.push_back(sums_.back() + share);
            variances_.push_back(variances_.back() + error * error);
        }
    }

    /// An oracle's estimates are not positively correlated: the variance of a sum is at most the sum of the
    /// variances. The people's own part of it is that of the share which is not to be exceeded, not of the
    /// estimate: a single report has an error too.
    [[nodiscard]] bool at_most(double share, std::size_t first, std::size_t last) const {
        const double found = sums_[first] + sums_.back() - sums_[last + 1];
        const double noise = variances_[first] + std::max(0.0, variances_.back() - variances_[last + 1]);
        return found + radius_ * std::sqrt(noise + share * (1 - share) / n_) <= share;
    }

  private:
    double n_, radius_;
    std::vector<double> sums_{0}, variances_{0};  ///< of the values below each number, and of all
};

}  // namespace

Stretch shortest_stretch(const Part& oracle, double coverage) {
    const std::size_t k = oracle.mechanism->cells()[0];
    Stretch shortest{0, k - 1};
    if (oracle.n == 0) return shortest;
    const Outside outside(oracle, static_cast<double>(k) * static_cast<double>(k + 1) / 2);
    for (std::size_t first = 0, last = 0; first < k; ++first) {
        last = std::max(last, first);
        while (last < k && !outside.at_most(1 - coverage, first, last)) ++last;
        if (last == k) break;  // what begins later leaves out more
        if (last - first < shortest.last - shortest.first) shortest = {first, last};
    }
    return shortest;
}

Stretch inner_stretch(const Part& oracle, double below, double above) {
    const std::size_t k = oracle.mechanism->cells()[0];
    Stretch inner{0, k - 1};
    if (oracle.n == 0) return inner;
    const Outside outside(oracle, 2 * static_cast<double>(k));
    while (inner.first < k - 1 && outside.at_most(below, inner.first + 1, k - 1)) ++inner.first;
    while (inner.last > inner.first && outside.at_most(above, 0, inner.last - 1)) --inner.last;
    return inner;
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
            const auto [first, last] = shortest_stretch(part, coverage);
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

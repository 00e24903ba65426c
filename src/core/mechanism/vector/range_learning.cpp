#include "core/mechanism/vector/range_learning.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// The share of people outside a segment of an oracle's values, with a bound that holds for all segments
/// simultaneously.
class Outside {
  public:
    Outside(const SummaryView& oracle, double segments)
        : n_(static_cast<double>(oracle.n)), radius_(one_of_many_radius(segments)) {
        Work work;
        for (const auto& [share, error] : oracle.mechanism->estimate(oracle, {Quantity::frequencies})) {
            sums_.push_back(sums_.back() + share);
            variances_.push_back(variances_.back() + error * error);
            work.done();
        }
    }

    /// Estimates of an oracle are not positively correlated, so that the variance of a sum is at most the sum
    /// of the variances. The sampling variance is computed from the bound `share` and not from the estimate,
    /// which may be zero with few reports.
    [[nodiscard]] bool at_most(double share, std::size_t first, std::size_t last) const {
        const double found = sums_[first] + sums_.back() - sums_[last + 1];
        const double noise = variances_[first] + std::max(0.0, variances_.back() - variances_[last + 1]);
        return found + radius_ * std::sqrt(noise + share * (1 - share) / n_) <= share;
    }

  private:
    double n_, radius_;
    std::vector<double> sums_{0}, variances_{0};  ///< of the values below each index, and of all
};

}  // namespace

void check_no_ranges(const Mechanism& mechanism) {
    if (range_learner(mechanism) != nullptr)
        raise(ErrorCode::unsupported, "these reports estimate ranges for a second round only", {},
              std::vector{Remedy::learn_ranges});
}

// Computed from the tail, since 1 minus a tiny probability rounds to 1.
double one_of_many_radius(double segments) {
    return -normal_quantile((1 - range_confidence) / segments);
}

ReportSegment shortest_segment(const SummaryView& oracle, double coverage) {
    const std::size_t k = oracle.mechanism->cells()[0];
    ReportSegment shortest{0, k - 1};
    if (oracle.n == 0) return shortest;
    const Outside outside(oracle, static_cast<double>(k) * static_cast<double>(k + 1) / 2);
    Work work;
    for (std::size_t first = 0, last = 0; first < k; ++first, work.done()) {
        last = std::max(last, first);
        for (; last < k && !outside.at_most(1 - coverage, first, last); work.done()) ++last;
        if (last == k) break;  // a segment that begins later leaves out more
        if (last - first < shortest.last - shortest.first) shortest = {first, last};
    }
    return shortest;
}

ReportSegment inner_segment(const SummaryView& oracle, double below, double above) {
    const std::size_t k = oracle.mechanism->cells()[0];
    ReportSegment inner{0, k - 1};
    if (oracle.n == 0) return inner;
    const Outside outside(oracle, 2 * static_cast<double>(k));
    Work work;
    for (; inner.first < k - 1 && outside.at_most(below, inner.first + 1, k - 1); work.done()) ++inner.first;
    for (; inner.last > inner.first && outside.at_most(above, 0, inner.last - 1); work.done()) --inner.last;
    return inner;
}

}  // namespace ldp

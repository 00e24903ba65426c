// Ranges learned from the reports of a first round for a second round (Karwa, Vadhan 2018; Kent et al. 2024).
#pragma once

#include <cstdint>
#include <vector>

#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// A range for the second round.
struct LearntRange {
    std::size_t item;  ///< index of the attribute or Haar coefficient
    /// of a number, in its units; of a category, the index of the first and of the last value; of a
    /// coefficient, scaled to [−1,1]
    double low, high;
    bool coefficient;
    /// If this is the whole declared range: the approximate number of reports of the attribute from which on
    /// the range is narrower, if hardly any person is in the outer sixteenth. 0 otherwise, or if the number
    /// is unknown.
    std::uint64_t needed = 0;
};

/// Ranges of a record whose reports serve to learn them.
class RangeLearner {
  public:
    virtual ~RangeLearner() = default;

    /// Returns the ranges of learn_ranges(). Requires n ≥ 1.
    [[nodiscard]] virtual std::vector<LearntRange> ranges(const Counts& counts, double coverage) const = 0;
};

/// Returns the ranges that reports serve to learn; null if they serve to estimate values.
[[nodiscard]] inline const RangeLearner* range_learner(const Mechanism& mechanism) noexcept {
    const auto* record = find_capability<Record>(mechanism);
    return record == nullptr ? nullptr : record->range_learner();
}
/// Throws Error (unsupported) if the mechanism has a RangeLearner: its reports carry no attribute's values.
void check_no_ranges(const Mechanism& mechanism);

/// The probability that both ends of a range hold.
inline constexpr double range_confidence = 0.99;

/// Returns the critical value with which this number of bounds hold simultaneously with range_confidence.
[[nodiscard]] double one_of_many_radius(double segments);

/// A segment of adjacent values.
struct ReportSegment {
    std::size_t first, last;
};

/// Returns the shortest segment of a frequency oracle's values that contains the share with range_confidence;
/// all values if no segment does, or without reports.
[[nodiscard]] ReportSegment shortest_segment(const SummaryView& oracle, double coverage);
/// Returns the segment that leaves at most the share `below` under it and at most `above` over it with
/// range_confidence, and that cannot be shortened at either end. For binned numbers, excluding equal shares
/// on both sides changes the mean less than a shorter segment may.
[[nodiscard]] ReportSegment inner_segment(const SummaryView& oracle, double below, double above);

}  // namespace ldp

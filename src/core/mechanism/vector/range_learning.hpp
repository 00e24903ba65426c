// Ranges learnt from a first round's reports, for a second (Karwa, Vadhan 2018; Kent et al. 2024).
#pragma once

#include <cstdint>
#include <vector>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// A range for the second round.
struct LearntRange {
    std::size_t item;  ///< the attribute, or the Haar coefficient
    double low, high;  ///< of a number, in its units; of a category, the first and the last value's number;
                       ///< of a coefficient, where every attribute is on [−1,1]
    bool coefficient;
    /// If this is the whole declared range: about how many reports of the attribute make it narrower, should
    /// hardly anybody be in the outer sixteenth. 0 otherwise, and where it is not known.
    std::uint64_t needed = 0;
};

/// Reports whose purpose is to tell ranges.
class RangeLearner : public Capability {
  public:
    static constexpr const char* offers = "ranges";

    /// As learn_ranges(); n ≥ 1.
    [[nodiscard]] virtual std::vector<LearntRange> ranges(const Counts& counts, double coverage) const = 0;
};

/// Throws Error (unsupported) if the mechanism is one: what tells ranges tells nothing of any attribute's
/// values.
void check_no_ranges(const Mechanism& mechanism);

/// That both ends of a range are as promised.
inline constexpr double range_confidence = 0.99;

/// How many standard errors a bound has to keep off for so many bounds to hold at once with range_confidence.
[[nodiscard]] double one_of_many_radius(double segments);

/// Values next to each other.
struct ReportSegment {
    std::size_t first, last;
};

/// The shortest stretch of a frequency oracle's values that holds the share, with range_confidence; all
/// values if none does, or there are no reports.
[[nodiscard]] ReportSegment shortest_segment(const SummaryView& oracle, double coverage);
/// The stretch that leaves at most so many people below it and at most so many above, with range_confidence,
/// and cannot be shortened at either end. Of numbers in bins, leaving out as many on either side moves their
/// mean less than a shorter stretch may.
[[nodiscard]] ReportSegment inner_segment(const SummaryView& oracle, double below, double above);

}  // namespace ldp

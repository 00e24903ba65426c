// Intervals where the normal law does not hold: of few reports, and of shares and means that follow from a
// count.
#pragma once

#include "core/mechanism/capability.hpp"

namespace ldp {

/// How an estimate is distributed about what it estimates, as far as its interval depends on it. By default
/// the normal law.
struct ErrorLaw {
    /// Of how many reports the estimate follows by a count; 0 if it is read off no count.
    std::uint64_t n = 0;
    /// The probability that a report counts, of a person at the upper end of `truths` and at the lower.
    double p = 1, q = 0;
    /// Whether every person is at one of the ends, and they are the people who reported: their number at the
    /// upper end is what is estimated. Otherwise each report counts with the same probability.
    bool counts_people = false;
    Interval truths{0, 1};  ///< what the estimate may truly be
    /// Of how many people from a population a share is estimated, where that is read off no count: its
    /// variance has f(1 − f)/people, f being the truth, beside the noise. 0 if it is not.
    double people = 0;
    /// Where the standard error is itself estimated, of so many degrees of freedom; 0 if it is not.
    double freedom = 0;
    /// Variance beside that of the standard error, for what reports so few may not show.
    double unseen = 0;
};

/// The interval of an estimate that reaches `reach` standard errors, or as far as the law does with the same
/// probability. Of a count whose standard deviation is below 10 it is that of all truths under which neither
/// so many nor so few are too rare, what was counted having half its probability (mid-P; Lancaster 1961);
/// with room for the estimate itself, which may lie beyond what is possible.
[[nodiscard]] Interval interval(const Estimate& estimate, double reach, const ErrorLaw& law);

/// Estimates whose law is known.
class KnownErrors : public Capability {
  public:
    static constexpr const char* offers = "how their estimates are distributed";

    /// Of an estimate of n ≥ 1 reports of as many people.
    [[nodiscard]] virtual ErrorLaw error_law(std::uint64_t n, Target target) const noexcept = 0;
};

}  // namespace ldp

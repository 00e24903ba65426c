// What share of a whole its part is, both being estimated.
#pragma once

#include "core/mechanism/error_law.hpp"

namespace ldp {

/// Estimates of a whole and of a part of it, their variances and covariance.
struct PartOfWhole {
    double part, whole;
    double variance_of_part, variance_of_whole, covariance;
};

/// part/whole, with its standard error by the delta method.
[[nodiscard]] Estimate estimate_of_quotient(const PartOfWhole& estimates);

/// The interval of part/whole, `reach` being the normal law's, for a whole that is told only where it is
/// `reach` standard errors above 0: NaN where it is not. Wholes that look larger than they are pass that
/// test first, and Fieller's interval (1954) of those that passed holds too seldom; this one holds as often
/// as it says among them (Lee, Sun, Sun, Taylor 2016), and is Fieller's where the whole is far above the
/// test. Of 0 to 1, but that it reaches to the estimate.
[[nodiscard]] Interval interval_of_quotient(const PartOfWhole& estimates, double critical_value);

}  // namespace ldp

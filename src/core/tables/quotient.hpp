// Quotients of an estimated part and an estimated whole.
#pragma once

#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// Estimates of a whole and of a part of it, their variances and covariance.
struct PartOfWhole {
    double part, whole;
    double variance_of_part, variance_of_whole, covariance;
};

/// Returns part/whole with its standard error by the delta method.
[[nodiscard]] Estimate estimate_of_quotient(const PartOfWhole& estimates);

/// Returns the interval of part/whole at a normal critical value, clipped to 0 to 1 but containing the
/// estimate. NaN if the whole is less than `critical_value` standard errors above 0. The whole is more likely
/// to pass this test if it is overestimated, and Fieller's interval (1954) has too little coverage after the
/// selection. This interval is conditional on the selection (Lee, Sun, Sun, Taylor 2016). It equals Fieller's
/// if the whole is far above the threshold.
[[nodiscard]] Interval interval_of_quotient(const PartOfWhole& estimates, double critical_value);

}  // namespace ldp

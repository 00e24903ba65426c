// Estimates of one quantity in many groups of different people, with the moments of their errors.
#pragma once

#include <span>

#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// The estimate in one group. The variance and the third central moment of its error, randomization and sampling
/// together, are polynomials in the group's true value.
struct MeasuredGroup {
    double value;
    double people;  ///< number of reports
    TruthCurve::Cubic variance{}, third{};

    [[nodiscard]] double variance_at(double truth) const noexcept;
    [[nodiscard]] double third_at(double truth) const noexcept;
    /// Returns the mean variance if true values have this mean and this variance. Exact for polynomials of degree 2.
    [[nodiscard]] double variance_around(double mean, double between) const noexcept;
};

/// Estimates of one quantity, in the groups that have an estimate.
struct MeasuredGroups {
    std::span<const MeasuredGroup> groups;
    Interval truths = ErrorLaw{}.truths;  ///< possible values; errors depend on the true value if it has ends
    bool share = false;                   ///< whether each person holds 0 or 1
    double within =
        unknown;  ///< variance between the people of one group; of a share it follows from the mean

    /// Returns the mean over people, moved inside().
    [[nodiscard]] double center() const noexcept;
    /// Returns the nearest possible mean at which not all people hold an end of the possible values. If all of N people hold an
    /// end, the next person may hold another value with a probability of about 1/N: at the end itself, the sampling error would be
    /// 0.
    [[nodiscard]] double inside(double mean) const noexcept;
};

/// Returns the mean and the variance of the true values by the method of moments: the variance for which the weighted sum
/// of squared deviations is equal to its expectation (Paule, Mandel 1982). The known variances of the errors are removed.
struct GroupSpread {
    double mean;     ///< with weights inverse to the variances
    double between;  ///< at least 0
};
[[nodiscard]] GroupSpread spread_of(const MeasuredGroups& measured);
/// Returns the interval of the variance of the true values from the quantiles of the same sum (Viechtbauer 2007). Each end
/// has the error probability `error`.
[[nodiscard]] Interval spread_interval(const MeasuredGroups& measured, double error);

}  // namespace ldp

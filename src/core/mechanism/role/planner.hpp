// Error prediction and cost before any report exists.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// Cost of the server in elementary steps of about a nanosecond, for the choice of a mechanism.
struct Cost {
    double per_report;  ///< to count one report
    double per_answer;  ///< to compute the estimates once, whatever the number of reports

    /// Returns the steps per report if estimates are computed once per million reports: the unit of Limits.
    [[nodiscard]] double decode() const noexcept { return per_report + per_answer / 1e6; }
};

class Planner {
  public:
    virtual ~Planner() = default;

    /// Returns given and derived parameters with their names, for display.
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> parameters() const = 0;
    /// Returns n·Var (sample target) of one item of the natural estimate if the true value of each item is
    /// `truth`: a frequency, or a mean on [−1,1]. The value is exact. If items differ, the largest counts.
    [[nodiscard]] virtual double n_variance(double truth) const = 0;
    /// Returns n·Var (sample target) of one item of one attribute if `shares` is the distribution of its
    /// values. The shares add up to 1. For a category, the item is one of its values. For a number, shares
    /// refer to at least two equidistant points from −1 to 1, and the estimate is its mean. Mechanisms on a
    /// grid require one share per grid point. In a series, the attribute is a round.
    [[nodiscard]] virtual double n_variance_of(std::size_t attribute, std::size_t item,
                                               std::span<const double> shares) const = 0;
    /// Returns n·Var that is expected of an attribute before its distribution is known. For a mean on [−1,1],
    /// this is the maximum over all distributions or a bound of it. For a frequency, it is the average over
    /// the values, which hardly depends on the data, or a bound of it.
    [[nodiscard]] virtual double expected_variance(std::size_t attribute) const = 0;
    /// Returns expected_variance() of an attribute if a random part of the users reports it, times the
    /// part. These users are a sample of all, so the variance between users counts.
    [[nodiscard]] virtual double expected_variance_of_part(std::size_t attribute, double part) const = 0;
    /// Returns n·Cov (sample target) of one item's estimates in two rounds. The same n users report the same
    /// values from memoized permanent responses. All else is as for n_variance(). The noise is common to both
    /// rounds except for the part that a second layer renews.
    ///
    /// A user whose response key changed adds no covariance, except through public randomness that both keys
    /// share. If only m users report in both rounds and keep their values, the covariance is m/(nₐ·n_b) times
    /// the result.
    [[nodiscard]] virtual double n_covariance(double truth) const { return n_variance(truth); }
    /// For estimates that combine several parts of the reports: returns bounds of the covariance of the
    /// estimates of two rounds in which all people keep their values, in units of the variance. The lower
    /// bound applies to the noise, and also to the noise and the variance between people together. The upper
    /// bound applies to both together. Empty for other estimates.
    [[nodiscard]] virtual std::optional<Interval> memoized_share() const { return {}; }
    [[nodiscard]] virtual Cost cost() const noexcept = 0;
};

}  // namespace ldp

// A planning target: the planned estimate, assumptions about the people, and the goal for the error.
#pragma once

#include <optional>
#include <string_view>

#include "core/contract/spec.hpp"
#include "core/mechanism/role/estimate.hpp"

namespace ldp {

struct PlanningTarget {
    enum class Asked { share, mean, range, quantile };
    enum class Compared {
        nothing,
        groups,  ///< the difference of the estimates of two groups
        days,    ///< the difference of the estimates of two days, on which all people report
    };

    Asked asked = Asked::share;
    std::size_t attribute = 0;
    std::size_t value = 0;            ///< for a share: its value
    std::optional<std::size_t> with;  ///< for a joint share: the second attribute, with value 0
    double quantile = 0.5;
    Interval range{0, 0};

    // Assumptions. Without them, people are spread evenly.
    std::optional<double> share;  ///< the true share
    struct Normal {
        double mean, deviation;
    };
    std::optional<Normal> normal;  ///< normal distribution of numbers before clamping

    Target target = Target::population;
    Compared compared = Compared::nothing;
    double part = 0.5;                 ///< share of people in the first group
    double kept = 0;                   ///< for days: share of people who repeat a memoized response
    std::uint64_t rounds = 1;          ///< number of combined rounds; all people report in each of them
    std::optional<std::size_t> round;  ///< round of a series, from 0; the noisiest round if unset
    double answering = 1;              ///< share of people who report

    // The goal: at most one of the first three.
    std::optional<double> error;   ///< a standard error
    std::optional<double> margin;  ///< half the width of an interval
    std::optional<double> effect;  ///< a difference to be detected with this power
    double confidence = 0.95, power = 0.8;

    /// Reads a JSON object; doc/planning.md lists its keys. Throws Error (malformed, or invalid_spec with the
    /// key).
    [[nodiscard]] static PlanningTarget from_json(std::string_view text, const Spec& spec);

    /// Returns the largest standard error that reaches the goal, if the target has a goal.
    [[nodiscard]] std::optional<double> wanted() const;
};

/// Returns the probability that a two-sided test at this confidence detects an effect, given in standard
/// errors.
[[nodiscard]] double power_of(double effect, double confidence);
/// Returns the smallest effect that is detected with this power, in standard errors.
[[nodiscard]] double least_effect(double power, double confidence);

}  // namespace ldp

// A question that an analyst means to ask, what they assume of the people, and what would be good enough.
#pragma once

#include <optional>
#include <string_view>

#include "core/mechanism/estimate.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

struct PlanningTarget {
    enum class Asked { share, mean, range, quantile };
    enum class Compared {
        nothing,
        groups,  ///< the answer of one group less that of another
        days,    ///< that of one day less that of another, everybody having reported on both
    };

    Asked asked = Asked::share;
    std::size_t attribute = 0;
    std::size_t value = 0;            ///< of a share: whose
    std::optional<std::size_t> with;  ///< of a share: the second attribute, of which value 0 is held as well
    double quantile = 0.5;
    Interval range{0, 0};

    // What is assumed. Without, people are spread evenly.
    std::optional<double> share;  ///< who hold what is asked about
    struct Normal {
        double mean, deviation;
    };
    std::optional<Normal> normal;  ///< how numbers are distributed, before they are moved into their range

    Target target = Target::population;
    Compared compared = Compared::nothing;
    double part = 0.5;                 ///< the first group's, of all people
    double kept = 0;                   ///< of days: who repeat an answer from memory
    std::uint64_t rounds = 1;          ///< what is asked of all together, everybody reporting in each of them
    std::optional<std::size_t> round;  ///< of a series, from 0; else the noisiest
    double answering = 1;              ///< who report at all, of the people

    // What would be good enough: at most one of the first three.
    std::optional<double> error;   ///< a standard error
    std::optional<double> margin;  ///< half an interval
    std::optional<double> effect;  ///< a difference that is found, with this power
    double confidence = 0.95, power = 0.8;

    /// From a JSON object; doc/planning.md lists its keys. Throws Error (malformed, or invalid_spec that
    /// names the key).
    [[nodiscard]] static PlanningTarget from_json(std::string_view text, const Spec& spec);

    /// The largest standard error that is good enough, if anything was said of it.
    [[nodiscard]] std::optional<double> wanted() const;
};

/// The chance that a two-sided test at this confidence finds an effect of so many standard errors.
[[nodiscard]] double power_of(double effect, double confidence);
/// The least effect that is found with a power, in standard errors.
[[nodiscard]] double least_effect(double power, double confidence);

}  // namespace ldp

// Planning of a collection: the third of people, ε and error from the other two, the mechanism, and the
// sources of error. SQL and the command show these results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice/plan/planning_target.hpp"

namespace ldp {

/// The expected error of an estimate: the root of the sum of its sources.
struct Prediction {
    struct Source {
        const char* name;
        double square;  ///< its squared error, in squared units
    };
    std::vector<Source> sources;  ///< without sources that do not apply
    double unit;                  ///< ErrorPrediction::unit(), or 1 for a share

    [[nodiscard]] double error() const noexcept;
    [[nodiscard]] double error_of(const Source& source) const noexcept;
    /// The source's share of the squared error.
    [[nodiscard]] double part_of(const Source& source) const noexcept;
};

/// Predicts the error of a planning target from the reports of `people` people, at least one. Throws Error
/// (unsupported) if the spec's mechanism does not estimate the target.
[[nodiscard]] Prediction predict(const Mechanism& mechanism, const Spec& spec, const PlanningTarget& question,
                                 double people);

/// A spec without its ε, and a planning target.
class Planning {
  public:
    static constexpr std::uint64_t most_people = std::uint64_t{1} << 50;

    /// From JSON; "epsilon" is optional in the spec. Throws Error as Spec and PlanningTarget do.
    Planning(std::string_view spec, std::string_view question);

    [[nodiscard]] const PlanningTarget& question() const noexcept { return question_; }

    struct Plan {
        Spec spec;
        std::uint64_t people;
        Prediction prediction;
    };
    /// Computes the number of people if it is missing, or ε if the spec has none. In both cases the target
    /// must have a goal for the error. Throws Error (invalid_spec) if too much or too little is given. Throws
    /// Error (invalid_value) if no number of people, or no ε from 0.001 to 20, reaches the goal.
    [[nodiscard]] Plan plan(std::optional<std::int64_t> people) const;

    /// Returns the smallest number of people for which the estimate is shown and reaches the goal.
    [[nodiscard]] std::uint64_t required_people() const;
    /// Returns the smallest ε, rounded up to four digits, for which the estimate from `people` people reaches
    /// the goal. With "auto", the mechanism is the one that is chosen at this ε. The spec's own ε is ignored.
    [[nodiscard]] double required_epsilon(std::int64_t people) const;
    /// Return half the width of an interval, and the smallest effect that is detected, for this standard
    /// error and the target's confidence and power.
    [[nodiscard]] double margin(double error) const {
        return interval(Estimate{0, error}, question_.confidence).upper;
    }
    [[nodiscard]] double least_effect(double error) const {
        return error * ldp::least_effect(question_.power, question_.confidence);
    }
    /// Returns the probability that the target's "effect" is detected with this number of people.
    [[nodiscard]] double power(std::int64_t people) const;

  private:
    [[nodiscard]] Spec at(double epsilon) const;
    [[nodiscard]] double error_at(double epsilon, double people) const;
    /// Returns the spec. Throws Error (invalid_spec) if it has no ε.
    [[nodiscard]] Spec given() const;
    [[nodiscard]] double wanted() const;

    std::string spec_;  ///< without "epsilon" and the keys derived from it
    std::optional<double> epsilon_;
    double most_epsilon_;
    PlanningTarget question_;
};

}  // namespace ldp

// From a question to a spec: of people, ε and error any two give the third, the mechanism, and where the
// error comes from. SQL and the command both show what is computed here, and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/planning_target.hpp"

namespace ldp {

/// The error to expect of an answer: the root of what its sources add up to.
struct Prediction {
    struct Source {
        const char* name;
        double square;  ///< the error that it makes, squared, in units
    };
    std::vector<Source> sources;  ///< those that do not apply are left out
    double unit;                  ///< ErrorPrediction::unit(), or 1 of a share

    [[nodiscard]] double error() const noexcept;
    [[nodiscard]] double error_of(const Source& source) const noexcept;
    /// The part that it has in the square of the error.
    [[nodiscard]] double part_of(const Source& source) const noexcept;
};

/// Of a question to reports of a spec's mechanism, from so many people, at least one. Throws Error
/// (unsupported) if such reports do not answer it.
[[nodiscard]] Prediction predict(const Mechanism& mechanism, const Spec& spec, const PlanningTarget& question,
                                 double people);

/// A spec without its ε, and a question to its collection.
class Planning {
  public:
    static constexpr std::uint64_t most_people = std::uint64_t{1} << 50;

    /// From JSON; the spec may have an "epsilon" or not. Throws Error as Spec and PlanningTarget do.
    Planning(std::string_view spec, std::string_view question);

    [[nodiscard]] const PlanningTarget& question() const noexcept { return question_; }

    struct Plan {
        Spec spec;
        std::uint64_t people;
        Prediction prediction;
    };
    /// What is missing is found out: the people if none are given, else ε if the spec has none; then the
    /// question must say what error is good enough. Throws Error (invalid_spec) if too much or too little is
    /// given, and invalid_value if no number of people, or no ε from 0.001 to 20, makes the error as small.
    [[nodiscard]] Plan plan(std::optional<std::int64_t> people) const;

    /// The fewest people from whom the spec's answer has the error wanted, and is shown at all.
    [[nodiscard]] std::uint64_t required_people() const;
    /// The least ε, rounded up to four digits, at which so many people's answer has the error wanted; where
    /// the spec says "auto", through the mechanism that is chosen at that ε. The spec's own ε does not
    /// matter.
    [[nodiscard]] double required_epsilon(std::int64_t people) const;
    /// Half an interval, and the least effect that is found, at the question's confidence and power, if the
    /// standard error is this.
    [[nodiscard]] double margin(double error) const { return error * critical_value(question_.confidence); }
    [[nodiscard]] double least_effect(double error) const {
        return error * ldp::least_effect(question_.power, question_.confidence);
    }
    /// The chance that the question's "effect" is found with so many people.
    [[nodiscard]] double power(std::int64_t people) const;

  private:
    [[nodiscard]] Spec at(double epsilon) const;
    [[nodiscard]] double error_at(double epsilon, double people) const;
    /// The spec as it stands. Throws Error (invalid_spec) if it has no ε.
    [[nodiscard]] Spec given() const;
    [[nodiscard]] double wanted() const;

    std::string spec_;  ///< without "epsilon" and what follows from it
    std::optional<double> epsilon_;
    double most_epsilon_;
    PlanningTarget question_;
};

}  // namespace ldp

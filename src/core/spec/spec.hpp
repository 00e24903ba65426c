// The spec: one JSON document per collection, the contract between server, client and command.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/format/fingerprint.hpp"
#include "core/mechanism/registry.hpp"
#include "core/mechanism/selection.hpp"
#include "core/mechanism/settings.hpp"
#include "core/spec/budget.hpp"

namespace ldp {

/// How values that change are rounded; see evolving.hpp. A spec that has it is for people who report again
/// and again, each through a client that remembers.
struct Evolving {
    std::uint64_t window = 30;  ///< reports after which the step is chosen anew
    double volatility = 0.01;   ///< score above which the step follows the movement
    double flip_probability =
        0.1;  ///< that a usual move changes the rounded value: what the step is chosen for
    std::uint64_t base_levels = 100;  ///< steps that make up the range at least movement
    friend bool operator==(const Evolving&, const Evolving&) = default;
};

/// How "auto" was settled.
struct Choice {
    std::optional<Limits> limits;  ///< what it had to keep to; none where views are asked for
    std::string reason;            ///< one sentence
};

/// Validated settings of a mechanism, and how a client goes about them. Immutable.
class Spec : public Settings {
  public:
    /// Parses and validates. Throws Error (malformed for text that is no JSON, else invalid_spec) that names
    /// the key, what was found and what is allowed. Unknown and repeated keys are errors.
    [[nodiscard]] static Spec from_json(std::string_view text);

    /// The canonical form: equal for equal specs, complete, and read back to an equal spec. The object
    /// "derived" shows what follows from the rest; a reader recomputes it and refuses another. The object
    /// "chosen" tells of a choice that "auto" made; a reader takes it as it stands, since later versions
    /// might choose otherwise.
    [[nodiscard]] std::string to_json() const;

    /// Identifies the canonical form, without "derived" and "chosen", in every report.
    [[nodiscard]] std::uint64_t fingerprint() const;

    /// How the mechanism was chosen, if "auto" did it.
    [[nodiscard]] const std::optional<Choice>& chosen() const noexcept { return chosen_; }
    /// How values that change are rounded; nothing if each report is a fresh draw. With it goes a budget.
    [[nodiscard]] const std::optional<Evolving>& evolving() const noexcept { return evolving_; }
    /// What a person may spend over all time; nothing if each report is a fresh draw.
    [[nodiscard]] const std::optional<Budget>& budget() const noexcept { return budget_; }
    /// The fewest reports (with evolving(), people) that estimates are shown of.
    [[nodiscard]] std::uint16_t min_group() const noexcept { return min_group_; }

  private:
    explicit Spec(Settings settings) : Settings(std::move(settings)) {}

    std::optional<Choice> chosen_;
    std::optional<Evolving> evolving_;
    std::optional<Budget> budget_;
    std::uint16_t min_group_ = usual_min_group;
};

/// The mechanism of a spec, whose fingerprint its reports carry. Throws Error (invalid_spec).
[[nodiscard]] std::unique_ptr<const Mechanism> make_mechanism(const Spec& spec);

/// What a spec asks for, and the ranking of mechanisms for it.
struct Ranking {
    SelectionRequest demand;            ///< what is asked for
    std::vector<Candidate> candidates;  ///< as by rank()
};
/// The ranking for a spec whose own mechanism does not matter: another, "auto", or none. Within the limits
/// that it gives, else those that an earlier choice in it kept to. Of a spec about several attributes
/// together, those of rank_together() come first, and of all others it is an obstacle that they tell no
/// tables. Throws Error as Spec::from_json does.
[[nodiscard]] Ranking advise(std::string_view json);

}  // namespace ldp

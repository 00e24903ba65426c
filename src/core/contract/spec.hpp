// The spec: one JSON document per collection, the contract between server, client and command.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/budget.hpp"
#include "core/contract/texts.hpp"
#include "core/format/fingerprint.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// The rounding of values that change; see evolving.hpp. If it is set, people report repeatedly, each through a client that
/// memoizes responses.
struct Evolving {
    std::uint64_t window = 30;  ///< number of reports after which the step is chosen again
    double volatility = 0.01;   ///< score above which the step follows the movement
    double flip_probability =
        0.1;  ///< target probability that a typical change of the value changes the rounded value
    std::uint64_t base_levels = 100;  ///< number of steps in the range at the smallest movement
    friend bool operator==(const Evolving&, const Evolving&) = default;
};

struct SpecReader;

/// The result of the choice by "auto".
struct Choice {
    std::optional<Limits> limits;  ///< limits of the choice; empty with "marginals"
    std::string reason;            ///< one sentence
};

/// Validated settings of a mechanism and of its clients. Immutable.
class Spec : public Settings {
  public:
    /// Parses and validates a spec without open choices, such as a canonical one. Throws Error (malformed for
    /// invalid JSON, else invalid_spec) with the key, its value and the allowed values. Unknown keys,
    /// repeated keys and open choices, such as "auto", are errors. resolve() makes these choices.
    [[nodiscard]] static Spec from_json(std::string_view text);

    /// Returns the canonical form: equal for equal specs, complete, and parsed to an equal spec. The object
    /// "derived" follows from the other keys; from_json() recomputes it and rejects a different one. The
    /// object "chosen" records a choice of "auto"; from_json() accepts it unchanged, because later versions
    /// might choose differently. It contains the texts of the spec.
    [[nodiscard]] std::string to_json() const;

    /// Returns the fingerprint of the canonical form without "derived", "chosen" and texts. Every report
    /// contains it.
    [[nodiscard]] Fingerprint fingerprint() const;

    /// Returns the choice of the mechanism, if "auto" chose it.
    [[nodiscard]] const std::optional<Choice>& chosen() const noexcept { return chosen_; }
    /// Returns the rounding of values that change; empty if each report is a fresh draw. It implies a budget.
    [[nodiscard]] const std::optional<Evolving>& evolving() const noexcept { return evolving_; }
    /// Returns the total budget of a person; empty if each report is a fresh draw.
    [[nodiscard]] const std::optional<Budget>& budget() const noexcept { return budget_; }
    /// Returns the smallest number of reports (with evolving(), of people) for which estimates are shown.
    [[nodiscard]] std::uint16_t min_group() const noexcept { return min_group_; }
    /// Returns titles, questions and other texts for people. Specs that differ in these texts only are equal.
    [[nodiscard]] const SpecTexts& texts() const noexcept { return texts_; }

    /// Returns the spec with a record of a choice.
    [[nodiscard]] Spec chosen_for(Choice choice) const;
    /// Returns the spec with these texts instead of its own.
    [[nodiscard]] Spec with_texts(SpecTexts texts) const;

  private:
    friend struct SpecReader;

    explicit Spec(Settings settings) : Settings(std::move(settings)) {}

    std::optional<Choice> chosen_;
    std::optional<Evolving> evolving_;
    std::optional<Budget> budget_;
    std::uint16_t min_group_ = usual_min_group;
    SpecTexts texts_;
};

/// Returns the mechanism of a spec. Its reports carry the spec's fingerprint. Throws Error (invalid_spec).
[[nodiscard]] std::unique_ptr<const Mechanism> make_mechanism(const Spec& spec);

/// Returns the spec with texts that a merge patch (RFC 7396) in the form of SpecTexts::to_json() changes: null
/// removes a text. Throws Error (malformed, invalid_spec).
[[nodiscard]] Spec with_changed_texts(const Spec& spec, std::string_view patch);

}  // namespace ldp

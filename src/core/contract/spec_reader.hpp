// A spec as it is read, in steps between which choices can be made.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/json_object.hpp"
#include "core/contract/spec.hpp"

namespace ldp {

/// Reads a spec. The constructor reads the keys that do not depend on the mechanism.
struct SpecReader {
    /// The document must outlive the reader. Throws Error (invalid_spec).
    explicit SpecReader(const Json& document);

    /// Reads "chosen". Throws Error (invalid_spec) if the spec has limits for a choice.
    void read_record_of_choice();
    /// Reads the mechanism's options; without `all`, only the grid of a number and the norm of a vector.
    void read_options(const MechanismEntry& of, bool all);
    /// Returns the spec for this mechanism. Throws Error (invalid_spec), also for unknown keys.
    [[nodiscard]] Spec finish(const MechanismEntry& of);

    const Json& document;
    JsonObject top;
    const MechanismEntry* mechanism;  ///< null for "auto"
    double epsilon = 0;
    std::vector<Attribute> attributes = {};
    std::optional<Evolving> evolving = {};
    std::optional<Budget> budget = {};
    std::optional<Choice> chosen = {};
    OptionValues options = {};
};

/// Reads "version" and "epsilon", and returns ε. Throws Error (invalid_spec).
[[nodiscard]] double read_epsilon(JsonObject& top);
/// Reads the object "budget" of a spec. Throws Error (invalid_spec).
[[nodiscard]] Budget read_budget(const Json& found);
/// Reads the object "chosen" of a spec; for joint tables, it has no limits. Throws Error (invalid_spec).
[[nodiscard]] Choice read_choice(const Json& found, bool joint);
/// Reads the texts of a spec in JSON that has these attributes. Throws Error (invalid_spec).
[[nodiscard]] SpecTexts read_texts(const Json& document, std::span<const Attribute> attributes);
/// Reads the texts in the form of SpecTexts::to_json(). Throws Error (invalid_spec), also for unknown keys.
[[nodiscard]] SpecTexts read_texts_by_name(const Json& document, std::span<const Attribute> attributes);
/// Adds texts to an object.
void write_texts(const SpecTexts& texts, Json& into);
void write_texts(const AttributeTexts& texts, Json& into);
/// Throws Error (invalid_spec) if the spec has limits for a choice.
void refuse_limits(const Json& document, const std::string& why);
/// Throws Error (invalid_spec): a spec that names its mechanism has "estimate".
[[noreturn]] void refuse_want(const std::string& mechanism);

}  // namespace ldp

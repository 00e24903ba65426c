// The texts of a spec: titles, questions, units and display texts for people who read a form or a result. No
// mechanism depends on them, and they are not part of the fingerprint.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ldp {

class JsonObject;

/// The texts of one attribute, or of a vector. A text that was not given is empty.
struct AttributeTexts {
    std::string name;              ///< of the attribute or the vector
    std::string title = {};        ///< a short heading
    std::string question = {};     ///< the question as people are asked
    std::string unit = {};         ///< of a number, for example "kWh"
    std::string description = {};  ///< definition or measurement of the value
    bool ordered = false;          ///< whether the values of a category have an order
    /// Display texts by label; of values without labels, by number; of a vector, by the label of an element.
    std::map<std::string, std::string, std::less<>> display = {};

    /// Returns the display text of a label, or the label if it has none.
    [[nodiscard]] std::string_view display_text(std::string_view label) const noexcept;
    friend bool operator==(const AttributeTexts&, const AttributeTexts&) = default;
};

/// The texts of a spec and of its attributes.
struct SpecTexts {
    std::string title = {};        ///< the heading of the collection
    std::string description = {};  ///< content and purpose of the collection
    /// The number of people who were asked, in each round.
    std::optional<std::uint64_t> people_asked = {};
    /// The number of people who were asked, by round.
    std::map<std::int32_t, std::uint64_t> people_asked_by_round = {};
    std::vector<AttributeTexts> attributes = {};  ///< those that have texts, in the order of the spec

    /// Returns whether the spec has no texts.
    [[nodiscard]] bool empty() const noexcept { return *this == SpecTexts(); }
    /// Returns the texts of an attribute or a vector; null if it has none.
    [[nodiscard]] const AttributeTexts* find(std::string_view name) const noexcept;
    /// Returns the number of people who were asked in a round; without a round, in each of them. Returns nothing if the number
    /// is unknown, or if it differs between rounds and no round is given.
    [[nodiscard]] std::optional<std::uint64_t> asked_in(std::optional<std::int32_t> round) const noexcept;
    /// Returns the texts as a JSON object. Its key "attributes" maps names of attributes to their texts.
    [[nodiscard]] std::string to_json() const;

    friend bool operator==(const SpecTexts&, const SpecTexts&) = default;
};

/// Marks the keys of texts in an attribute of a spec as known; SpecReader::finish() reads them.
void accept_attribute_texts(JsonObject& attribute);
/// Marks the keys of texts in the spec itself, and in the short form in its attribute.
void accept_spec_texts(JsonObject& top);

}  // namespace ldp

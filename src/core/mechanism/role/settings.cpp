#include "core/mechanism/role/settings.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

/// Throws Error (invalid_spec) if the mechanism does not support the domain size.
void check_domain(const MechanismEntry& mechanism, const Attribute& attribute) {
    if (attribute.domain > mechanism.max_size)
        raise(ErrorCode::invalid_spec,
              std::string(mechanism.name) + " supports at most " + std::to_string(mechanism.max_size) +
                  " values",
              "The domain of \"" + attribute.name + "\" has " + std::to_string(attribute.domain) + ".");
}

bool is_open(const Attribute& attribute) noexcept {
    return attribute.strings.has_value();
}

bool is_set(const Attribute& attribute) noexcept {
    return attribute.several();
}

/// Throws Error (invalid_spec) unless the mechanism accepts missing numbers where the spec allows them.
void check_missing(const MechanismEntry& mechanism, const std::vector<Attribute>& attributes) {
    const bool takes = takes_missing_numbers(mechanism);
    if (mechanism.shape == Shape::record && !mechanism.joint()) return;  // each part is checked
    for (const Attribute& attribute : attributes) {
        if (suits_number(mechanism, attribute)) continue;
        raise(ErrorCode::invalid_spec,
              std::string(mechanism.name) +
                  (takes ? " requires a number with \"missing\": true" : " does not support missing numbers"),
              "\"" + attribute.name + (takes ? "\" has no \"missing\": true." : "\" has \"missing\": true."),
              takes
                  ? "Add \"missing\": true to the attribute, or name another mechanism."
                  : "Remove \"missing\", or name the mechanism \"optional_mean\" (for the mean), \"tree\" or "
                    "\"haar_ordered\" (for the distribution) or \"auto\".");
    }
}

/// Throws Error (invalid_spec) unless the mechanism is for numbers on a circle where the spec has them, and only there.
void check_circular(const MechanismEntry& mechanism, const std::vector<Attribute>& attributes) {
    if (mechanism.shape == Shape::record && mechanism.purpose == Purpose::values)
        return;  // each part is checked
    const bool takes = takes_circular_numbers(mechanism);
    for (const Attribute& attribute : attributes) {
        if (attribute.circular == takes) continue;
        raise(
            ErrorCode::invalid_spec,
            std::string(mechanism.name) + (takes ? " requires a number with \"circular\": true"
                                                 : " does not support numbers on a circle"),
            "\"" + attribute.name + (takes ? "\" has no \"circular\": true." : "\" has \"circular\": true."),
            takes ? "Add \"circular\": true to the attribute, or name another mechanism."
                  : "Remove \"circular\", or name the mechanism \"ring\" or \"auto\".");
    }
}

/// Throws Error (invalid_spec) unless the mechanism accepts the attributes.
void check_shape(const MechanismEntry& mechanism, const std::vector<Attribute>& attributes) {
    const auto want = [&](bool met, const std::string& wanted) {
        if (met) return;
        raise(ErrorCode::invalid_spec, std::string(mechanism.name) + " requires " + wanted,
              "Found " + std::to_string(attributes.size()) +
                  (attributes.size() == 1 ? " attribute, " : " attributes, ") +
                  (std::ranges::all_of(attributes, is_open)                ? "strings."
                   : std::ranges::all_of(attributes, is_set)               ? "sets of labels."
                   : std::ranges::all_of(attributes, &Attribute::numeric)  ? "numeric."
                   : std::ranges::none_of(attributes, &Attribute::numeric) ? "categorical."
                                                                           : "numeric and categorical."));
    };
    check_circular(mechanism, attributes);
    check_missing(mechanism, attributes);
    const bool open = std::ranges::any_of(attributes, is_open), set = std::ranges::any_of(attributes, is_set);
    const bool several = attributes.size() >= 2 && attributes.size() <= mechanism.max_size;
    const std::string how_many = "2 to " + std::to_string(mechanism.max_size);
    switch (mechanism.shape) {
        case Shape::one_categorical:
            want(attributes.size() == 1 && !attributes[0].numeric() && !open && !set,
                 "one categorical attribute");
            check_domain(mechanism, attributes[0]);
            break;
        case Shape::one_numeric:
            want(attributes.size() == 1 && attributes[0].numeric(), "one numeric attribute");
            break;
        case Shape::one_ordered:
            want(attributes.size() == 1 && !open && !set, "one attribute with numbers or categories");
            check_domain(mechanism, attributes[0]);
            break;
        case Shape::one_string:
            want(attributes.size() == 1 && open, "one attribute of strings");
            break;
        case Shape::one_set:
            want(attributes.size() == 1 && set, "one set of labels: an attribute with \"several\": true");
            check_domain(mechanism, attributes[0]);
            break;
        case Shape::numeric_vector:
            want(several && std::ranges::all_of(attributes, &Attribute::numeric),
                 how_many + " numeric attributes");
            break;
        case Shape::record:
            want(several, how_many + " attributes");
            return;
    }
    for (const Attribute& attribute : attributes)
        if (attribute.of_record() || attribute.derived())
            raise(ErrorCode::invalid_spec,
                  "\"mechanism\", \"weight\" and \"product\" of an attribute are for records only",
                  std::string(mechanism.name) + " reports all attributes by one method.",
                  "Use the mechanism sampled for records.");
}

}  // namespace

OptionValue Option::fallback_for(std::size_t attributes) const {
    if (ranges) return std::vector<UnitRange>(attributes);
    if (real) return 0.0;
    if (rows) return IntegerRows{};
    if (choices.empty()) return fallback;
    return std::string(choices[0]);
}

std::optional<std::string> Attribute::label_of(std::string_view text) const {
    std::string label(text);
    if (prefix == 0) return label;
    if (text.size() > max_string || text.find(terminator) != text.npos ||
        characters(text, max_string).size() != text.size())
        return {};
    label += terminator;
    label.resize(characters(label, prefix).size());
    return label;
}

Settings::Settings(const MechanismEntry& mechanism, double epsilon, std::vector<Attribute> attributes,
                   OptionValues given)
    : mechanism_(&mechanism),
      epsilon_(epsilon),
      attributes_(std::move(attributes)),
      options_(std::move(given)) {
    check_shape(mechanism, attributes_);
    options_ = with_defaults(mechanism, attributes_, std::move(options_));
    if (mechanism.settle != nullptr) {
        SettingsDraft draft{epsilon, attributes_, options_};
        mechanism.settle(draft);
    }
}

double Settings::delta() const {
    return options_.contains("delta") ? real("delta") : 0;
}

std::uint64_t Settings::number(const std::string& option) const {
    return std::get<std::uint64_t>(options_.at(option));
}

const std::string& Settings::word(const std::string& option) const {
    return std::get<std::string>(options_.at(option));
}

double Settings::real(const std::string& option) const {
    return std::get<double>(options_.at(option));
}

const std::vector<UnitRange>& Settings::ranges(const std::string& option) const {
    return std::get<std::vector<UnitRange>>(options_.at(option));
}

OptionValues with_defaults(const MechanismEntry& mechanism, const std::vector<Attribute>& attributes,
                           OptionValues given) {
    for (const Option& option : mechanism.options)
        if (option.applies(attributes))
            given.try_emplace(option.name, option.fallback_for(attributes.size()));
    return given;
}

void refuse_open_choice(const std::string& detail) {
    raise(ErrorCode::invalid_spec, "the spec leaves a choice open", detail,
          std::vector{Remedy::resolve_spec});
}

}  // namespace ldp

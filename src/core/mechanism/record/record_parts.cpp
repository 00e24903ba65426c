#include "core/mechanism/record/record_parts.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

constexpr const char* report_epsilon_key = "report_epsilon";

[[noreturn]] void refuse(const std::string& message, const std::string& detail,
                         const std::string& hint = {}) {
    raise(ErrorCode::invalid_spec, message, detail, hint);
}

const Option* find_option(const MechanismEntry& entry, std::string_view name) noexcept {
    const auto found = std::ranges::find_if(entry.options, [&](const Option& o) { return o.name == name; });
    return found == entry.options.end() ? nullptr : &*found;
}

/// Whether it is the grid of a mechanism for means, which a record has for all its numbers.
bool is_usual_grid(const Option& option) noexcept {
    return option.name == std::string_view("grid") && option.most == std::uint64_t{1} << 20;
}

/// Whether the mechanism can report in one layer, or in two.
bool in_layers(const MechanismEntry& entry, bool two) noexcept {
    const Option* first = find_option(entry, report_epsilon_key);
    return two ? first != nullptr : first == nullptr || first->optional;
}

bool takes(const MechanismEntry& entry, const Attribute& attribute) noexcept {
    if (!attribute.vector.empty()) return entry.shape == Shape::numeric_vector;
    if (attribute.strings) return entry.shape == Shape::one_string;
    if (attribute.several()) return entry.shape == Shape::one_set;
    if (attribute.numeric() && !suits_number(entry, attribute)) return false;
    return entry.shape == Shape::one_ordered ||
           entry.shape == (attribute.numeric() ? Shape::one_numeric : Shape::one_categorical);
}

/// The views of joint tables: every attribute alone, then the sets, with numbers within the part.
IntegerRows views_of_part(const PartAttributes& part, const IntegerRows& together) {
    IntegerRows views;
    const auto first = static_cast<std::int64_t>(part.first),
               end = first + static_cast<std::int64_t>(part.count);
    for (std::size_t j = 0; j < part.count; ++j) views.push_back({static_cast<std::int64_t>(j)});
    for (const auto& set : together) {
        if (set[0] < first || set[0] >= end) continue;  // a part of its own
        auto& view = views.emplace_back();
        for (const std::int64_t j : set) view.push_back(j - first);
    }
    return views;
}

/// The mechanism's options: the attribute's own, the grid of the record, and the layers.
OptionValues options_for(const MechanismEntry& entry, const Attribute& attribute, const PartTerms& terms) {
    OptionValues options = attribute.options;
    for (const Option& option : entry.options)
        if (is_usual_grid(option)) options.try_emplace(option.name, terms.grid);
    if (terms.report_epsilon != 0 && find_option(entry, report_epsilon_key) != nullptr)
        options[report_epsilon_key] = terms.report_epsilon;
    return options;
}

}  // namespace

bool is_open(const Attribute& attribute) noexcept {
    return attribute.mechanism.empty() || attribute.mechanism == "auto";
}

bool is_record_of_parts(const MechanismEntry& entry) noexcept {
    return entry.shape == Shape::record && entry.purpose == Purpose::values;
}

bool reports_parts(const MechanismEntry& entry) noexcept {
    return entry.purpose != Purpose::range_learning && find_option(entry, "delta") == nullptr &&
           (entry.shape != Shape::record || entry.purpose == Purpose::joint_tables ||
            entry.purpose == Purpose::means_by_group);
}

bool suits(const MechanismEntry& entry, const Attribute& attribute, const PartTerms& terms) noexcept {
    // No choice takes a series, which has other estimates.
    if (entry.series && attribute.mechanism != entry.name) return false;
    return reports_parts(entry) && takes(entry, attribute) && in_layers(entry, terms.report_epsilon != 0);
}

std::string kind_of_part(const Attribute& attribute) {
    return !attribute.vector.empty() ? "vector"
           : attribute.strings       ? "text"
           : attribute.several()     ? "set of labels"
           : attribute.numeric()     ? "number"
                                     : "category";
}

const std::string& name_of_part(const Attribute& attribute) {
    return attribute.vector.empty() ? attribute.name : attribute.vector;
}

std::string no_mechanism_for(const Attribute& attribute, const PartTerms& terms) {
    if (terms.report_epsilon != 0)
        return std::string("No mechanism reports a ") + kind_of_part(attribute) +
               " of a record in two layers.";
    return "No mechanism supports it.";
}

std::vector<Attribute> reported_alone(const std::vector<Attribute>& attributes, const PartAttributes& part) {
    std::vector<Attribute> all(attributes.begin() + static_cast<std::ptrdiff_t>(part.first),
                               attributes.begin() + static_cast<std::ptrdiff_t>(part.first + part.count));
    for (Attribute& attribute : all) {
        attribute.mechanism.clear();
        attribute.share = 0;
        attribute.product.clear();
        attribute.vector.clear();
        attribute.options.clear();
        attribute.want.clear();
        attribute.margin = 0;
    }
    return all;
}

Settings settings_through(const MechanismEntry& entry, const std::vector<Attribute>& attributes,
                          const PartAttributes& part, const PartTerms& terms) {
    OptionValues options = entry.purpose == Purpose::joint_tables
                               ? OptionValues{{"marginals", views_of_part(part, terms.together)}}
                               : options_for(entry, attributes[part.first], terms);
    if (part.joint && terms.report_epsilon != 0) options[report_epsilon_key] = terms.report_epsilon;
    return {entry, terms.epsilon, reported_alone(attributes, part), std::move(options)};
}

namespace {

/// Refuses the mechanism that an attribute names.
[[noreturn]] void refuse_mechanism(const Attribute& attribute, const PartTerms& terms) {
    std::vector<const char*> suitable;
    for (const MechanismEntry* other : registry())
        if (suits(*other, attribute, terms)) suitable.push_back(other->name);
    const MechanismEntry* named = find_mechanism(attribute.mechanism);
    std::string detail, hint;
    if (named != nullptr && named->series && takes(*named, attribute)) {
        detail = attribute.mechanism +
                 " has no second layer; all parts of a record need the same number of layers.";
        hint = "Omit \"report_epsilon\", or collect \"" + name_of_part(attribute) +
               "\" in a separate collection.";
    } else if (is_left_out(attribute.mechanism)) {
        detail = "The mechanism is missing in this build.";
        hint = "Add it to LDP_MECHANISMS.";
    } else if (suitable.empty()) {
        detail = no_mechanism_for(attribute, terms);
        hint = terms.report_epsilon != 0 ? "Omit \"report_epsilon\", or collect \"" +
                                               name_of_part(attribute) + "\" in a separate collection."
                                         : "";
    } else {
        suitable.insert(suitable.begin(), "auto");
        detail = std::string("Suitable for a ") + kind_of_part(attribute) +
                 (terms.report_epsilon != 0 ? " in two layers are " : " are ") + joined(suitable) + ".";
    }
    refuse(attribute.mechanism + " cannot report \"" + name_of_part(attribute) + "\" in a record", detail,
           hint);
}

}  // namespace

namespace {

/// The attributes of sets that are reported together, without those of the sets with a number.
struct TogetherAttributes {
    std::set<std::size_t> tables;                 ///< of all joint tables, which are one part
    std::vector<std::set<std::size_t>> by_group;  ///< of a category and a number, each of which is a part
};

TogetherAttributes attributes_of_sets(const std::vector<Attribute>& attributes, const IntegerRows& together) {
    TogetherAttributes all;
    for (const auto& set : together) {
        const std::set<std::size_t> different(set.begin(), set.end());
        if (set.size() < 2 || set.size() > 3 || different.size() != set.size())
            refuse("a set of \"joint_tables\" must have two or three different attributes",
                   "Found a set of " + std::to_string(set.size()) + ".");
        const auto number = [&](std::size_t j) {
            return attributes[j].numeric() && attributes[j].vector.empty();
        };
        if (set.size() == 2 && std::ranges::count_if(different, number) == 1)
            all.by_group.push_back(different);
        else
            all.tables.insert(different.begin(), different.end());
    }
    return all;
}

/// Throws Error (invalid_spec) unless attributes that are reported together are next to each other.
void check_neighbours(const std::vector<Attribute>& attributes, const std::set<std::size_t>& together) {
    if (together.empty() || *together.rbegin() - *together.begin() + 1 == together.size()) return;
    std::string names;
    for (const std::size_t j : together) names += (names.empty() ? "" : ", ") + attributes[j].name;
    refuse("the attributes of \"joint_tables\" are not next to each other", "They are " + names + ".",
           "List them consecutively in \"attributes\".");
}

}  // namespace

std::vector<PartAttributes> parts_of(const std::vector<Attribute>& attributes, const IntegerRows& together) {
    const TogetherAttributes sets = attributes_of_sets(attributes, together);
    check_neighbours(attributes, sets.tables);
    for (const std::size_t j : sets.tables)
        if (attributes[j].strings)
            refuse("joint tables need categories, and \"" + attributes[j].name + "\" is a text",
                   "\"joint_tables\" names it.", "List its values as its \"domain\".");
        else if (attributes[j].numeric() || !attributes[j].vector.empty())
            refuse("joint tables need categories, and \"" + attributes[j].name + "\" is a number",
                   "\"joint_tables\" names it.", "Divide its range: add \"bins\": 16, or \"edges\".");
    std::vector<std::size_t> last(attributes.size(), 0);  // of a part that begins at the attribute
    std::set<std::size_t> used = sets.tables;
    if (!used.empty()) last[*used.begin()] = *used.rbegin();
    for (const std::set<std::size_t>& pair : sets.by_group) {
        check_neighbours(attributes, pair);
        for (const std::size_t j : pair)
            if (!used.insert(j).second)
                refuse("\"" + attributes[j].name + "\" is in several sets of \"joint_tables\"",
                       "A set of a category and a number is a part of its own.",
                       "Name each attribute of such a set once.");
        last[*pair.begin()] = *pair.rbegin();
    }
    std::vector<PartAttributes> parts;
    for (std::size_t j = 0; j < attributes.size();) {
        std::size_t end = std::max(j, last[j]) + 1;
        const bool together_here = end > j + 1 || used.contains(j);
        while (!together_here && !attributes[j].vector.empty() && end < attributes.size() &&
               attributes[end].vector == attributes[j].vector)
            ++end;
        parts.push_back({j, end - j, together_here});
        j = end;
    }
    return parts;
}

namespace {

/// Whether a part is a category and a number.
bool is_by_group(const std::vector<Attribute>& attributes, const PartAttributes& part) noexcept {
    const auto each = std::span(attributes).subspan(part.first, part.count);
    return part.joint && std::ranges::any_of(each, &Attribute::numeric);
}

}  // namespace

std::size_t shares_in_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                           const IntegerRows& together) {
    if (!part.joint || is_by_group(attributes, part)) return 1;
    const auto within = [&](const std::vector<std::int64_t>& set) {
        const auto j = static_cast<std::size_t>(set[0]);
        return j >= part.first && j < part.first + part.count;
    };
    return part.count + static_cast<std::size_t>(std::ranges::count_if(together, within));
}

Settings settings_of_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                          const PartTerms& terms) {
    const MechanismEntry* entry =
        part.joint
            ? &mechanism_for(is_by_group(attributes, part) ? Purpose::means_by_group : Purpose::joint_tables)
            : find_mechanism(attributes[part.first].mechanism);
    return settings_through(*entry, attributes, part, terms);
}

void settle_part(std::vector<Attribute>& attributes, const PartAttributes& part, const PartTerms& terms) {
    const auto each = std::span(attributes).subspan(part.first, part.count);
    for (Attribute& attribute : each) attribute.share = std::max<std::uint64_t>(attribute.share, 1);
    if (part.joint) {
        for (const Attribute& attribute : each)
            if (!attribute.mechanism.empty() || !attribute.want.empty() || !attribute.options.empty())
                refuse("an attribute of \"joint_tables\" must not have a mechanism",
                       "\"" + attribute.name + "\" is reported with another attribute.",
                       "Remove its \"mechanism\", \"estimate\" and options.");
        (void)settings_of_part(attributes, part, terms);  // refuses tables that are too large
        return;
    }
    Attribute& first = each[0];
    if (is_open(first))
        refuse_open_choice("The attribute \"" + name_of_part(first) + "\" of the record names no mechanism.");
    const MechanismEntry* entry = find_mechanism(first.mechanism);
    if (entry == nullptr || !suits(*entry, first, terms)) refuse_mechanism(first, terms);
    const Settings settled = settings_of_part(attributes, part, terms);
    OptionValues options;
    for (const Option& option : entry->options) {
        if (!option.applies(settled.attributes()) || option.name == std::string_view(report_epsilon_key))
            continue;
        const OptionValue& value = settled.option(option.name);
        const bool usual = is_usual_grid(option) && value == OptionValue(terms.grid);
        if (usual || (option.optional && value == option.fallback_for(part.count))) continue;
        options[option.name] = value;
    }
    if (const auto derived = first.options.find(rounding_cells_option); derived != first.options.end())
        options.insert(*derived);
    for (Attribute& attribute : each) {
        attribute.mechanism = entry->name;
        attribute.want.clear();
        attribute.options = options;
        attribute.share = first.share;
    }
}

bool has_series(const std::vector<Attribute>& attributes) noexcept {
    return std::ranges::any_of(attributes, [](const Attribute& attribute) {
        const MechanismEntry* entry = find_mechanism(attribute.mechanism);
        return entry != nullptr && entry->series;
    });
}

void check_series(const std::vector<Attribute>& attributes, std::uint64_t per_report) {
    const Attribute* first = nullptr;
    for (const Attribute& attribute : attributes) {
        const MechanismEntry* entry = find_mechanism(attribute.mechanism);
        if (entry == nullptr || !entry->series) continue;
        if (per_report > 1)
            refuse("\"per_report\" must be 1 for a record with a series",
                   "\"per_report\" is " + std::to_string(per_report) + ", and \"" + attribute.name +
                       "\" is a series with responses in some rounds only.",
                   "Set \"per_report\" to 1, or collect the series in a separate collection.");
        const auto rounds = [](const Attribute& one) {
            return std::get<std::uint64_t>(one.options.at("rounds"));
        };
        if (first == nullptr) first = &attribute;
        if (rounds(attribute) != rounds(*first))
            refuse("the series of a record have different numbers of rounds",
                   "\"" + first->name + "\" has " + std::to_string(rounds(*first)) + ", \"" + attribute.name +
                       "\" has " + std::to_string(rounds(attribute)) + ".",
                   "Use the same \"rounds\" for all series.");
    }
}

std::uint64_t share_of_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                            const IntegerRows& together) {
    if (!part.joint) return attributes[part.first].share;
    const auto largest = [&](const auto& numbers) {
        std::uint64_t most = 0;
        for (const auto j : numbers) most = std::max(most, attributes[static_cast<std::size_t>(j)].share);
        return most;
    };
    if (is_by_group(attributes, part)) return largest(std::array{part.first, part.first + 1});
    std::uint64_t sum = 0;
    for (std::size_t j = part.first; j < part.first + part.count; ++j) sum += attributes[j].share;
    for (const auto& set : together)
        if (const auto j = static_cast<std::size_t>(set[0]); j >= part.first && j < part.first + part.count)
            sum += largest(set);
    return sum;
}

}  // namespace ldp

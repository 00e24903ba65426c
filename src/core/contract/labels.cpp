#include "core/contract/labels.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/contract/json_object.hpp"
#include "core/mechanism/joint/joint_views.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/strings/string_codes.hpp"

namespace ldp {

namespace {

/// Names that an error lists.
constexpr std::size_t most_listed = 20;
/// Labels up to which a search costs no more than an index.
constexpr std::size_t few_labels = 8;
/// Values up to which a condition has a bit for each.
constexpr std::uint64_t most_values = std::uint64_t{1} << 26;
/// Limits of a sum. The errors of pairs of values are added.
constexpr std::size_t most_weights = 4096;
constexpr double largest_weight = 1e100;

[[noreturn]] void refuse(const std::string& what, const std::string& detail, const std::string& hint = {}) {
    raise(ErrorCode::invalid_value, what, detail, hint);
}

/// The first of `count` words, for an error.
template <class At>
std::string some(std::size_t count, At at) {
    std::string text;
    for (std::size_t i = 0; i < std::min(count, most_listed); ++i)
        text.append(i == 0 ? "" : ", ").append(at(i));
    return text + (count > most_listed ? ", …" : "");
}
std::string some(std::span<const std::string> words) {
    return some(words.size(), [&](std::size_t i) -> const std::string& { return words[i]; });
}

template <class At>
[[noreturn]] void none_called(const char* noun, std::string_view name, std::size_t count, At at,
                              const std::string& hint) {
    refuse(std::string("there is no ") + noun + " \"" + shortened(std::string(name), 200) + "\"",
           "There are " + some(count, at) + ".", count > most_listed ? hint : "");
}

std::optional<std::size_t> number_in(std::string_view text) noexcept {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

Json parsed(std::string_view text, const char* what) {
    Json document = json_of(text, Unsound::allowed);
    if (document.is_discarded())
        raise(ErrorCode::malformed, std::string(what) + " is not valid JSON",
              "Found " + shortened(text, 100) + ".", "Check that no number is too large.");
    return document;
}

/// A bound of a condition; `open` for null, nothing for what is no bound.
std::optional<double> bound(const Json& found, double open) {
    if (found.is_null()) return open;
    return found.is_number() ? std::optional(found.get<double>()) : std::nullopt;
}

constexpr std::string_view prefix_mark = "...";

/// Returns whether a label stands for a whole string, or for all strings with a prefix.
bool is_of_strings(const Attribute& attribute, std::string_view label) noexcept {
    return attribute.prefix != 0 && label != attribute.other && label != attribute.none;
}

bool is_whole_string(std::string_view label) noexcept {
    return label.ends_with(Attribute::terminator);
}

/// Returns whether estimates show a label of strings as this text.
bool is_shown_as(std::string_view label, std::string_view text) noexcept {
    if (is_whole_string(label)) return label.substr(0, label.size() - 1) == text;
    return text.ends_with(prefix_mark) && text.substr(0, text.size() - prefix_mark.size()) == label;
}

std::string shown_label(const Attribute& attribute, std::size_t value) {
    std::string text = attribute.labels[value];
    if (attribute.prefix == 0) return text;
    if (is_of_strings(attribute, text)) {
        if (!is_whole_string(text)) return text.append(prefix_mark);
        text.pop_back();
        return text;
    }
    std::erase(text, Attribute::terminator);
    while (std::ranges::any_of(attribute.labels, [&](const std::string& label) {
        return is_of_strings(attribute, label) && is_shown_as(label, text);
    }))
        text = "(" + text + ")";
    return text;
}

std::optional<std::uint64_t> find_shown_label(const Attribute& attribute, std::string_view text) {
    for (std::size_t value = 0; value < attribute.labels.size(); ++value) {
        const std::string& label = attribute.labels[value];
        if (is_of_strings(attribute, label) ? is_shown_as(label, text)
                                            : shown_label(attribute, value) == text)
            return value;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::size_t> find_attribute(std::span<const Attribute> attributes,
                                          std::string_view name) noexcept {
    auto found = std::ranges::find(attributes, name, &Attribute::name);
    if (found == attributes.end() && !name.empty())
        found = std::ranges::find(attributes, name, &Attribute::vector);
    if (found == attributes.end()) return std::nullopt;
    return static_cast<std::size_t>(found - attributes.begin());
}

std::optional<std::size_t> find_attribute_or_number(std::span<const Attribute> attributes,
                                                    std::string_view name) noexcept {
    if (const auto found = find_attribute(attributes, name)) return found;
    const auto number = number_in(name);
    return number && *number < attributes.size() ? number : std::nullopt;
}

std::optional<std::size_t> find_label(const Attribute& attribute, std::string_view label) noexcept {
    const auto found = std::ranges::find(attribute.labels, label);
    if (found == attribute.labels.end()) return std::nullopt;
    return static_cast<std::size_t>(found - attribute.labels.begin());
}

std::string label_or_number(const Attribute& attribute, std::uint64_t value) {
    if (attribute.strings) return string_label(*attribute.strings, value);
    return value < attribute.labels.size() ? attribute.labels[value] : std::to_string(value);
}

Labels::Labels(std::span<const Attribute> attributes) : attributes_(attributes), index_(attributes.size()) {
    const std::hash<std::string_view> hash;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        const std::vector<std::string>& labels = attributes[j].labels;
        if (labels.size() <= few_labels) continue;
        std::vector<std::uint32_t>& slots = index_[j];
        slots.resize(std::bit_ceil(2 * labels.size()));
        for (std::size_t value = 0; value < labels.size(); ++value) {
            std::size_t at = hash(labels[value]) & (slots.size() - 1);
            while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
            slots[at] = static_cast<std::uint32_t>(value + 1);
        }
    }
}

std::optional<std::string_view> Labels::find_name(std::size_t attribute) const noexcept {
    if (attribute >= attributes_.size()) return std::nullopt;
    return attributes_[attribute].name;
}

std::optional<std::string_view> Labels::find_label(std::size_t attribute,
                                                   std::uint64_t value) const noexcept {
    if (attribute >= attributes_.size() || value >= attributes_[attribute].labels.size()) return std::nullopt;
    return attributes_[attribute].labels[value];
}

std::size_t Labels::attributes_called(std::size_t first, std::string_view name) const noexcept {
    if (first >= attributes_.size() || attributes_[first].name == name || attributes_[first].vector != name)
        return 1;
    std::size_t end = first;
    while (end < attributes_.size() && attributes_[end].vector == name) ++end;
    return end - first;
}

std::string Labels::name(std::size_t attribute) const {
    const auto found = find_name(attribute);
    return found ? std::string(*found) : std::to_string(attribute);
}

std::string Labels::label(std::size_t attribute, std::uint64_t value) const {
    if (of_strings(attribute)) return string_label(*attributes_[attribute].strings, value);
    return find_label(attribute, value) ? shown_label(attributes_[attribute], value) : std::to_string(value);
}

std::string Labels::json_name(std::size_t attribute) const {
    return json_text(Json(name(attribute)));
}

std::string Labels::json_label(std::size_t attribute, std::uint64_t value) const {
    const auto found = find_label(attribute, value);
    if (found || of_strings(attribute))
        return json_text(Json(found ? std::string(*found) : label(attribute, value)));
    return std::to_string(value);
}

std::vector<double> Labels::ends(std::size_t attribute) const {
    if (attribute >= attributes_.size() || !attributes_[attribute].binned()) return {};
    const Attribute& one = attributes_[attribute];
    std::vector<double> ends{one.min};
    ends.insert(ends.end(), one.edges.begin(), one.edges.end());
    ends.push_back(one.max);
    return ends;
}

std::optional<std::uint64_t> Labels::find_value(std::size_t attribute, std::string_view label) const {
    if (attribute >= attributes_.size()) return std::nullopt;
    if (const auto& strings = attributes_[attribute].strings) {
        const auto found = code_of(*strings, label);
        return found ? std::optional<std::uint64_t>(found->code) : std::nullopt;
    }
    if (attributes_[attribute].prefix != 0)
        if (const auto found = find_shown_label(attributes_[attribute], label)) return found;
    return find_spec_label(attribute, label);
}

std::optional<std::uint64_t> Labels::find_spec_label(std::size_t attribute,
                                                     std::string_view label) const noexcept {
    const std::vector<std::uint32_t>& slots = index_[attribute];
    if (slots.empty()) return ldp::find_label(attributes_[attribute], label);
    std::size_t at = std::hash<std::string_view>()(label) & (slots.size() - 1);
    for (; slots[at] != 0; at = (at + 1) & (slots.size() - 1))
        if (attributes_[attribute].labels[slots[at] - 1] == label) return slots[at] - 1;
    return std::nullopt;
}

std::size_t Labels::attribute_called(std::string_view name, std::size_t count,
                                     const std::string& hint) const {
    std::optional<std::size_t> found = find_attribute(attributes_, name);
    if (!found) found = number_in(name);
    if (found) {
        check_attribute(*found, count);
        return *found;
    }
    if (!known())
        refuse("the names of the attributes are unknown", "No collection has the summary's spec.",
               "Use the number of the attribute, from 0.");
    none_called(
        "attribute", name, attributes_.size(),
        [&](std::size_t i) -> const std::string& { return attributes_[i].name; }, hint);
}

std::uint64_t Labels::value_called(std::size_t attribute, std::string_view name,
                                   const std::string& hint) const {
    if (const auto found = find_value(attribute, name)) return *found;
    if (of_strings(attribute))
        refuse("\"" + shortened(std::string(name), 200) + "\" is not a string of attribute \"" +
                   attributes_[attribute].name + "\"",
               "The alphabet is \"" + alphabet_text(attributes_[attribute].strings->alphabet) + "\".");
    if (has_labels(attribute))
        none_called(
            "value", name, attributes_[attribute].labels.size(),
            [&](std::size_t i) { return label(attribute, i); }, hint);
    if (const auto number = number_in(name)) return *number;
    refuse("there is no value \"" + shortened(std::string(name), 200) + "\"",
           "No collection with the summary's spec has labels for the values; use their numbers.");
}

void Labels::check_fit(std::span<const std::uint64_t> sizes) const {
    if (!known()) return;
    for (std::size_t j = 0; j < sizes.size(); ++j)
        if (attributes_.size() != sizes.size() ||
            (!attributes_[j].numeric() && attributes_[j].domain != sizes[j]))
            raise(ErrorCode::malformed, "the labels do not fit the summary",
                  "They do not match attribute " + std::to_string(j) + ", of " + std::to_string(sizes[j]) +
                      " values.");
}

Labels::Conditions Labels::conditions(std::string_view json, std::span<const std::uint64_t> sizes) const {
    const Json document = parsed(json, "the condition");
    if (!document.is_object() || document.empty())
        refuse("conditions must be an object with a key for each attribute",
               "Found " + json_text(document) + ".", R"(For example: {"sex": "f", "age": [20, 30]}.)");
    std::map<std::size_t, std::vector<bool>> found;
    for (const auto& [name, wanted] : document.items()) {
        const std::size_t j = attribute_called(name, sizes.size());
        if (sizes[j] > most_values)
            refuse(
                "attribute \"" + name + "\" has too many values for a condition",
                "It has " + std::to_string(sizes[j]) + "; the limit is " + std::to_string(most_values) + ".",
                "");
        const auto [at, first] = found.emplace(j, static_cast<std::size_t>(sizes[j]));
        if (!first)
            refuse("an attribute has two conditions",
                   "Attribute " + std::to_string(j) + " occurs by its name and by its number.",
                   "Use an array to allow several labels.");
        std::vector<bool>& values = at->second;
        const std::vector<double> ends = this->ends(j);
        if (!ends.empty() && wanted.is_array() && wanted.size() == 2) {
            const auto low = bound(wanted[0], ends.front()), high = bound(wanted[1], ends.back());
            if (low && high) {
                const double from = std::max(*low, ends.front()), to = std::min(*high, ends.back());
                for (const double end : {from, to})
                    if (std::ranges::find(ends, end) == ends.end()) {
                        std::vector<std::string> words;
                        for (const double each : ends) words.push_back(shortest(each));
                        refuse(shortest(end) + " lies inside a bin of \"" + name + "\"",
                               "The bounds of its bins are " + some(words) + ".",
                               "Use whole bins: the lower bound is included, the upper bound is not.");
                    }
                for (std::size_t v = 0; v < values.size(); ++v)
                    values[v] = ends[v] >= from && ends[v + 1] <= to;
                if (std::ranges::count(values, true) == 0)
                    refuse("no value of \"" + name + "\" meets its condition",
                           "Found " + json_text(wanted) + ".");
                continue;
            }
        }
        if (wanted.is_array() && wanted.empty())
            refuse("no value of \"" + name + "\" meets its condition", "Found an empty array.");
        for (const Json& label : wanted.is_array() ? wanted : Json::array({wanted})) {
            if (!has_labels(j) && label.is_number_unsigned() && label.get<std::uint64_t>() < sizes[j]) {
                values[label.get<std::size_t>()] = true;
                continue;
            }
            const auto value = label.is_string() ? find_value(j, label.get_ref<const std::string&>())
                                                 : std::optional<std::uint64_t>();
            if (!value)
                refuse(json_text(label) + " is not a value of \"" + name + "\"",
                       has_labels(j)
                           ? "There are " + some(attributes_[j].labels) + "."
                           : "Its values are the numbers from 0 to " + std::to_string(sizes[j] - 1) + ".",
                       ends.empty() ? "" : "Alternatively, use bounds: [low, high], or null for no bound.");
            values[static_cast<std::size_t>(*value)] = true;
        }
    }
    Conditions conditions;
    for (auto& [attribute, values] : found) {
        conditions.attributes.push_back(attribute);
        conditions.box.push_back(std::move(values));
    }
    return conditions;
}

std::vector<Labels::QuantityWeight> Labels::numbers(std::string_view json,
                                                    std::span<const std::uint64_t> sizes, const char* what,
                                                    const char* example) const {
    const Json document = parsed(json, what);
    if (!document.is_object() || document.empty())
        refuse(std::string(what) + " must be an object with a key for each attribute",
               "Found " + json_text(document) + ".", example);
    const auto number = [&](const Json& found, const std::string& of) {
        if (!found.is_number() || !(std::abs(found.get<double>()) <= largest_weight))
            refuse("the number of \"" + shortened(of, 200) + "\" must be from -1e100 to 1e100",
                   "Found " + json_text(found) + ".", example);
        return found.get<double>();
    };
    std::map<std::pair<std::size_t, std::optional<std::uint64_t>>, double> found;
    const auto add = [&](std::size_t attribute, std::optional<std::uint64_t> value, double weight) {
        if (!found.emplace(std::pair(attribute, value), weight).second)
            refuse("a quantity occurs twice in " + std::string(what),
                   "Attribute " + std::to_string(attribute) +
                       " or one of its values occurs by name and by number.");
    };
    for (const auto& [name, wanted] : document.items()) {
        const std::size_t j = attribute_called(name, sizes.size());
        if (!wanted.is_object()) {
            add(j, std::nullopt, number(wanted, name));
            continue;
        }
        for (const auto& [label, weight] : wanted.items()) {
            const std::uint64_t value = value_called(j, label);
            if (!of_strings(j) && value >= sizes[j])
                refuse("there is no value " + std::to_string(value),
                       "Attribute " + std::to_string(j) + " has " + std::to_string(sizes[j]) + ".");
            add(j, value, number(weight, label));
        }
    }
    if (found.size() > most_weights)
        refuse("there are more than " + std::to_string(most_weights) + " numbers in " + what,
               "Found " + std::to_string(found.size()) + ".");
    std::vector<QuantityWeight> all;
    for (const auto& [quantity, weight] : found) all.push_back({quantity.first, quantity.second, weight});
    return all;
}

std::vector<Labels::QuantityWeight> Labels::weights(std::string_view json,
                                                    std::span<const std::uint64_t> sizes) const {
    constexpr const char* example =
        R"(For example: {"region": {"north": 1, "south": -1}}, or {"income": 1, "rent": -1}.)";
    std::vector<QuantityWeight> all = numbers(json, sizes, "the weights", example);
    std::erase_if(all, [](const QuantityWeight& one) { return one.weight == 0; });
    if (all.empty()) refuse("no weight differs from 0", "", example);
    return all;
}

std::vector<Labels::QuantityWeight> Labels::margins(std::string_view json,
                                                    std::span<const std::uint64_t> sizes) const {
    constexpr const char* example = R"(For example: {"sex": {"f": 510, "m": 490}}.)";
    std::vector<QuantityWeight> all = numbers(json, sizes, "the known margins", example);
    for (std::size_t from = 0, end = 0; from < all.size(); from = end) {
        const std::size_t attribute = all[from].attribute;
        double sum = 0;
        for (; end < all.size() && all[end].attribute == attribute; ++end) {
            if (!all[end].value || all[end].weight < 0)
                refuse("the known margin of \"" + this->name(attribute) + "\" is not a list of totals",
                       "A total must be a number of at least 0.", example);
            sum += all[end].weight;
        }
        if (end - from != sizes[attribute] || sum == 0)
            refuse(
                "the known margin of \"" + this->name(attribute) + "\" does not have a total for each value",
                "There are " + std::to_string(end - from) + " totals of " + std::to_string(sizes[attribute]) +
                    " values" + (sum == 0 ? ", and their sum is 0." : "."),
                example);
        for (std::size_t i = from; i < end; ++i) all[i].weight /= sum;
    }
    return all;
}

std::vector<std::vector<std::size_t>> Labels::sets(std::string_view json, std::size_t count) const {
    const Json document = parsed(json, "the list of attributes");
    std::vector<std::vector<std::size_t>> sets;
    if (const auto order = order_of(document.is_string() ? document.get<std::string>() : "")) {
        if (count < *order || count_all(count, *order) > max_views)
            refuse("the number of attributes is out of range for all " + document.get<std::string>(),
                   "There are " + std::to_string(count) + " attributes.",
                   "List the sets that will be queried.");
        for (const ViewAttributes& set : all_views(count, *order))
            sets.emplace_back(set.all().begin(), set.all().end());
        return sets;
    }
    const auto wrong = [&] {
        refuse("queries must be \"pairs\", \"triples\" or an array of arrays of attribute names",
               "Found " + json_text(document) + ".", R"(For example: [["sex", "age"], ["sex", "town"]].)");
    };
    if (!document.is_array() || document.size() > max_views) wrong();
    for (const Json& names : document) {
        if (!names.is_array()) wrong();
        std::vector<std::size_t>& set = sets.emplace_back();
        for (const Json& name : names) {
            if (!name.is_string()) wrong();
            set.push_back(attribute_called(name.get_ref<const std::string&>(), count));
        }
        std::ranges::sort(set);
    }
    return sets;
}

}  // namespace ldp

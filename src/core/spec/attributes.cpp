#include "core/spec/attributes.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "core/base/text.hpp"
#include "core/mechanism/registry.hpp"
#include "core/spec/json_object.hpp"
#include "core/spec/keys.hpp"
#include "core/spec/labels.hpp"
#include "core/spec/products.hpp"

namespace ldp {

namespace {

constexpr std::size_t max_name = 63;
constexpr std::size_t max_label = 200;

void domain(const Json& found, Attribute& attribute) {
    const std::string allowed = "a number of values (2 or more) or an array of 2 or more labels";
    if (found.is_number_unsigned()) {
        attribute.domain = found.get<std::uint64_t>();
        if (attribute.domain < 2) JsonObject::wrong("domain", found, allowed);
        return;
    }
    if (!found.is_array() || found.size() < 2) JsonObject::wrong("domain", found, allowed);
    std::unordered_set<std::string_view> seen;
    seen.reserve(found.size());
    attribute.labels.reserve(found.size());
    for (const Json& label : found) {
        if (!label.is_string() || label.get_ref<const std::string&>().empty() ||
            label.get_ref<const std::string&>().size() > max_label)
            invalid("a label must be a string of 1 to " + std::to_string(max_label) + " bytes",
                    "Found " + shown(label) + ".");
        if (!seen.insert(label.get_ref<const std::string&>()).second)
            invalid("a label stands twice in \"domain\"", "Found " + shown(label) + " again.",
                    "Each value of the domain needs its own label.");
        attribute.labels.push_back(label.get<std::string>());
    }
    attribute.domain = attribute.labels.size();
}

/// What becomes of labels outside the domain, of people without an answer, and of strings.
void outsiders(JsonObject& reader, Attribute& attribute) {
    attribute.prefix = reader.whole(keys::prefix);
    const auto one_label = [&](const char* key, std::string& found) {
        if (reader.find(key) == nullptr) return;
        found = reader.word(key, "one of the labels");
        if (!find_label(attribute, found))
            JsonObject::wrong(key, Json(found), "one of the labels in \"domain\"");
    };
    one_label("other", attribute.other);
    one_label("none", attribute.none);
    if (attribute.prefix == 0) return;
    if (attribute.other.empty())
        invalid("\"prefix\" needs \"other\"", "Most strings begin with none of the labels.",
                "Add a label to \"domain\" and name it in \"other\": it stands for the rest.");
    for (const std::string& label : attribute.labels) {
        const bool whole_string = label.back() == Attribute::terminator;
        const auto string = std::string_view(label).substr(0, label.size() - (whole_string ? 1 : 0));
        if (label != attribute.other && label != attribute.none && attribute.label_of(string) != label)
            invalid("no string begins like a label",
                    "Found " + shown(Json(label)) + "; allowed are " + std::to_string(attribute.prefix) +
                        " characters, or fewer with U+0003 at the end, which stand for the whole string.",
                    "Only the labels in \"other\" and \"none\" may be different.");
    }
}

/// Where a number's bins meet, and what they are called.
void bins(JsonObject& reader, Attribute& attribute) {
    const Json* edges = reader.find("edges");
    const std::uint64_t bins = reader.whole(keys::bins);
    if (edges != nullptr && bins != 0)
        invalid("attribute \"" + attribute.name + "\" has both \"bins\" and \"edges\"",
                "\"bins\" makes so many of equal width; \"edges\" says where they meet.");
    const std::string allowed = "ascending numbers between \"min\" and \"max\", one or more and at most " +
                                std::to_string(keys::bins.most - 1);
    if (edges != nullptr) {
        if (!edges->is_array() || edges->empty() || edges->size() >= keys::bins.most)
            JsonObject::wrong("edges", *edges, allowed);
        for (const Json& edge : *edges) {
            if (!edge.is_number()) JsonObject::wrong("edges", *edges, allowed);
            attribute.edges.push_back(edge.get<double>());
        }
    }
    const double width =
        (attribute.max - attribute.min) / static_cast<double>(std::max<std::uint64_t>(bins, 1));
    for (std::uint64_t i = 1; i < bins; ++i)
        attribute.edges.push_back(attribute.min + static_cast<double>(i) * width);
    if (!attribute.binned()) return;
    std::vector<double> ends{attribute.min};
    ends.insert(ends.end(), attribute.edges.begin(), attribute.edges.end());
    ends.push_back(attribute.max);
    if (!std::ranges::is_sorted(ends, std::ranges::less_equal())) {
        if (edges != nullptr) JsonObject::wrong("edges", *edges, allowed);
        invalid("a bin is too narrow for its ends to differ",
                "\"" + attribute.name + "\" has " + std::to_string(bins) + " bins.");
    }
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        attribute.labels.push_back("[" + shortest(ends[i]) + ", " + shortest(ends[i + 1]) +
                                   (i + 2 < ends.size() ? ")" : "]"));
    attribute.domain = attribute.labels.size();
}

void check_name(const Attribute& attribute) {
    if (attribute.name.empty() || attribute.name.size() > max_name || has_control(attribute.name))
        invalid("an attribute's name must have 1 to " + std::to_string(max_name) +
                    " bytes and no control characters",
                "Found " + shown(Json(attribute.name)) + ".",
                attribute.derived() ? "Give the product a \"name\" of its own." : "");
}

void range(JsonObject& reader, Attribute& attribute) {
    attribute.min = reader.real("min", "a finite number, the least value");
    attribute.max = reader.real("max", "a finite number, the greatest value");
    if (!(attribute.min < attribute.max) || attribute.max - attribute.min > 1e300)
        invalid("\"min\" must be less than \"max\", by at most 1e300",
                "Attribute \"" + attribute.name + "\" has min " + shown(attribute.min) + " and max " +
                    shown(attribute.max) + ".");
}

Attribute read_attribute(JsonObject& reader, std::string name) {
    Attribute attribute;
    attribute.name = std::move(name);
    check_name(attribute);
    if (const Json* found = reader.find("domain")) {
        if (reader.find("min") != nullptr || reader.find("max") != nullptr)
            invalid("attribute \"" + attribute.name + "\" has both a domain and a range",
                    "A categorical attribute has \"domain\"; a numeric one has \"min\" and \"max\".");
        domain(*found, attribute);
        outsiders(reader, attribute);
        return attribute;
    }
    range(reader, attribute);
    bins(reader, attribute);
    return attribute;
}

/// A product, but for what follows from its factors: its name, and its range, for which a narrower one may be
/// given.
Attribute read_derived(JsonObject& reader) {
    Attribute attribute;
    attribute.product.assign(2, unread);
    if (reader.find("name") != nullptr) attribute.name = reader.word("name", "the attribute's name");
    const bool narrowed = reader.find("min") != nullptr;
    if (reader.find("max") != nullptr || narrowed) range(reader, attribute);
    return attribute;
}

/// How an attribute of a record is reported.
void reporting(JsonObject& reader, Attribute& attribute) {
    if (reader.find("mechanism") != nullptr) {
        attribute.mechanism = reader.word("mechanism", mechanism_names());
        if (attribute.mechanism != keys::automatic && find_mechanism(attribute.mechanism) == nullptr)
            JsonObject::wrong("mechanism", Json(attribute.mechanism), mechanism_names());
    }
    attribute.share = reader.whole(keys::share);
}

/// Whether an attribute's values change.
void movement(JsonObject& reader, Attribute& attribute) {
    const Json* found = reader.find("evolving");
    if (found == nullptr) return;
    if (!found->is_boolean()) JsonObject::wrong("evolving", *found, "true or false, in an attribute");
    attribute.evolving = found->get<bool>();
    if (attribute.evolving && !attribute.numeric())
        invalid("an evolving attribute must be numeric", "\"" + attribute.name + "\" is categorical.",
                "Categories are remembered as they are, with \"evolving\": {} beside \"attributes\".");
}

}  // namespace

std::string mechanism_names() {
    std::vector<std::string> names{keys::automatic};
    for (const MechanismEntry* entry : registry()) names.emplace_back(entry->name);
    return "one of " + joined(names);
}

bool has_control(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

std::vector<Attribute> read_attributes(JsonObject& top) {
    std::vector<Attribute> attributes;
    if (const Json* all = top.find("attributes")) {
        if (!all->is_array() || all->empty()) JsonObject::wrong("attributes", *all, "a non-empty array");
        std::vector<std::pair<std::size_t, const Json*>> products;
        for (const Json& found : *all) {
            JsonObject reader(found, "attribute " + std::to_string(attributes.size()));
            const Json* product = reader.find("product");
            if (product != nullptr) products.emplace_back(attributes.size(), product);
            Attribute& attribute = attributes.emplace_back(
                product != nullptr ? read_derived(reader)
                                   : read_attribute(reader, reader.word("name", "the attribute's name")));
            reporting(reader, attribute);
            movement(reader, attribute);
            if (all->size() == 1) reader.ignore("want");  // read with the mechanism
            reader.finish();
        }
        if (!products.empty() && attributes.size() > max_with_products)
            invalid("a record with products has at most " + std::to_string(max_with_products) + " attributes",
                    "Found " + std::to_string(attributes.size()) + ".");
        for (const auto& [place, found] : products) read_product(*found, attributes, attributes[place]);
        if (const Json* found = top.find("regression")) add_regression(*found, attributes);
        std::set<std::string> seen;
        for (const Attribute& attribute : attributes) {
            if (attribute.derived()) check_name(attribute);
            if (!seen.insert(attribute.name).second)
                invalid("two attributes have the same name",
                        "Found " + shown(Json(attribute.name)) + " twice.");
        }
    } else if (top.contains("domain") || top.contains("min") || top.contains("max")) {
        attributes.push_back(read_attribute(top, "value"));
    } else {
        invalid("the spec has no attributes",
                "Expected \"attributes\", or for a single one \"domain\", or \"min\" and \"max\".");
    }
    return attributes;
}

std::vector<Attribute> read_attributes(std::string_view json) {
    Json document = {{"attributes", parse_json(json)}};
    if (document["attributes"].empty()) return {};
    JsonObject top(document, "the spec");
    return read_attributes(top);
}

}  // namespace ldp

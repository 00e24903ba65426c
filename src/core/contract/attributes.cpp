// Length: each kind of attribute has keys and refusals of its own.

#include "core/contract/attributes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "core/base/text.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/labels.hpp"
#include "core/contract/mechanism_options.hpp"
#include "core/contract/products.hpp"
#include "core/contract/texts.hpp"
#include "core/mechanism/frequency/label_sets.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/strings/string_codes.hpp"

namespace ldp {

using keys::Object;

namespace {

constexpr keys::Key vector_key = key(Object::attribute, "vector");

void domain(const Json& found, Attribute& attribute) {
    constexpr std::uint64_t least = key(Object::attribute, "domain").whole().least;
    const std::string count = std::to_string(least) + " or more";
    const std::string allowed = "a number of values (" + count + ") or an array of " + count + " labels";
    if (found.is_number_unsigned()) {
        attribute.domain = found.get<std::uint64_t>();
        if (attribute.domain < least) JsonObject::wrong("domain", found, allowed);
        return;
    }
    if (!found.is_array() || found.size() < least) JsonObject::wrong("domain", found, allowed);
    std::unordered_set<std::string_view> seen;
    seen.reserve(found.size());
    attribute.labels.reserve(found.size());
    for (const Json& label : found) {
        if (!label.is_string() || label.get_ref<const std::string&>().empty() ||
            label.get_ref<const std::string&>().size() > keys::max_label)
            invalid("a label must be a string of 1 to " + std::to_string(keys::max_label) + " bytes",
                    "Found " + shown(label) + ".");
        if (!seen.insert(label.get_ref<const std::string&>()).second)
            invalid("a label is repeated in \"domain\"", "Found " + shown(label) + " again.",
                    "Each value of the domain needs its own label.");
        attribute.labels.push_back(label.get<std::string>());
    }
    attribute.domain = attribute.labels.size();
}

/// What becomes of labels outside the domain, of people without an answer, and of strings.
void outsiders(JsonObject& reader, Attribute& attribute) {
    attribute.prefix = reader.whole(key(Object::attribute, "prefix"));
    const auto one_label = [&](const char* key, std::string& found) {
        if (reader.find(key) == nullptr) return;
        found = reader.word(key, "one of the labels");
        if (!find_label(attribute, found))
            JsonObject::wrong(key, Json(found), "one of the labels in \"domain\"");
    };
    one_label("other", attribute.other);
    one_label("missing_label", attribute.none);
    if (attribute.prefix == 0) return;
    if (attribute.other.empty())
        invalid(
            "\"prefix\" needs \"other\"", "Most strings begin with none of the labels.",
            "Add a label to \"domain\" and name it in \"other\": this label then counts all other strings.");
    for (const std::string& label : attribute.labels) {
        const bool whole_string = label.back() == Attribute::terminator;
        const auto string = std::string_view(label).substr(0, label.size() - (whole_string ? 1 : 0));
        if (label != attribute.other && label != attribute.none && attribute.label_of(string) != label)
            invalid("no string begins with a label",
                    "Found " + shown(Json(label)) + "; allowed are " + std::to_string(attribute.prefix) +
                        " characters, or shorter strings that end with U+0003 and are complete.",
                    "Only the labels in \"other\" and \"none\" may be different.");
    }
}

/// Whether people have a set of labels, and of how many at most. The default is all labels, or as many as fit.
void several(JsonObject& reader, Attribute& attribute) {
    if (!reader.contains("several") || !reader.flag(key(Object::attribute, "several"))) {
        if (reader.contains("most"))
            invalid("\"most\" is for sets of labels", "\"" + attribute.name + "\" has no \"several\": true.",
                    "Add \"several\": true if a person may have several labels, or remove \"most\".");
        return;
    }
    if (attribute.prefix != 0 || !attribute.none.empty())
        invalid(
            std::string("a set of labels must not have \"") +
                (attribute.prefix != 0 ? "prefix\"" : "missing_label\""),
            "\"" + attribute.name + "\" has \"several\": true.",
            attribute.prefix != 0
                ? "List the labels that people can give."
                : "The empty set is a valid answer. Add a label to \"domain\" for people who do not answer.");
    keys::Key most = key(Object::attribute, "most");
    most.most = static_cast<double>(attribute.domain);
    attribute.most = reader.whole(most);
    if (attribute.most == 0)
        attribute.most = std::max<std::uint64_t>(1, most_labels_that_fit(attribute.domain));
    for (const std::string& label : attribute.labels)
        if (label.find(Attribute::separator) != label.npos)
            invalid("a label of a set contains a semicolon", "Found " + shown(Json(label)) + ".",
                    "Semicolons separate the labels of a set in files and programs.");
}

/// Where a number's bins meet, and what they are called.
void bins(JsonObject& reader, Attribute& attribute) {
    const Json* edges = reader.find("edges");
    const std::uint64_t bins = reader.whole(keys::bins);
    if (edges != nullptr && bins != 0)
        invalid("attribute \"" + attribute.name + "\" has both \"bins\" and \"edges\"",
                "\"bins\" is a number of bins of equal width; \"edges\" lists their boundaries.");
    constexpr std::uint64_t most = key(Object::attribute, "edges").whole().most;
    const std::string allowed =
        "ascending numbers between \"min\" and \"max\", one or more and at most " + std::to_string(most);
    if (edges != nullptr) {
        if (!edges->is_array() || edges->empty() || edges->size() > most)
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
        invalid("a bin is too narrow: its bounds are equal",
                "\"" + attribute.name + "\" has " + std::to_string(bins) + " bins.");
    }
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        attribute.labels.push_back("[" + shortest(ends[i]) + ", " + shortest(ends[i + 1]) +
                                   (i + 2 < ends.size() ? ")" : "]"));
    attribute.domain = attribute.labels.size();
}

/// Strings of an open domain.
void strings(const Json& found, Attribute& attribute) {
    JsonObject reader(found, "\"strings\"");
    StringDomain& read = attribute.strings.emplace();
    const std::string allowed =
        "characters and ascending ranges of characters, such as \"a-z0-9 \", without control characters";
    const std::string alphabet = reader.word("alphabet", allowed);
    const auto characters = read_alphabet(alphabet);
    if (!characters || characters->empty()) JsonObject::wrong("alphabet", Json(alphabet), allowed);
    if (characters->size() > max_alphabet)
        invalid("an alphabet has at most " + std::to_string(max_alphabet) + " characters",
                "Found " + std::to_string(characters->size()) + ".");
    read.alphabet = *characters;
    read.longest = reader.whole(key(Object::strings, "max_length"));
    if (const std::uint64_t most = longest_that_fits(read.alphabet.size()); read.longest > most)
        invalid("strings of " + std::to_string(read.longest) + " characters do not fit into a report",
                "With an alphabet of " + std::to_string(read.alphabet.size()) +
                    " characters, strings of at most " + std::to_string(most) + " characters fit.",
                "Reduce \"max_length\" or the \"alphabet\". Longer strings are truncated.");
    read.fold = reader.flag(key(Object::strings, "lowercase"));
    if (reader.find("other") != nullptr) {
        const std::string other = reader.word("other", "one character of the alphabet");
        const auto one = read_alphabet(other);
        if (!one || one->size() != 1 || read.alphabet.find((*one)[0]) == read.alphabet.npos)
            JsonObject::wrong("other", Json(other), "one character of the alphabet");
        read.other = *one;
    }
    reader.finish();
    attribute.domain = code_count(read);
}

constexpr std::uint64_t max_name = key(Object::attribute, "name").whole().most;

void check_name(const Attribute& attribute) {
    if (!is_attribute_name(attribute.name))
        invalid("an attribute's name must have 1 to " + std::to_string(max_name) +
                    " bytes and no control characters",
                "Found " + shown(Json(attribute.name)) + ".",
                attribute.derived() ? "Add a \"name\" to the product." : "");
}

void check_range(const Attribute& attribute) {
    if (!(attribute.min < attribute.max) || attribute.max - attribute.min > 1e300)
        invalid("\"min\" must be less than \"max\", by at most 1e300",
                "Attribute \"" + attribute.name + "\" has min " + shown(attribute.min) + " and max " +
                    shown(attribute.max) + ".");
}

void range(JsonObject& reader, Attribute& attribute) {
    attribute.min = reader.real("min", "a finite number, the smallest value");
    attribute.max = reader.real("max", "a finite number, the largest value");
    check_range(attribute);
}

/// One end of the ranges of a vector's elements: a number for all, or an array with one for each.
std::vector<double> ends_of_elements(JsonObject& reader, const char* key, std::size_t count) {
    const std::string allowed =
        "a finite number, or an array of " + std::to_string(count) + " numbers, one for each element";
    const Json& found = reader.need(key, allowed);
    if (!found.is_array()) return std::vector<double>(count, reader.real(key, allowed));
    std::vector<double> ends;
    for (const Json& end : found) {
        if (!end.is_number() || !std::isfinite(end.get<double>())) JsonObject::wrong(key, found, allowed);
        ends.push_back(end.get<double>());
    }
    if (ends.size() != count) JsonObject::wrong(key, found, allowed);
    return ends;
}

/// Whether people may have no value of a number. Other attributes have no such key.
void missing(JsonObject& reader, Attribute& attribute) {
    if (!attribute.numeric() && !reader.contains("missing")) return;
    if (!reader.flag(key(Object::attribute, "missing"))) return;
    const auto refuse = [&](const std::string& detail, const std::string& hint) {
        invalid("\"missing\" requires a number whose mean or distribution is estimated",
                "\"" + attribute.name + "\" " + detail, hint);
    };
    if (attribute.strings)
        refuse("has \"strings\"; a missing text is reported as the empty string.",
               "Remove \"missing\", and report the empty string; its share is estimated too.");
    if (attribute.binned())
        refuse("has bins, which are ordered; a missing value has no rank.",
               "List the bins as labels in \"domain\", and add a label named in \"missing_label\".");
    if (!attribute.numeric())
        refuse("is a category.", "Add a label to \"domain\" and name it in \"missing_label\".");
    attribute.none = missing_number;
}

Attribute read_values(JsonObject& reader, std::string name) {
    Attribute attribute;
    attribute.name = std::move(name);
    check_name(attribute);
    if (const Json* found = reader.find("strings")) {
        if (reader.contains("domain") || reader.contains("min") || reader.contains("max"))
            invalid("attribute \"" + attribute.name + "\" has both strings and a domain or a range",
                    "An attribute with \"strings\" must not have labels or a range.");
        strings(*found, attribute);
        missing(reader, attribute);
        return attribute;
    }
    if (const Json* found = reader.find("domain")) {
        if (reader.find("min") != nullptr || reader.find("max") != nullptr)
            invalid("attribute \"" + attribute.name + "\" has both a domain and a range",
                    "A categorical attribute has \"domain\"; a numeric one has \"min\" and \"max\".");
        domain(*found, attribute);
        missing(reader, attribute);
        outsiders(reader, attribute);
        several(reader, attribute);
        return attribute;
    }
    range(reader, attribute);
    bins(reader, attribute);
    missing(reader, attribute);
    return attribute;
}

/// Whether the ends of the range of a number are one value.
void circular(JsonObject& reader, Attribute& attribute) {
    if (!reader.contains("circular") || !reader.flag(key(Object::attribute, "circular"))) return;
    if (!attribute.numeric() || !attribute.none.empty())
        invalid("\"circular\" requires a number with \"min\" and \"max\"",
                "\"" + attribute.name + "\" " +
                    (attribute.numeric()  ? "has \"missing\": true."
                     : attribute.binned() ? "has bins."
                                          : "is a category."),
                attribute.numeric() ? "Remove \"missing\"; people without a value do not report."
                                    : "Give the range of the number, such as \"min\": 0 and \"max\": 24.");
    attribute.circular = true;
}

Attribute read_attribute(JsonObject& reader, std::string name) {
    Attribute attribute = read_values(reader, std::move(name));
    circular(reader, attribute);
    return attribute;
}

/// Reads a product without the properties that follow from its factors: its name, and its range if no
/// narrower one is given.
Attribute read_derived(JsonObject& reader) {
    Attribute attribute;
    attribute.product.assign(2, unread);
    if (reader.find("name") != nullptr) attribute.name = reader.word("name", "the attribute's name");
    const bool narrowed = reader.find("min") != nullptr;
    if (reader.find("max") != nullptr || narrowed) range(reader, attribute);
    return attribute;
}

/// What "estimate" may be for an attribute of a record.
std::vector<std::string> wants(const Attribute& attribute) {
    if (!attribute.vector.empty()) return {"means", "ranges"};
    if (attribute.numeric()) return {"mean", "distribution", "quantiles", "shape"};
    return {"distribution", "quantiles"};
}

/// How an attribute of a record is reported: `elements` are the attribute alone, or those of a vector.
void reporting(JsonObject& reader, std::vector<Attribute>& elements) {
    Attribute& attribute = elements[0];
    const MechanismEntry* entry = nullptr;
    if (reader.find("mechanism") != nullptr) {
        attribute.mechanism = reader.word("mechanism", mechanism_names());
        entry = find_mechanism(attribute.mechanism);
        if (attribute.mechanism != keys::automatic && entry == nullptr)
            refuse_mechanism_name(attribute.mechanism);
    }
    if (entry != nullptr) {
        for (const Option& option : entry->options)
            if (reader.contains(option.name)) read_option(reader, option, elements, attribute.options);
    } else {
        if (reader.contains(keys::grid.name)) attribute.options[keys::grid.name] = reader.whole(keys::grid);
        if (!attribute.vector.empty() && reader.contains(keys::norm.name))
            attribute.options[keys::norm.name] = reader.real(keys::norm);
    }
    if (reader.contains("estimate")) {
        if (attribute.strings || attribute.several())
            invalid(attribute.strings ? "a text must not have \"estimate\""
                                      : "a set of labels must not have \"estimate\"",
                    "\"" + attribute.name + "\" has " +
                        (attribute.strings ? "\"strings\"." : "\"several\": true."),
                    "Remove \"estimate\".");
        const std::string allowed = "one of " + joined(wants(attribute));
        attribute.want = reader.word("estimate", allowed);
        if (std::ranges::count(wants(attribute), attribute.want) == 0)
            JsonObject::wrong("estimate", Json(attribute.want), allowed);
        if (entry != nullptr)
            invalid("\"estimate\" requires an attribute without \"mechanism\"",
                    "Attribute \"" + attribute.name + "\" names the mechanism " + attribute.mechanism + ".",
                    "Remove \"estimate\" or \"mechanism\".");
    }
    attribute.share = reader.whole(key(Object::attribute, "weight"));
    for (Attribute& element : elements) {
        element.mechanism = attribute.mechanism;
        element.options = attribute.options;
        element.want = attribute.want;
        element.share = attribute.share;
    }
}

/// The elements of a vector: numbers of one range, or each with a range of its own, and each with a label.
std::vector<Attribute> read_vector(JsonObject& reader, const Json& found, const std::string& name) {
    constexpr std::uint64_t least = vector_key.whole().least, most = vector_key.whole().most;
    const std::string allowed = "a number of elements from " + std::to_string(least) + " to " +
                                std::to_string(most) + ", or an array of labels";
    std::vector<std::string> labels;
    if (found.is_number_unsigned() && found.get<std::uint64_t>() >= least &&
        found.get<std::uint64_t>() <= most) {
        for (std::uint64_t i = 0; i < found.get<std::uint64_t>(); ++i) labels.push_back(std::to_string(i));
    } else {
        if (!found.is_array() || found.size() < least || found.size() > most)
            JsonObject::wrong("vector", found, allowed);
        for (const Json& label : found) {
            if (!label.is_string() || label.get_ref<const std::string&>().empty())
                JsonObject::wrong("vector", found, allowed);
            labels.push_back(label.get<std::string>());
        }
    }
    if (reader.contains("domain") || reader.contains("bins") || reader.contains("edges"))
        invalid("the elements of a vector must be numbers", "\"" + name + "\" has a domain or bins.",
                "Use \"min\" and \"max\" only.");
    if (reader.contains("missing"))
        invalid("\"missing\" requires a single number",
                "\"" + name + "\" is a vector, whose elements are reported together.",
                "Declare the elements as attributes of the record, each with \"missing\": true.");
    Attribute element;
    element.name = name;
    check_name(element);
    const std::vector<double> lower = ends_of_elements(reader, "min", labels.size()),
                              upper = ends_of_elements(reader, "max", labels.size());
    element.vector = name;
    std::vector<Attribute> elements(labels.size(), element);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        elements[i].name = name + "." + labels[i];
        elements[i].min = lower[i];
        elements[i].max = upper[i];
        check_name(elements[i]);
        check_range(elements[i]);
    }
    return elements;
}

/// Whether an attribute's values change.
void movement(JsonObject& reader, std::vector<Attribute>& elements) {
    if (!reader.flag(key(Object::attribute, "evolving"))) return;
    for (Attribute& attribute : elements) {
        attribute.evolving = true;
        if (!attribute.numeric())
            invalid("an evolving attribute must be numeric",
                    "\"" + attribute.name + "\" is " + (attribute.strings ? "of strings." : "categorical."),
                    "Use \"evolving\": {} next to \"attributes\" to memoize categories.");
    }
}

[[noreturn]] void refuse_name(const std::string& name) {
    invalid("two attributes have the same name", "Found " + shown(Json(name)) + " twice.");
}

/// The margins of error that a spec asks for: a number for each name of an attribute or a vector.
void margins(const Json& found, std::vector<Attribute>& attributes) {
    const std::string allowed = "an object that maps names of attributes to numbers above 0";
    if (!found.is_object() || found.empty()) JsonObject::wrong("max_margin_of_error", found, allowed);
    for (const auto& [name, margin] : found.items()) {
        if (!margin.is_number() || !(margin.get<double>() > 0))
            JsonObject::wrong("max_margin_of_error", found, allowed);
        bool known = false;
        for (Attribute& attribute : attributes) {
            if (attribute.name != name && attribute.vector != name) continue;
            known = true;
            attribute.margin = margin.get<double>();
            const bool share = !attribute.numeric() || (!attribute.want.empty() && attribute.want != "mean" &&
                                                        attribute.vector.empty());
            const double most = share ? 1 : attribute.max - attribute.min;
            constexpr double least = 1e-6;  // of the values; smaller ones need more than 10^12 people
            if (attribute.margin < least * most)
                invalid("the margin of \"" + name + "\" is too small", "Found " + shown(attribute.margin) +
                                                                           "; it must be at least " +
                                                                           shown(least * most) + ".");
            if (attribute.margin >= most)
                invalid("the margin of \"" + name + "\" includes all of its values",
                        "Found " + shown(attribute.margin) + "; it must be below " + shown(most) + ".",
                        share ? "A margin of a share is a proportion: 0.02 is 2 points." : "");
        }
        if (!known)
            invalid("\"max_margin_of_error\" names \"" + name + "\", which is not an attribute",
                    "The spec has " + std::to_string(attributes.size()) + " attributes.");
    }
}

}  // namespace

std::string element_label(const Attribute& element) {
    return element.name.substr(element.vector.size() + 1);
}

std::string mechanism_names() {
    std::vector<std::string> names{keys::automatic};
    for (const MechanismEntry* entry : registry()) names.emplace_back(entry->name);
    return "one of " + joined(names);
}

void refuse_mechanism_name(const std::string& name) {
    if (is_left_out(name))
        invalid(
            "the mechanism " + name + " is missing in this build",
            "The default build omits the mechanisms of the literature, and a program for devices may list the "
            "mechanisms that it links.",
            "Add it to LDP_MECHANISMS, or build it with make wasm LITERATURE=ON or make device LITERATURE=ON.");
    JsonObject::wrong("mechanism", Json(name), mechanism_names());
}

bool is_attribute_name(std::string_view name) {
    return !name.empty() && name.size() <= max_name && !has_control(name);
}

bool has_control(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

std::vector<Attribute> read_attributes(JsonObject& top) {
    std::vector<Attribute> attributes;
    accept_spec_texts(top);
    if (const Json* all = top.find("attributes")) {
        if (!all->is_array() || all->empty()) JsonObject::wrong("attributes", *all, "a non-empty array");
        std::vector<std::pair<std::size_t, const Json*>> products;
        std::size_t number = 0;
        std::set<std::string> seen;  // names of attributes and vectors
        for (const Json& found : *all) {
            JsonObject reader(found, "attribute " + std::to_string(number++));
            const Json *product = reader.find("product"), *vector = reader.find("vector");
            if (product != nullptr) products.emplace_back(attributes.size(), product);
            std::vector<Attribute> elements;
            if (vector != nullptr)
                elements = read_vector(reader, *vector, reader.word("name", "the vector's name"));
            else
                elements.push_back(product != nullptr
                                       ? read_derived(reader)
                                       : read_attribute(reader, reader.word("name", "the attribute's name")));
            if (all->size() == 1 && vector == nullptr) {
                reader.ignore("estimate");  // read with the mechanism
                if (reader.find("mechanism") != nullptr)
                    elements[0].mechanism = reader.word("mechanism", mechanism_names());
                elements[0].share = reader.whole(key(Object::attribute, "weight"));
            } else {
                reporting(reader, elements);
            }
            movement(reader, elements);
            accept_attribute_texts(reader);
            reader.finish();
            if (attributes.size() + elements.size() > 4 * vector_key.whole().most)
                invalid("the spec has too many attributes", "Every element of a vector counts.");
            if (vector != nullptr && !seen.insert(elements[0].vector).second) refuse_name(elements[0].vector);
            for (Attribute& element : elements) attributes.push_back(std::move(element));
        }
        if (const Json* found = top.find("max_margin_of_error")) margins(*found, attributes);
        if (!products.empty() && attributes.size() > max_with_products)
            invalid("a record with products has at most " + std::to_string(max_with_products) + " attributes",
                    "Found " + std::to_string(attributes.size()) + ".");
        for (const auto& [place, found] : products) read_product(*found, attributes, attributes[place]);
        if (const Json* found = top.find("regression")) add_regression(*found, attributes);
        for (const Attribute& attribute : attributes) {
            if (attribute.derived()) check_name(attribute);
            for (const Factor& factor : attribute.product)
                if (attributes[factor.attribute].circular)
                    invalid(
                        "a product does not support numbers on a circle",
                        "\"" + attributes[factor.attribute].name + "\" has \"circular\": true.",
                        "Remove \"circular\", or remove the number from the products and the regression.");
            if (!seen.insert(attribute.name).second) refuse_name(attribute.name);
        }
    } else if (top.contains("strings") || top.contains("domain") || top.contains("min") ||
               top.contains("max")) {
        attributes.push_back(read_attribute(top, "value"));
    } else {
        invalid("the spec has no attributes",
                "Expected \"attributes\", or for a single attribute \"domain\", \"strings\", or \"min\" and "
                "\"max\". Found " +
                    (top.keys().empty() ? "no key" : top.keys()) + ".");
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

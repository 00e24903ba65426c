#include "core/contract/texts.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <span>

#include "core/base/text.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/spec_reader.hpp"

namespace ldp {

using keys::Object;

namespace {

/// A key whose value is a text.
template <class Of>
struct TextKey {
    keys::Key key;
    std::string Of::*text;
};

constexpr TextKey<SpecTexts> texts_of_spec[] = {{key(Object::spec, "title"), &SpecTexts::title},
                                                {key(Object::spec, "description"), &SpecTexts::description}};
constexpr TextKey<AttributeTexts> texts_of_attribute[] = {
    {key(Object::attribute, "title"), &AttributeTexts::title},
    {key(Object::attribute, "question"), &AttributeTexts::question},
    {key(Object::attribute, "unit"), &AttributeTexts::unit},
    {key(Object::attribute, "description"), &AttributeTexts::description}};
constexpr keys::Key scale = key(Object::attribute, "scale");
constexpr keys::Key display = key(Object::attribute, "display");
constexpr keys::Key people_asked = key(Object::spec, "people_asked");
/// Of values without labels.
constexpr std::uint64_t max_values = 4096;

/// The texts with these keys. A key that is null stands for no text.
template <class Of>
void read_each(JsonObject& reader, std::span<const TextKey<Of>> keys, Of& into) {
    for (const auto& [one, text] : keys)
        if (reader.find(one.name) != nullptr) into.*text = reader.text(one);
}

/// An attribute, or the elements of a vector.
using Elements = std::span<const Attribute>;

/// The attributes and vectors of a spec, in its order.
std::vector<Elements> listed(std::span<const Attribute> attributes) {
    std::vector<Elements> all;
    for (std::size_t j = 0; j < attributes.size();) {
        std::size_t count = 1;
        if (const std::string& vector = attributes[j].vector; !vector.empty())
            while (j + count < attributes.size() && attributes[j + count].vector == vector) ++count;
        all.push_back(attributes.subspan(j, count));
        j += count;
    }
    return all;
}

const std::string& name_of(Elements elements) {
    return elements[0].vector.empty() ? elements[0].name : elements[0].vector;
}

[[noreturn]] void refuse(const char* name, const std::string& of, Elements elements, const std::string& why) {
    invalid("\"" + std::string(name) + "\" is for " + of, "\"" + name_of(elements) + "\" " + why,
            "Remove it.");
}

/// What the display texts of an attribute may stand for.
std::vector<std::string> labels_of(Elements elements) {
    const Attribute& attribute = elements[0];
    std::vector<std::string> labels;
    if (!attribute.vector.empty()) {
        for (const Attribute& element : elements) labels.push_back(element_label(element));
    } else if (attribute.strings || attribute.numeric()) {
        refuse(display.name, "categories and vectors", elements, "has no labels.");
    } else if (attribute.labels.empty()) {
        if (attribute.domain > max_values)
            refuse(display.name, "at most " + std::to_string(max_values) + " values without labels", elements,
                   "has " + grouped(attribute.domain) + ".");
        for (std::uint64_t value = 0; value < attribute.domain; ++value)
            labels.push_back(std::to_string(value));
    } else {
        labels = attribute.labels;
    }
    return labels;
}

void read_display(const Json& found, Elements elements, AttributeTexts& texts) {
    if (!found.is_object()) JsonObject::wrong(display.name, found, "an object that maps labels to texts");
    const std::vector<std::string> labels = labels_of(elements);
    const std::set<std::string_view> known(labels.begin(), labels.end());
    for (const auto& [label, text] : found.items()) {
        if (!known.contains(label))
            invalid("\"display\" names a label that \"" + name_of(elements) + "\" does not have",
                    "Found " + shown(Json(label)) + ".",
                    "Labels must equal the labels of the spec byte by byte.");
        texts.display.emplace(label, JsonObject::text(display, text));
    }
    std::set<std::string_view> seen;
    for (const std::string& label : labels)
        if (!seen.insert(texts.display_text(label)).second)
            invalid("two values of \"" + name_of(elements) + "\" have the same display text",
                    "Found " + shown(Json(std::string(texts.display_text(label)))) + " twice.",
                    "Use a different text for each value.");
}

AttributeTexts read_attribute_texts(JsonObject& reader, Elements elements) {
    AttributeTexts texts{.name = name_of(elements)};
    read_each<AttributeTexts>(reader, texts_of_attribute, texts);
    if (!texts.unit.empty() && !elements[0].of_numbers())
        refuse("unit", "numbers", elements, "is not a number.");
    if (reader.find(scale.name) != nullptr) {
        texts.ordered = reader.word(scale) == 0;
        if (elements[0].of_numbers() || elements[0].strings)
            refuse(scale.name, "categories", elements, "is not a category.");
    }
    if (const Json* found = reader.find(display.name)) read_display(*found, elements, texts);
    return texts;
}

bool has_texts(const AttributeTexts& texts) {
    return texts != AttributeTexts{.name = texts.name};
}

std::uint64_t read_count(const Json& found) {
    constexpr Option bounds = people_asked.whole();
    if (!found.is_number_unsigned() || found.get<std::uint64_t>() < bounds.least ||
        found.get<std::uint64_t>() > bounds.most)
        JsonObject::wrong(people_asked.name, found,
                          "a whole number from 1 to " + std::to_string(bounds.most) +
                              ", or an object that maps rounds to such numbers");
    return found.get<std::uint64_t>();
}

void read_people_asked(const Json& found, SpecTexts& texts) {
    if (!found.is_object()) {
        texts.people_asked = read_count(found);
        return;
    }
    constexpr std::size_t max_rounds = 4096;
    if (found.size() > max_rounds)
        JsonObject::wrong(people_asked.name, found, "of at most " + std::to_string(max_rounds) + " rounds");
    for (const auto& [key, count] : found.items()) {
        std::int32_t round = 0;
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), round);
        if (error != std::errc() || end != key.data() + key.size() || std::to_string(round) != key)
            invalid("a key of \"people_asked\" is not a round", "Found " + shown(Json(key)) + ".",
                    "Rounds are whole numbers: {\"0\": 1200, \"1\": 1150}.");
        texts.people_asked_by_round.emplace(round, read_count(count));
    }
}

void read_top(JsonObject& top, SpecTexts& texts) {
    read_each<SpecTexts>(top, texts_of_spec, texts);
    if (const Json* found = top.find(people_asked.name)) read_people_asked(*found, texts);
}

template <class Of>
void write_each(std::span<const TextKey<Of>> keys, const Of& texts, Json& into) {
    for (const auto& [one, text] : keys)
        if (!(texts.*text).empty()) into[one.name] = texts.*text;
}

}  // namespace

std::string_view AttributeTexts::display_text(std::string_view label) const noexcept {
    const auto found = display.find(label);
    return found == display.end() ? label : std::string_view(found->second);
}

const AttributeTexts* SpecTexts::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(attributes, name, &AttributeTexts::name);
    return found == attributes.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> SpecTexts::asked_in(std::optional<std::int32_t> round) const noexcept {
    if (people_asked || !round) return people_asked;
    const auto found = people_asked_by_round.find(*round);
    return found == people_asked_by_round.end() ? std::nullopt : std::optional(found->second);
}

std::string SpecTexts::to_json() const {
    Json document = Json::object();
    write_texts(*this, document);
    for (const AttributeTexts& one : attributes) write_texts(one, document["attributes"][one.name]);
    return json_text(document);
}

void accept_attribute_texts(JsonObject& attribute) {
    for (const auto& [one, text] : texts_of_attribute) attribute.ignore(one.name);
    attribute.ignore(scale.name);
    attribute.ignore(display.name);
}

void accept_spec_texts(JsonObject& top) {
    for (const auto& [one, text] : texts_of_spec) top.ignore(one.name);
    top.ignore(people_asked.name);
    if (!top.contains("attributes")) accept_attribute_texts(top);
}

void write_texts(const SpecTexts& texts, Json& into) {
    write_each<SpecTexts>(texts_of_spec, texts, into);
    if (texts.people_asked) into[people_asked.name] = *texts.people_asked;
    for (const auto& [round, count] : texts.people_asked_by_round)
        into[people_asked.name][std::to_string(round)] = count;
}

void write_texts(const AttributeTexts& texts, Json& into) {
    write_each<AttributeTexts>(texts_of_attribute, texts, into);
    if (texts.ordered) into[scale.name] = scale.words[0];
    for (const auto& [label, text] : texts.display) into[display.name][label] = text;
}

SpecTexts read_texts(const Json& document, std::span<const Attribute> attributes) {
    SpecTexts texts;
    JsonObject top(document, "the spec");
    read_top(top, texts);
    const std::vector<Elements> all = listed(attributes);
    const auto keep = [&](const Json& found, Elements elements) {
        JsonObject reader(found, "the attribute");
        AttributeTexts read = read_attribute_texts(reader, elements);
        if (has_texts(read)) texts.attributes.push_back(std::move(read));
    };
    if (const Json* found = top.find("attributes")) {
        for (std::size_t i = 0; i < std::min(found->size(), all.size()); ++i) keep((*found)[i], all[i]);
        return texts;
    }
    Json only = document;  // whose title and description are those of the spec
    for (const auto& [one, text] : texts_of_spec) only.erase(one.name);
    keep(only, all[0]);
    return texts;
}

SpecTexts read_texts_by_name(const Json& document, std::span<const Attribute> attributes) {
    SpecTexts texts;
    JsonObject top(document, "the texts");
    read_top(top, texts);
    const std::vector<Elements> all = listed(attributes);
    if (const Json* found = top.find("attributes")) {
        JsonObject by_name(*found, "\"attributes\"");
        for (const Elements& elements : all) {
            const Json* one = by_name.find(name_of(elements));
            if (one == nullptr) continue;
            JsonObject reader(*one, "\"" + name_of(elements) + "\"");
            AttributeTexts read = read_attribute_texts(reader, elements);
            reader.finish();
            if (has_texts(read)) texts.attributes.push_back(std::move(read));
        }
        for (const auto& [name, unused] : found->items())
            if (std::ranges::find(all, name, name_of) == all.end())
                invalid("the texts name an attribute that the spec does not have",
                        "Found " + shown(Json(name)) + ".");
    }
    top.finish();
    return texts;
}

Spec with_changed_texts(const Spec& spec, std::string_view patch) {
    constexpr JsonKind kind{"set of texts",
                            R"({"title": "Commuting", "attributes": {"age": {"title": "Age"}}})"};
    Json texts = json_of(spec.texts().to_json(), Unsound::refused);
    const Json change = parse_json(patch, kind);
    if (!change.is_object()) invalid("the texts must be an object", "Found " + shown(change) + ".");
    texts.merge_patch(change);
    return spec.with_texts(read_texts_by_name(texts, spec.attributes()));
}

}  // namespace ldp

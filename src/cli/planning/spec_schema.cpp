#include "cli/planning/spec_schema.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/text.hpp"
#include "core/contract/keys.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::cli {

namespace {

using keys::Declaration;
using keys::Key;
using keys::Object;
using keys::ValueForm;
using Schema = nlohmann::ordered_json;

constexpr const char* objects[] = {"spec",   "attribute", "option", "strings",       "regression", "evolving",
                                   "budget", "stream",    "change", "concentration", "chosen"};

const char* name_of(Object object) {
    return objects[static_cast<std::size_t>(object)];
}

/// An object with one member.
Schema member(const char* key, const Schema& value) {
    Schema schema = Schema::object();
    schema[key] = value;
    return schema;
}

Schema reference(const std::string& object) {
    return member("$ref", "#/$defs/" + object);
}

Schema property_of(Object object, const char* name) {
    return reference(std::string(name_of(object)) + "/properties/" + name);
}

Schema array_of(const Schema& items) {
    return {{"type", "array"}, {"items", items}};
}

Schema map_of(const Schema& values) {
    return {{"type", "object"}, {"additionalProperties", values}};
}

Schema text(double most = keys::unbounded) {
    Schema schema{{"type", "string"}, {"minLength", 1}};
    if (most < keys::unbounded) schema["maxLength"] = static_cast<std::uint64_t>(most);
    return schema;
}

/// A schema for one of several forms; the schema itself if there is one.
Schema any_of(const std::vector<Schema>& schemas) {
    return schemas.size() == 1 ? schemas[0] : member("anyOf", schemas);
}

Schema number(bool whole, double least, double most, const char* minimum = "minimum") {
    Schema schema = member("type", whole ? "integer" : "number");
    for (const auto& [bound, value] : {std::pair(minimum, least), std::pair("maximum", most)})
        if (std::isfinite(value))
            schema[bound] = whole ? Schema(static_cast<std::uint64_t>(value)) : Schema(value);
    return schema;
}

Schema bounded_array(const Schema& items, double least, double most) {
    Schema schema = array_of(items);
    if (least > 0) schema["minItems"] = static_cast<std::uint64_t>(least);
    if (most < keys::unbounded) schema["maxItems"] = static_cast<std::uint64_t>(most);
    return schema;
}

Schema words(std::span<const char* const> all) {
    return member("enum", std::vector<std::string>(all.begin(), all.end()));
}

Schema mechanisms(Object object) {
    std::vector<std::string> names{keys::automatic};
    for (const MechanismEntry* entry : registry()) names.emplace_back(entry->name);
    if (object == Object::spec) names.emplace_back(keys::winsorized);
    return member("enum", names);
}

/// The form of a key's value.
Schema form_of(const Key& key) {
    switch (key.form) {
        case ValueForm::whole:
            return number(true, key.least, key.most);
        case ValueForm::real:
            return number(false, key.least, key.most);
        case ValueForm::above:
            return number(false, key.least, key.most, "exclusiveMinimum");
        case ValueForm::flag:
            return member("type", "boolean");
        case ValueForm::text:
            return text(key.most);
        case ValueForm::word:
            return words(key.words);
        case ValueForm::mechanism:
            return mechanisms(key.object);
        case ValueForm::object:
            return reference(key.name);
        case ValueForm::object_or_auto:
            return any_of({reference(key.name), member("const", keys::automatic)});
        case ValueForm::any_object:
            return member("type", "object");
        case ValueForm::attributes:
            return bounded_array(reference(name_of(Object::attribute)), key.least, key.most);
        case ValueForm::values:
            return any_of({number(true, key.least, key.most),
                           bounded_array(text(keys::max_label), key.least, key.most)});
        case ValueForm::ends:
            return any_of({number(false, key.least, key.most),
                           bounded_array(number(false, key.least, key.most), 2, keys::unbounded)});
        case ValueForm::numbers:
            return bounded_array(number(false, -keys::unbounded, keys::unbounded), key.least, key.most);
        case ValueForm::names:
            return array_of(text());
        case ValueForm::factors:
            return bounded_array(
                any_of({text(), {{"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}}}), 2, 2);
        case ValueForm::texts:
            return map_of(text(key.most));
        case ValueForm::counts:
            return any_of({number(true, key.least, key.most), map_of(number(true, key.least, key.most))});
        case ValueForm::margins:
            return map_of(number(false, 0, keys::unbounded, "exclusiveMinimum"));
        case ValueForm::change:
            return reference(name_of(Object::change));
        case ValueForm::changes:
            return map_of(reference(name_of(Object::change)));
        case ValueForm::option:
            break;
    }
    return Schema::object();
}

/// The form of an option, with its default. The registry has no bounds of real numbers.
Schema form_of(const Option& option, const Key& key) {
    if (option.ranges) return array_of(bounded_array(number(false, -1, 1), 2, 2));
    if (option.rows) return array_of(array_of(member("type", "integer")));
    if (option.real) return form_of(key);
    if (option.choices.empty()) {
        Schema schema = number(true, static_cast<double>(option.least), static_cast<double>(option.most));
        if (option.fallback != 0) schema["default"] = option.fallback;
        return schema;
    }
    std::vector<Schema> forms(1, words(option.choices));
    if (option.groups) forms.push_back(array_of(array_of(text())));
    Schema schema = any_of(forms);
    schema["default"] = option.choices[0];
    return schema;
}

/// The forms of an option, each with the mechanisms that it belongs to.
std::vector<Schema> forms_of_option(const Key& key) {
    std::vector<std::pair<Schema, std::vector<std::string>>> forms;
    for (const MechanismEntry* entry : registry())
        for (const Option& option : entry->options) {
            if (option.name != std::string_view(key.name)) continue;
            const Schema form = form_of(option, key);
            auto found = std::ranges::find_if(forms, [&](const auto& one) { return one.first == form; });
            if (found == forms.end()) {
                forms.emplace_back(form, std::vector<std::string>());
                found = std::prev(forms.end());
            }
            found->second.emplace_back(entry->name);
        }
    std::vector<Schema> schemas;
    for (const auto& [form, users] : forms) {
        schemas.push_back(member("title", joined(users)));
        schemas.back().update(form);
    }
    return schemas;
}

/// The forms of the value of a key.
std::vector<Schema> forms_of(const Declaration& declared) {
    const Key& key = declared.key;
    if (key.object == Object::option) return forms_of_option(key);
    Schema schema = Schema::object();
    if (*declared.mechanisms != '\0') schema["title"] = declared.mechanisms;
    schema.update(form_of(key));
    if (!std::isnan(key.fallback))
        schema["default"] = key.form == ValueForm::flag ? Schema(key.fallback > 0)
                            : key.form == ValueForm::word
                                ? Schema(key.words[static_cast<std::size_t>(key.fallback)])
                            : key.form == ValueForm::whole ? Schema(static_cast<std::uint64_t>(key.fallback))
                                                           : Schema(key.fallback);
    return std::vector<Schema>(1, schema);  // braces would convert the schema to a vector
}

/// Whether an option of a mechanism has this name.
bool is_option(const char* name) {
    return std::ranges::any_of(keys::table, [&](const Declaration& one) {
        return one.key.object == Object::option && one.key.name == std::string_view(name);
    });
}

/// The schema of an object, with the properties that also stand in another one by reference.
Schema schema_of(Object object) {
    const bool has_options = object == Object::spec || object == Object::attribute;
    Schema properties = Schema::object();
    std::vector<std::string> required;
    for (const Declaration& one : keys::table) {
        const Key& key = one.key;
        if (key.object == object) {
            std::vector<Schema> forms = forms_of(one);
            if (has_options && is_option(key.name)) forms.push_back(property_of(Object::option, key.name));
            properties[key.name] = member("description", std::string(one.sentence) + ".");
            properties[key.name].update(any_of(forms));
            if (key.required) required.emplace_back(key.name);
        } else if (key.also == object || (has_options && key.object == Object::option)) {
            if (!properties.contains(key.name)) properties[key.name] = property_of(key.object, key.name);
        }
    }
    Schema schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) schema["required"] = required;
    return schema;
}

}  // namespace

std::string spec_schema() {
    Schema schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                  {"title", "Spec of a collection"},
                  {"description", "Attributes, mechanism and ε of a collection of private reports."}};
    schema.update(schema_of(Object::spec));
    // With a list of attributes, the spec has no keys of an attribute.
    Schema& listed = schema["dependentSchemas"]["attributes"]["properties"] = Schema::object();
    for (const Declaration& one : keys::table)
        if (one.key.object == Object::attribute && one.key.also == Object::spec) listed[one.key.name] = false;
    for (std::size_t i = 1; i < std::size(objects); ++i)
        schema["$defs"][objects[i]] = schema_of(static_cast<Object>(i));
    return schema.dump(2);
}

}  // namespace ldp::cli

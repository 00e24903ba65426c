#include "core/contract/json_object.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/contract/attributes.hpp"

namespace ldp {

namespace {

constexpr std::size_t max_text = std::size_t{1} << 20;
constexpr int max_depth = 8;

std::string whole_allowed(const Option& bounds) {
    return "a whole number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most);
}

std::string text_allowed(const keys::Key& key) {
    return "a text of 1 to " + std::to_string(key.whole().most) + " bytes without control characters";
}

/// Whether text has characters that control a terminal: has_control(), and U+0080 to U+009F.
bool has_any_control(std::string_view text) {
    if (has_control(text)) return true;
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
        if (text[i] == '\xC2' && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    return false;
}

}  // namespace

void invalid(const std::string& message, const std::string& detail, const std::string& hint) {
    raise(ErrorCode::invalid_spec, message, detail, hint);
}

std::string shown(const Json& value) {
    return shortened(json_text(value, Unsound::allowed), 60);
}

std::string shown(double number) {
    return shown(Json(number));
}

void refuse_json(const char* why, const JsonKind& kind) {
    const std::string name = kind.name;
    raise(ErrorCode::malformed, "the " + name + " is not valid JSON", shortened(why, 200),
          "A " + name + " is one JSON object, such as " + kind.example + ".");
}

// The library keeps the last of two equal keys.
Json parse_json(std::string_view text, const JsonKind& kind) {
    const std::string name = kind.name;
    if (text.size() > max_text)
        raise(
            ErrorCode::malformed, "the " + name + " is too long",
            "Found " + std::to_string(text.size()) + " bytes; allowed are " + std::to_string(max_text) + ".");
    std::vector<std::set<std::string>> seen;
    const auto watch = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        if (depth > max_depth)
            raise(ErrorCode::malformed, "the " + name + " is nested too deeply",
                  "A " + name + " has at most " + std::to_string(max_depth) + " levels.");
        if (event == Json::parse_event_t::object_start) seen.emplace_back();
        if (event == Json::parse_event_t::object_end) seen.pop_back();
        if (event == Json::parse_event_t::key && !seen.back().insert(parsed.get<std::string>()).second)
            invalid("the key " + shown(parsed) + " is repeated", "Each key may appear once in an object.");
        return true;
    };
    try {
        return json_of(text, Unsound::refused, watch);
    } catch (const Json::exception& error) {
        refuse_json(error.what(), kind);
    }
}

JsonObject::JsonObject(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) invalid(where_ + " must be an object", "Found " + shown(object) + ".");
}

const Json* JsonObject::find(const std::string& key) {
    known_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
}

const Json& JsonObject::need(const std::string& key, const std::string& allowed) {
    const Json* found = find(key);
    if (found == nullptr)
        invalid("the key \"" + key + "\" is missing in " + where_, "Expected " + allowed + ".");
    return *found;
}

double JsonObject::real(const std::string& key, const std::string& allowed) {
    const Json& found = need(key, allowed);
    if (!found.is_number()) wrong(key, found, allowed);
    const auto value = found.get<double>();
    if (!std::isfinite(value)) wrong(key, found, allowed);
    return value;
}

double JsonObject::real(const std::string& key, double fallback, double least, double most) {
    if (find(key) == nullptr) return fallback;
    const std::string allowed = "a number from " + shown(least) + " to " + shown(most);
    const double value = real(key, allowed);
    if (!(value >= least && value <= most)) wrong(key, Json(value), allowed);
    return value;
}

std::string JsonObject::word(const std::string& key, const std::string& allowed) {
    const Json& found = need(key, allowed);
    if (!found.is_string()) wrong(key, found, allowed);
    return found.get<std::string>();
}

std::uint64_t JsonObject::whole(const Option& option) {
    const Json* found = find(option.name);
    if (found == nullptr) return option.fallback;
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() < option.least ||
        found->get<std::uint64_t>() > option.most)
        wrong(option.name, *found, whole_allowed(option));
    return found->get<std::uint64_t>();
}

std::uint64_t JsonObject::whole(const keys::Key& key) {
    const Option bounds = key.whole();
    if (key.required) static_cast<void>(need(key.name, whole_allowed(bounds)));
    return whole(bounds);
}

double JsonObject::real(const keys::Key& key) {
    if (!key.required && find(key.name) == nullptr) return key.fallback;
    const bool above = key.form == keys::ValueForm::above;
    const std::string allowed = above ? "a number above " + shortest(key.least)
                                      : "a number from " + shown(key.least) + " to " + shown(key.most);
    const double value = real(key.name, allowed);
    if (!(value >= key.least && value <= key.most) || (above && value == key.least))
        wrong(key.name, Json(value), allowed);
    return value;
}

bool JsonObject::flag(const keys::Key& key) {
    const Json* found = find(key.name);
    if (found == nullptr) return key.fallback > 0;
    if (!found->is_boolean()) wrong(key.name, *found, "true or false");
    return found->get<bool>();
}

std::size_t JsonObject::word(const keys::Key& key) {
    const Json* found = find(key.name);
    if (found == nullptr) return static_cast<std::size_t>(key.fallback);
    const auto at = std::ranges::find(key.words, *found);
    if (at == key.words.end()) wrong(key.name, *found, "one of " + joined(key.words));
    return static_cast<std::size_t>(at - key.words.begin());
}

std::string JsonObject::text(const keys::Key& key) {
    return text(key, need(key.name, text_allowed(key)));
}

std::string JsonObject::text(const keys::Key& key, const Json& found) {
    if (!found.is_string()) wrong(key.name, found, text_allowed(key));
    auto text = found.get<std::string>();
    if (text.empty() || static_cast<double>(text.size()) > key.most || has_any_control(text))
        wrong(key.name, found, text_allowed(key));
    return text;
}

void JsonObject::finish() const {
    for (const auto& [key, value] : object_.items())
        if (!known_.contains(key))
            invalid("unknown key " + shown(Json(key)) + " in " + where_,
                    "Valid keys are " + joined(known_) + ".");
}

std::string JsonObject::keys() const {
    std::string all;
    for (const auto& [key, value] : object_.items()) all += (all.empty() ? "" : ", ") + shown(Json(key));
    return shortened(std::move(all), 300);
}

void JsonObject::wrong(const std::string& key, const Json& found, const std::string& allowed) {
    invalid("\"" + key + "\" must be " + allowed, "Found " + shown(found) + ".");
}

}  // namespace ldp

#include "core/delivery/public_values.hpp"

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

/// Returns whether a text is UTF-8 without zero bytes, which the server requires of text.
bool storable(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0 || text.front() == '\0') return false;
        text.remove_prefix(size);
    }
    return true;
}

[[noreturn]] void refuse(const std::string& what, const std::string& detail, const std::string& hint = {}) {
    raise(ErrorCode::invalid_value, what, detail, hint);
}

/// Appends a JSON string (RFC 8259).
void add_quoted(std::string& json, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    json += '"';
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (code < 0x20) {
            json += "\\u00";
            json += digits[code >> 4];
            json += digits[code & 15];
        } else {
            json += c;
        }
    }
    json += '"';
}

}  // namespace

PublicValues PublicValues::from_json(std::string_view text) {
    const auto malformed = [](const std::string& what) {
        raise(ErrorCode::malformed, what,
              "Expected an object whose values are strings, such as {\"country\": \"de\"}.");
    };
    if (text.size() > longest_json) malformed("the values of public columns are too long");
    std::set<std::string> seen;
    // The parser keeps the last of two equal keys.
    const auto watch = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        if (depth > 1) malformed("the values of public columns are nested");
        if (event == Json::parse_event_t::key && !seen.insert(parsed.get<std::string>()).second)
            malformed("public column " + json_text(parsed, Unsound::allowed) + " has two values");
        return true;
    };
    Json object;
    try {
        object = json_of(text, Unsound::refused, watch);
    } catch (const Json::exception&) {
        malformed("the values of public columns are not valid JSON");
    }
    if (!object.is_object()) malformed("the values of public columns are not a JSON object");
    PublicValues values;
    for (const auto& [column, value] : object.items()) {
        if (!value.is_string())
            malformed("the value of public column " + json_text(column, Unsound::allowed) +
                      " is not a JSON string");
        values.set(column, value.get_ref<const std::string&>());
    }
    return values;
}

void PublicValues::set(std::string_view column, std::string_view value) {
    if (column.empty()) refuse("the name of a public column is empty", {});
    if (column.size() > longest_name || !storable(column))
        refuse("a public column cannot have this name",
               "It has " + std::to_string(column.size()) + " bytes; a name is UTF-8 text of 1 to " +
                   std::to_string(longest_name) + " bytes without zeros.");
    const std::string of = " public column \"" + std::string(column) + "\"";
    if (value.size() > longest_value)
        refuse("the value of" + of + " is too long", "It has " + std::to_string(value.size()) +
                                                         " bytes; at most " + std::to_string(longest_value) +
                                                         " are allowed.");
    if (!storable(value))
        refuse("the value of" + of + " is not text", "A value is UTF-8 text without zeros.");
    const auto at = std::ranges::lower_bound(values_, column, {},
                                             [](const auto& one) -> std::string_view { return one.first; });
    if (at != values_.end() && at->first == column) {
        at->second = value;
        return;
    }
    if (values_.size() >= most)
        refuse("there are too many public columns",
               "A report has values of at most " + std::to_string(most) + " public columns.");
    values_.emplace(at, column, value);
}

std::optional<std::string> PublicValues::take(std::string_view column) {
    const auto at =
        std::ranges::find(values_, column, [](const auto& one) -> std::string_view { return one.first; });
    if (at == values_.end()) return std::nullopt;
    std::string value = std::move(at->second);
    values_.erase(at);
    return value;
}

std::string PublicValues::json() const {
    std::string json = "{";
    for (const auto& [column, value] : values_) {
        if (json.size() > 1) json += ',';
        add_quoted(json, column);
        json += ':';
        add_quoted(json, value);
    }
    return json + "}";
}

void PublicValues::add_to(Sha256& digest) const {
    if (values_.empty()) return;
    std::string text = "\n";
    for (const auto& [column, value] : values_) {
        text += std::to_string(column.size()) + ":" + column;
        text += std::to_string(value.size()) + ":" + value;
    }
    digest.add(text);
}

std::string to_json(const std::vector<PublicColumn>& columns) {
    std::string json = "[";
    for (const PublicColumn& column : columns) {
        json += json.size() > 1 ? ",{\"name\":" : "{\"name\":";
        add_quoted(json, column.name);
        json += ",\"type\":";
        add_quoted(json, column.type);
        json += column.required ? ",\"required\":true}" : ",\"required\":false}";
    }
    return json + "]";
}

std::vector<PublicColumn> public_columns(std::string_view json) {
    const auto refuse_list = [] {
        raise(ErrorCode::malformed, "the list of public columns is malformed",
              "Expected a JSON array of objects with name, type and required.");
    };
    std::vector<PublicColumn> columns;
    try {
        const Json list = json_of(json, Unsound::refused);
        if (!list.is_array()) refuse_list();
        for (const Json& one : list)
            columns.push_back({one.at("name").get<std::string>(), one.at("type").get<std::string>(),
                               one.at("required").get<bool>()});
    } catch (const Json::exception&) {
        refuse_list();
    }
    return columns;
}

}  // namespace ldp

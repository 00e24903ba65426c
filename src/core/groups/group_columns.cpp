#include "core/groups/group_columns.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"

namespace ldp {

namespace {

[[noreturn]] void refuse(const std::string& what, std::string_view group) {
    raise(
        ErrorCode::invalid_value, what, "The group is " + shortened(group, 200) + ".",
        "The name of a group with columns is an object, as in {\"region\": \"north\", \"age\": \"young\"}.");
}

/// The values of a group by column. The library of JSON writes values recursively, so nested values are refused at once.
Json columns_in(std::string_view name) {
    const auto flat = [&](int depth, Json::parse_event_t event, const Json&) {
        const bool nested =
            event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
        if (nested && depth > 0) refuse("the value of a column is an object or an array", name);
        return true;
    };
    Json found = name.starts_with('{') ? json_of(name, Unsound::allowed, flat) : Json();
    if (!found.is_object()) found = Json::object({{"group", std::string(name)}});
    return found;
}

std::optional<std::string> text_of(const Json& value) {
    if (value.is_null()) return std::nullopt;
    return value.is_string() ? value.get<std::string>() : json_text(value, Unsound::allowed);
}

}  // namespace

GroupColumns::GroupColumns(std::span<const std::optional<std::string_view>> groups,
                           std::span<const std::string_view> by,
                           std::optional<std::string_view> weight_column) {
    columns.assign(by.begin(), by.end());
    bool known = !by.empty();
    std::vector<Json> found;
    Work work;
    for (const std::optional<std::string_view>& group : groups) {
        work.done();
        const Json& one = found.emplace_back(group ? columns_in(*group) : Json());
        if (known || !group) continue;
        for (const auto& [name, value] : one.items())
            if (name != weight_column) columns.push_back(name);
        known = true;
    }
    numeric.resize(columns.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        work.done(columns.size());
        const auto value_of = [&](std::string_view column) {
            if (!groups[g]) return Json();
            const auto at = found[g].find(column);
            if (at == found[g].end())
                refuse("a group has no column \"" + shortened(column, 100) + "\"", *groups[g]);
            return *at;
        };
        std::vector<std::string> shown;
        const auto show = [&](const Json& value) { shown.push_back(text_of(value).value_or("NULL")); };
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Json value = value_of(columns[c]);
            numeric[c] = numeric[c] || value.is_number();
            values.push_back(text_of(value));
            show(value);
        }
        if (weight_column) {
            const Json weight = value_of(*weight_column);
            weights.push_back(weight.is_number() ? weight.get<double>() : unknown);
            if (shown.empty()) show(weight);
        }
        names.push_back(joined(shown));
    }
}

}  // namespace ldp

#include "core/delivery/column_values.hpp"

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/delivery/public_values.hpp"

namespace ldp {

std::string ColumnValues::json() const {
    return json_text({{"column", column}, {"values", values}});
}

ColumnValues ColumnValues::from_json(std::string_view text) {
    ColumnValues found;
    try {
        const Json object = json_of(text, Unsound::refused);
        found = {object.at("column").get<std::string>(), object.at("values").get<std::vector<std::string>>()};
    } catch (const Json::exception&) {
        raise(ErrorCode::malformed, "the values of the public column are malformed",
              "Expected a JSON object with the name of a column and an array of strings, such as "
              "{\"column\": \"country\", \"values\": [\"de\", \"fr\"]}.");
    }
    if (found.values.size() > most)
        raise(ErrorCode::malformed, "there are too many values of the public column",
              "Found " + std::to_string(found.values.size()) + "; at most " + std::to_string(most) +
                  " are checked at a time.");
    for (const std::string& value : found.values) PublicValues().set(found.column, value);  // checks the text
    return found;
}

std::string to_json(const std::vector<InvalidValue>& invalid) {
    Json list = Json::array();
    for (const auto& [value, reason] : invalid) list.push_back({{"value", value}, {"reason", reason}});
    return json_text(list, Unsound::allowed);
}

std::vector<InvalidValue> invalid_values(std::string_view json) {
    std::vector<InvalidValue> found;
    try {
        for (const Json& one : json_of(json, Unsound::refused))
            found.push_back({one.at("value").get<std::string>(), one.at("reason").get<std::string>()});
    } catch (const Json::exception&) {
        raise(ErrorCode::malformed, "the list of invalid values is malformed",
              "Expected a JSON array of objects with value and reason.");
    }
    return found;
}

}  // namespace ldp

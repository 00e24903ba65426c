#include "core/contract/mechanism_options.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

// Outward to whole steps, and as a step reads back: the canonical form of a range is itself.
UnitRange read_unit_range(const std::string& key, const Json& found) {
    const auto number = [&](std::size_t i) {
        return found.is_array() && found.size() == 2 && found[i].is_number() ? found[i].get<double>() : NAN;
    };
    const auto up = [](double value) {
        const double step = std::floor(value * UnitRange::steps);
        return static_cast<std::int8_t>(step / UnitRange::steps < value ? step + 1 : step);
    };
    const double low = number(0), high = number(1);
    if (low >= -1 && low <= high && high <= 1) {
        const UnitRange range{static_cast<std::int8_t>(-up(-low)), up(high)};
        if (range.lo < range.hi) return range;
    }
    JsonObject::wrong(key, found, "pairs [least, greatest] within -1 and 1, the first less than the second");
}

IntegerRows read_rows(const std::string& key, const Json& found) {
    IntegerRows rows;
    for (const Json& row : found.is_array() ? found : Json::array({nullptr})) {
        std::vector<std::int64_t>& numbers = rows.emplace_back();
        for (const Json& number : row.is_array() ? row : Json::array({nullptr})) {
            if (!number.is_number_integer())
                JsonObject::wrong(key, found, "an array of arrays of whole numbers");
            numbers.push_back(number.get<std::int64_t>());
        }
    }
    return rows;
}

/// Sets of attributes, by name.
IntegerRows read_groups(const Option& option, const Json& found, const std::vector<Attribute>& attributes) {
    const std::string allowed =
        "one of " + joined(option.choices) + ", or an array of arrays of attribute names";
    IntegerRows rows;
    for (const Json& group : found.is_array() ? found : Json::array({nullptr})) {
        std::vector<std::int64_t>& row = rows.emplace_back();
        for (const Json& name : group.is_array() ? group : Json::array({nullptr})) {
            const auto at = std::ranges::find_if(
                attributes, [&](const Attribute& attribute) { return name == attribute.name; });
            if (at == attributes.end()) JsonObject::wrong(option.name, found, allowed);
            row.push_back(at - attributes.begin());
        }
    }
    return rows;
}

}  // namespace

void read_option(JsonObject& top, const Option& option, const std::vector<Attribute>& of,
                 OptionValues& values) {
    const std::size_t attributes = of.size();
    if (option.ranges) {
        const Json* found = top.find(option.name);
        if (found == nullptr) return;
        if (!found->is_array() || found->size() != attributes)
            JsonObject::wrong(
                option.name, *found,
                "an array of " + std::to_string(attributes) + " ranges, one for each attribute");
        std::vector<UnitRange> ranges;
        for (const Json& pair : *found) ranges.push_back(read_unit_range(option.name, pair));
        values[option.name] = std::move(ranges);
    } else if (option.rows) {
        if (const Json* found = top.find(option.name)) values[option.name] = read_rows(option.name, *found);
    } else if (option.real) {
        if (top.find(option.name) != nullptr) values[option.name] = top.real(option.name, "a finite number");
    } else if (option.choices.empty()) {
        values[option.name] = top.whole(option);
    } else if (const Json* found = top.find(option.name)) {
        if (option.groups && !found->is_string()) {
            values[option.name] = read_groups(option, *found, of);
            return;
        }
        if (std::ranges::find(option.choices, *found) == option.choices.end())
            JsonObject::wrong(option.name, *found, "one of " + joined(option.choices));
        values[option.name] = found->get<std::string>();
    }
}

Json option_json(const Option& option, const OptionValue& value, const std::vector<Attribute>& attributes) {
    if (option.ranges) {
        Json all = Json::array();
        for (const UnitRange& range : std::get<std::vector<UnitRange>>(value))
            all.push_back({range.low(), range.high()});
        return all;
    }
    if (option.groups && std::holds_alternative<IntegerRows>(value)) {
        Json all = Json::array();
        for (const auto& row : std::get<IntegerRows>(value)) {
            Json& names = all.emplace_back(Json::array());
            for (const std::int64_t j : row) names.push_back(attributes[static_cast<std::size_t>(j)].name);
        }
        return all;
    }
    if (option.rows) return std::get<IntegerRows>(value);
    if (option.real) return std::get<double>(value);
    if (option.choices.empty()) return std::get<std::uint64_t>(value);
    return std::get<std::string>(value);
}

}  // namespace ldp

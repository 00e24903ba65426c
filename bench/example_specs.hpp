// Specs of all mechanisms with the same small domains, for measurements.
#pragma once

#include <algorithm>
#include <string>

#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::bench {

/// Returns a spec of the mechanism with ε = 1: 64 values, 16 numbers, or 4 attributes of 8 values for cross tables.
inline std::string spec_of(const MechanismEntry& entry) {
    const bool approximate = std::ranges::any_of(
        entry.options, [](const Option& option) { return option.name == std::string_view("delta"); });
    const std::string begin = std::string("{\"mechanism\": \"") + entry.name + "\", \"epsilon\": 1, " +
                              (approximate ? "\"delta\": 1e-9, \"norm\": 1, " : "");
    const auto number = [](int j) {
        return "{\"name\": \"a" + std::to_string(j) + "\", \"min\": -1, \"max\": 1}";
    };
    // Cross tables are of categories.
    if (entry.name == std::string_view("joint") || entry.name == std::string_view("joint_haar")) {
        std::string list;
        for (int j = 0; j < 4; ++j)
            list +=
                (j == 0 ? "{\"name\": \"a" : ", {\"name\": \"a") + std::to_string(j) + "\", \"domain\": 8}";
        return begin + "\"attributes\": [" + list + "]}";
    }
    switch (entry.shape) {
        case Shape::one_numeric:
            return begin + "\"min\": 0, \"max\": 1" +
                   (takes_missing_numbers(entry)    ? ", \"missing\": true}"
                    : takes_circular_numbers(entry) ? ", \"circular\": true}"
                                                    : "}");
        case Shape::one_string:
            return begin +
                   R"("attributes": [{"name": "v", "strings": {"alphabet": "a-z", "max_length": 8}}]})";
        case Shape::one_set:
            return begin + "\"domain\": 64, \"several\": true, \"most\": 4}";
        case Shape::numeric_vector:
        case Shape::record: {
            std::string list;
            for (int j = 0; j < 16; ++j) list += (j == 0 ? "" : ", ") + number(j);
            return begin + "\"attributes\": [" + list + "]}";
        }
        default:
            return begin + "\"domain\": 64}";
    }
}

}  // namespace ldp::bench

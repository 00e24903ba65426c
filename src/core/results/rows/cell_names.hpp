// Names of cells of tables, as their rows show them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/contract/labels.hpp"

namespace ldp {

/// Returns the labels of a cell's values, or the names of its attributes: "south, [60, 96)".
[[nodiscard]] inline std::string name_of_cell(std::span<const std::string> words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

/// Returns the names of the attributes of a table.
[[nodiscard]] inline std::string name_of_table(const Labels& labels,
                                               std::span<const std::size_t> attributes) {
    std::vector<std::string> names;
    for (const std::size_t attribute : attributes) names.push_back(labels.name(attribute));
    return name_of_cell(names);
}

}  // namespace ldp

// The columns of groups and their values, which the names of the groups contain.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ldp {

/// The columns of groups, and the values of the groups.
struct GroupColumns {
    /// Reads the names of groups. The name of a group with several columns is a JSON object with the value of each column, as in
    /// {"region": "north", "age": 1}. Any other name is the value of the only column "group". A group without a name has no
    /// values. `by` has the names of the columns, in their order. Without them, the columns are those of the first group with a
    /// name, in the order of their names, except the weight column. Throws Error (invalid_value) if a group lacks a column, or
    /// if a value is an object or an array.
    GroupColumns(std::span<const std::optional<std::string_view>> groups,
                 std::span<const std::string_view> by, std::optional<std::string_view> weight_column);

    std::vector<std::string> columns = {};
    /// Of each group its value in every column, one group after another; nothing for NULL.
    std::vector<std::optional<std::string>> values = {};
    std::vector<bool> numeric = {};       ///< of each column, whether a group has a number in it
    std::vector<double> weights = {};     ///< of each group; NaN if it is not a number
    std::vector<std::string> names = {};  ///< of each group, its values, for messages
};

}  // namespace ldp

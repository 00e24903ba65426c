// Known totals of a population as JSON, and the groups that they belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/groups/group_columns.hpp"

namespace ldp {

/// The groups that are weighted.
struct CalibrationGroups {
    const GroupColumns& of;
    std::span<const std::uint64_t> reports;  ///< number of reports of each group
    /// Name of the column of design weights; nothing if each report has weight 1.
    std::optional<std::string_view> weight_column = {};
    /// Groups with fewer reports are left out, and totals without reports are added to other groups; nothing: such a total
    /// is an error.
    std::optional<std::uint64_t> fewest = {};
};

/// The groups that are used, and the arguments of calibrated_weights() (calibration.hpp).
struct CalibrationPlan {
    std::vector<std::size_t> groups;  ///< numbers of the groups
    std::vector<double> start;        ///< number of reports times design weight
    std::vector<std::int32_t> cells;
    std::vector<double> totals;
    std::string note;  ///< on groups that were left out; empty otherwise
};

/// Reads totals (JSON) and finds the cell of each group in them.
///
/// An object has the totals of each column's values, for raking: {"region": {"north": 700, "south": 300}}. An array has the
/// totals of combinations, for post-stratification: [{"region": "north", "age": "young", "total": 200}]. Without totals,
/// there are no cells. Throws Error (invalid_value).
[[nodiscard]] CalibrationPlan plan_calibration(const CalibrationGroups& groups,
                                               std::optional<std::string_view> totals);

}  // namespace ldp

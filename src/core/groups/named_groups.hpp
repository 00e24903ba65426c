// The rule for reports without a group. A group without a name is one whose public column is NULL. Its people have nothing in
// common, so they form no group in any function: their reports are left out, and a note has their number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// Error invalid_value unless each group has a summary.
void check_groups(std::span<const std::optional<std::string_view>> groups, std::span<const Bytes> summaries);

/// The groups of a query that have a name. Names and summary bytes must outlive it.
struct NamedGroups {
    /// Throws the errors of check_groups().
    NamedGroups(std::span<const std::optional<std::string_view>> groups, std::span<const Bytes> all);

    std::vector<std::optional<std::string_view>> names = {};
    std::vector<std::int64_t> numbers = {};  ///< among the groups of the query
    std::vector<Bytes> summaries = {};
    std::uint64_t left_out = 0;  ///< number of reports without a group
};

/// Returns the note on reports that are left out; empty without any.
[[nodiscard]] std::string note_of_left_out(std::uint64_t reports);
/// Returns the number of reports in a summary.
[[nodiscard]] std::uint64_t reports_in(Bytes summary);

}  // namespace ldp

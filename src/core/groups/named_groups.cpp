#include "core/groups/named_groups.hpp"

#include "core/base/error.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

void check_groups(std::span<const std::optional<std::string_view>> groups, std::span<const Bytes> summaries) {
    if (groups.size() != summaries.size())
        throw Error(
            ErrorCode::invalid_value, "groups and summaries must have the same number of elements",
            "Found " + std::to_string(groups.size()) + " and " + std::to_string(summaries.size()) + ".",
            "Pass a name and a summary of each group, in the same order.");
}

NamedGroups::NamedGroups(std::span<const std::optional<std::string_view>> groups,
                         std::span<const Bytes> all) {
    check_groups(groups, all);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g]) {
            names.push_back(groups[g]);
            numbers.push_back(static_cast<std::int64_t>(g));
            summaries.push_back(all[g]);
        } else {
            left_out += reports_in(all[g]);
        }
    }
}

std::string note_of_left_out(std::uint64_t reports) {
    if (reports == 0) return {};
    return reports == 1 ? "1 report without a group is left out"
                        : std::to_string(reports) + " reports without a group are left out";
}

std::uint64_t reports_in(Bytes summary) {
    const std::shared_ptr<const Mechanism> mechanism = mechanism_of(summary);
    check_summary(*mechanism, summary);
    return view_of(*mechanism, summary).n;
}

}  // namespace ldp

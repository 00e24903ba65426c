// Queries about strings of an open domain, from a summary of strings or an attribute of a record.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/mechanism/strings/string_shares.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

/// Returns whether an attribute has strings of an open domain.
[[nodiscard]] bool has_strings(const SummaryView& view, std::size_t attribute);

/// Returns the shares of the strings with these codes, in their order. P-values are adjusted for the number
/// of codes (Bonferroni). Errors are inflated if people's reports repeat. Throws Error: unsupported if the
/// reports are not about strings, or if required rounds are unknown; invalid_value if the summary is empty or
/// a code is too large.
[[nodiscard]] std::vector<StringShare> shares_of_strings(const SummaryView& view, std::size_t attribute,
                                                         std::span<const Cell> codes, Target target);
/// Which strings a search returns.
struct StringSearchLimits {
    std::optional<std::size_t> limit = {};  ///< number of the largest strings; if unset, all significant
                                            ///< strings
    double significance = 0.05;
    std::uint64_t keep = StringQuery::usual_keep;  ///< number of prefixes that each level continues
};
/// Returns the strings that a search finds, largest share first: the `limit` largest, or those with p-values
/// of at most `significance`. P-values are adjusted for all candidates. Throws as shares_of_strings(), and
/// Error (invalid_value) if an argument is out of range.
[[nodiscard]] std::vector<FrequentString> search_strings(const SummaryView& view, std::size_t attribute,
                                                         const StringSearchLimits& limits, Target target);

}  // namespace ldp

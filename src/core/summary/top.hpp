// The most frequent values, and whether they are there at all.
#pragma once

#include <string_view>
#include <vector>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// What a significance of many values at once is protected against.
enum class Control {
    bonferroni,          ///< that any value nobody holds is called significant
    benjamini_hochberg,  ///< that more than a share of those called significant are held by nobody
};

/// "bonferroni" or "benjamini_hochberg"; throws Error (invalid_value).
[[nodiscard]] Control control_named(std::string_view name);

struct Ranked {
    std::size_t value;
    Estimate estimate;
    double p_value;  ///< adjusted for all values of the domain: significant at level α if it is at most α
};

/// The `limit` values of the largest estimates (all, if there are fewer), the largest first, equal ones by
/// ascending value, those without an estimate last. `attribute` says whose values, of a record. Throws what
/// estimate() and Mechanism::p_value throw.
///
/// The p-values do not depend on the target. Each is about "nobody who reported holds this value", under
/// which there is no sampling error that a population could add.
[[nodiscard]] std::vector<Ranked> top(const SummaryView& view, std::size_t limit, Target target,
                                      Control control, std::size_t attribute = only_attribute);

/// Adjusts p-values of `tested` hypotheses (at least as many as are given), ascending:
///   bonferroni          tested · p
///   benjamini_hochberg  the least tested · p / rank from this rank on (Benjamini, Hochberg 1995)
/// and never more than 1. Where the p-values given are only the smallest of those tested, Bonferroni's are
/// exact all the same; those of Benjamini and Hochberg are too large rather than too small.
void adjust(std::vector<double>& p_values, std::size_t tested, Control control);

}  // namespace ldp

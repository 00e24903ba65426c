// The most frequent values and their significance.
#pragma once

#include <string_view>
#include <vector>

#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// The error rate that a multiple test controls.
enum class Control {
    bonferroni,          ///< the probability that any value held by no person is significant
    benjamini_hochberg,  ///< the expected share of values held by no person among the significant values
};

/// Returns the control named "bonferroni" or "benjamini_hochberg". Error (invalid_value) for other names.
[[nodiscard]] Control control_named(std::string_view name);

struct Ranked {
    std::size_t value;
    Estimate estimate;
    double p_value;  ///< adjusted for all values of the domain; significant at level α if at most α
};

/// Returns the `limit` values with the largest estimates, or all values if there are fewer. They are in
/// descending order. Equal estimates are sorted by value, and values without an estimate come last.
/// `attribute` selects an attribute of a record. Throws the errors of estimate() and Mechanism::p_value().
///
/// P-values do not depend on the target. Their null hypothesis is that no reporting person holds the value,
/// which leaves no sampling error.
[[nodiscard]] std::vector<Ranked> top(const SummaryView& view, std::size_t limit, Target target,
                                      Control control, std::size_t attribute = only_attribute);

/// Adjusts the p-values of `tested` hypotheses, in ascending order. `tested` is at least the number of
/// p-values given.
///   bonferroni          tested · p
///   benjamini_hochberg  the minimum of tested · p / rank from this rank on (Benjamini, Hochberg 1995)
/// Results are at most 1. If only the smallest p-values are given, Bonferroni's adjustment is exact, and the
/// adjustment of Benjamini and Hochberg is too large.
void adjust(std::vector<double>& p_values, std::size_t tested, Control control);

}  // namespace ldp

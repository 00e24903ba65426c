// The most frequent values, and whether they are there at all.
#pragma once

#include <string_view>
#include <vector>

#include "mechanism.hpp"

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
    double p_value;  ///< adjusted: significant at level α if it is at most α
};

/// The `limit` values of the largest estimates, the largest first. Throws what estimate() throws.
[[nodiscard]] std::vector<Ranked> top(const Mechanism& mechanism, Bytes summary, std::size_t limit,
                                      Target target, Control control);

/// Adjusts the p-values of `tested` hypotheses, of which the smallest are given in ascending order.
void adjust(std::vector<double>& p_values, std::size_t tested, Control control);

}  // namespace ldp

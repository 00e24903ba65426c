// Post-processing of estimated frequencies: free of privacy cost, because it looks at estimates only; no
// longer unbiased, which is its price. Methods and names: Wang, Lopuhaä-Zwakenberg, Li, Skoric, Li 2020.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mechanism.hpp"

namespace ldp {

enum class Consistency { none, base_cut, norm, norm_mul, norm_cut, norm_sub, mle_apx, power, ibu };

/// Throws Error (invalid_value) that lists the methods.
[[nodiscard]] Consistency consistency_named(std::string_view name);

/// The frequencies of a summary, made consistent. Throws what estimate() throws, and Error (unsupported)
/// where a method needs what the mechanism does not tell.
[[nodiscard]] std::vector<double> consistent(const Mechanism& mechanism, Bytes summary, Consistency method);

}  // namespace ldp

// One estimate from several of the same number, by people of their own: of collections at several ε, or
// before and after a spec was renewed.
#pragma once

#include "core/mechanism/estimate.hpp"

namespace ldp {

/// The mean of two estimates weighed by their precision, and its standard error: 1/e² = 1/e₁² + 1/e₂².
/// Combining goes in any order, and is of least variance among weighted means (inverse-variance weighting).
/// Both errors are above 0 and finite, and those of independent reports.
///
/// A standard error that was itself estimated may be smaller where its estimate is, which then weighs more:
/// of a few hundred reports each that moves the mean by less than a tenth of its standard error.
[[nodiscard]] Estimate combined(const Estimate& one, const Estimate& other) noexcept;

}  // namespace ldp

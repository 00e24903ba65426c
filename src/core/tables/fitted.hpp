// Fitted tables for all mechanisms that report several attributes together.
#pragma once

#include "core/tables/measured.hpp"
#include "core/tables/table_fit.hpp"

namespace ldp {

/// Returns the fit of measured tables. For Haar coefficients, it fits a table for each attribute and each
/// reported pair. Each table minimizes half the sum of (coefficient − measured)²/variance, over the
/// coefficients of both attributes and of the pair, plus ten times its relative entropy to that of
/// independent attributes. The shares of an attribute are the mean over its pairs, which are then scaled to
/// them (scaling.hpp).
[[nodiscard]] Fit fitted(const Measured& measured);

}  // namespace ldp

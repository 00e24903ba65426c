// Fitted tables for all mechanisms that report several attributes together.
#pragma once

#include "core/tables/measured.hpp"
#include "core/tables/table_fit.hpp"

namespace ldp {

/// Returns the fit of measured tables. For Haar coefficients, it fits a table for each attribute and each
/// reported pair. Each table minimizes half the sum of (coefficient − measured)²/variance, over the
/// coefficients of both attributes and of the pair, plus ten times its relative entropy to the table of
/// independent attributes. The shares of an attribute are the mean over its pairs, which are then scaled to
/// them (scaling.hpp).
[[nodiscard]] Fit fitted(const Measured& measured);

/// Returns the table of some attributes (ascending) that agrees with known margins, each of one attribute.
/// The table of these attributes and the attributes of the margins is scaled to the margins (scaling.hpp),
/// and the other attributes are summed out. Odds ratios, and conditional shares given the attributes of the
/// margins, are the same as in the fit. Throws Error as Fit::table().
[[nodiscard]] Table with_margins(const Fit& fit, std::span<const std::size_t> attributes,
                                 const std::vector<Table>& margins);

}  // namespace ldp

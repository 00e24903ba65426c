// Fitted tables of whatever tells several attributes together.
#pragma once

#include "core/tables/measured.hpp"
#include "core/tables/table_fit.hpp"

namespace ldp {

/// Of cross tables their fit. Of Haar details a table for each attribute and each pair that was asked about:
/// of all tables the one that makes least half the sum of (detail − measured)²/variance, over the details of
/// both attributes and of the pair, plus ten times its relative entropy to that of independent attributes.
/// The shares of each attribute are the mean of what its pairs then have, to which these are scaled
/// (scaling.hpp).
[[nodiscard]] Fit fitted(const Measured& measured);

}  // namespace ldp

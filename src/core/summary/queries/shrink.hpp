// Estimated means of a vector with shrunk Haar coefficients. The estimates are biased and have a smaller
// total error.
#pragma once

#include <vector>

#include "core/mechanism/vector/haar_vector.hpp"

namespace ldp {

/// The threshold by which each coefficient is moved towards zero, in units of its standard error; m is the
/// number of coefficients on its level of the tree.
enum class Shrinkage {
    /// √(2 ln max(2, m)): removes nearly all noise of coefficients that are zero (Donoho, Johnstone 1994)
    soft,
    /// minimizes Stein's unbiased estimate of the level's risk (Donoho, Johnstone 1995); equals `soft` if the
    /// coefficients do not exceed noise, and 0 on levels of fewer than eight coefficients
    sure,
};

/// Returns the shrunk mean of every attribute in its own units. The standard error is replaced by the root of
/// the estimated mean squared error, averaged over the attributes of a subtree. The actual error is smaller
/// where coefficients are small, and larger at a jump. The estimates are biased, so that intervals must not
/// be computed from them.
///
/// The squared error of an attribute is the squared error of the mean plus, for each level of the tree, the
/// average of Stein's estimates over the level. For `soft`, this estimate is unbiased except for its floor: a
/// level has at least the risk of zero coefficients at its threshold. If few coefficients are non-zero, the
/// stated error is therefore slightly too large. For `sure`, the threshold is chosen by the same estimate.
/// The stated error is therefore too small, by about 1/√m of the noise.
///
/// A coefficient without reports counts as zero and adds the estimated mean square of its level. The error is
/// NaN if no coefficient of a level, or not the mean, was reported.
///
/// Throws the errors of estimate(): unsupported if the reports carry no Haar coefficients.
[[nodiscard]] std::vector<Estimate> shrunk(const SummaryView& view, Shrinkage shrinkage, Target target);

}  // namespace ldp

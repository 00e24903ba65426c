// Estimated means of a vector with its details shrunk towards zero: biased on purpose, for less error in all.
#pragma once

#include <vector>

#include "core/mechanism/vector/haar_vector.hpp"

namespace ldp {

/// By how much of its standard error each detail is moved towards zero, and no further than to it; m is the
/// number of details on its level of the tree.
enum class Shrinkage {
    soft,  ///< √(2 ln max(2, m)): takes away nearly all noise around details that are zero (Donoho, Johnstone
           ///< 1994)
    sure,  ///< what minimises Stein's unbiased estimate of the level's risk (Donoho, Johnstone 1995): as
           ///< `soft` where the details show no more than noise, and nothing on levels of fewer than eight,
           ///< which are too few to tell
};

/// The mean of every attribute, in its own units, and in place of a standard error the root of its estimated
/// mean squared error, averaged over the attributes of a subtree: where the details are small it is less than
/// stated, and at a jump more. Such an estimate is not centred at the truth: no interval may be made of it.
///
/// An attribute's squared error is that of the mean plus, for each level of the tree, the average of Stein's
/// estimates over the level. For `soft` that is unbiased but for its floor: no level has less than details of
/// zero leave at its threshold, so where they are sparse the error is a little too large. The threshold of
/// `sure` is chosen by the estimate itself, so there it is too small, by a share of about 1/√m of the noise.
/// A detail that nobody reported counts as zero and adds what the squared details of its level are estimated
/// to be; the error is NaN where nobody reported any of a level, or the mean.
///
/// Throws Error as estimate() does: unsupported if the reports do not tell Haar coefficients.
[[nodiscard]] std::vector<Estimate> shrunk(const SummaryView& view, Shrinkage shrinkage, Target target);

}  // namespace ldp

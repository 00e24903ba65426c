// What becomes of people's own values under a spec: everybody reports once, again and again, and the errors
// that come out stand beside those that were predicted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/collection.hpp"
#include "core/base/random.hpp"

namespace ldp::simulation {

/// An answer, over all runs; of a category all shares together.
struct Trial {
    std::size_t attribute;
    std::string asked;        ///< "mean", "shares of 4 values", "quantile 0.5", "with b"
    double truth;             ///< of the people; NaN of shares
    double predicted, error;  ///< standard error, and root mean square of the errors that came out
    double claimed;  ///< root mean square of the standard errors that the answers told; NaN of quantiles
    double covered;  ///< which part of the 95 % intervals held the truth
};

/// Runs a collection of these people, at least two, as often as told. Each is a record as Collection::place
/// gives it, which is rounded and randomized anew in each run; all randomness comes from `bits`. Quantiles
/// and a range are asked of an attribute that reports tell the distribution of, and of `joint` the first ten
/// pairs that are reported together; of pairs the prediction takes attributes to be independent. `progress`
/// is told after each run how many are done. The spec is none of a series. Throws Error (unsupported) where
/// no attribute's mean or shares are told.
[[nodiscard]] std::vector<Trial> try_out(const Collection& collection,
                                         const std::vector<std::vector<double>>& people, std::uint64_t runs,
                                         BitSource& bits,
                                         const std::function<void(std::uint64_t)>& progress = {});

}  // namespace ldp::simulation

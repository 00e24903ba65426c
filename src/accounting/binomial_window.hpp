// The part of a binomial law that counts.
#pragma once

#include <cstdint>
#include <vector>

namespace ldp {

/// Probabilities of `first`, `first` + 1, … successes. All others together have at most `cut`.
struct BinomialWindow {
    std::uint64_t first;
    std::vector<double> probabilities;
};

/// How many of n independent trials succeed, each at these odds p/(1 − p) (> 0), without tails that together
/// have at most `cut` (1e-290 or more). Relative errors are below 2^-51 times the window's size. Needs no
/// special functions: weights go out from the mode by their ratios and are divided by their sum. Takes time
/// and room in proportion to the standard deviation.
[[nodiscard]] BinomialWindow binomial_window(std::uint64_t n, double odds, double cut);

}  // namespace ldp

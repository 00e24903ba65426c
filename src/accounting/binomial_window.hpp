// A binomial distribution without its negligible tails.
#pragma once

#include <cstdint>
#include <vector>

namespace ldp {

/// Probabilities of `first`, `first` + 1, … successes. The probabilities of all other numbers add up to at
/// most `cut`.
struct BinomialWindow {
    std::uint64_t first;
    std::vector<double> probabilities;
};

/// Returns the distribution of the number of successes in n independent trials, each at these odds p/(1 − p)
/// (> 0), without tails whose total probability is at most `cut` (1e-290 or more). Relative errors are below
/// 2^-51 times the window's size. Needs no special functions: weights are computed outwards from the mode by
/// their ratios, and are divided by their sum. Time and memory are proportional to the standard deviation.
[[nodiscard]] BinomialWindow binomial_window(std::uint64_t n, double odds, double cut);

}  // namespace ldp

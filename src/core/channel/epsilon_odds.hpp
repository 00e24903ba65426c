// Integer weights for ε. All privacy guarantees depend on this file and on divisions of ε among parts of a
// report, which are rounded down here and in the mechanisms.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/limits.hpp"

namespace ldp {

/// Returns ε/parts for `parts` ≥ 1 parts whose costs add up, rounded so that the sum is at most ε.
[[nodiscard]] double epsilon_of_each(double epsilon, std::uint64_t parts);

/// Integer weights of the outputs that the input favours (`high`) and of the others (`low`). high / low ≤
/// exp(ε) holds exactly, without rounding error.
struct Odds {
    std::uint64_t high;
    std::uint64_t low;
};

/// Returns the largest weights for a channel with `highs` outputs of high weight and `lows` of low weight,
/// with highs·high + lows·low < 2^bits. ln(high/low) is below ε by less than 2^-58 + 1/low. Error
/// (invalid_spec) if 2^bits is too small to represent the weights.
[[nodiscard]] Odds odds(double epsilon, std::uint64_t highs, std::uint64_t lows, unsigned bits = 64);

/// Returns whether high / low ≤ exp(ε); false if the comparison is undecided or low is 0.
[[nodiscard]] bool keeps(double epsilon, const Odds& odds) noexcept;

/// Returns the smallest `heads` of a coin of 2^bits with (2^bits − heads) / heads ≤ exp(ε), exactly.
[[nodiscard]] std::uint64_t rare_heads(double epsilon, unsigned bits = 64);

/// Returns the largest weights of a second symmetric response over k values after a first one with weights
/// `first`, so that both together have ε. Let a = first.high/first.low and b = high/low. The likelihood ratio
/// of the result is at most (ab + k−1) / (a + b + k−2) ≤ exp(ε), exactly. Requires 0 < ε. If b would exceed
/// 2^62, because the first response alone nearly has ε, it is 2^62.
///
/// If the first response is a window that gives `width` of the k outputs the high weight, the ratio is at
/// most (a·(b + width−1) + k − width) / (a·width + b + k−1 − width).
[[nodiscard]] Odds second_odds(const Odds& first, std::uint64_t k, double epsilon, std::uint64_t width = 1);

/// Returns the smallest `heads` of a coin with 2^64 outcomes for a second flip. A bit that was flipped with
/// probability first/2^64, and is flipped again on heads, differs from its original with probability at least
/// both/2^64, exactly. Requires first ≤ both ≤ 2^63 and first < 2^63.
[[nodiscard]] std::uint64_t second_flips(std::uint64_t first, std::uint64_t both) noexcept;

/// Returns the largest `heads` < 2^64 of a coin of 2^64 for a second layer over a first response. The first response has
/// outputs of `highs` units with the weight first.high for each unit, and outputs of `lows` units with the weight
/// first.low. On heads the first output is sent, otherwise an output with a probability in proportion to its units.
/// The likelihood ratio of the result is at most exp(ε), exactly. Requires 0 < ε and
/// highs·first.high + lows·first.low < 2^64.
[[nodiscard]] std::uint64_t stay_heads(const Odds& first, std::uint64_t highs, std::uint64_t lows,
                                       double epsilon) noexcept;

/// Weights of two outputs, one of which becomes more probable with the input s ∈ {0..steps}. Its weight is
/// base + s·rise, and that of the other is base + (steps−s)·rise. (base + steps·rise) / base ≤ exp(ε) holds
/// exactly.
struct Ramp {
    std::uint64_t base;
    std::uint64_t rise;
};

/// Returns the largest weights with 2·base + steps·rise < 2^bits. The largest log-ratio is below ε by less
/// than 2^-58 + 1/base. Error (invalid_spec) if 2^bits is too small for this number of steps.
[[nodiscard]] Ramp ramp(double epsilon, std::uint64_t steps, unsigned bits = 64);

/// Coins of 2^128 outcomes for a magnitude m = 0, 1, 2, … with probabilities proportional to exp(−ε·m/steps):
/// the binary digits of a geometric variable, which are independent.
struct Decay {
    std::vector<Uint128> digits;  ///< heads of each digit's coin, the lowest digit first
    Uint128 beyond;               ///< heads of the coin for 2^digits or more, which overrides the digits
};

/// Returns coins with 1 ≤ P(m) / P(m+1) ≤ exp(ε/steps) for all m + 1 < 2^digits, and P(≥ m) / P(≥ m+d) ≤
/// exp(ε·d/steps) for all m + d ≤ 2^digits, exactly. The largest log-ratio is below ε by less than
/// steps·2^-53. 2^digits is large enough for P(≥ 2^digits − steps) < 2^-63.
[[nodiscard]] Decay decay(double epsilon, std::uint64_t steps);

}  // namespace ldp

// The integer weights that carry ε: every promise of privacy rests on this file,
// and on the divisions of ε among parts of a report, which are rounded down here and where they are made.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/limits.hpp"

namespace ldp {

/// ε for each of `parts` ≥ 1 whose costs add up: ε/parts, rounded so that all together are no more than ε.
[[nodiscard]] double epsilon_of_each(double epsilon, std::uint64_t parts);

/// Integer weights of the outputs that the input makes likelier (`high`) and of the others (`low`).
/// high / low ≤ exp(ε) holds exactly, not to rounding.
struct Odds {
    std::uint64_t high;
    std::uint64_t low;
};

/// The largest weights for a channel that gives `highs` outputs the high weight and `lows` the low one, with
/// highs·high + lows·low < 2^bits. Shortfall of ln(high/low) below ε: less than 2^-58 + 1/low.
/// Throws Error (invalid_spec) if 2^bits is too small to tell the outputs apart.
[[nodiscard]] Odds odds(double epsilon, std::uint64_t highs, std::uint64_t lows, unsigned bits = 64);

/// Whether high / low ≤ exp(ε); no where it is too close to tell, or low is 0.
[[nodiscard]] bool keeps(double epsilon, const Odds& odds) noexcept;

/// The smallest `heads` of a coin of 2^bits for which (2^bits − heads) / heads ≤ exp(ε) holds exactly.
[[nodiscard]] std::uint64_t rare_heads(double epsilon, unsigned bits = 64);

/// The largest weights of a second symmetric response over k values that follows one of weights `first`, so
/// that the two together keep ε: with a = first.high/first.low and b = high/low, the truth is at most
/// (ab + k−1) / (a + b + k−2) ≤ exp(ε) times as likely to come out as another value; exactly. 0 < ε. Where b
/// would be above 2^62, because the first response alone nearly keeps ε, it is that. The same after a window
/// that gives `width` of the k outputs the high weight: together at most
/// (a·(b + width−1) + k − width) / (a·width + b + k−1 − width).
[[nodiscard]] Odds second_odds(const Odds& first, std::uint64_t k, double epsilon, std::uint64_t width = 1);

/// The smallest `heads` of a coin of 2^64 sides for which a bit that was flipped with probability
/// first/2^64, and is flipped again if the coin lands heads, differs from what it was with probability
/// both/2^64 at least; exactly. first ≤ both ≤ 2^63, first < 2^63.
[[nodiscard]] std::uint64_t second_flips(std::uint64_t first, std::uint64_t both) noexcept;

/// Two outputs of which one gets likelier with the input s ∈ {0..steps}: its weight is base + s·rise, the
/// other's what the mirrored input would give it, base + (steps−s)·rise.
/// (base + steps·rise) / base ≤ exp(ε) holds exactly.
struct Ramp {
    std::uint64_t base;
    std::uint64_t rise;
};

/// The largest weights with 2·base + steps·rise < 2^bits. Shortfall of the worst log-ratio below ε: less than
/// 2^-58 + 1/base. Throws Error (invalid_spec) if 2^bits is too small for that many steps.
[[nodiscard]] Ramp ramp(double epsilon, std::uint64_t steps, unsigned bits = 64);

/// Coins of 2^128 sides that draw a magnitude m = 0, 1, 2, … whose probability falls as exp(−ε·m/steps): the
/// geometric law by its binary digits, which are independent.
struct Decay {
    std::vector<Uint128> digits;  ///< heads of each digit's coin, the lowest digit first
    Uint128 beyond;               ///< heads of the coin for 2^digits or more, which overrules the digits
};

/// 1 ≤ P(m) / P(m+1) ≤ exp(ε/steps) for all m + 1 < 2^digits, and P(≥ m) / P(≥ m+d) ≤ exp(ε·d/steps) for all
/// m + d ≤ 2^digits: exactly. Shortfall of the worst log-ratio below ε: less than steps·2^-53. 2^digits is
/// large enough for P(≥ 2^digits − steps) < 2^-63.
[[nodiscard]] Decay decay(double epsilon, std::uint64_t steps);

}  // namespace ldp

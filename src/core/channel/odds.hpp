// The two integer weights that carry ε: everything that keeps a promise of privacy rests on this file.
#pragma once

#include <cstdint>

namespace ldp {

/// Range of ε that a spec may ask for. Below it nothing could be learnt; above it nothing would be protected.
inline constexpr double min_epsilon = 0.001;
inline constexpr double max_epsilon = 20;

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

/// The smallest `heads` of a coin of 2^bits for which (2^bits − heads) / heads ≤ exp(ε) holds exactly.
[[nodiscard]] std::uint64_t rare_heads(double epsilon, unsigned bits = 64);

}  // namespace ldp

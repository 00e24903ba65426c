#include "core/channel/epsilon_odds.hpp"

#include <cfloat>
#include <cmath>

#include "core/base/error.hpp"

namespace ldp {

namespace {

// A long double carries at least 64 bits, and expl is off by an ulp or two: 2^-60 of slack covers the
// rounding of exp, of the products and of the quotients, so that every bound below is a true one.
static_assert(LDBL_MANT_DIG >= 64, "exact weights need a long double of at least 64 bits");
const long double below_one = 1 - std::ldexp(1.0L, -60);

long double safe_ratio(double epsilon) {
    return std::exp(static_cast<long double>(epsilon)) * below_one;
}

long double power_of_two(unsigned bits) {
    return std::ldexp(1.0L, static_cast<int>(bits));
}

/// The largest weights in at most this ratio.
Odds weights(long double ratio, std::uint64_t highs, std::uint64_t lows, unsigned bits) {
    const long double parts = static_cast<long double>(highs) * ratio + static_cast<long double>(lows);
    const auto low = static_cast<std::uint64_t>((power_of_two(bits) - 1) / parts * below_one);
    if (low == 0)
        raise(ErrorCode::invalid_spec, "the domain is too large for this epsilon",
              "The smallest probability does not fit in 2^-" + std::to_string(bits) + ".",
              "Lower epsilon or the number of values.");
    const auto high = static_cast<std::uint64_t>(static_cast<long double>(low) * ratio * below_one);
    return {high > low ? high : low, low};
}

}  // namespace

// The sign of a fused sum is exact.
double epsilon_of_each(double epsilon, std::uint64_t parts) {
    const auto count = static_cast<double>(parts);
    const double each = epsilon / count;
    return std::fma(each, count, -epsilon) > 0 ? std::nextafter(each, 0.0) : each;
}

Odds odds(double epsilon, std::uint64_t highs, std::uint64_t lows, unsigned bits) {
    return weights(safe_ratio(epsilon), highs, lows, bits);
}

bool keeps(double epsilon, const Odds& odds) noexcept {
    const auto high = static_cast<long double>(odds.high), low = static_cast<long double>(odds.low);
    return odds.low > 0 && high <= low * safe_ratio(epsilon) * below_one;
}

// With a = 1 + α and exp(ε) = 1 + γ, the condition is b·(α − γ) ≤ α + width·αγ + (k−1)γ: no difference but α
// − γ, which is taken between an α too large and a γ too small.
Odds second_odds(const Odds& first, std::uint64_t k, double epsilon, std::uint64_t width) {
    const long double most = power_of_two(62);
    const auto low = static_cast<long double>(first.low), others = static_cast<long double>(k - 1);
    const long double alpha = static_cast<long double>(first.high - first.low) / low;
    const long double gamma = std::expm1(static_cast<long double>(epsilon)) * below_one;
    const long double gap = alpha / below_one - gamma;
    const long double room =
        (alpha * (1 + static_cast<long double>(width) * gamma) + others * gamma) * below_one;
    return weights(room < most * gap ? room / gap * below_one : most, 1, k - 1, 64);
}

// Flipped once but not twice, or twice but not once: first + heads·(1 − 2·first) in 2^-64, to be no less than
// both.
std::uint64_t second_flips(std::uint64_t first, std::uint64_t both) noexcept {
    const Uint128 rest = (Uint128{1} << 64) - 2 * Uint128{first};
    return static_cast<std::uint64_t>(((Uint128{both - first} << 64) + rest - 1) / rest);
}

std::uint64_t rare_heads(double epsilon, unsigned bits) {
    return static_cast<std::uint64_t>(std::ceil(power_of_two(bits) / (1 + safe_ratio(epsilon)) / below_one));
}

Ramp ramp(double epsilon, std::uint64_t steps, unsigned bits) {
    const long double most = std::expm1(static_cast<long double>(epsilon)) * below_one;  // steps·rise/base
    const auto high = static_cast<long double>(steps);
    const auto rise =
        static_cast<std::uint64_t>((power_of_two(bits) - 4) / (high * (1 + 2 / most)) * below_one);
    if (rise == 0)
        raise(ErrorCode::invalid_spec, "the grid is too fine for this epsilon",
              "The difference between two steps does not fit in 2^-" + std::to_string(bits) + ".",
              "Lower the number of grid steps.");
    const long double climb = high * static_cast<long double>(rise);  // exact: below 2^64
    return {static_cast<std::uint64_t>(std::ceil(climb / most / below_one)), rise};
}

// Let o_j be the odds of digit j's coin. From m to m+1 one digit j turns from 0 to 1 and all below it from 1
// to 0, so P(m+1)/P(m) = o_j / Π_{i<j} o_i. With r = exp(−ε/steps), each o_j is chosen, from the lowest up,
// as r·Π_{i<j} o_i or a hair above: what was rounded in the lower coins is made good, not added up. The hair
// is 2^-54, which covers the rounding of exp and of at most 40 products (together 2^-56), and what a coin's
// last side is worth, 2^-35 at most. Both are far below 1 − r ≥ 2^-31, so P never rises.
//
// Tails: let N = 2^digits. The first bound makes the last d terms before N at most
// P(N−1)·(r^-d − 1)/(1/r − 1), so no more than (r^-d − 1)·P(≥N) if P(≥N) ≥ P(N−1)/(1/r − 1). Each term before
// those is at most r^-d times the term d further on. Together, P(≥m) ≤ r^-d·P(≥m+d).
Decay decay(double epsilon, std::uint64_t steps) {
    const long double above = 1 + std::ldexp(1.0L, -54);
    const long double rate = static_cast<long double>(epsilon) / static_cast<long double>(steps);
    const long double fall = std::exp(-rate) * above;
    const auto heads = [](long double probability) {
        return static_cast<Uint128>(std::ceil(std::ldexp(probability, 128)));
    };
    const long double reach = static_cast<long double>(steps) + 64 * std::log(2.0L) / rate;
    Decay coins{};
    long double below = 1;    // Π o_i over the digits so far
    long double largest = 1;  // the probability that all of them are 1
    while (std::ldexp(1.0L, static_cast<int>(coins.digits.size())) < reach) {
        const long double wanted = fall * below;
        const Uint128 coin = heads(wanted / (1 + wanted));
        const long double one = std::ldexp(static_cast<long double>(coin), -128);  // exact: 64 digits
        coins.digits.push_back(coin);
        below *= one / (1 - one);
        largest *= one;
    }
    coins.beyond = heads(largest / std::expm1(rate) * above);
    return coins;
}

}  // namespace ldp

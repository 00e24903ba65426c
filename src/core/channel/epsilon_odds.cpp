#include "core/channel/epsilon_odds.hpp"

#include <cfloat>
#include <cmath>

#include "core/base/error.hpp"

namespace ldp {

namespace {

// A long double has at least 64 bits of precision, and expl has an error of one or two ulps. A slack of 2^-60
// covers the rounding of exp, of the products and of the quotients, so that every bound below is rigorous.
static_assert(LDBL_MANT_DIG >= 64, "exact weights need a long double of at least 64 bits");
const long double below_one = 1 - std::ldexp(1.0L, -60);

long double safe_ratio(double epsilon) {
    return std::exp(static_cast<long double>(epsilon)) * below_one;
}

long double power_of_two(unsigned bits) {
    return std::ldexp(1.0L, static_cast<int>(bits));
}

/// Returns the largest weights with at most this ratio.
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

// The sign of a fused multiply-add is exact.
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

// With a = 1 + α and exp(ε) = 1 + γ, the condition is b·(α − γ) ≤ α + width·αγ + (k−1)γ. The only difference
// is α − γ, which is computed from an upper bound of α and a lower bound of γ.
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

// The probability of exactly one flip is first + heads·(1 − 2·first), in units of 2^-64, and must be at least
// `both`.
std::uint64_t second_flips(std::uint64_t first, std::uint64_t both) noexcept {
    const Uint128 rest = (Uint128{1} << 64) - 2 * Uint128{first};
    return static_cast<std::uint64_t>(((Uint128{both - first} << 64) + rest - 1) / rest);
}

// Let T = F·high + N·low and D = high − low. With the probability s of heads, a unit has the probability
// s·high/T + (1 − s)/(F + N) or the same with low. Their ratio is (T + s·N·D) / (T − s·F·D). With exp(ε) = 1 + γ, it is
// at most exp(ε) if s·D·(F + N + γF) ≤ γT.
std::uint64_t stay_heads(const Odds& first, std::uint64_t highs, std::uint64_t lows,
                         double epsilon) noexcept {
    const auto total = static_cast<long double>(highs * first.high + lows * first.low);
    const auto difference = static_cast<long double>(first.high - first.low);
    const auto of_high = static_cast<long double>(highs), units = static_cast<long double>(highs + lows);
    const long double gamma = std::expm1(static_cast<long double>(epsilon)) * below_one;
    const long double room = total * gamma * below_one, needed = difference * (units + gamma * of_high);
    if (needed <= room) return ~std::uint64_t{0};
    return static_cast<std::uint64_t>(std::ldexp(room / needed * below_one, 64));
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

// Let o_j be the odds of digit j's coin. From m to m+1, one digit j changes from 0 to 1 and all lower digits
// from 1 to 0, so that P(m+1)/P(m) = o_j / Π_{i<j} o_i. Let r = exp(−ε/steps). Each o_j is chosen, from the
// lowest digit upwards, as r·Π_{i<j} o_i plus a margin, so that rounding errors of lower coins are
// compensated. The margin is 2^-54. It covers the rounding of exp and of at most 40 products (together 2^-56)
// and the resolution of a coin, at most 2^-35. Both are far below 1 − r ≥ 2^-31, so that P does not increase.
//
// Tails: let N = 2^digits. By the first bound, the last d terms before N are at most P(N−1)·(r^-d − 1)/(1/r −
// 1). They are at most (r^-d − 1)·P(≥N) if P(≥N) ≥ P(N−1)/(1/r − 1). Each earlier term is at most r^-d times
// the term d positions later. Together, P(≥m) ≤ r^-d·P(≥m+d).
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
    long double largest = 1;  // the probability that all of these digits are 1
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

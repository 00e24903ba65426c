#include "odds.hpp"

#include <cfloat>
#include <cmath>

#include "../error.hpp"

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

}  // namespace

Odds odds(double epsilon, std::uint64_t highs, std::uint64_t lows, unsigned bits) {
    const long double ratio = safe_ratio(epsilon);
    const long double parts = static_cast<long double>(highs) * ratio + static_cast<long double>(lows);
    const auto low = static_cast<std::uint64_t>((power_of_two(bits) - 1) / parts * below_one);
    if (low == 0)
        throw Error(ErrorCode::invalid_spec, "the domain is too large for this epsilon",
                    "The smallest probability does not fit in 2^-" + std::to_string(bits) + ".",
                    "Lower epsilon or the number of values.");
    const auto high = static_cast<std::uint64_t>(static_cast<long double>(low) * ratio * below_one);
    return {high > low ? high : low, low};
}

std::uint64_t rare_heads(double epsilon, unsigned bits) {
    return static_cast<std::uint64_t>(std::ceil(power_of_two(bits) / (1 + safe_ratio(epsilon)) / below_one));
}

}  // namespace ldp

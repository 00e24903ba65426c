#include "core/base/random.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"

namespace ldp {

std::uint64_t BitSource::below(std::uint64_t bound) {
    return uniform_below<std::uint64_t, Uint128>(bound, [this] { return word(); });
}

std::uint64_t BitSource::fair(unsigned count) {
    const std::uint64_t bits = word();
    return count < 64 ? bits & ((std::uint64_t{1} << count) - 1) : bits;
}

bool BitSource::chance(std::uint64_t heads, std::uint64_t total) {
    return below(total) < heads;
}

bool BitSource::lands(Uint128 heads, unsigned sides) {
    if (sides == 64) return word() < heads;
    const Uint128 high = word();
    return (high << 64 | word()) < heads;
}

// Each lane compares its own uniform binary fraction with the coin's, digit by digit from the highest, until
// it is decided. About eight random words decide all 64 lanes.
std::uint64_t BitSource::throws(std::uint64_t heads, unsigned sides, unsigned count) {
    std::uint64_t landed = 0;
    std::uint64_t undecided = ~std::uint64_t{0};
    for (unsigned digit = sides; digit-- > 0 && undecided != 0;) {
        const std::uint64_t ours = -(heads >> digit & 1);
        const std::uint64_t drawn = word();
        landed |= undecided & ours & ~drawn;
        undecided &= ~(ours ^ drawn);
    }
    return count < 64 ? landed & ((std::uint64_t{1} << count) - 1) : landed;
}

std::uint64_t BitSource::pick(const Weights& weights) {
    const std::uint64_t heavy = weights.high * weights.highs;
    const std::uint64_t u = below(weights.total());
    return u < heavy ? u / weights.high : weights.highs + (u - heavy) / weights.low;
}

std::uint64_t BitSource::pick(std::span<const std::uint64_t> sums) {
    const std::uint64_t u = below(sums.back());
    return static_cast<std::uint64_t>(std::ranges::upper_bound(sums, u) - sums.begin());
}

}  // namespace ldp

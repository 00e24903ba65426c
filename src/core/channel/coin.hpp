// A biased coin, exact to its last bit, thrown 64 at a time.
#pragma once

#include <cstdint>

#include "../bytes.hpp"
#include "../random.hpp"

namespace ldp {

/// Heads with probability heads / 2^bits.
class Coin {
  public:
    constexpr explicit Coin(std::uint64_t heads, unsigned bits = 64) noexcept : heads_(heads), bits_(bits) {}

    [[nodiscard]] constexpr std::uint64_t heads() const noexcept { return heads_; }
    [[nodiscard]] constexpr unsigned bits() const noexcept { return bits_; }

    /// 64 independent throws, one a bit. Each lane compares its own uniform binary fraction with the coin's,
    /// digit by digit from the top, until it is decided; about eight words of randomness decide all 64.
    [[nodiscard]] std::uint64_t throw64(BitSource& source) const {
        std::uint64_t result = 0;
        std::uint64_t undecided = ~std::uint64_t{0};
        for (unsigned digit = bits_; digit-- > 0 && undecided != 0;) {
            const std::uint64_t ours = -(heads_ >> digit & 1);
            const std::uint64_t drawn = source.word();
            result |= undecided & ours & ~drawn;
            undecided &= ~(ours ^ drawn);
        }
        return result;
    }

  private:
    std::uint64_t heads_;
    unsigned bits_;
};

/// One throw of a coin that lands heads with probability heads / 2^128; always two words.
[[nodiscard]] inline bool lands(Uint128 heads, BitSource& source) {
    const Uint128 high = source.word();
    return (high << 64 | source.word()) < heads;
}

}  // namespace ldp

// A biased coin, exact to its last bit, thrown 64 at a time.
#pragma once

#include <cmath>
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

    [[nodiscard]] double probability() const noexcept {
        return std::ldexp(static_cast<double>(heads_), -static_cast<int>(bits_));
    }

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
    /// A string of `count` independent throws, lowest bit first; the last byte's spare bits are 0.
    void fill(BitSource& source, std::size_t count, MutableBytes string) const {
        for (std::size_t from = 0; from < count; from += 64) {
            std::uint64_t lanes = throw64(source);
            if (count - from < 64) lanes &= (std::uint64_t{1} << (count - from)) - 1;
            for (std::size_t at = from / 8; at < string.size() && at < from / 8 + 8; ++at, lanes >>= 8)
                string[at] = static_cast<std::byte>(lanes);
        }
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

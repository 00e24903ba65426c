// A biased coin with an exact probability, up to 64 throws at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/bytes.hpp"
#include "core/base/random.hpp"

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

    [[nodiscard]] bool land(BitSource& source) const { return source.throws(heads_, bits_, 1) != 0; }
    /// Fills a string with `count` independent throws, lowest bit first. The spare bits of the last byte are
    /// 0.
    void fill(BitSource& source, std::size_t count, MutableBytes string) const {
        for (std::size_t from = 0; from < count; from += 64) {
            const auto lane_count = static_cast<unsigned>(std::min<std::size_t>(count - from, 64));
            std::uint64_t tosses = source.throws(heads_, bits_, lane_count);
            for (std::size_t at = from / 8; at < string.size() && at < from / 8 + 8; ++at, tosses >>= 8)
                string[at] = static_cast<std::byte>(tosses);
        }
    }

  private:
    std::uint64_t heads_;
    unsigned bits_;
};

}  // namespace ldp

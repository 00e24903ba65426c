// Symmetric response: the truth with the high weight, each other value with the low one.
#pragma once

#include "../random.hpp"
#include "odds.hpp"

namespace ldp {

class SymmetricChannel {
  public:
    /// k ≥ 2 values; `bits` is the width of the random word (less than 64 only to enumerate it in tests).
    SymmetricChannel(std::uint64_t k, double epsilon, unsigned bits = 64)
        : k_(k), odds_(odds(epsilon, 1, k - 1, bits)) {}

    [[nodiscard]] std::uint64_t inputs() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t total() const noexcept { return odds_.high + (k_ - 1) * odds_.low; }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        return in == out ? odds_.high : odds_.low;
    }
    [[nodiscard]] Odds worst_ratio() const noexcept { return odds_; }

    [[nodiscard]] std::uint64_t sample(std::uint64_t in, BitSource& bits) const {
        const std::uint64_t u = bits.below(total());
        if (u < odds_.high) return in;
        const std::uint64_t other = (u - odds_.high) / odds_.low;
        return other + (other >= in ? 1 : 0);
    }

  private:
    std::uint64_t k_;
    Odds odds_;
};

}  // namespace ldp

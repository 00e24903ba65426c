// Symmetric response: the true value has the high weight, each other value the low one.
#pragma once

#include <cmath>

#include "core/base/bytes.hpp"
#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

class SymmetricChannel {
  public:
    /// k ≥ 2 values; `bits` is the width of the random word (below 64 only for exhaustive tests).
    SymmetricChannel(std::uint64_t k, double epsilon, unsigned bits = 64)
        : SymmetricChannel(k, odds(epsilon, 1, k - 1, bits)) {}
    SymmetricChannel(std::uint64_t k, const Odds& odds) : k_(k), odds_(odds) {}

    [[nodiscard]] std::uint64_t inputs() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t total() const noexcept { return weights().total(); }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        return in == out ? odds_.high : odds_.low;
    }
    [[nodiscard]] Odds worst_ratio() const noexcept { return odds_; }
    /// Return the probabilities of the true value, and of one other value.
    [[nodiscard]] double p() const noexcept { return share(odds_.high); }
    [[nodiscard]] double q() const noexcept { return share(odds_.low); }
    /// Returns the logarithm of the actual ratio.
    [[nodiscard]] double epsilon() const noexcept {
        return std::log1p(static_cast<double>(odds_.high - odds_.low) / static_cast<double>(odds_.low));
    }

    [[nodiscard]] std::uint64_t sample(std::uint64_t in, BitSource& bits) const {
        const std::uint64_t drawn = bits.pick(weights());
        return drawn == 0 ? in : drawn - (drawn <= in ? 1 : 0);
    }

  private:
    [[nodiscard]] Weights weights() const noexcept { return {odds_.high, 1, odds_.low, k_ - 1}; }
    [[nodiscard]] double share(std::uint64_t weight) const noexcept {
        return static_cast<double>(weight) / static_cast<double>(total());
    }

    std::uint64_t k_;
    Odds odds_;
};

/// Two symmetric responses in sequence: the first output is memoized, and the second response perturbs it
/// each time it is sent. The chain is a symmetric response with these weights.
struct SymmetricChain {
    Uint128 right, wrong, total;

    SymmetricChain(const SymmetricChannel& kept, const SymmetricChannel& sent)
        : total(Uint128{kept.total()} * sent.total()) {
        const auto [a, b] = kept.worst_ratio();
        const auto [c, d] = sent.worst_ratio();
        right = Uint128{a} * c + Uint128{b} * d * (kept.inputs() - 1);
        wrong = Uint128{a} * d + Uint128{b} * c + Uint128{b} * d * (kept.inputs() - 2);
    }

    [[nodiscard]] double p() const noexcept {
        return static_cast<double>(right) / static_cast<double>(total);
    }
    [[nodiscard]] double q() const noexcept {
        return static_cast<double>(wrong) / static_cast<double>(total);
    }
};

}  // namespace ldp

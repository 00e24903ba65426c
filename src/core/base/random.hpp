// Uniform random bits, and exact draws from them.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/bytes.hpp"

namespace ldp {

/// Integer weights of outcomes 0, 1, …: `high` for each of the first `highs`, `low` for the other `lows`.
/// Their sum is below 2^64.
struct Weights {
    std::uint64_t high;   ///< weight of each of the first outcomes
    std::uint64_t highs;  ///< number of these outcomes
    std::uint64_t low;    ///< weight of each of the others
    std::uint64_t lows;   ///< number of the others
    /// Returns the sum of all weights.
    [[nodiscard]] std::uint64_t total() const noexcept { return high * highs + low * lows; }
};

/// Returns a uniform number on [0, bound) from uniform words, without bias, by rejection (Lemire 2019).
/// Requires 1 ≤ bound.
template <class Word, class Double, class Draw>
[[nodiscard]] Word uniform_below(Word bound, Draw&& word) {
    constexpr unsigned bits = 8 * sizeof(Word);
    auto product = static_cast<Double>(static_cast<Double>(word()) * bound);
    if (static_cast<Word>(product) < bound) {
        const auto biased = static_cast<Word>(static_cast<Word>(-bound) % bound);
        while (static_cast<Word>(product) < biased)
            product = static_cast<Double>(static_cast<Double>(word()) * bound);
    }
    return static_cast<Word>(product >> bits);
}

/// A stream of uniform, independent bits. All random choices of the library use this interface, so that tests
/// can replace the operating system by a script; the client API has no such replacement.
///
/// Besides words, it has draws with exactly defined laws. Randomizers use draws only. Proofs can therefore
/// enumerate all outcomes of a draw with their weights, which is impossible for 2^64 words (see explore.hpp).
/// Separate tests verify the laws of the draws by enumerating all words of a narrow width.
class BitSource {
  public:
    BitSource() = default;
    BitSource(const BitSource&) = delete;
    BitSource& operator=(const BitSource&) = delete;
    virtual ~BitSource() = default;

    /// Returns 64 uniform bits.
    [[nodiscard]] virtual std::uint64_t word() = 0;

    /// Returns a uniform number on [0, bound). Requires bound ≥ 1.
    [[nodiscard]] virtual std::uint64_t below(std::uint64_t bound);
    /// Returns `count` ≤ 64 fair bits in the lowest positions; the others are 0.
    [[nodiscard]] virtual std::uint64_t fair(unsigned count);
    /// Returns true with probability heads / total. Requires heads ≤ total and total ≥ 1.
    [[nodiscard]] virtual bool chance(std::uint64_t heads, std::uint64_t total);
    /// Returns true with probability heads / 2^sides. `sides` is 64, which uses one word, or 128, which uses
    /// two.
    [[nodiscard]] virtual bool lands(Uint128 heads, unsigned sides);
    /// Returns `count` ≤ 64 bits in the lowest positions, each 1 with probability heads / 2^sides, sides ≤
    /// 64; the others are 0.
    [[nodiscard]] virtual std::uint64_t throws(std::uint64_t heads, unsigned sides, unsigned count);
    /// Returns an outcome with a probability proportional to its weight.
    [[nodiscard]] virtual std::uint64_t pick(const Weights& weights);
    /// Returns an outcome for weights given as cumulative sums. An outcome of weight 0 is never drawn.
    [[nodiscard]] virtual std::uint64_t pick(std::span<const std::uint64_t> sums);
};

/// The operating system's cryptographic generator with a buffer of at most 32 words. A word is wiped from the
/// buffer when it is returned. The buffer is empty in a forked child, so that no two processes share a word.
/// A copy of the whole machine contains the buffered words; discard() wipes them. Use one object per thread.
/// Error (environment) if the system provides no random bits, or no memory for them.
class SystemRandom final : public BitSource {
  public:
    SystemRandom();
    ~SystemRandom() override;
    [[nodiscard]] std::uint64_t word() override;
    /// Wipes the buffer. The next word is generated after this call.
    void discard() noexcept;

  private:
    struct Page;
    Page* page_;
};

}  // namespace ldp

// Uniform random bits, and exact draws from them.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/bytes.hpp"

namespace ldp {

/// Integer weights of outcomes 0, 1, …: `high` for each of the first `highs` of them, `low` for the other
/// `lows`; their sum is below 2^64.
struct Weights {
    std::uint64_t high;   ///< the weight of each of the first ones
    std::uint64_t highs;  ///< how many these are
    std::uint64_t low;    ///< the weight of each of the others
    std::uint64_t lows;   ///< how many these are
    /// The sum of all weights.
    [[nodiscard]] std::uint64_t total() const noexcept { return high * highs + low * lows; }
};

/// Uniform on [0, bound), if `word()` gives uniform words of this type, without bias: those that would bias
/// it are drawn again (Lemire 2019). 1 ≤ bound.
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

/// A stream of uniform, independent bits. Every random choice of the library goes through this interface, so
/// that tests can replace the operating system by a script and see each choice; the client API offers no way
/// to do so.
///
/// Besides words it gives draws, each with a law that integers tell exactly. Randomizers ask for draws and
/// for no word, so that a proof can follow every outcome of a draw, with its weight, where nobody could
/// follow all 2^64 words: see explore.hpp. That the draws have their laws is proven by itself, over all words
/// of a narrow width.
class BitSource {
  public:
    BitSource() = default;
    BitSource(const BitSource&) = delete;
    BitSource& operator=(const BitSource&) = delete;
    virtual ~BitSource() = default;

    /// 64 uniform bits.
    [[nodiscard]] virtual std::uint64_t word() = 0;

    /// Uniform on [0, bound), bound ≥ 1.
    [[nodiscard]] virtual std::uint64_t below(std::uint64_t bound);
    /// `count` ≤ 64 fair bits, the lowest ones; the others are 0.
    [[nodiscard]] virtual std::uint64_t fair(unsigned count);
    /// True with probability heads / total; heads ≤ total, total ≥ 1.
    [[nodiscard]] virtual bool chance(std::uint64_t heads, std::uint64_t total);
    /// True with probability heads / 2^sides; `sides` is 64, which takes a word, or 128, which takes two.
    [[nodiscard]] virtual bool lands(Uint128 heads, unsigned sides);
    /// `count` ≤ 64 bits, the lowest ones, each 1 with probability heads / 2^sides, sides ≤ 64; the others
    /// are 0.
    [[nodiscard]] virtual std::uint64_t throws(std::uint64_t heads, unsigned sides, unsigned count);
    /// An outcome in proportion to its weight.
    [[nodiscard]] virtual std::uint64_t pick(const Weights& weights);
    /// The same of weights whose running sums are these.
    [[nodiscard]] virtual std::uint64_t pick(std::span<const std::uint64_t> sums);
};

/// The operating system's cryptographic generator, with a buffer of 32 words at most. A word is wiped from
/// the buffer when it is handed out, and the buffer is empty in a forked child, so no two processes share a
/// word. A copy of the whole machine has the words that are buffered at that moment: discard() leaves none.
/// Use one object per thread. Throws Error (environment) where the system gives no random bits, or no memory
/// for them.
class SystemRandom final : public BitSource {
  public:
    SystemRandom();
    ~SystemRandom() override;
    [[nodiscard]] std::uint64_t word() override;
    /// Wipes what is buffered. The next word is one that the system gives after this call.
    void discard() noexcept;

  private:
    struct Page;
    Page* page_;
};

}  // namespace ldp

// Two outputs, the second likelier the larger the number: one bit a report.
#pragma once

#include "core/channel/epsilon_odds.hpp"
#include "core/channel/numeric.hpp"
#include "core/channel/symmetric.hpp"

namespace ldp {

/// What many bits tell of the numbers behind them, where P(1 | s) is (base + s) / (2·base + steps): an affine
/// function, which the share of ones inverts.
///
/// An output is a bit, so the share of ones is all there is to know: whether people differ much around their
/// mean or not at all, the reports look alike. The noise given the inputs, which falls with their variance,
/// cannot be told from the sampling error, which rises with it. Only their sum can, and it is what invert()
/// gives as noise: the variance against a population, too large against the people who reported, by their
/// own variance.
///
/// tally: ones (8 bytes)
class BinaryResponse : public QuadraticChannel {
  public:
    std::vector<std::pair<std::string, double>> parameters() const override;
    void accumulate(std::byte* tally, std::uint64_t out) const noexcept override;
    void merge(std::byte* tally, const std::byte* other) const noexcept override;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept override;
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept override;
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const override;
    double max_probability(std::uint64_t) const override { return most_; }

    /// As above: in units of what a step adds.
    [[nodiscard]] double base() const noexcept { return base_; }

  protected:
    BinaryResponse(std::uint64_t steps, double base);

  private:
    double base_;
    double least_, most_;  ///< P(1) at either end of the grid
};

/// P(1 | s) = (base + s·rise) / (2·base + steps·rise).
class BinaryChannel final : public BinaryResponse {
  public:
    BinaryChannel(std::uint64_t steps, double epsilon, unsigned bits = 64)
        : BinaryChannel(steps, ramp(epsilon, steps, bits)) {}

    [[nodiscard]] std::uint64_t total() const noexcept { return 2 * ramp_.base + steps() * ramp_.rise; }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        return ramp_.base + (out == 1 ? in : steps() - in) * ramp_.rise;
    }
    /// Of the likelier bit and of the other, at either end of the grid.
    [[nodiscard]] Odds odds() const noexcept { return {weight(steps(), 1), weight(0, 1)}; }

    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override {
        return bits.chance(weight(in, 1), total()) ? 1 : 0;
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// Both outputs are monotone in the input, so the ends of the grid are the worst pair.
    Exact worst_ratio() const override;

  private:
    BinaryChannel(std::uint64_t steps, const Ramp& ramp);

    Ramp ramp_;
};

/// A bit of a BinaryChannel that is kept, and goes through a symmetric response of its own whenever it is
/// sent.
class BinaryChain final : public BinaryResponse {
  public:
    BinaryChain(const BinaryChannel& kept, const SymmetricChannel& sent);

    [[nodiscard]] const BinaryChannel& kept() const noexcept { return kept_; }
    [[nodiscard]] const SymmetricChannel& sent() const noexcept { return sent_; }

    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override {
        return sent_.sample(kept_.sample(in, bits), bits);
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// Flips keep both outputs monotone.
    Exact worst_ratio() const override;

  private:
    BinaryChannel kept_;
    SymmetricChannel sent_;
};

}  // namespace ldp

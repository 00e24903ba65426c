// Channels with two outputs. The probability of the second one increases with the input: one bit per report.
#pragma once

#include "core/channel/epsilon_odds.hpp"
#include "core/channel/numeric.hpp"
#include "core/channel/symmetric.hpp"

namespace ldp {

/// Estimation from bits with P(1 | s) = (base + s) / (2·base + steps). This is an affine function of s, which
/// the share of ones inverts.
///
/// The share of ones is a sufficient statistic and does not depend on the variance between users. The noise
/// given the inputs decreases with that variance, and the sampling error increases with it. Only their sum
/// can be estimated, and invert() returns it as noise: the variance for the target population. For the sample
/// it is too large by the variance between users.
///
/// tally: ones (8 bytes)
class BinaryResponse : public QuadraticChannel {
  public:
    std::vector<std::pair<std::string, double>> parameters() const override;
    void accumulate(std::byte* tally, std::uint64_t out) const noexcept override;
    void accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept override;
    bool accumulate_all(std::byte* tally, const Payloads& outs) const noexcept override;
    void merge(std::byte* tally, const std::byte* other) const noexcept override;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept override;
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept override;
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const override;
    double max_probability(std::uint64_t) const override { return most_; }

    /// Returns the base weight in units of the weight per step.
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
    /// Returns the weights of the more and the less probable bit at the ends of the grid.
    [[nodiscard]] Odds odds() const noexcept { return {weight(steps(), 1), weight(0, 1)}; }

    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override {
        return bits.chance(weight(in, 1), total()) ? 1 : 0;
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// Both outputs are monotone in the input, so that the ends of the grid are the worst pair.
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;

  private:
    BinaryChannel(std::uint64_t steps, const Ramp& ramp);

    Ramp ramp_;
};

/// A memoized bit of a BinaryChannel, which is perturbed by a symmetric response each time it is sent.
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
    ChannelLaw channel_law() const override;

  private:
    BinaryChannel kept_;
    SymmetricChannel sent_;
};

}  // namespace ldp

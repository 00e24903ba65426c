// The discrete Laplace response: the point of the grid plus noise that falls off exponentially on both sides.
#pragma once

#include "core/channel/channel_moments.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

/// Noise ±(m + 1/2), m = 0, 1, 2, … by the coins of decay(): neighbouring inputs change the probability of an
/// output by a factor of exp(ε/steps) at most, the two ends by exp(ε). The noise is centred on half a step,
/// so that no zero has two signs, and the number of random words is always the same.
///
/// Outputs stand on the halves between grid steps and are numbered from the least. What lies beyond them
/// counts as the outermost, which costs no ε. That happens with probability below 2^-62 and pulls the mean
/// inwards by less than 2^-60 of the noise's scale; 2^40 reports tell it to 2^-20 of that.
class LaplaceChannel final : public MomentChannel {
  public:
    LaplaceChannel(std::uint64_t steps, double epsilon)
        : LaplaceChannel(steps, epsilon, decay(epsilon, steps)) {}

    std::vector<std::pair<std::string, double>> parameters() const override { return {{"scale", scale_}}; }
    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override;
    double max_probability(std::uint64_t out) const override;
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    Exact worst_ratio() const override;

  private:
    LaplaceChannel(std::uint64_t steps, double epsilon, Decay coins);

    /// Magnitudes that the digits make: 0 to magnitudes() − 1.
    [[nodiscard]] std::uint64_t magnitudes() const noexcept {
        return std::uint64_t{1} << coins_.digits.size();
    }
    /// P(digit = value).
    [[nodiscard]] Exact digit(std::size_t i, bool value) const;
    /// P(m) and P(≥ m), m ≤ magnitudes().
    [[nodiscard]] Exact at(std::uint64_t m) const;
    [[nodiscard]] Exact at_least(std::uint64_t m) const;

    double mean_beyond(double excess, double n) const override;
    double square_beyond(double excess, double n) const override;

    Decay coins_;
    double scale_;  // of the noise, in grid steps
};

}  // namespace ldp

// The discrete Laplace response: the grid point plus noise with exponential tails on both sides.
#pragma once

#include "core/channel/channel_moments.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

/// Noise ±(m + 1/2), m = 0, 1, 2, …, from the coins of decay(). Adjacent inputs change the probability of an
/// output by a factor of at most exp(ε/steps), and the two ends by at most exp(ε). The noise is centered at
/// half a step: zero has one representation, and the number of random words is constant.
///
/// Outputs are at the halves between grid steps and are numbered from the smallest one. Values beyond the
/// range count as the outermost output, which costs no ε. This has a probability below 2^-62 and changes the
/// mean by less than 2^-60 of the noise's scale. The resolution of 2^40 reports is 2^-20 of the scale.
class LaplaceChannel final : public MomentChannel {
  public:
    LaplaceChannel(std::uint64_t steps, double epsilon)
        : LaplaceChannel(steps, epsilon, decay(epsilon, steps)) {}

    std::vector<std::pair<std::string, double>> parameters() const override { return {{"scale", scale_}}; }
    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override;
    double max_probability(std::uint64_t out) const override;
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;

  private:
    LaplaceChannel(std::uint64_t steps, double epsilon, Decay coins);

    /// Returns the number of magnitudes that the digits represent: 0 to magnitudes() − 1.
    [[nodiscard]] std::uint64_t magnitudes() const noexcept {
        return std::uint64_t{1} << coins_.digits.size();
    }
    /// Returns P(digit = value).
    [[nodiscard]] Exact digit(std::size_t i, bool value) const;
    /// Return P(m) and P(≥ m). Requires m ≤ magnitudes().
    [[nodiscard]] Exact at(std::uint64_t m) const;
    [[nodiscard]] Exact at_least(std::uint64_t m) const;

    double mean_beyond(double excess, double n) const override;
    double square_beyond(double excess, double n) const override;

    Decay coins_;
    double scale_;  // of the noise, in grid steps
};

}  // namespace ldp

// The window response on a grid: piecewise, pdp and all other members of the family.
#pragma once

#include "core/channel/channel_moments.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

/// Channel to one of steps + width outputs. The `width` outputs from the input on have the high weight, the
/// others the low one.
///
/// The mean output is affine for any width, so that the estimate of s is exactly unbiased. The published
/// window "centred at x(b−Δ/2)" is this one with width/(steps+width) = Δ/2b.
class WindowChannel final : public MomentChannel {
  public:
    WindowChannel(std::uint64_t steps, std::uint64_t width, double epsilon, unsigned bits = 64)
        : WindowChannel(steps, width, odds(epsilon, width, steps, bits)) {}

    [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
    [[nodiscard]] std::uint64_t total() const noexcept { return width_ * odds_.high + steps() * odds_.low; }
    /// Returns the two weights of outputs.
    [[nodiscard]] const Odds& weights() const noexcept { return odds_; }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        return out >= in && out - in < width_ ? odds_.high : odds_.low;
    }

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"window", static_cast<double>(width_)}};
    }
    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override;
    double max_probability(std::uint64_t) const override {
        return static_cast<double>(odds_.high) / static_cast<double>(total());
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// Returns high / low. No output has another weight, and 0 and `steps` have disjoint windows.
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;

  private:
    WindowChannel(std::uint64_t steps, std::uint64_t width, const Odds& odds);

    static Law law(std::uint64_t steps, std::uint64_t width, const Odds& odds);
    double mean_beyond(double excess, double n) const override;
    double square_beyond(double excess, double n) const override;

    std::uint64_t width_;
    Odds odds_;
};

}  // namespace ldp

// Window outputs that were counted one by one: what they tell of the inputs' distribution.
#pragma once

#include <span>
#include <vector>

#include "core/channel/window_channel.hpp"

namespace ldp {

/// Turns shares of outputs into shares of inputs, three ways, each in O(inputs + outputs).
///
/// With h and l the probabilities of a cell inside and outside the window, and F(j) the share of inputs up to
/// j, output j has probability
///
///     o_j = l + (h − l)·(F(j) − F(j − width)).
///
/// So no matrix needs to be inverted: down the *ladder* of outputs j, j − width, j − 2·width, … the terms add
/// up to F(j). And up a whole ladder they add up to 1, whatever the inputs are.
class WindowDecoder {
  public:
    explicit WindowDecoder(const WindowChannel& channel) noexcept;

    /// The probability of each output, from the shares of the inputs.
    [[nodiscard]] std::vector<double> outputs(std::span<const double> shares) const;
    /// One step of expectation and maximisation, in place, from the observed shares of the outputs. Returns
    /// the log-likelihood, per report, that the shares had before; it never falls from step to step.
    [[nodiscard]] double improve(std::span<const double> observed, std::span<double> shares) const;

    /// F at each input, unbiased: linear in the observed shares, and neither monotone nor confined to [0,1].
    /// Each rung of a ladder gets an equal part of what the ladder is off 1: the least variance if all
    /// outputs are equally likely.
    [[nodiscard]] std::vector<double> cumulative(std::span<const double> observed) const;
    /// n·Var, the inputs given, of the mean of a function of the inputs as read off cumulative(). Exact for
    /// these shares of inputs.
    [[nodiscard]] double noise(std::span<const double> shares, std::span<const double> function) const;
    /// How far apart two outputs put it, at most, each by itself.
    [[nodiscard]] double stride(std::span<const double> function) const;

    /// The probability of an output on this ladder, that of output 0 being the first of `width` ladders: the
    /// same whatever the inputs are.
    [[nodiscard]] double ladder_probability(std::size_t ladder) const noexcept;

  private:
    /// What each output counts for in the mean of a function, and what is added to it.
    struct OutputWeights {
        std::vector<double> weight;
        double constant;
    };
    [[nodiscard]] OutputWeights weights(std::span<const double> function) const;
    /// Outputs on a ladder.
    [[nodiscard]] std::size_t rungs(std::size_t ladder) const noexcept {
        return (outputs_ - 1 - ladder) / width_ + 1;
    }

    std::size_t inputs_;
    std::size_t outputs_;
    std::size_t width_;
    double low_;   ///< l
    double tilt_;  ///< h − l
};

}  // namespace ldp

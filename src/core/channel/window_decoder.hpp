// Estimation of the inputs' distribution from counted window outputs.
#pragma once

#include <span>
#include <vector>

#include "core/channel/window_channel.hpp"

namespace ldp {

/// Converts shares of outputs into shares of inputs, in O(inputs + outputs). See also WindowFit.
///
/// Let h and l be the probabilities of an output inside and outside the window, and F(j) the share of inputs
/// up to j. Output j has the probability
///
///     o_j = l + (h − l)·(F(j) − F(j − width)).
///
/// No matrix inversion is needed: over the outputs j, j − width, j − 2·width, … of a residue class modulo the
/// width, the differences add up to F(j). Over a whole residue class they add up to 1 for any inputs.
class WindowDecoder {
  public:
    explicit WindowDecoder(const WindowChannel& channel) noexcept;

    /// Returns the probability of each output for these shares of inputs.
    [[nodiscard]] std::vector<double> outputs(std::span<const double> shares) const;
    /// Returns the number of inputs.
    [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }

    /// Returns unbiased estimates of F at each input. They are linear in the observed shares, not monotone,
    /// and may lie outside [0,1]. The deviation of a residue class from 1 is divided equally among its
    /// outputs, which has the smallest variance if all outputs are equally probable.
    [[nodiscard]] std::vector<double> cumulative(std::span<const double> observed) const;
    /// Returns n·Var, given the inputs, of the mean of a function of the inputs that is computed from
    /// cumulative(). Exact for these shares of inputs.
    [[nodiscard]] double noise(std::span<const double> shares, std::span<const double> function) const {
        return noise(shares, outputs(shares), function);
    }
    /// Returns the same from the probabilities of the outputs for these shares.
    [[nodiscard]] double noise(std::span<const double> shares, std::span<const double> likely,
                               std::span<const double> function) const;
    /// Returns the largest difference between the estimates of two single outputs.
    [[nodiscard]] double stride(std::span<const double> function) const;

    /// Returns the probability that an output is in this residue class modulo the width. It does not depend
    /// on the inputs.
    [[nodiscard]] double residue_probability(std::size_t residue) const noexcept;

  private:
    friend class WindowFit;
    /// The weight of each output in the mean of a function, and the constant term.
    struct OutputWeights {
        std::vector<double> weight;
        double constant;
    };
    [[nodiscard]] OutputWeights weights(std::span<const double> function) const;
    /// Returns the number of outputs in a residue class.
    [[nodiscard]] std::size_t members(std::size_t residue) const noexcept {
        return (outputs_ - 1 - residue) / width_ + 1;
    }

    std::size_t inputs_;
    std::size_t outputs_;
    std::size_t width_;
    double low_;   ///< l
    double tilt_;  ///< h − l
};

/// Shares of the inputs that are fitted to observed shares of the outputs by expectation maximization, step by step, each in
/// O(inputs + outputs). Sums are made of four terms at a time on every processor, so that the result does not depend on its
/// registers.
class WindowFit {
  public:
    /// The vectors have an element for each output, and for each input.
    WindowFit(const WindowDecoder& decoder, std::span<const double> observed, std::span<const double> start);

    /// Returns the shares.
    [[nodiscard]] std::span<const double> shares() const noexcept {
        return std::span(shares_).first(decoder_.inputs_);
    }
    /// Returns the log-likelihood per report of the shares, less that of the shares before the last step. It is not negative
    /// if that step did not smooth, and infinite before the first step. Must be called before each step. The result is only
    /// approximate if its absolute value exceeds `small`, and that of the result does, too.
    [[nodiscard]] double gain(double small);
    /// Makes a step. To smooth means to average each density with its neighbours after the step, with the weights 1, 2, 1. The
    /// outer inputs are half as wide as the others, and use their only neighbour twice.
    void step(bool smooth);

  private:
    WindowDecoder decoder_;
    bool first_ = true;  ///< whether no step has been made
    // With room for whole groups of four terms.
    std::vector<double> observed_, shares_;
    std::vector<double> inverse_,
        last_inverse_;            ///< inverse probabilities of the outputs, and those before the last step
    std::vector<double> ratios_;  ///< observed over expected shares
    std::vector<double> below_;   ///< sums of shares: see gain()
    std::vector<double> ratios_below_;  ///< sums of ratios
    std::vector<double> unsmoothed_;    ///< shares between their outer neighbours
};

}  // namespace ldp

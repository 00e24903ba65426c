// A grid value through an exact channel: the common interface of all numeric randomizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/math/payloads.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

/// Channel from an input s ∈ {0..steps}, a point of the declared range divided into `steps` equal parts, to
/// an output below outputs(). Outputs are counted in a tally of tally_size() bytes, initially zero, from
/// which the mean input is estimated without bias.
class NumericChannel {
  public:
    NumericChannel& operator=(const NumericChannel&) = delete;
    virtual ~NumericChannel() = default;

    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
    [[nodiscard]] std::uint64_t inputs() const noexcept { return steps_ + 1; }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return outputs_; }
    [[nodiscard]] std::size_t tally_size() const noexcept { return tally_size_; }
    /// Returns derived parameters with their names, for display.
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> parameters() const = 0;

    [[nodiscard]] virtual std::uint64_t sample(std::uint64_t in, BitSource& bits) const = 0;
    /// Returns the exact probability of an output.
    [[nodiscard]] virtual Exact probability(std::uint64_t in, std::uint64_t out) const = 0;
    /// Returns the exact largest likelihood ratio over all pairs of inputs; some output attains it at 0 and
    /// `steps`.
    [[nodiscard]] virtual Exact worst_ratio() const = 0;
    /// Returns the structure from which worst_ratio() follows.
    [[nodiscard]] virtual ChannelLaw channel_law() const = 0;

    /// Add an output below outputs(), at most Payloads::most_cells of them, or another tally. No sum overflows below 2^40 outputs.
    virtual void accumulate(std::byte* tally, std::uint64_t out) const noexcept = 0;
    virtual void accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept {
        for (const std::uint64_t out : outs) accumulate(tally, out);
    }
    /// Counts untrusted outputs. Returns false if one is not below outputs(); the tally may then contain some.
    [[nodiscard]] virtual bool accumulate_all(std::byte* tally, const Payloads& outs) const noexcept {
        return outs.for_each_cells(outputs_,
                                   [&](std::span<const std::uint64_t> some) { accumulate_all(tally, some); });
    }
    virtual void merge(std::byte* tally, const std::byte* other) const noexcept = 0;
    /// Returns whether n ≤ 2^40 outputs can produce this tally.
    [[nodiscard]] virtual bool valid(std::uint64_t n, const std::byte* tally) const noexcept = 0;

    /// Mean input, mean squared input, and n·Var of the mean, all in grid steps.
    struct Moments {
        double mean;
        double mean_square;  ///< NaN if the tally carries no information about it
        double noise;        ///< n·Var given the inputs: the randomizer alone
        double sampling;     ///< n·Var of sampling the inputs from a population
    };
    /// Returns the unbiased first moment of n ≥ 1 inputs and, if the tally permits, the unbiased second
    /// moment. The variances are computed from moments clipped to the possible values. If the second moment
    /// is unknown, all inputs are assumed to be equal; see the channel for the consequences.
    [[nodiscard]] virtual Moments invert(std::uint64_t n, const std::byte* tally) const noexcept = 0;
    /// Returns test statistics of the hypothesis that n ≥ 1 honest outputs produced this tally. The set of
    /// statistics is fixed.
    [[nodiscard]] virtual std::vector<Check> health(std::uint64_t n, const std::byte* tally) const = 0;

    /// The smallest and the largest decoded output.
    struct Reach {
        double least, most;
    };
    [[nodiscard]] virtual Reach reach() const { return {alone(0), alone(outputs_ - 1)}; }
    /// Returns an upper bound of the probability of an output over all inputs.
    [[nodiscard]] virtual double max_probability(std::uint64_t out) const = 0;

    /// Returns n·Var of the mean if every input is s, in squared grid steps.
    [[nodiscard]] virtual double noise_at(double s) const noexcept = 0;
    /// Returns the s at which noise_at() is largest.
    [[nodiscard]] virtual double noisiest() const noexcept = 0;
    /// Returns the average of noise_at() over the grid.
    [[nodiscard]] virtual double average_noise() const noexcept = 0;
    /// Returns `part` times the largest n·Var of the mean over all distributions of inputs, in squared grid steps, if a random
    /// part of the users reports. They are a sample of all users, so the error includes the variance between users. With little
    /// noise, the largest value has users at both ends.
    [[nodiscard]] double most_noise(double part) const noexcept;

  protected:
    NumericChannel(std::uint64_t steps, std::uint64_t outputs, std::size_t tally_size)
        : steps_(steps), outputs_(outputs), tally_size_(tally_size) {}
    NumericChannel(const NumericChannel&) = default;

  private:
    /// Returns the decoded output: the mean input that one output estimates.
    [[nodiscard]] double alone(std::uint64_t out) const;

    std::uint64_t steps_;
    std::uint64_t outputs_;
    std::size_t tally_size_;
};

/// A channel whose noise is a quadratic function of the input, so that it depends on moments only.
class QuadraticChannel : public NumericChannel {
  public:
    /// a·s² + b·s + c, or its mean over inputs with these moments.
    struct Quadratic {
        double a, b, c;
        [[nodiscard]] double operator()(double mean, double mean_square) const noexcept {
            return a * mean_square + b * mean + c;
        }
    };
    [[nodiscard]] const Quadratic& noise() const noexcept { return noise_; }
    [[nodiscard]] double noise_at(double s) const noexcept final { return noise_(s, s * s); }
    /// The noise is symmetric about the middle of the grid.
    [[nodiscard]] double noisiest() const noexcept final {
        return noise_.a < 0 ? static_cast<double>(steps()) / 2 : 0;
    }
    [[nodiscard]] double average_noise() const noexcept final {
        const auto top = static_cast<double>(steps());
        return noise_(top / 2, top * top / 3);
    }

  protected:
    QuadraticChannel(std::uint64_t steps, std::uint64_t outputs, std::size_t tally_size,
                     const Quadratic& noise)
        : NumericChannel(steps, outputs, tally_size), noise_(noise) {}

    /// Returns the result of invert() with this noise. A mean square of NaN is unknown.
    [[nodiscard]] Moments moments(double mean, double mean_square, const Quadratic& noise) const noexcept;

  private:
    Quadratic noise_;
};

/// The point of {0..steps} below or above `position` ∈ [0, steps]. The upper point has a probability equal to
/// the fractional part (to 2^-64), so that rounding is unbiased. It precedes the channel and costs no ε.
struct GridPoint {
    std::uint64_t lower;
    std::uint64_t up;  ///< P(lower + 1) = up / 2^64
    [[nodiscard]] std::uint64_t at(std::uint64_t word) const noexcept { return lower + (word < up ? 1 : 0); }
    [[nodiscard]] std::uint64_t draw(BitSource& bits) const { return lower + (bits.lands(up, 64) ? 1 : 0); }
};
[[nodiscard]] GridPoint grid_point(double position, std::uint64_t steps) noexcept;

}  // namespace ldp

// A number of a grid through an exact channel: what all numeric numeric randomizers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

class Exact;  // exact.hpp

/// Input s ∈ {0..steps} (a point of the declared range cut into `steps` equal parts), output a number below
/// outputs(). Of many outputs a tally of tally_size() bytes is kept, all zero at the start, which tells the
/// mean input without bias.
class NumericChannel {
  public:
    NumericChannel& operator=(const NumericChannel&) = delete;
    virtual ~NumericChannel() = default;

    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
    [[nodiscard]] std::uint64_t inputs() const noexcept { return steps_ + 1; }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return outputs_; }
    [[nodiscard]] std::size_t tally_size() const noexcept { return tally_size_; }
    /// What follows from the parameters, by name, for people to read.
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> parameters() const = 0;

    [[nodiscard]] virtual std::uint64_t sample(std::uint64_t in, BitSource& bits) const = 0;
    /// The exact probability of an output.
    [[nodiscard]] virtual Exact probability(std::uint64_t in, std::uint64_t out) const = 0;
    /// The exact worst likelihood ratio over all pairs of inputs; some output attains it at 0 and `steps`.
    [[nodiscard]] virtual Exact worst_ratio() const = 0;

    /// Adds an output below outputs(), or another tally. No sum overflows below 2^40 outputs.
    virtual void accumulate(std::byte* tally, std::uint64_t out) const noexcept = 0;
    virtual void merge(std::byte* tally, const std::byte* other) const noexcept = 0;
    /// Whether n ≤ 2^40 outputs can have led to this tally.
    [[nodiscard]] virtual bool valid(std::uint64_t n, const std::byte* tally) const noexcept = 0;

    /// Mean input, mean squared input, and n·Var of the mean, all in grid steps.
    struct Moments {
        double mean;
        double mean_square;  ///< NaN if the tally does not tell
        double noise;        ///< n·Var given the inputs: the randomizer alone
        double sampling;     ///< n·Var of drawing the inputs from a population
    };
    /// Unbiased first and, where the tally tells them, second moments of n ≥ 1 inputs. The variances are
    /// those at moments confined to what inputs on {0..steps} can have. Where the second moment is unknown,
    /// all inputs are taken to be equal: see the channel for what that means.
    [[nodiscard]] virtual Moments invert(std::uint64_t n, const std::byte* tally) const noexcept = 0;
    /// Whether n ≥ 1 inputs of any kind can have led to this tally; always the same statistics.
    [[nodiscard]] virtual std::vector<Check> health(std::uint64_t n, const std::byte* tally) const = 0;

    /// What one output by itself makes of the mean input, at least and at most.
    struct Reach {
        double least, most;
    };
    [[nodiscard]] virtual Reach reach() const { return {alone(0), alone(outputs_ - 1)}; }
    /// At least the probability of an output, whatever the input.
    [[nodiscard]] virtual double max_probability(std::uint64_t out) const = 0;

    /// n·Var of the mean when every input is s, in squared grid steps.
    [[nodiscard]] virtual double noise_at(double s) const noexcept = 0;
    /// Where that is largest.
    [[nodiscard]] virtual double noisiest() const noexcept = 0;
    /// What it is on average over the grid.
    [[nodiscard]] virtual double average_noise() const noexcept = 0;
    /// The largest n·Var of the mean of people who may differ, in squared grid steps, times the part of them
    /// who report, drawn by lot: to the others they are a sample. The more they differ the more that is, so
    /// that with little noise those at both ends are the worst.
    [[nodiscard]] double most_noise(double part) const noexcept;

  protected:
    NumericChannel(std::uint64_t steps, std::uint64_t outputs, std::size_t tally_size)
        : steps_(steps), outputs_(outputs), tally_size_(tally_size) {}
    NumericChannel(const NumericChannel&) = default;

  private:
    /// The mean input that an output by itself stands for.
    [[nodiscard]] double alone(std::uint64_t out) const;

    std::uint64_t steps_;
    std::uint64_t outputs_;
    std::size_t tally_size_;
};

/// One whose noise is a quadratic function of the input, so that moments are all it depends on.
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

    /// What invert() returns, under this noise; a mean square of NaN is an unknown one.
    [[nodiscard]] Moments moments(double mean, double mean_square, const Quadratic& noise) const noexcept;

  private:
    Quadratic noise_;
};

/// The point of {0..steps} below or above `position` ∈ [0, steps], above with probability equal to the
/// fractional part (to 2^-64): unbiased, and before the channel, so free of privacy cost.
struct GridPoint {
    std::uint64_t lower;
    std::uint64_t up;  ///< P(lower + 1) = up / 2^64
    [[nodiscard]] std::uint64_t at(std::uint64_t word) const noexcept { return lower + (word < up ? 1 : 0); }
    [[nodiscard]] std::uint64_t draw(BitSource& bits) const { return lower + (bits.lands(up, 64) ? 1 : 0); }
};
[[nodiscard]] GridPoint grid_point(double position, std::uint64_t steps) noexcept;

}  // namespace ldp

// Channels whose first two output moments determine those of the inputs: windows and discrete Laplace noise.
#pragma once

#include "core/channel/numeric.hpp"

namespace ldp {

/// The mean output is an affine function of the input, and the mean squared output a quadratic one. Their
/// averages are inverted exactly on the grid, without a continuous limit. The tally is therefore a sum and a
/// sum of squares.
///
/// tally: Σ output (8 bytes; 16 if there are more than 2^23 outputs), Σ output² (16 bytes)
class MomentChannel : public QuadraticChannel {
  public:
    using QuadraticChannel::accumulate_all;
    void accumulate(std::byte* tally, std::uint64_t out) const noexcept final;
    void accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept final;
    void merge(std::byte* tally, const std::byte* other) const noexcept final;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept final;
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept final {
        return invert(sums(n, tally));
    }
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const final {
        return health(sums(n, tally));
    }

    /// The sums of n outputs in a tally.
    struct Sums {
        double n;
        double outputs;  ///< Σ output
        double squares;  ///< Σ output²
    };
    [[nodiscard]] Moments invert(const Sums& sums) const noexcept;
    [[nodiscard]] std::vector<Check> health(const Sums& sums) const;

  protected:
    /// Outputs are measured from the middle of their range, which avoids cancellation.
    struct Law {
        double slope, offset;  ///< E[output | s] = slope·s + offset
        Quadratic square;      ///< E[output² | s]
    };
    MomentChannel(std::uint64_t steps, std::uint64_t outputs, const Law& law);

    [[nodiscard]] static double middle(std::uint64_t outputs) noexcept {
        return (static_cast<double>(outputs) - 1) / 2;
    }
    /// Returns the standard deviation of an output if the input is an end of the grid.
    [[nodiscard]] double deviation_at_end() const noexcept;

  private:
    /// Return the probability under honest reports that the mean of n outputs, or of their squares, exceeds
    /// the range of its expectation by at least `excess`.
    [[nodiscard]] virtual double mean_beyond(double excess, double n) const = 0;
    [[nodiscard]] virtual double square_beyond(double excess, double n) const = 0;

    struct Averages {
        double output, square;
    };
    [[nodiscard]] Sums sums(std::uint64_t n, const std::byte* tally) const noexcept;
    [[nodiscard]] Averages averages(const Sums& sums) const noexcept;

    Law law_;
    std::size_t sum_size_;
};

}  // namespace ldp

// The window response on a grid: piecewise, pdp and every other member of their family.
#pragma once

#include <vector>

#include "../health.hpp"
#include "../random.hpp"
#include "odds.hpp"

namespace ldp {

/// Input s ∈ {0..steps} (a point of the declared range cut into `steps` equal parts); output one of
/// steps + width cells; the `width` cells from s on have the high weight, the others the low one.
///
/// The mean output is an affine function of s whatever the width, so the estimate of s is unbiased exactly,
/// on the grid, with no continuous limit involved. The card's window "centred at x(b−Δ/2)" is this one with
/// width/(steps+width) = Δ/2b.
class WindowChannel {
  public:
    WindowChannel(std::uint64_t steps, std::uint64_t width, double epsilon, unsigned bits = 64)
        : steps_(steps), width_(width), odds_(odds(epsilon, width, steps, bits)) {}

    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
    [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
    [[nodiscard]] std::uint64_t inputs() const noexcept { return steps_ + 1; }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return steps_ + width_; }
    [[nodiscard]] std::uint64_t total() const noexcept { return width_ * odds_.high + steps_ * odds_.low; }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        return out >= in && out - in < width_ ? odds_.high : odds_.low;
    }
    [[nodiscard]] Odds worst_ratio() const noexcept { return odds_; }

    [[nodiscard]] std::uint64_t sample(std::uint64_t in, BitSource& bits) const {
        const std::uint64_t u = bits.below(total());
        if (u < width_ * odds_.high) return in + u / odds_.high;
        const std::uint64_t other = (u - width_ * odds_.high) / odds_.low;
        return other + (other >= in ? width_ : 0);
    }

    /// Sums of n outputs, as a state keeps them.
    struct Sums {
        double n;
        double outputs;  ///< Σ output
        double squares;  ///< Σ output²
    };
    /// Mean input, mean squared input, and n·Var of the mean, all in grid steps.
    struct Moments {
        double mean;
        double mean_square;
        double noise;     ///< n·Var given the inputs: the randomiser alone
        double sampling;  ///< n·Var of drawing the inputs from a population
    };
    /// Inverts the channel: exact first and second moments of the inputs, unbiased; the second is confined to
    /// what a variable on [0, steps] can have before it enters a variance.
    [[nodiscard]] Moments invert(const Sums& sums) const noexcept;
    /// Whether inputs of any kind can have led to these sums; n ≥ 1.
    [[nodiscard]] std::vector<Check> health(const Sums& sums) const;
    /// n·Var of the mean when every input is s (in squared grid steps).
    [[nodiscard]] double noise_at(double s) const noexcept;

  private:
    struct Affine {
        double slope;
        double offset;
    };
    struct Quadratic {
        double a, b, c;
    };
    [[nodiscard]] Affine mean() const noexcept;            ///< E[output | s]
    [[nodiscard]] Quadratic mean_square() const noexcept;  ///< E[output² | s]

    std::uint64_t steps_;
    std::uint64_t width_;
    Odds odds_;
};

/// The point of {0..steps} below or above `position` ∈ [0, steps], above with probability equal to the
/// fractional part (to 2^-64): unbiased, and before the channel, so free of privacy cost.
struct GridPoint {
    std::uint64_t lower;
    std::uint64_t up;  ///< P(lower + 1) = up / 2^64
    [[nodiscard]] std::uint64_t draw(BitSource& bits) const { return lower + (bits.word() < up ? 1 : 0); }
};
[[nodiscard]] GridPoint grid_point(double position, std::uint64_t steps) noexcept;

}  // namespace ldp

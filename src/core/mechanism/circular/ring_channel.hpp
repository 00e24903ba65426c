// A response on a circle of points: the points of a pattern, turned to the own point, have the high weight.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/circular/ring_design.hpp"

namespace ldp {

/// Channel from k points of a circle to the same points. Bit d of the pattern favours the output d steps after the
/// input. The channel is a circulant matrix, so that each harmonic of the inputs is multiplied by a constant.
class RingChannel {
  public:
    /// Requires a pattern with at least one bit and at least one point without a bit.
    RingChannel(std::uint64_t points, std::uint64_t pattern, double epsilon);

    [[nodiscard]] std::uint64_t points() const noexcept { return points_; }
    [[nodiscard]] std::uint64_t pattern() const noexcept { return pattern_; }
    /// Returns the number of points with the high weight.
    [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
    [[nodiscard]] const Odds& weights() const noexcept { return odds_; }
    [[nodiscard]] std::uint64_t total() const noexcept {
        return width_ * odds_.high + (points_ - width_) * odds_.low;
    }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        const std::uint64_t steps = out >= in ? out - in : out + points_ - in;
        return (pattern_ >> steps & 1) != 0 ? odds_.high : odds_.low;
    }
    [[nodiscard]] double probability(std::uint64_t in, std::uint64_t out) const noexcept {
        return static_cast<double>(weight(in, out)) / static_cast<double>(total());
    }
    [[nodiscard]] std::uint64_t sample(std::uint64_t in, BitSource& bits) const {
        const std::uint64_t steps = order_[bits.pick({odds_.high, width_, odds_.low, points_ - width_})];
        return in + steps < points_ ? in + steps : in + steps - points_;
    }

    using Harmonic = std::complex<double>;
    /// Returns the factor of harmonic m: the mean of e^(2πi·m·output/k) for input 0.
    [[nodiscard]] Harmonic factor(std::uint64_t m) const noexcept { return factors_[m % points_]; }
    /// Returns e^(2πi·j/k).
    [[nodiscard]] Harmonic root(std::uint64_t j) const noexcept { return roots_[j % points_]; }
    /// Returns the term of an output in the unbiased share of a point.
    [[nodiscard]] double term(std::uint64_t point, std::uint64_t out) const noexcept {
        return kernel_[out >= point ? out - point : out + points_ - point];
    }
    /// Returns the terms of each output in the mean of a function of the points, with a value for each point.
    [[nodiscard]] std::vector<double> terms(std::span<const double> function) const;
    /// Returns the law of the outputs for these shares of the points.
    [[nodiscard]] std::vector<double> law(std::span<const double> shares) const;

    /// Returns whether a pattern has between 1 and points − 1 bits, all below `points`, and shares can be estimated.
    [[nodiscard]] static bool valid(std::uint64_t points, std::uint64_t pattern);

  private:
    std::uint64_t points_, pattern_, width_;
    Odds odds_;
    std::array<std::uint8_t, most_ring_points> order_{};  ///< the steps of the pattern, then the other steps
    std::vector<Harmonic> roots_, factors_;
    std::vector<double> kernel_;
};

}  // namespace ldp

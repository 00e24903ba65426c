// Reports that tell how the values of one ordered attribute are distributed.
//
// A *fit* is a distribution: shares of cells that are not negative and add up to 1. It is biased, towards
// smoothness or away from zero, by an amount that nobody knows, so nothing read off it has an error.
//
// *Estimates* are linear in the counts, hence unbiased with a known variance. Where reports tell the shares
// of the points themselves, the mechanism is *sharp*, and that is what estimates are of: a value between two
// points counts as the points that it was placed on. Of others, single points would be hopeless; there the
// estimates are of the distribution as it looks when every person's value is smeared evenly over a stretch,
// the resolution. That holds for every distribution without an assumption; and a smeared quantile is never
// further than half a stretch from the sharp one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/ordered/level_fit.hpp"

namespace ldp {

/// What the randomizer puts into estimates that are linear in a state, if people are distributed in one way:
/// n·Var, the people given.
class OrderedNoise {
  public:
    OrderedNoise() = default;
    OrderedNoise(const OrderedNoise&) = delete;
    OrderedNoise& operator=(const OrderedNoise&) = delete;
    virtual ~OrderedNoise() = default;

    /// Of the mean of a function of the points.
    [[nodiscard]] virtual double of(std::span<const double> function) const = 0;
    /// How far apart two reports put that mean, at most, each by itself; asked for of those that smear.
    [[nodiscard]] virtual double stride(std::span<const double>) const { return 0; }
    /// Of the share of people from point `first` up to, not including, point `end`. Asked for of sharp
    /// mechanisms only, up to once for each point.
    [[nodiscard]] virtual double between(std::size_t first, std::size_t end) const = 0;
    /// Of the mean of a function that is 1 before point `first`, has these values from there on, and is 0
    /// behind them. Sharp mechanisms take steps in proportion to the values, not to the points.
    [[nodiscard]] virtual double falling(std::size_t first, std::span<const double> values) const = 0;
    /// How the errors of that share of the points from `first` up to, not including, `end` depend on what it
    /// truly is, the people inside being distributed as they seem to be, and those outside, too. Not known of
    /// mechanisms that smear. There are points on both sides.
    [[nodiscard]] virtual TruthCurve curve(std::size_t, std::size_t, Target) const { return {}; }
};

/// Its inputs are the points that cut a range into equal steps.
class Ordered : public Capability {
  public:
    static constexpr const char* offers = "the distribution";

    /// How many points there are, two or more.
    [[nodiscard]] virtual std::size_t points() const noexcept = 0;
    /// The attribute's values at the first and the last point; of categories, their numbers.
    [[nodiscard]] virtual Interval ends() const noexcept = 0;
    [[nodiscard]] virtual Distribution fit(const Counts& counts, Smoothing smoothing) const = 0;
    /// The share of people at or below each point, unbiased and linear in the state; n ≥ 1.
    [[nodiscard]] virtual std::vector<double> cumulative(const Counts& counts) const = 0;
    /// The noise in what is read off cumulative(), if these are the shares of the points.
    [[nodiscard]] virtual std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                                                    std::vector<double> shares) const = 0;
    /// The same of very many reports, of which each part of the mechanism got what it is expected to.
    [[nodiscard]] virtual std::unique_ptr<const OrderedNoise> expected_noise(
        std::vector<double> shares) const = 0;
    /// The resolution in steps: even, 2 or more, at most the number of steps or 2; 0 of a sharp mechanism.
    [[nodiscard]] virtual std::uint64_t blur(std::uint64_t n) const noexcept = 0;
};

/// The resolution at which smearing a density of slope at most 16 (of people per squared range) puts the
/// estimate off by at most a quarter of its standard error, if n·Var of a share at resolution 1 is this:
/// in steps, as blur() wants it. The normal distribution of standard deviation 1/8 has slope 15.
[[nodiscard]] std::uint64_t balanced_blur(double n_variance, std::uint64_t n, std::uint64_t steps) noexcept;

}  // namespace ldp

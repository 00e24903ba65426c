// The distribution of one ordered attribute: a fit to look at, and a cumulative distribution and quantiles
// with honest errors. Two readings of the same summary, because no single one is both.
//
// The *fit* is a distribution: shares of cells that are not negative and add up to 1. It is biased, towards
// smoothness or away from zero, by an amount that nobody knows, so nothing read off it has an error.
//
// The *estimates* are linear in the counts, hence unbiased with a known variance. Where a mechanism's reports
// tell the shares of the points themselves, it is *sharp*, and that is what estimates are of: a value between
// two points counts as the points that it was placed on. Of others, single points would be hopeless; there
// the estimates are of the distribution as it looks when every person's value is smeared evenly over a
// stretch, the resolution. That holds for every distribution without an assumption; and a smeared quantile is
// never further than half a stretch from the sharp one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/mechanism/mechanism.hpp"

namespace ldp {

/// What keeps a fit from following the noise. Binomial: each step is followed by averaging neighbouring
/// densities with weights 1, 2, 1 (EMS; Li, Wang et al. 2020). None: plain maximum likelihood. A sharp
/// mechanism's fit takes no such steps and is the same for both.
enum class Smoothing { none, binomial };

/// A distribution over adjoining cells, spread evenly inside each of them.
struct Distribution {
    std::vector<double> edges;   ///< of the cells, ascending, in the attribute's units: one more than shares
    std::vector<double> shares;  ///< of the cells: none negative, sum 1
    unsigned iterations;
    bool converged;  ///< whether the stop rule ended the fit rather than the limit on iterations

    /// The share at or below a value.
    [[nodiscard]] double cdf(double value) const;
    /// The value below which a share lies; 0 ≤ share ≤ 1.
    [[nodiscard]] double quantile(double share) const;
    /// The shares of this many bins of equal width.
    [[nodiscard]] std::vector<double> histogram(std::size_t bins) const;
};

/// What the randomiser puts into estimates that are linear in a state, if people are distributed in one way:
/// n·Var, the people given.
class OrderedNoise {
  public:
    OrderedNoise() = default;
    OrderedNoise(const OrderedNoise&) = delete;
    OrderedNoise& operator=(const OrderedNoise&) = delete;
    virtual ~OrderedNoise() = default;

    /// Of the mean of a function of the points.
    [[nodiscard]] virtual double of(std::span<const double> function) const = 0;
    /// Of the share of people from point `first` up to, not including, point `end`. Asked for of sharp
    /// mechanisms only, up to once for each point.
    [[nodiscard]] virtual double between(std::size_t first, std::size_t end) const = 0;
};

/// What a mechanism offers, beside Mechanism, if its reports tell a distribution: its inputs are the points
/// that cut a range into equal steps, cells()[0] of them.
class OrderedMechanism {
  public:
    OrderedMechanism() = default;
    OrderedMechanism(const OrderedMechanism&) = delete;
    OrderedMechanism& operator=(const OrderedMechanism&) = delete;
    virtual ~OrderedMechanism() = default;

    /// The attribute's values at the first and the last point; of categories, their numbers.
    [[nodiscard]] virtual Interval ends() const = 0;
    [[nodiscard]] virtual Distribution fit(std::uint64_t n, Bytes state, Smoothing smoothing) const = 0;
    /// The share of people at or below each point, unbiased and linear in the state; n ≥ 1.
    [[nodiscard]] virtual std::vector<double> cumulative(std::uint64_t n, Bytes state) const = 0;
    /// The noise in what is read off cumulative(), if these are the shares of the points.
    [[nodiscard]] virtual std::unique_ptr<const OrderedNoise> noise(std::uint64_t n, Bytes state,
                                                                    std::vector<double> shares) const = 0;
    /// The resolution in steps: even, 2 or more, at most the number of steps or 2; 0 of a sharp mechanism.
    [[nodiscard]] virtual std::uint64_t blur(std::uint64_t n) const noexcept = 0;
};

// Questions to a summary. All throw Error: unsupported if its reports tell no distribution, invalid_value if
// there are none or an argument is out of range. -----------------------------------------------------------

[[nodiscard]] Distribution decode(const Mechanism& mechanism, Bytes summary, Smoothing smoothing);

/// The stretch over which the estimates below smear, in the attribute's units; 0 if they are sharp. It
/// follows from the number of reports and the spec alone.
[[nodiscard]] double resolution(const Mechanism& mechanism, Bytes summary);

/// The share of people at or below a value, sharp or smeared; 0 and 1 without error outside the declared
/// range. Near a single value that many people have, or where the distribution begins steeply, the sharp
/// share is another than the smeared one.
[[nodiscard]] Estimate cdf(const Mechanism& mechanism, Bytes summary, double value, Target target);

/// The share of people with low ≤ value ≤ high, sharp or smeared; low ≤ high. Its error is its own, not that
/// of a difference: what both ends have in common cancels.
[[nodiscard]] Estimate share_between(const Mechanism& mechanism, Bytes summary, double low, double high,
                                     Target target);

/// The shares of bins of equal width over the declared range, smeared at the edges between them or, if sharp,
/// with a point on an edge in the upper bin; they add up to 1. 1 ≤ bins ≤ max_bins, and at most as many as
/// points.
inline constexpr std::size_t max_bins = 1000;
[[nodiscard]] std::vector<Estimate> histogram(const Mechanism& mechanism, Bytes summary, std::size_t bins,
                                              Target target);

struct Quantile {
    double value;
    /// Of all values whose cumulative share does not differ significantly from the one asked for. Not
    /// symmetric: it reaches far where few people are. Widened by half the resolution to either side, it
    /// covers the sharp quantile too, of any distribution. Of a sharp mechanism, it reaches from the first to
    /// the last point that may have the share at or below it and less of it below.
    Interval interval;
};
/// The value below which a share lies, 0 < share < 1, smeared; or the first point with that share at or below
/// it.
[[nodiscard]] Quantile quantile(const Mechanism& mechanism, Bytes summary, double share, double confidence,
                                Target target);

// For mechanisms -------------------------------------------------------------------------------------------

/// Fits shares to points from `low` to `high` by repeated improvement, each point's cell reaching half a step
/// to either side (so that the outer cells are halves). `improve` makes one step of expectation and
/// maximisation and returns the log-likelihood per report of what it was given. The fit stops when the
/// log-likelihood of all reports changes by less than 1/1000 (times e^ε without smoothing; the published
/// rule), at the latest after 10000 steps.
[[nodiscard]] Distribution fit_points(Interval ends, std::size_t points, std::uint64_t n, double epsilon,
                                      Smoothing smoothing,
                                      const std::function<double(std::span<double>)>& improve);

/// Fits shares to a sharp mechanism's points: those of the cumulative distribution that does not fall, lies
/// within [0,1], and is nearest to cumulative() by squares, each divided by its variance.
[[nodiscard]] Distribution fit_monotone(const Mechanism& mechanism, std::uint64_t n, Bytes state);
/// A fit as the answer of Mechanism::estimate().
[[nodiscard]] std::vector<Estimate> without_errors(const Distribution& fit);

/// The mean of a function of an ordered mechanism's points over the people, as read off cumulative().
[[nodiscard]] Estimate mean_of(const Mechanism& mechanism, std::uint64_t n, Bytes state,
                               std::span<const double> function, Target target);
/// The share of each point of a sharp mechanism.
[[nodiscard]] std::vector<Estimate> shares_of(const Mechanism& mechanism, std::uint64_t n, Bytes state,
                                              Target target);

/// The resolution at which smearing a density of slope at most 16 (of people per squared range) puts the
/// estimate off by at most a quarter of its standard error, if n·Var of a share at resolution 1 is this:
/// in steps, as blur() wants it. The normal distribution of standard deviation 1/8 has slope 15.
[[nodiscard]] std::uint64_t balanced_blur(double n_variance, std::uint64_t n, std::uint64_t steps) noexcept;

}  // namespace ldp

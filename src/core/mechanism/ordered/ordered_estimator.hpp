// Estimates read off the counts of an ordered mechanism: shares on the left of a place, means of functions,
// quantiles, each with its error.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/mechanism/ordered/ordered.hpp"

namespace ldp {

struct Quantile {
    double value;
    /// Of all values whose cumulative share does not differ significantly from the one asked for. Not
    /// symmetric: it reaches far where few people are. Widened by half the resolution to either side, it
    /// covers the sharp quantile too, of any distribution. Of a sharp mechanism, it reaches from the first to
    /// the last point that may have the share at or below it and less of it below.
    Interval interval;
};

/// A state opened for questions. The mechanism and the state must outlive it.
class Reading {
  public:
    /// `each`: how many of the reports may be one person's, and repeat each other.
    Reading(const Ordered& ordered, const Counts& counts, double each = 1);

    /// What may be expected of n reports, if people are spread over the points like this: estimates are true,
    /// and their errors those that they would have.
    Reading(const Ordered& ordered, std::vector<double> shares, std::uint64_t n);

    [[nodiscard]] bool sharp() const noexcept { return blur_ == 0; }
    /// The stretch over which estimates are smeared, in the attribute's units; 0 if they are sharp.
    [[nodiscard]] double resolution() const noexcept;
    /// The length of the range, in steps from point to point.
    [[nodiscard]] double steps() const noexcept { return static_cast<double>(steps_); }
    /// The attribute's value at a place in steps.
    [[nodiscard]] double value(double at) const;

    /// Places, in steps, with all of the range, none of it, or a part on their left: there the values below
    /// `value`, or those at it as well.
    static constexpr double right_end = std::numeric_limits<double>::max();
    static constexpr double left_end = std::numeric_limits<double>::lowest();
    [[nodiscard]] double before(double value) const;
    [[nodiscard]] double behind(double value) const;

    /// The share of people on the left of one place and not of the other.
    [[nodiscard]] Estimate share(double from, double to, Target target);
    /// The share of people from one point up to, not including, another.
    [[nodiscard]] Estimate between(std::size_t first, std::size_t end, Target target);
    /// The laws of both.
    [[nodiscard]] ErrorLaw law_of_share(double from, double to, Target target);
    [[nodiscard]] ErrorLaw law_between(std::size_t first, std::size_t end, Target target);
    /// The mean of a function of the points over the people.
    [[nodiscard]] Estimate mean_of(std::span<const double> function, Target target);
    /// The value below which a share lies, 0 < share < 1, smeared; or the first point with that share at or
    /// below it. The interval reaches so many standard errors.
    [[nodiscard]] Quantile quantile(double share, double critical_value, Target target);
    /// The value alone, which takes no more than a search.
    [[nodiscard]] double quantile(double share);
    /// Of a sharp mechanism: between the distribution whose cumulative shares are nearest to the estimates by
    /// squares, each divided by its variance, and the one that shrunk_splits() makes of them.
    [[nodiscard]] Distribution fit();

  private:
    /// The place of a value.
    [[nodiscard]] double at(double value) const;
    /// The number of points before a place.
    [[nodiscard]] std::size_t points_below(double place) const;
    /// The share that each point, smeared, has below a place.
    [[nodiscard]] std::vector<double> below(double at) const;
    /// The cumulative share at each point, smeared.
    [[nodiscard]] std::vector<double> smeared();
    /// Points of equal height in a fitted curve.
    struct Pool {
        std::size_t from, to;
        double noisiest;                 ///< the most noise of an estimate in it
        std::optional<double> error[2];  ///< of its height, once it is known: by target
    };
    /// The curve that quantiles are read off. It does not fall; of a sharp mechanism it is the one nearest to
    /// the estimates, by the weights that their variances give them. Made at the first question.
    struct Curve {
        std::vector<double> height, weight;
        std::vector<Pool> pools;  ///< the last point is one by itself
    };
    [[nodiscard]] const Curve& curve();
    /// Of the details of a sharp mechanism, as shrunk_splits() asks for them.
    [[nodiscard]] std::vector<double> split_variances();
    [[nodiscard]] Pool& pool_of(std::size_t point);
    [[nodiscard]] double error_of(Pool& pool, Target target);
    /// Where a share is reached.
    [[nodiscard]] double place_of(double share);
    [[nodiscard]] Interval sharp_interval(double share, std::size_t point, double critical_value,
                                          Target target);
    [[nodiscard]] double error(double noise, double sampling, Target target) const;
    /// Reads the state, at the first question that needs it.
    void read();

    const Ordered& ordered_;
    Counts counts_;
    std::size_t steps_;
    std::uint64_t blur_;
    double each_;
    std::vector<double> cumulative_;  ///< unbiased
    std::vector<double> nearest_;     ///< a cumulative distribution near it
    std::vector<double> shares_;      ///< of that
    std::unique_ptr<const OrderedNoise> noise_;
    Curve curve_;
};

}  // namespace ldp

// Predicted errors of estimates and their sources, from a spec and an assumed distribution of the values. The
// predictions use the closed-form variances of the mechanisms and no random draws.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/mechanism/joint/cross_tables.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// Number of points of a number's range, unless the mechanism has its own points.
inline constexpr std::size_t prediction_points = 1025;

/// Variances of an estimate: of a share, or of a number in squares of unit(), whose own square may overflow.
struct Parts {
    double noise;         ///< of the randomizer, against the people who report
    double sampling;      ///< because the people are a sample of a population
    double smearing = 0;  ///< bias in unit(), because the mechanism smooths the distribution
};

/// Predicted errors of estimates from n people with one report each, n ≥ 1.
class ErrorPrediction {
  public:
    /// `spreads` has the assumed distribution of each attribute: shares with sum 1, over the values of a
    /// category, or over the points_of() a number, from one end of its range to the other. An empty one is
    /// uniform. Attributes are assumed to be independent. Mechanism and attributes belong to one spec, and
    /// must outlive this object.
    ErrorPrediction(const Mechanism& mechanism, const std::vector<Attribute>& attributes,
                    std::vector<std::vector<double>> spreads);

    /// Returns the number of values or points of an attribute's distribution.
    /// Strings of an open domain have two: the string of the query, whose share is 0 by default, and all
    /// others.
    [[nodiscard]] static std::size_t points_of(const Mechanism& mechanism, std::size_t attribute,
                                               const Attribute& asked);

    /// Returns the distribution of an attribute.
    [[nodiscard]] const std::vector<double>& spread(std::size_t attribute) const;

    // All throw Error (unsupported) with a hint if the mechanism does not estimate the quantity.

    /// The share of one value. Values that share a bucket are predicted as their bucket.
    [[nodiscard]] Parts share(std::size_t attribute, std::size_t value, double n) const;
    /// The share of one value in one round of a series. `round` counts from 0; without it, the result is for
    /// the noisiest round.
    [[nodiscard]] Parts share_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                       std::size_t value, double n) const;
    /// The share of people with one value of one attribute and one of another: a cell of `joint`.
    [[nodiscard]] Parts pair(std::pair<std::size_t, std::size_t> attributes,
                             std::pair<std::size_t, std::size_t> values, double n) const;
    /// The share of people with one of the marked values of each of these attributes, in ascending order.
    [[nodiscard]] Parts box(const std::vector<std::size_t>& attributes, const JointShares::Box& box,
                            double n) const;
    /// The mean. If people may leave the number out, `rate` is the share of people who answer.
    [[nodiscard]] Parts mean(std::size_t attribute, double n, double rate = 1) const;
    /// Return the errors of the mean, of the share of a range and of a quantile in one round of a series of
    /// numbers. `round` counts from 0; without it, they are for the round with the largest error of the mean.
    [[nodiscard]] Parts mean_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                      double n) const;
    [[nodiscard]] Parts range_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                       Interval within, double n) const;
    [[nodiscard]] Parts quantile_in_round(std::size_t attribute, std::optional<std::size_t> round,
                                          double share, double n) const;
    /// The variance that rounding to the grid adds to the mean, for values at random positions between two
    /// points: a sixth of a step, squared, for each person.
    [[nodiscard]] double rounding(std::size_t attribute, double n) const;
    /// The share of people within [low, high]: of points, or of whole bins or values of `joint`. `truth` is
    /// the exact share, if it is known; otherwise values are uniform between points. Throws Error
    /// (invalid_value) if an end lies inside a bin.
    [[nodiscard]] Parts range(std::size_t attribute, Interval within, double n,
                              std::optional<double> truth = {}, double rate = 1) const;
    /// The quantile of a share, 0 < share < 1. `truth` and `rate` as above.
    [[nodiscard]] Parts quantile(std::size_t attribute, double share, double n,
                                 std::optional<double> truth = {}, double rate = 1) const;

    /// The unit of an attribute's means and quantiles: half of a number's range; 1 for a category.
    [[nodiscard]] static double unit(const Attribute& attribute) noexcept {
        return attribute.numeric() ? attribute.max / 2 - attribute.min / 2 : 1;
    }

    /// The share of the noise that a memoized response has in common with the first one, 0 to 1. 0 if
    /// responses are not memoized.
    [[nodiscard]] double memoized_part(std::size_t attribute, std::size_t value) const;

  private:
    /// The errors for an attribute that is reported with probability `chance`.
    [[nodiscard]] Parts range_of(const Ordered& ordered, double chance, std::size_t attribute,
                                 Interval within, double n, std::optional<double> truth,
                                 double rate = 1) const;
    [[nodiscard]] Parts quantile_of(const Ordered& ordered, double chance, std::size_t attribute,
                                    double share, double n, std::optional<double> truth,
                                    double rate = 1) const;
    /// Returns `round`, or the round of a series in which the mean has the largest error.
    [[nodiscard]] std::size_t noisiest(std::size_t attribute, std::optional<std::size_t> round) const;
    /// The share of one cell of `joint`.
    [[nodiscard]] Parts cell(const std::vector<std::size_t>& attributes,
                             const std::vector<std::size_t>& values, double n) const;

    const Mechanism& mechanism_;
    const std::vector<Attribute>& attributes_;
    mutable std::vector<std::vector<double>> spreads_;
};

}  // namespace ldp

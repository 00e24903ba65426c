// What can be said of a spec's answers before anybody reports, if it is assumed how people are spread over
// the values: how large errors will be, and where they come from. Nothing here draws at random; every
// mechanism knows the variance of what it does, and this puts it to the questions that are asked.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/mechanism/joint/cross_tables.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/settings.hpp"

namespace ldp {

/// How many points a number's range is looked at in, unless the mechanism has points of its own.
inline constexpr std::size_t prediction_points = 1025;

/// Variances of an answer: of shares, or of numbers in squares of unit(), as whose own squares may be no
/// doubles.
struct Parts {
    double noise;         ///< the randomizer's, against the people who report
    double sampling;      ///< what people bring who are a sample of a population
    double smearing = 0;  ///< how far off the answer is on average, in unit(), because values are smeared
};

/// Answers of n people with one report each, n ≥ 1.
class ErrorPrediction {
  public:
    /// `spreads` has the assumption about each attribute: shares that add up to 1, over the values of a
    /// category, or over the points_of() a number, from one end of its range to the other. An empty one is
    /// even. Attributes are taken to be independent. Mechanism and attributes are of one spec, and must
    /// outlive it.
    ErrorPrediction(const Mechanism& mechanism, const std::vector<Attribute>& attributes,
                    std::vector<std::vector<double>> spreads);

    /// Over how many values or points an attribute's people are spread.
    [[nodiscard]] static std::size_t points_of(const Mechanism& mechanism, std::size_t attribute,
                                               const Attribute& asked);

    /// The assumption about an attribute, made where it was left open.
    [[nodiscard]] const std::vector<double>& spread(std::size_t attribute) const;

    // All throw Error (unsupported) that says what to ask instead, if reports do not tell it.

    /// The share of one value; of a series, in that round (from 0) of which value; of values in buckets, as
    /// far as their spread is that of buckets.
    [[nodiscard]] Parts share(std::size_t attribute, std::size_t value, double n) const;
    /// The same in the noisiest round of a series.
    [[nodiscard]] Parts share_in_worst_round(std::size_t value, double n) const;
    /// The share of those who hold one value of one attribute and one of another: a cell of `joint`.
    [[nodiscard]] Parts pair(std::pair<std::size_t, std::size_t> attributes,
                             std::pair<std::size_t, std::size_t> values, double n) const;
    /// The share of those who hold one of the values marked of each of these attributes, ascending.
    [[nodiscard]] Parts box(const std::vector<std::size_t>& attributes, const JointShares::Box& box,
                            double n) const;
    /// The mean.
    [[nodiscard]] Parts mean(std::size_t attribute, double n) const;
    /// What rounding numbers to the grid adds to the noise of the mean, at random places between two points:
    /// a sixth of a step, squared, for each person.
    [[nodiscard]] double rounding(std::size_t attribute, double n) const;
    /// The share of people within [low, high]: of points, or of whole bins or values of `joint`. `truth` is
    /// what it is, if that is known better than by a spread that is even between points. Throws Error
    /// (invalid_value) if an end lies inside a bin.
    [[nodiscard]] Parts range(std::size_t attribute, Interval within, double n,
                              std::optional<double> truth = {}) const;
    /// The value below which a share lies, 0 < share < 1. `truth` as above.
    [[nodiscard]] Parts quantile(std::size_t attribute, double share, double n,
                                 std::optional<double> truth = {}) const;

    /// What means and quantiles of an attribute are measured in: half a number's range; 1 of a category.
    [[nodiscard]] static double unit(const Attribute& attribute) noexcept {
        return attribute.numeric() ? attribute.max / 2 - attribute.min / 2 : 1;
    }

    /// Which part of the noise a second answer from memory has in common with the first one, 0 to 1. 0 if
    /// the spec remembers nothing.
    [[nodiscard]] double memoized_part(std::size_t attribute, std::size_t value) const;

  private:
    /// The share of the people in a box of cells of `joint`.
    /// That of one cell.
    [[nodiscard]] Parts cell(const std::vector<std::size_t>& attributes,
                             const std::vector<std::size_t>& values, double n) const;

    const Mechanism& mechanism_;
    const std::vector<Attribute>& attributes_;
    mutable std::vector<std::vector<double>> spreads_;
};

}  // namespace ldp

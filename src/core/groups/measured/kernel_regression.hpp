// Nonparametric regression of a private number on a public column: the mean of the number as a function of the column.
//
// A design point is a value of the public column with the estimated mean of the people at that value. The curve at x is a
// weighted sum of these means (Priestley, Chao 1972): the weight of a design point is its share of the axis times the
// Epanechnikov kernel of its distance from x. Here a quadratic polynomial of the distance corrects the weights. The weighted
// sum then reproduces every quadratic curve exactly, also at the ends of the design (Fan, Gijbels 1996).
//
// The bandwidth is chosen for weights that reproduce straight lines only, by an unbiased estimate of the mean squared error
// at the design points (Mallows 1973). The noise of the means is known, so no other quantity has to be
// estimated. The curve uses 0.65 times this bandwidth and the quadratic weights. Its bias is of a smaller order
// than the standard error (Calonico, Cattaneo, Farrell 2018). Intervals therefore need no bound of the bias. The
// true curve must have two continuous derivatives.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// A value of the public column, and the mean of the people with this value.
struct DesignPoint {
    double x;       ///< the value of the column
    Estimate mean;  ///< the estimated mean and its standard error
    double n;       ///< number of reports, at least 1
};

/// The curve at one point.
struct CurvePoint {
    Estimate estimate;   ///< unknown if fewer than three design points are within the bandwidth
    double n;            ///< number of reports within the bandwidth
    std::size_t points;  ///< number of design points within the bandwidth
};

class KernelRegression {
  public:
    static constexpr std::size_t most_points = 4096;  ///< upper limit of the number of design points
    static constexpr std::size_t fewest_points = 4;   ///< lower limit of the number of design points
    /// The smallest number of design points from which a bandwidth is chosen. Fewer points do not show how much a curve
    /// bends between them.
    static constexpr std::size_t fewest_smoothed = 12;

    /// Prepares the curve. A bandwidth of 0 is chosen from the reports; it stays 0 with fewer than fewest_smoothed design
    /// points. Throws Error (invalid_value) for a number of
    /// design points outside its limits, for equal or non-finite x, and for a negative or non-finite bandwidth.
    KernelRegression(std::vector<DesignPoint> points, double bandwidth);

    /// Returns the bandwidth: the largest distance of design points that have a weight. 0 if the curve is not smoothed.
    [[nodiscard]] double bandwidth() const noexcept { return bandwidth_; }
    /// Returns the design points in ascending order of x.
    [[nodiscard]] std::span<const DesignPoint> points() const noexcept { return points_; }
    /// Returns the curve at x. Without smoothing, it is known at design points only, where it is the mean of the point.
    [[nodiscard]] CurvePoint at(double x) const;

  private:
    /// The weights at x of the design points from `first` on; none if too few points are within the bandwidth.
    struct KernelWeights {
        std::size_t first = 0, points = 0;
        std::vector<double> weights = {};
    };
    /// Returns weights that reproduce polynomials of this degree: 1 or 2.
    [[nodiscard]] KernelWeights weights(double x, double bandwidth, int degree) const;
    [[nodiscard]] double smallest_bandwidth() const;
    [[nodiscard]] double chosen_bandwidth() const;
    /// Replaces each squared error by the squared error of one report at the neighbouring points, divided by
    /// the number of reports.
    void pool_errors();

    std::vector<DesignPoint> points_;
    std::vector<double> widths_;     ///< the share of the axis of each point
    std::vector<double> variances_;  ///< squared standard errors of the means
    double bandwidth_;
};

}  // namespace ldp

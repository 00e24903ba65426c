#include "core/groups/measured/kernel_regression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"

namespace ldp {

namespace {

/// Number of bandwidths that are compared.
constexpr int bandwidths = 24;
/// The bandwidth of the curve, relative to the one of the smallest estimated error: undersmoothing makes the bias small.
constexpr double undersmoothing = 0.65;

/// Coefficients c with Σ c_k·m_{i+k} = (1, 0, …) for the moments m: the solution of a small symmetric system by elimination
/// with pivots. Returns false if the system is singular.
template <std::size_t size>
bool solve_moments(const std::array<double, 5>& moments, std::array<double, 3>& coefficients) {
    double rows[size][size + 1];
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < size; ++k) rows[i][k] = moments[i + k];
        rows[i][size] = i == 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < size; ++i) {
        std::size_t pivot = i;
        for (std::size_t r = i + 1; r < size; ++r)
            if (std::abs(rows[r][i]) > std::abs(rows[pivot][i])) pivot = r;
        // The moments are those of distances of at most 1, with a sum of weights of 1.
        if (!(std::abs(rows[pivot][i]) > 1e-10)) return false;
        std::swap(rows[i], rows[pivot]);
        for (std::size_t r = 0; r < size; ++r) {
            if (r == i) continue;
            const double factor = rows[r][i] / rows[i][i];
            for (std::size_t k = i; k <= size; ++k) rows[r][k] -= factor * rows[i][k];
        }
    }
    coefficients = {};
    for (std::size_t i = 0; i < size; ++i) coefficients[i] = rows[i][size] / rows[i][i];
    return true;
}

}  // namespace

KernelRegression::KernelRegression(std::vector<DesignPoint> points, double bandwidth)
    : points_(std::move(points)), bandwidth_(bandwidth) {
    if (points_.size() < fewest_points || points_.size() > most_points)
        raise(ErrorCode::invalid_value,
              "a kernel regression needs " + std::to_string(fewest_points) + " to " +
                  std::to_string(most_points) + " design points",
              "Found " + std::to_string(points_.size()) + ".",
              "Divide the public column into more, or fewer, values.");
    if (!(std::isfinite(bandwidth) && bandwidth >= 0))
        raise(ErrorCode::invalid_value, "the bandwidth must be a finite number of at least 0",
              "Found " + shortest(bandwidth) + ".", "Use 0 to choose the bandwidth from the reports.");
    for (const DesignPoint& point : points_)
        if (!std::isfinite(point.x))
            raise(ErrorCode::invalid_value, "a design point must be a finite number",
                  "Found " + shortest(point.x) + ".");
    std::ranges::sort(points_, {}, &DesignPoint::x);
    const auto twice = std::ranges::adjacent_find(points_, {}, &DesignPoint::x);
    if (twice != points_.end())
        raise(ErrorCode::invalid_value, "two design points are equal",
              "The value " + shortest(twice->x) + " occurs twice.", "Merge their summaries.");
    const std::size_t count = points_.size();
    for (std::size_t j = 0; j < count; ++j) {
        const double before = points_[j == 0 ? 0 : j - 1].x, after = points_[std::min(j + 1, count - 1)].x;
        // The outer points have the distance to their neighbour, as if the design continued.
        widths_.push_back(j == 0 || j + 1 == count ? after - before : (after - before) / 2);
        variances_.push_back(square(points_[j].mean.standard_error));
    }
    pool_errors();
    if (bandwidth_ == 0 && count >= fewest_smoothed) bandwidth_ = chosen_bandwidth();
}

KernelRegression::KernelWeights KernelRegression::weights(double x, double bandwidth, int degree) const {
    const auto begin = std::ranges::upper_bound(points_, x - bandwidth, {}, &DesignPoint::x),
               end = std::ranges::lower_bound(points_, x + bandwidth, {}, &DesignPoint::x);
    KernelWeights found{static_cast<std::size_t>(begin - points_.begin()),
                        end > begin ? static_cast<std::size_t>(end - begin) : 0};
    if (found.points < 3) return found;
    // Distances in units of the largest one keep the system well conditioned for any bandwidth.
    const double unit = std::max(x - begin->x, std::prev(end)->x - x);
    std::array<double, 5> moments = {};
    for (std::size_t i = 0; i < found.points; ++i) {
        const double distance = points_[found.first + i].x - x;
        found.weights.push_back(widths_[found.first + i] * (1 - square(distance / bandwidth)));
        double power = found.weights.back();
        for (double& moment : moments) {
            moment += power;
            power *= distance / unit;
        }
    }
    const double sum = moments[0];
    for (double& moment : moments) moment /= sum;
    std::array<double, 3> coefficients;
    if (!(degree == 1 ? solve_moments<2>(moments, coefficients) : solve_moments<3>(moments, coefficients))) {
        found.weights.clear();
        return found;
    }
    for (std::size_t i = 0; i < found.points; ++i) {
        const double distance = (points_[found.first + i].x - x) / unit;
        found.weights[i] *=
            (coefficients[0] + distance * (coefficients[1] + distance * coefficients[2])) / sum;
    }
    return found;
}

// The four nearest design points of each point are within this distance.
double KernelRegression::smallest_bandwidth() const {
    const std::size_t count = points_.size();
    double smallest = 0;
    for (std::size_t j = 0; j < count; ++j) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t first = j < 3 ? 0 : j - 3; first <= j && first + 3 < count; ++first)
            nearest = std::min(
                nearest, std::max(points_[j].x - points_[first].x, points_[first + 3].x - points_[j].x));
        smallest = std::max(smallest, nearest);
    }
    // The kernel is 0 at the bandwidth itself.
    return 1.01 * smallest;
}

// Σ (curve − mean)² + 2·Σ own weight·variance has the expectation of Σ (curve − true mean)² + Σ variance. Its minimum is at a small
// bandwidth by chance if large ones fit as well. The largest bandwidth within one standard error of the minimum is stable.
double KernelRegression::chosen_bandwidth() const {
    const double smallest = smallest_bandwidth();
    const double largest = std::max(smallest, points_.back().x - points_.front().x);
    struct BandwidthRisk {
        double bandwidth, risk;
    };
    std::vector<BandwidthRisk> tried;
    double least = std::numeric_limits<double>::infinity(), tolerance = 0;
    Work work;
    for (int i = 0; i < bandwidths; ++i) {
        const double bandwidth = smallest * std::pow(largest / smallest, i / (bandwidths - 1.0));
        double risk = 0, spread = 0;
        for (std::size_t j = 0; j < points_.size(); ++j) {
            const KernelWeights found = weights(points_[j].x, bandwidth, 1);
            work.done(10 * found.points + 1);
            double curve = 0;
            for (std::size_t k = 0; k < found.weights.size(); ++k)
                curve += found.weights[k] * points_[found.first + k].mean.value;
            const double own = found.weights.empty() ? 1 : found.weights[j - found.first];
            risk += square(curve - points_[j].mean.value) + 2 * own * variances_[j];
            spread += 2 * own * square(variances_[j]);
        }
        tried.push_back({bandwidth, risk});
        if (risk >= least) continue;
        least = risk;
        tolerance = std::sqrt(spread);
    }
    double chosen = smallest;
    for (const auto& [bandwidth, risk] : tried)
        if (risk <= least + tolerance) chosen = bandwidth;
    return std::max(smallest, undersmoothing * chosen);
}

// The squared error of a mean of few reports is itself an estimate, which is correlated with the mean, and n/(n − 1) times too
// small. The variance of a report changes slowly along the curve.
void KernelRegression::pool_errors() {
    const double radius = bandwidth_ > 0 ? bandwidth_ : (points_.back().x - points_.front().x) / 4;
    std::vector<double> pooled;
    Work work;
    for (const DesignPoint& point : points_) {
        const auto begin = std::ranges::lower_bound(points_, point.x - radius, {}, &DesignPoint::x),
                   end = std::ranges::upper_bound(points_, point.x + radius, {}, &DesignPoint::x);
        double sum = 0, degrees = 0;
        for (auto near = begin; near != end; ++near, work.done()) {
            sum += square(near->n * near->mean.standard_error);
            degrees += near->n - 1;
        }
        pooled.push_back(degrees > 0 ? sum / degrees / point.n : unknown);
    }
    variances_ = std::move(pooled);
}

CurvePoint KernelRegression::at(double x) const {
    if (bandwidth_ == 0) {
        const auto own = std::ranges::find(points_, x, &DesignPoint::x);
        if (own == points_.end()) return {{unknown, unknown}, 0, 0};
        const double variance = variances_[static_cast<std::size_t>(own - points_.begin())];
        return {{own->mean.value, std::sqrt(variance)}, own->n, 1};
    }
    const KernelWeights found = weights(x, bandwidth_, 2);
    CurvePoint curve{{unknown, unknown}, 0, found.points};
    for (std::size_t i = 0; i < found.points; ++i) curve.n += points_[found.first + i].n;
    if (found.weights.empty()) return curve;
    double value = 0, variance = 0;
    for (std::size_t i = 0; i < found.points; ++i) {
        value += found.weights[i] * points_[found.first + i].mean.value;
        variance += square(found.weights[i]) * variances_[found.first + i];
    }
    curve.estimate = {value, std::sqrt(variance)};
    return curve;
}

}  // namespace ldp

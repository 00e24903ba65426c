#include "core/plan/quantile_error.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "core/base/interrupt.hpp"
#include "core/math/monotone.hpp"

namespace ldp {

namespace {

constexpr std::size_t most_points = 128, curves = 1500;

/// Normal numbers by Box and Muller (1958), so that they are the same everywhere.
class Normals {
  public:
    double operator()() {
        const double radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * std::numbers::pi * uniform();
        return radius * std::cos(angle);
    }

  private:
    double uniform() { return std::ldexp(static_cast<double>(engine_() >> 11) + 0.5, -53); }

    std::mt19937_64 engine_;
};

}  // namespace

double quantile_error(Reading& reading, std::span<const double> cumulative, double share, double place,
                      double off, Target target) {
    constexpr double far = 6;       // standard errors: what lies beyond never crosses the share
    constexpr double at_least = 8;  // points, where noise is less than the rounding
    const double last = reading.steps() - 1;
    const double reach = std::max(far * off, at_least);
    const double first = std::clamp(std::floor(place - reach), 0.0, last);
    const double end = std::clamp(std::ceil(place + reach), first, last);
    const double stride = std::floor((end - first) / static_cast<double>(most_points)) + 1;

    std::vector<std::size_t> points;
    for (double s = first; s <= end; s += stride) points.push_back(static_cast<std::size_t>(s));
    const auto count = static_cast<Eigen::Index>(points.size());
    const auto variance = [&](std::size_t from, std::size_t to) {
        const double error = reading.between(from, to, target).standard_error;
        return error * error;
    };
    std::vector<double> weights;
    Eigen::MatrixXd covariance(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const std::size_t s = points[static_cast<std::size_t>(i)];
        covariance(i, i) = variance(0, s + 1);
        weights.push_back(1 / std::max(reading.between(0, s + 1, Target::sample).standard_error, 1e-12));
        weights.back() *= weights.back();
        check_interrupt();
        for (Eigen::Index j = 0; j < i; ++j)
            covariance(i, j) = covariance(j, i) = (covariance(i, i) + covariance(j, j) -
                                                   variance(points[static_cast<std::size_t>(j)] + 1, s + 1)) /
                                                  2;
    }
    // Rounding may have left the diagonal a little short.
    const Eigen::MatrixXd diagonal = covariance.diagonal().asDiagonal();
    Eigen::LLT<Eigen::MatrixXd> factor;
    double more = 1e-9;
    while (factor.compute(covariance + more * diagonal).info() != Eigen::Success && more < 1) more *= 10;
    const Eigen::MatrixXd root = factor.matrixL();

    Normals normal;
    Eigen::VectorXd draws(count);
    std::vector<double> curve(points.size());
    double squares = 0;
    for (std::size_t drawn = 0; drawn < curves; ++drawn) {
        check_interrupt();
        for (double& draw : draws) draw = normal();
        const Eigen::VectorXd noise = root * draws;
        for (std::size_t i = 0; i < points.size(); ++i)
            curve[i] = cumulative[points[i]] + noise[static_cast<Eigen::Index>(i)];
        const std::vector<double> height = monotone(curve, weights);
        const auto reached = static_cast<double>(std::ranges::lower_bound(height, share) - height.begin());
        // Any of the points that this one stands for may be the first.
        const double off_place = first + stride * reached - (stride - 1) / 2 - place;
        squares += off_place * off_place;
    }
    return std::sqrt(squares / static_cast<double>(curves));
}

}  // namespace ldp

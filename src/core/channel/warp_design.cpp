#include "core/channel/warp_design.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace ldp {

namespace {

using Vector = std::array<double, Warp::most_knots>;
using Matrix = std::array<Vector, Warp::most_knots>;

/// A positive definite system of up to most_knots equations, solved for several right-hand sides.
class Cholesky {
  public:
    Cholesky(Matrix matrix, std::size_t size) : factor_(matrix), size_(size) {
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double left = factor_[i][j];
                for (std::size_t k = 0; k < j; ++k) left -= factor_[i][k] * factor_[j][k];
                factor_[i][j] = i == j ? std::sqrt(left) : left / factor_[j][j];
            }
    }
    [[nodiscard]] Vector solve(Vector x) const noexcept {
        for (std::size_t i = 0; i < size_; ++i) {
            for (std::size_t k = 0; k < i; ++k) x[i] -= factor_[i][k] * x[k];
            x[i] /= factor_[i][i];
        }
        for (std::size_t i = size_; i-- > 0;) {
            for (std::size_t k = i + 1; k < size_; ++k) x[i] -= factor_[k][i] * x[k];
            x[i] /= factor_[i][i];
        }
        return x;
    }

  private:
    Matrix factor_;
    std::size_t size_;
};

double dot(const Vector& a, const Vector& b) noexcept {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector times(const Matrix& matrix, const Vector& x) noexcept {
    Vector product{};
    std::ranges::transform(matrix, product.begin(), [&](const Vector& row) { return dot(row, x); });
    return product;
}

/// sum += weight·a·bᵀ
void add(Matrix& sum, double weight, const Vector& a, const Vector& b) noexcept {
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < b.size(); ++k) sum[i][k] += weight * a[i] * b[k];
}

void add(Matrix& sum, double weight, const Matrix& matrix) noexcept {
    for (std::size_t i = 0; i < sum.size(); ++i)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[i][k] += weight * matrix[i][k];
}

/// Decoded values are linear in those of the knots, r. A position has a mean decoded value m·r, its location,
/// and a mean square rᵀSr. The program finds the best r with a mean of 1 at the last position. Unused knots
/// are 0 everywhere.
class Program {
  public:
    Program(unsigned width, double epsilon);

    [[nodiscard]] Vector least_worst() const;
    [[nodiscard]] Vector least_average() const;

  private:
    /// Returns the r with matrix·r = linear plus a multiple of the last position's m that gives r the
    /// required mean there: the constrained minimum of a quadratic function.
    [[nodiscard]] Vector solve(const Matrix& matrix, const Vector& linear, double mean_at_last) const;

    std::size_t knots_;
    Vector even_{};                // equidistant decoded values
    std::vector<Vector> means_;    // m, by position
    std::vector<Matrix> squares_;  // S
};

Program::Program(unsigned width, double epsilon) {
    const std::vector<Warp::Knot> knots = Warp::knots(width);
    knots_ = knots.size();
    constexpr std::size_t outputs = Warp::outputs;
    std::vector<Vector> decoded_values(outputs);
    for (std::size_t i = 0; i < knots_; ++i) {
        const std::size_t from = knots[i].output, to = knots[i].joined ? knots[i + 1].output : from + 1;
        for (std::size_t j = from; j < to; ++j) {
            const double part = static_cast<double>(j - from) / static_cast<double>(to - from);
            decoded_values[j][i] = 1 - part;
            if (part > 0) decoded_values[j][i + 1] = part;
        }
    }
    for (std::size_t j = 0; j < outputs / 2; ++j)
        std::ranges::transform(decoded_values[outputs - 1 - j], decoded_values[j].begin(), std::negate());

    const auto [high, low] = odds(epsilon, width, outputs - width);
    const double total = static_cast<double>(width) * static_cast<double>(high) +
                         static_cast<double>(outputs - width) * static_cast<double>(low);
    const double base = static_cast<double>(low) / total, tilt = static_cast<double>(high - low) / total;
    Vector mean{};
    Matrix square{};
    const auto count = [&](std::size_t output, double weight) {
        for (std::size_t i = 0; i < knots_; ++i) mean[i] += weight * decoded_values[output][i];
        add(square, weight, decoded_values[output], decoded_values[output]);
    };
    for (std::size_t j = 0; j < outputs; ++j) count(j, j < width ? base + tilt : base);
    means_.push_back(mean);
    squares_.push_back(square);
    for (std::size_t j = 0; j + width < outputs; ++j) {
        count(j, -tilt);
        count(j + width, tilt);
        means_.push_back(mean);
        squares_.push_back(square);
    }
    const std::size_t middle = outputs / 2;
    for (std::size_t i = 0; i < knots_; ++i)
        even_[i] = static_cast<double>(knots[i].output) - static_cast<double>(middle);
    const double scale = dot(means_.back(), even_);
    for (double& each : even_) each /= scale;
}

Vector Program::solve(const Matrix& matrix, const Vector& linear, double mean_at_last) const {
    const Vector& last = means_.back();
    const Cholesky factor(matrix, knots_);
    Vector r = factor.solve(linear);
    const Vector across = factor.solve(last);
    const double more = (mean_at_last - dot(last, r)) / dot(last, across);
    for (std::size_t i = 0; i < knots_; ++i) r[i] += more * across[i];
    return r;
}

// The barrier method: the minimum of μ·t − Σ ln(t − Var) over r and t is at most (places / μ) above the
// smallest worst-case variance. Newton's steps follow it while μ grows. The function is self-concordant, so
// that a step of 1/(1 + decrement) stays in its domain. By symmetry, the lower half of the positions
// suffices.
//
// With s = t − Var and g = ∇Var, t's row of the Hessian is (−Σ g/s², Σ 1/s²); it is eliminated.
Vector Program::least_worst() const {
    std::vector<Matrix> variances(squares_.begin(),
                                  squares_.begin() + static_cast<std::ptrdiff_t>((squares_.size() + 1) / 2));
    for (std::size_t u = 0; u < variances.size(); ++u) add(variances[u], -1, means_[u], means_[u]);
    Vector r = even_;
    double t = 0;
    for (const Matrix& variance : variances) t = std::max(t, 1.5 * dot(r, times(variance, r)));
    const auto places = static_cast<double>(variances.size());
    constexpr double precision = 1e-6;
    for (double mu = places / t; mu * t * precision < places; mu *= 16)
        for (double decrement = 1; decrement > 0.01;) {
            Matrix hessian{};
            Vector slope{}, cross{};
            double slope_t = mu, curve_t = 0;
            for (const Matrix& variance : variances) {
                Vector gradient = times(variance, r);
                const double weight = 1 / (t - dot(r, gradient));
                for (double& each : gradient) each *= 2 * weight;
                add(hessian, 2 * weight, variance);
                add(hessian, 1, gradient, gradient);
                for (std::size_t i = 0; i < knots_; ++i) {
                    slope[i] += gradient[i];
                    cross[i] -= gradient[i] * weight;
                }
                slope_t -= weight;
                curve_t += weight * weight;
            }
            add(hessian, -1 / curve_t, cross, cross);
            Vector downhill{};
            for (std::size_t i = 0; i < knots_; ++i) downhill[i] = cross[i] * slope_t / curve_t - slope[i];
            const Vector step = solve(hessian, downhill, 0);
            const double step_t = -(slope_t + dot(cross, step)) / curve_t;
            decrement = std::sqrt(std::max(0.0, -dot(slope, step) - slope_t * step_t));
            for (std::size_t i = 0; i < knots_; ++i) r[i] += step[i] / (1 + decrement);
            t += step_t / (1 + decrement);
        }
    return r;
}

// The mean square E is linear between positions x, so that its integral over the range is Σ E·(x_{i+1} −
// x_{i−1})/2. Let w be these differences as weights, and d the differences of E. At the minimum, Σ w·S·r − Σ
// m·d/2 is a multiple of the last position's m. Both depend on r, and a fixed-point iteration with half steps
// converges.
Vector Program::least_average() const {
    const std::size_t places = means_.size();
    Vector r = even_;
    for (int round = 0; round < 40; ++round) {
        std::vector<double> x(places), squares(places);
        for (std::size_t u = 0; u < places; ++u) {
            x[u] = dot(means_[u], r);
            squares[u] = dot(r, times(squares_[u], r));
        }
        Matrix matrix{};
        Vector linear{};
        for (std::size_t u = 0; u < places; ++u) {
            const std::size_t before = u == 0 ? 0 : u - 1, after = std::min(u + 1, places - 1);
            add(matrix, x[after] - x[before], squares_[u]);
            const double difference = squares[after] - squares[before];
            for (std::size_t i = 0; i < knots_; ++i) linear[i] += means_[u][i] * difference / 2;
        }
        const Vector settled = solve(matrix, linear, 1);
        for (std::size_t i = 0; i < knots_; ++i) r[i] = (r[i] + settled[i]) / 2;
    }
    return r;
}

/// The best width at some ε for either aim. Linear interpolation between them is accurate to less than one
/// output.
struct Best {
    double epsilon, worst, average;
};
constexpr Best widths[] = {{0.75, 47, 47}, {0.9, 46.6, 42}, {1, 45.6, 40}, {1.5, 40.3, 35}, {2, 37, 32},
                           {3, 31, 25},    {4, 25, 19},     {5, 19.4, 15}, {6, 15, 11},     {7, 11.3, 8.4},
                           {8, 8, 6},      {10, 4, 3},      {12, 3, 2}};

unsigned best_width(double epsilon, WarpAim aim) {
    const auto of = [aim](const Best& best) { return aim == WarpAim::worst ? best.worst : best.average; };
    const Best* const above = std::ranges::upper_bound(widths, epsilon, {}, &Best::epsilon);
    if (above == std::begin(widths)) return static_cast<unsigned>(of(widths[0]));
    if (above == std::end(widths)) return static_cast<unsigned>(of(above[-1]));
    const double part = (epsilon - above[-1].epsilon) / (above->epsilon - above[-1].epsilon);
    return static_cast<unsigned>(std::lround(of(above[-1]) + part * (of(*above) - of(above[-1]))));
}

/// Returns the objective of a warp.
double cost(const Warp& warp, double epsilon, WarpAim aim) {
    const WarpedChannel channel(2, warp, epsilon);
    return aim == WarpAim::worst ? channel.noise_at(channel.noisiest()) : channel.average_noise();
}

// Only ratios of decoded values matter. Among the scales that fit into bytes and use most of their range, the
// function chooses the one with the smallest rounding loss.
Warp designed(double epsilon, WarpAim aim) {
    const unsigned width = best_width(epsilon, aim);
    const Program program(width, epsilon);
    const Vector exact = aim == WarpAim::worst ? program.least_worst() : program.least_average();
    const double greatest = std::ranges::max(exact);
    Warp best;
    double least = std::numeric_limits<double>::infinity();
    for (int top = 255; top > 230; --top) {
        Warp warp{static_cast<std::uint8_t>(width), {}};
        std::ranges::transform(exact, warp.decoded_values.begin(), [&](double reading) {
            return static_cast<std::uint8_t>(std::lround(std::max(0.0, reading) / greatest * top));
        });
        if (!warp.valid()) continue;
        if (const double found = cost(warp, epsilon, aim); found < least) least = found, best = warp;
    }
    return best;
}

}  // namespace

// Memoized, since a record needs the same warp for each of its numbers.
Warp design_warp(double epsilon, WarpAim aim) {
    struct Last {
        double epsilon;
        WarpAim aim;
        Warp warp;
    };
    static thread_local Last last{0, WarpAim::worst, {}};
    if (last.epsilon != epsilon || last.aim != aim) last = {epsilon, aim, designed(epsilon, aim)};
    return last.warp;
}

}  // namespace ldp

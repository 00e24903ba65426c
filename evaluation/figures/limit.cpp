#include "limit.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace evaluation {

namespace {

/// By symmetry an output counts together with its mirror image, and the inputs from 0 up are enough. Of each
/// there is a row for the sum of probabilities, 1; for the bias, 0; and for the variance, at most t.
class Program {
  public:
    Program(double epsilon, std::size_t inputs)
        : ratio_(std::exp(epsilon)),
          inputs_(static_cast<Eigen::Index>(inputs)),
          furthest_(3 / std::tanh(epsilon / 2)) {}

    [[nodiscard]] double solve();

  private:
    using Vector = Eigen::VectorXd;

    [[nodiscard]] double input(Eigen::Index i) const noexcept {
        return static_cast<double>(i) / static_cast<double>(inputs_ - 1);
    }
    [[nodiscard]] Eigen::Index rows() const noexcept { return 3 * inputs_; }
    /// What an output of this reading adds to the reduced cost per probability under input ±i.
    [[nodiscard]] double price(const Vector& dual, Eigen::Index i, double sign,
                               double reading) const noexcept {
        const double off = sign * reading - input(i);
        return -dual[i] - dual[inputs_ + i] * off - dual[2 * inputs_ + i] * off * off;
    }
    /// The least reduced cost of any output of this reading.
    [[nodiscard]] double price(const Vector& dual, double reading) const noexcept {
        double sum = 0;
        for (Eigen::Index i = 0; i < inputs_; ++i)
            for (const double sign : {1.0, -1.0}) {
                const double each = price(dual, i, sign, reading);
                sum += each < 0 ? ratio_ * each : each;
            }
        return sum;
    }
    [[nodiscard]] Vector column(const Vector& dual, double reading) const {
        Vector column = Vector::Zero(rows());
        for (Eigen::Index i = 0; i < inputs_; ++i)
            for (const double sign : {1.0, -1.0}) {
                const double off = sign * reading - input(i);
                const double weight = price(dual, i, sign, reading) < 0 ? ratio_ : 1;
                column[i] += weight;
                column[inputs_ + i] += weight * off;
                column[2 * inputs_ + i] += weight * off * off;
            }
        return column;
    }
    [[nodiscard]] double best_reading(const Vector& dual) const;

    double ratio_;
    Eigen::Index inputs_;
    double furthest_;
};

// The reduced cost is a few parabolas wide: a coarse look, then finer ones around the least.
double Program::best_reading(const Vector& dual) const {
    double best = 0, least = price(dual, 0), from = 0, step = furthest_ / 1000;
    int steps = 1000;
    for (int look = 0; look < 4; ++look) {
        for (int i = 0; i <= steps; ++i) {
            const double reading = from + i * step;
            if (const double found = price(dual, reading); found < least) least = found, best = reading;
        }
        from = best - step;
        step /= 10;
        steps = 20;
    }
    return best;
}

// The simplex method, revised: only the basis and its inverse are kept. It begins with a slack for each
// variance, and a variable for each other row that is made too expensive to stay. Right-hand sides are moved
// by less than anybody sees, so that no two rows run out at once.
double Program::solve() {
    constexpr double dear = 1e6;
    const Eigen::Index m = rows();
    Eigen::MatrixXd basis = Eigen::MatrixXd::Identity(m, m), inverse = basis;
    Vector cost = Vector::Zero(m), right(m);
    cost.head(2 * inputs_).setConstant(dear);
    for (Eigen::Index i = 0; i < m; ++i)
        right[i] = (i < inputs_ ? 1 : 0) + 1e-8 * (1 + std::fmod(static_cast<double>(i) * 0.6180339887, 1.0));
    Vector limit = Vector::Zero(m);  // t's column
    limit.tail(inputs_).setConstant(-1);
    Vector values = right;
    for (int step = 1; step < 100000; ++step) {
        if (step % 100 == 0) {
            inverse = basis.inverse();
            values = inverse * right;
        }
        const Vector dual = inverse.transpose() * cost;
        const double reading = best_reading(dual);
        const double improved = price(dual, reading), by_limit = 1 - dual.dot(limit);
        const double value = cost.dot(values);
        // Probabilities of an output and its mirror image add up to at most 1, so that none could gain more.
        if (std::min(improved, by_limit) > -1e-5 * value && by_limit > -1e-9) return value + improved;
        const bool takes_limit = by_limit < improved;
        Vector entering = limit;
        if (!takes_limit) entering = column(dual, reading);
        const Vector change = inverse * entering;
        Eigen::Index leaving = -1;
        double least = 0;
        for (Eigen::Index i = 0; i < m; ++i) {
            if (change[i] <= 1e-11) continue;
            const double length = std::max(values[i], 0.0) / change[i];
            if (leaving < 0 || length < least) least = length, leaving = i;
        }
        if (leaving < 0) throw std::logic_error("the limit has no end");
        values -= least * change;
        values[leaving] = least;
        basis.col(leaving) = entering;
        cost[leaving] = takes_limit ? 1 : 0;
        const Eigen::RowVectorXd pivot = inverse.row(leaving) / change[leaving];
        inverse -= change * pivot;
        inverse.row(leaving) = pivot;
    }
    throw std::logic_error("the limit was not found");
}

}  // namespace

double least_worst_variance(double epsilon, std::size_t inputs) {
    return Program(epsilon, inputs).solve();
}

}  // namespace evaluation

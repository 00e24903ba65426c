#include "core/summary/queries/ibu.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

// The log-likelihood Σ c_v log θ_v + (1 − c_v) log(1 − θ_v) per report. c_v is the share of reports that
// support v, and θ_v = q + (p − q)x_v is its expectation. Supports of different values are treated as
// independent. The function is concave. Values with equal estimates have equal frequencies throughout and
// form one level.
class Climb {
  public:
    Climb(std::span<const double> estimates, const PureProtocol& protocol)
        : protocol_(protocol), gain_(protocol.p - protocol.q) {
        std::vector<double> sorted(estimates.begin(), estimates.end());
        Work work;
        std::ranges::sort(sorted, [&](double a, double b) {
            work.done();
            return a < b;
        });
        even_ = 1 / static_cast<double>(sorted.size());
        const auto begins = [&](std::size_t i) { return i == 0 || sorted[i] != sorted[i - 1]; };
        std::size_t distinct = 0;
        for_each_index(sorted.size(), [&](std::size_t i) { distinct += begins(i); });
        levels_.reserve(distinct);
        for_each_index(sorted.size(), [&](std::size_t i) {
            if (begins(i))
                levels_.push_back({sorted[i], std::clamp(expectation(sorted[i]), 0.0, 1.0), even_});
            ++levels_.back().values;
        });
    }

    // Computes the maximum directly, since expectation maximization converges in steps of a k-th of the
    // distance. At the maximum, all positive x_v have the same derivative ν(p − q). Each θ_v then solves a
    // quadratic equation, and ν is found by root search so that the x_v sum to 1.
    void to_the_top() {
        // Solves θ − c + νθ(1 − θ) = 0 by the form of the root that avoids cancellation.
        const auto at = [&](double c, double nu) {
            const double half = std::sqrt(std::max(0.0, (1 + nu) * (1 + nu) - 4 * nu * c));
            const double theta = nu > -1 ? 2 * c / (1 + nu + half) : (1 + nu - half) / (2 * nu);
            return std::max(0.0, (theta - protocol_.q) / gain_);
        };
        const auto excess = [&](double nu) {
            long double sum = 0;
            each([&](const SupportLevel& level) { sum += level.values * at(level.share, nu); });
            return static_cast<double>(sum - 1);
        };
        // At ν = 1/q even a value that all reports support has frequency 0. At ν = −1/(1 − p) even a value
        // that no report supports has frequency 1.
        std::uintmax_t steps = 200;
        const auto [low, high] =
            boost::math::tools::toms748_solve(excess, -1 / (1 - protocol_.p), 1 / protocol_.q,
                                              boost::math::tools::eps_tolerance<double>(50), steps);
        const double root = (low + high) / 2;
        each([&](SupportLevel& level) { level.frequency = at(level.share, root); });
        normalise();
    }

    // Starts at equal shares and stops when the squared error rises, as estimated by Stein (1981). A later
    // decrease is usually noise and is ignored.
    void until_error_rises(double n) {
        constexpr int most_steps = 400;  // the last step is at 10^15 times the first
        std::vector<double> before(levels_.size());
        double least = estimated_error(n), time = 0;
        for (int step = 0; step < most_steps; ++step) {
            const double steepest = look_around();
            if (!(steepest > 0)) break;
            const double length = growth * (step == 0 ? 1 / steepest : time);
            time += length;
            for_each_index(before.size(), [&](std::size_t i) { before[i] = levels_[i].frequency; });
            advance(length);
            const double error = estimated_error(n);
            if (!(error < least)) {
                for_each_index(before.size(), [&](std::size_t i) { levels_[i].frequency = before[i]; });
                break;
            }
            least = error;
        }
    }

    [[nodiscard]] std::vector<double> frequencies(std::span<const double> estimates) {
        // Neither rounding nor long steps may change the order of the values.
        double least = 0;
        each([&](SupportLevel& level) { least = level.frequency = std::max(least, level.frequency); });
        normalise();
        std::vector<double> found(estimates.size());
        for_each_index(found.size(), [&](std::size_t v) {
            found[v] =
                std::ranges::lower_bound(levels_, estimates[v], {}, &SupportLevel::estimate)->frequency;
        });
        return found;
    }

  private:
    // Step length as a fraction of the elapsed time.
    static constexpr double growth = 0.1;

    struct SupportLevel {
        double estimate;
        double share;  // share of the reports that support a value
        double frequency;
        double values = 0;
        double slope = 0, bend = 0;  // first and negated second derivative of the log-likelihood
        double response = 0;         // derivative of the logarithm of the frequency by the estimate
        double weight = 0;           // change of the frequency by a unit of slope
    };

    [[nodiscard]] double expectation(double frequency) const noexcept {
        return protocol_.q + gain_ * frequency;
    }

    template <class Body>
    void each(Body body) {
        for_each_index(levels_.size(), [&](std::size_t i) { body(levels_[i]); });
    }

    void normalise() {
        long double sum = 0;
        each([&](const SupportLevel& level) { sum += level.values * level.frequency; });
        each([&](SupportLevel& level) {
            level.frequency = sum > 0 ? static_cast<double>(level.frequency / sum) : even_;
        });
    }

    /// Computes the derivatives and returns the largest distance of a derivative from their mean.
    double look_around() {
        double mean = 0, farthest = 0;
        each([&](SupportLevel& level) {
            const double theta = expectation(level.frequency), c = level.share;
            level.slope = gain_ * (c - theta) / (theta * (1 - theta));
            level.bend = gain_ * gain_ * (c / (theta * theta) + (1 - c) / ((1 - theta) * (1 - theta)));
            mean += level.values * level.frequency * level.slope;
        });
        each([&](const SupportLevel& level) { farthest = std::max(farthest, std::abs(level.slope - mean)); });
        return farthest;
    }

    // A step of expectation maximization multiplies x_v by 1 + (g_v − Σ x_w g_w)/k, where g_v is the
    // derivative by x_v. Such small steps follow the flow d log x_v/dt = g_v − ν for a time of 1/k, where ν
    // preserves the sum. Components that still change at time t change at a rate of about 1/t, so that step
    // lengths may grow in proportion to t. Implicit steps do not overshoot at components that have converged.
    void advance(double length) {
        weights_ = 0;
        double bias = 0;
        each([&](SupportLevel& level) {
            level.weight = level.frequency / (1 + length * level.bend * level.frequency);
            weights_ += level.values * level.weight;
            bias += level.values * level.weight * level.slope;
        });
        each([&](SupportLevel& level) {
            const double x = level.frequency, theta = expectation(x);
            const double time = length / (1 + length * level.bend * x);
            level.response +=
                time * (gain_ * gain_ / (theta * (1 - theta)) - level.bend * x * level.response);
            level.frequency *= std::exp(std::min(1.0, time * (level.slope - bias / weights_)));
        });
        normalise();
    }

    // Returns Σ (x_v − y_v)² + 2 Var y_v · ∂x_v/∂y_v up to terms independent of x_v. The y_v are the
    // estimates, with the target sample. The derivative was carried along with the steps; ν depends on y_v,
    // too.
    double estimated_error(double n) {
        double sum = 0;
        each([&](const SupportLevel& level) {
            const double x = level.frequency, away = x - level.estimate;
            const double follows = x * level.response * (1 - level.weight / weights_);
            sum += level.values * (away * away + 2 * protocol_.n_variance(x) / n * follows);
        });
        return sum;
    }

    PureProtocol protocol_;
    double gain_;
    double even_;
    double weights_ = 1;                // total weight of all values
    std::vector<SupportLevel> levels_;  // in ascending order
};

}  // namespace

std::vector<double> ibu(std::span<const double> estimates, const PureProtocol& protocol) {
    Climb climb(estimates, protocol);
    climb.to_the_top();
    return climb.frequencies(estimates);
}

std::vector<double> ibu_early(std::span<const double> estimates, const PureProtocol& protocol,
                              std::uint64_t n) {
    Climb climb(estimates, protocol);
    climb.until_error_rises(static_cast<double>(n));
    return climb.frequencies(estimates);
}

}  // namespace ldp

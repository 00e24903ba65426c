#include "core/groups/measured/smoothed_series.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/groups/measured/normal_mixture.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// What the smoother finds at one point in time, given the variance of the steps.
struct SmoothedState {
    double value, variance;  ///< of level and season
    double season;
    double jump;              ///< the square of the estimated jump in its standard errors
    double jump_information;  ///< the inverse of the variance of the estimated jump
};

/// Kalman filter and smoother of a level and season coefficients. The coefficients of the first period − 1 phases are free, that of the
/// last is minus their sum. The initial state has a variance so large that it does not matter.
class LevelSmoother {
  public:
    LevelSmoother(std::span<const TimedEstimate> estimates, std::size_t period)
        : estimates_(estimates), period_(period), states_(std::max<std::size_t>(period, 1)) {
        points_ = estimates.back().time + 1;
        double sum = 0, square_sum = 0, errors = 0;
        for (const TimedEstimate& one : estimates) sum += one.value, errors += one.variance;
        const auto count = static_cast<double>(estimates.size());
        center_ = sum / count;
        for (const TimedEstimate& one : estimates) square_sum += square(one.value - center_);
        error_ = errors / count;
        start_ = 1e6 * std::max(error_, square_sum / count);
        const std::size_t whole = points_ * states_;
        means_.resize(whole), variances_.resize(whole * states_), gains_.resize(whole);
        innovations_.resize(points_), spreads_.resize(points_), phases_.resize(states_);
        jumps_.resize(points_);
        covariance_.resize(states_ * states_), mean_.resize(states_);
        score_.resize(states_), information_.resize(states_ * states_), product_.resize(states_);
    }
    [[nodiscard]] std::size_t points() const noexcept { return points_; }
    [[nodiscard]] double typical_error() const noexcept { return std::sqrt(error_); }

    /// Lets the level jump by any size at a point in time, or not.
    void jump_at(std::size_t t, bool jumps = true) { jumps_[t] = jumps; }
    [[nodiscard]] bool jumps_at(std::size_t t) const { return jumps_[t]; }

    /// Returns the logarithm of the likelihood of a variance of the steps, except for a constant.
    double filter(double steps) {
        std::ranges::fill(mean_, 0.0);
        std::ranges::fill(covariance_, 0.0);
        for (std::size_t i = 0; i < states_; ++i) covariance_[i * states_ + i] = start_;
        double logarithm = 0;
        const TimedEstimate* next = estimates_.data();
        const TimedEstimate* const end = next + estimates_.size();
        for (std::size_t t = 0; t < points_; ++t) {
            work_.done(states_ * states_);
            if (t > 0) covariance_[0] += jumps_[t] ? start_ : steps;
            std::ranges::copy(mean_, means_.begin() + static_cast<std::ptrdiff_t>(t * states_));
            std::ranges::copy(covariance_,
                              variances_.begin() + static_cast<std::ptrdiff_t>(t * states_ * states_));
            spreads_[t] = 0;
            if (next == end || next->time != t) continue;
            set_phases(t);
            double* const gain = &gains_[t * states_];
            double spread = next->variance, expected = 0;
            for (std::size_t i = 0; i < states_; ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < states_; ++j) sum += covariance_[i * states_ + j] * phases_[j];
                gain[i] = sum;
                spread += sum * phases_[i];
                expected += mean_[i] * phases_[i];
            }
            const double innovation = next->value - center_ - expected;
            for (std::size_t i = 0; i < states_; ++i) {
                mean_[i] += gain[i] * innovation / spread;
                for (std::size_t j = 0; j < states_; ++j)
                    covariance_[i * states_ + j] -= gain[i] * gain[j] / spread;
            }
            spreads_[t] = spread;
            innovations_[t] = innovation;
            logarithm -= (std::log(spread / error_) + square(innovation) / spread) / 2;
            ++next;
        }
        return logarithm;
    }
    /// Returns the states after filter(), from the last point in time to the first, through visit(t, state).
    template <class Visit>
    void smooth(Visit visit) {
        std::ranges::fill(score_, 0.0);
        std::ranges::fill(information_, 0.0);
        for (std::size_t t = points_; t-- > 0;) {
            work_.done(2 * states_ * states_);
            set_phases(t);
            if (spreads_[t] > 0) observe(t);
            visit(t, state_at(t));
        }
    }

  private:
    /// The factors of the states in the estimate at a point in time.
    void set_phases(std::size_t t) noexcept {
        phases_[0] = 1;
        const std::size_t phase = t % std::max<std::size_t>(period_, 1);
        for (std::size_t i = 1; i < states_; ++i)
            phases_[i] = phase + 1 == states_ ? -1 : phase + 1 == i ? 1 : 0;
    }
    /// Adds the estimate at t to score and information: r = z·v/F + L′r, N = zz′/F + L′NL with L = 1 − K·z′.
    void observe(std::size_t t) noexcept {
        const double* const gain = &gains_[t * states_];
        const double spread = spreads_[t];
        double along = 0, twice = 0;
        for (std::size_t i = 0; i < states_; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < states_; ++j) sum += information_[i * states_ + j] * gain[j];
            product_[i] = sum / spread;
            along += gain[i] * score_[i] / spread;
            twice += gain[i] * sum / square(spread);
        }
        for (std::size_t i = 0; i < states_; ++i) {
            score_[i] += phases_[i] * (innovations_[t] / spread - along);
            for (std::size_t j = 0; j < states_; ++j)
                information_[i * states_ + j] += phases_[i] * phases_[j] * (1 / spread + twice) -
                                                 phases_[i] * product_[j] - product_[i] * phases_[j];
        }
    }
    [[nodiscard]] SmoothedState state_at(std::size_t t) noexcept {
        const double* const mean = &means_[t * states_];
        const double* const covariance = &variances_[t * states_ * states_];
        SmoothedState found{center_, 0, 0, information_[0] > 0 ? square(score_[0]) / information_[0] : 0,
                            information_[0]};
        for (std::size_t i = 0; i < states_; ++i) {
            double moved = mean[i], sum = 0;
            for (std::size_t j = 0; j < states_; ++j) {
                moved += covariance[i * states_ + j] * score_[j];
                sum += covariance[i * states_ + j] * phases_[j];
            }
            product_[i] = sum;
            found.value += phases_[i] * moved;
            found.variance += phases_[i] * sum;
            if (i > 0) found.season += phases_[i] * moved;
        }
        for (std::size_t i = 0; i < states_; ++i)
            for (std::size_t j = 0; j < states_; ++j)
                found.variance -= product_[i] * information_[i * states_ + j] * product_[j];
        found.variance = std::max(found.variance, 0.0);
        return found;
    }

    std::span<const TimedEstimate> estimates_;
    std::size_t period_, states_, points_ = 0;
    double center_ = 0, error_ = 0, start_ = 0;
    std::vector<double> means_, variances_, gains_, innovations_, spreads_;  // of each point in time
    std::vector<double> mean_, covariance_, phases_, score_, information_, product_;
    std::vector<bool> jumps_;
    Work work_;
};

/// The results at one assumed standard deviation of the steps.
struct AssumedSteps {
    double log_density;
    std::vector<SmoothedState> states = {};

    /// The same if there is a jump at a point in time, with a uniform prior of its size.
    [[nodiscard]] double log_density_of_jump(std::size_t t) const noexcept {
        const SmoothedState& state = states[t];
        return log_density + (state.jump - std::log(std::max(state.jump_information, 1e-300))) / 2;
    }
};

/// The distribution of the standard deviation of the steps at the points of a grid.
std::vector<AssumedSteps> steps_of(LevelSmoother& smoother) {
    constexpr std::size_t coarse_points = 16, points = 24;
    constexpr double negligible = 10;
    // The deviation is a tenth of the typical error times u/(1 − u), so that u is between 0 and 1.
    const auto at = [&](std::size_t index, std::size_t count, double low, double high) {
        const double u = std::lerp(low, high,
                                   (static_cast<double>(index) + 0.5) / static_cast<double>(count)),
                     deviation = smoother.typical_error() / 10 * u / (1 - u);
        AssumedSteps found{smoother.filter(square(deviation)) - 2 * std::log1p(-u)};
        found.states.resize(smoother.points());
        smoother.smooth([&](std::size_t t, const SmoothedState& state) { found.states[t] = state; });
        return found;
    };
    std::vector<AssumedSteps> coarse, fine;
    for (std::size_t i = 0; i < coarse_points; ++i) coarse.push_back(at(i, coarse_points, 0, 1));
    // The second grid has the range that matters, with a jump at any point in time or without.
    std::size_t first = coarse_points - 1, last = 0;
    for (std::size_t t = 0; t < smoother.points(); ++t) {
        const auto density = [&](const AssumedSteps& one) {
            return t == 0 ? one.log_density : one.log_density_of_jump(t);
        };
        double most = -HUGE_VAL;
        for (const AssumedSteps& one : coarse) most = std::max(most, density(one));
        for (std::size_t i = 0; i < coarse_points; ++i)
            if (density(coarse[i]) > most - negligible) first = std::min(first, i), last = std::max(last, i);
    }
    const double low = static_cast<double>(first == 0 ? 0 : first - 1) / coarse_points,
                 high = static_cast<double>(std::min(last + 2, coarse_points)) / coarse_points;
    for (std::size_t i = 0; i < points; ++i) fine.push_back(at(i, points, low, high));
    return fine;
}

/// The p-value of a jump at a point in time. The steps are those that are probable if there is a jump of any size at this point.
double p_value_of_jump(const std::vector<AssumedSteps>& grid, std::size_t t) {
    double most = -HUGE_VAL, weights = 0, tails = 0;
    for (const AssumedSteps& one : grid) most = std::max(most, one.log_density_of_jump(t));
    for (const AssumedSteps& one : grid) {
        const double weight = std::exp(one.log_density_of_jump(t) - most);
        weights += weight;
        tails += weight * two_sided(std::sqrt(one.states[t].jump));
    }
    return std::min(1.0, tails / weights);
}

/// The results of a series at a grid of steps, with the probability of this grid among others.
struct WeighedGrid {
    double probability;
    std::vector<AssumedSteps> grid;
    std::vector<double> parts = {};  ///< the probabilities of the grid's steps; they add up to 1

    WeighedGrid(double of_all, std::vector<AssumedSteps> steps)
        : probability(of_all), grid(std::move(steps)) {
        const double top = std::ranges::max_element(grid, {}, &AssumedSteps::log_density)->log_density;
        double sum = 0;
        for (const AssumedSteps& one : grid) sum += parts.emplace_back(std::exp(one.log_density - top));
        for (double& part : parts) part /= sum;
    }
};

/// The day of a jump is uncertain by some days: returns the series with this jump at each point where it is probable, up to half
/// of the way to the other jumps. The smoother has the jump again afterwards.
std::vector<WeighedGrid> with_jump_about(LevelSmoother& smoother, std::size_t jump, std::size_t first,
                                         std::size_t last) {
    constexpr std::size_t farthest = 10;
    constexpr double negligible = 0.01;
    first = std::max(first, jump - std::min(jump - 1, farthest));
    last = std::min(last, jump + farthest);
    smoother.jump_at(jump, false);
    const std::vector<AssumedSteps> without = steps_of(smoother);
    std::vector<double> densities;
    double top = -HUGE_VAL, sum = 0;
    for (const AssumedSteps& one : without)
        for (std::size_t t = first; t <= last; ++t) top = std::max(top, one.log_density_of_jump(t));
    for (std::size_t t = first; t <= last; ++t) {
        double density = 0;
        for (const AssumedSteps& one : without) density += std::exp(one.log_density_of_jump(t) - top);
        sum += densities.emplace_back(density);
    }
    std::vector<WeighedGrid> found;
    double kept = 0;
    for (std::size_t t = first; t <= last; ++t) {
        const double probability = densities[t - first] / sum;
        if (t != jump && probability < negligible) continue;
        smoother.jump_at(t);
        found.emplace_back(probability, steps_of(smoother));
        smoother.jump_at(t, false);
        kept += probability;
    }
    for (WeighedGrid& one : found) one.probability /= kept;
    smoother.jump_at(jump);
    return found;
}

}  // namespace

std::vector<SmoothedPoint> smoothed_series(std::span<const TimedEstimate> estimates, std::size_t period,
                                           const Interval& truths, double confidence) {
    constexpr double most_alarms = 0.05;
    LevelSmoother smoother(estimates, period);
    const std::size_t points = smoother.points();
    std::vector<double> p_values(points, unknown);  // those of jumps before the series was smoothed with them
    std::vector<AssumedSteps> grid;
    Work work;
    for (std::size_t jumps = 0;; ++jumps) {
        grid = steps_of(smoother);
        std::size_t first = 0;
        for (std::size_t t = 1; t < points; ++t) {
            work.done(100 * grid.size());
            if (smoother.jumps_at(t)) continue;
            p_values[t] = p_value_of_jump(grid, t);
            if (first == 0 || p_values[t] < p_values[first]) first = t;
        }
        if (jumps == max_jumps || first == 0 ||
            !(p_values[first] * static_cast<double>(points - 1) < most_alarms))
            break;
        smoother.jump_at(first);
    }
    std::vector<std::size_t> jumps;
    for (std::size_t t = 1; t < points; ++t)
        if (smoother.jumps_at(t)) jumps.push_back(t);
    const auto possible = [&](double value) { return std::clamp(value, truths.lower, truths.upper); };
    std::vector<SmoothedPoint> found(points);
    NormalMixture mixture;
    const auto put = [&](std::size_t t, const std::vector<WeighedGrid>& all) {
        mixture.parts.clear();
        double season = 0;
        for (const WeighedGrid& one : all)
            for (std::size_t i = 0; i < one.grid.size(); ++i) {
                work.done(100);
                const double probability = one.probability * one.parts[i];
                const SmoothedState& state = one.grid[i].states[t];
                mixture.parts.push_back({probability, state.value, std::sqrt(state.variance)});
                season += probability * state.season;
            }
        const Estimate moments = mixture.moments();
        found[t] = {{possible(moments.value), moments.standard_error},
                    {possible(mixture.quantile((1 - confidence) / 2, moments)),
                     possible(mixture.quantile((1 + confidence) / 2, moments))},
                    season,
                    p_values[t],
                    smoother.jumps_at(t)};
    };
    if (jumps.empty()) {
        std::vector<WeighedGrid> all;
        all.emplace_back(1, std::move(grid));
        for (std::size_t t = 0; t < points; ++t) put(t, all);
        return found;
    }
    // Each point has the uncertainty of the nearest jump.
    for (std::size_t j = 0, begin = 0; j < jumps.size(); ++j) {
        const std::size_t end = j + 1 < jumps.size() ? (jumps[j] + jumps[j + 1] + 1) / 2 : points;
        const std::vector<WeighedGrid> all =
            with_jump_about(smoother, jumps[j], std::max<std::size_t>(begin, 1), end - 1);
        for (std::size_t t = begin; t < end; ++t) put(t, all);
        begin = end;
    }
    return found;
}

}  // namespace ldp

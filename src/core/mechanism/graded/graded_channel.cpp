#include "core/mechanism/graded/graded_channel.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

/// A weight of exp(−vanishing) is below 2^-62, with room for a row's sum.
constexpr double vanishing = 60;

[[noreturn]] void refuse(const char* detail) {
    raise(ErrorCode::invalid_spec, "epsilon cannot be spent on these utilities", detail,
          "Give each value the greatest utility for itself, and less to those that are further from it.");
}

/// The worst log-ratio of the probabilities of an output under two inputs, at a scale. No utility is
/// positive, and each row has one of 0.
double worst_log_ratio(const std::vector<double>& utilities, std::size_t k, double scale) {
    std::vector<double> most(k, -std::numeric_limits<double>::infinity()),
        least(k, std::numeric_limits<double>::infinity());
    Work work;
    for (auto row = utilities.begin(); row != utilities.end(); row += static_cast<std::ptrdiff_t>(k)) {
        work.done(4 * k);
        double sum = 0;
        for (std::size_t y = 0; y < k; ++y) sum += std::exp(scale * row[static_cast<std::ptrdiff_t>(y)]);
        const double log_sum = std::log(sum);
        for (std::size_t y = 0; y < k; ++y) {
            const double log = scale * row[static_cast<std::ptrdiff_t>(y)] - log_sum;
            most[y] = std::max(most[y], log);
            least[y] = std::min(least[y], log);
        }
    }
    double worst = 0;
    for (std::size_t y = 0; y < k; ++y) worst = std::max(worst, most[y] - least[y]);
    return worst;
}

/// A scale at which it is ε, or so little less that a double hardly tells.
double scale_for(const std::vector<double>& utilities, std::size_t k, double epsilon) {
    const double widest = -std::ranges::min(utilities);
    if (widest == 0) refuse("All are equal.");
    const auto left = [&](double scale) { return worst_log_ratio(utilities, k, scale) - epsilon; };
    double low = 0, high = epsilon / widest;
    while (left(high) <= 0) {
        low = high, high *= 2;
        if (high * widest > vanishing) refuse("They hardly tell the values apart.");
    }
    std::uintmax_t evaluations = 100;
    return boost::math::tools::toms748_solve(left, low, high, boost::math::tools::eps_tolerance<double>(50),
                                             evaluations)
        .first;
}

}  // namespace

GradedChannel::GradedChannel(std::uint64_t k, double epsilon, const Utility& utility)
    : k_(k), sums_(k * k), extremes_(k) {
    std::vector<double> utilities(k * k);
    Work work;
    for (std::uint64_t in = 0; in < k; ++in, work.done(k)) {
        double greatest = utility(in, 0);
        for (std::uint64_t out = 0; out < k; ++out)
            greatest = std::max(greatest, utilities[in * k + out] = utility(in, out));
        for (std::uint64_t out = 0; out < k; ++out) utilities[in * k + out] -= greatest;
    }
    // Whole numbers are off by a little: what is too much at the very scale is not at one a little less.
    const double scale = scale_for(utilities, k, epsilon);
    for (double less = 0x1p-50; less < 0x1p-10; less *= 4)
        if (fill(utilities, scale * (1 - less), epsilon)) return;
    refuse("An output would come with a probability below 2^-62.");
}

bool GradedChannel::fill(const std::vector<double>& utilities, double scale, double epsilon) {
    // Room for what the sum of a row's probabilities is off by.
    const double below_one = 1 - std::ldexp(static_cast<double>(k_), -51);
    std::ranges::fill(extremes_, Odds{0, whole});
    std::vector<std::uint64_t> weights(k_);
    std::vector<double> parts(k_);
    Work work;
    for (std::uint64_t in = 0; in < k_; ++in, work.done(4 * k_)) {
        double sum = 0;
        for (std::uint64_t out = 0; out < k_; ++out)
            sum += parts[out] = std::exp(scale * utilities[in * k_ + out]);
        std::uint64_t left = whole;
        for (std::uint64_t out = 0; out < k_; ++out) {
            weights[out] = static_cast<std::uint64_t>(std::ldexp(parts[out] / sum * below_one, 62));
            left -= weights[out];
        }
        *std::ranges::max_element(weights) += left;
        std::uint64_t up_to = 0;
        for (std::uint64_t out = 0; out < k_; ++out) {
            sums_[in * k_ + out] = up_to += weights[out];
            extremes_[out].high = std::max(extremes_[out].high, weights[out]);
            extremes_[out].low = std::min(extremes_[out].low, weights[out]);
        }
    }
    return std::ranges::all_of(extremes_, [&](const Odds& each) { return keeps(epsilon, each); });
}

Odds GradedChannel::worst_ratio() const noexcept {
    return *std::ranges::max_element(extremes_, [](const Odds& a, const Odds& b) {
        return Uint128{a.high} * b.low < Uint128{b.high} * a.low;
    });
}

}  // namespace ldp

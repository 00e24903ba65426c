#include "dependent_people.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "core/base/text.hpp"
#include "core/channel/numeric.hpp"
#include "core/choice/resolve.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/summary.hpp"

namespace evaluation {

namespace {

using ldp::simulation::SeededBits;

double laplace(double scale, SeededBits& bits) {
    const double size = -scale * std::log1p(-bits.uniform());
    return bits.uniform() < 0.5 ? size : -size;
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The number of bins of this width that cover ±bound.
std::size_t bins(double width) {
    return std::max<std::size_t>(2, static_cast<std::size_t>(std::ceil(2 * bound / width)));
}

std::size_t bin_of(double value, double width) {
    const double bin = std::floor((value + bound) / width);
    return static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(bins(width) - 1)));
}

std::string number_spec(const char* mechanism, double epsilon) {
    return std::string(R"({"mechanism": ")") + mechanism + R"(", "min": -1, "max": 1, "epsilon": )" +
           ldp::shortest(epsilon) + "}";
}

}  // namespace

double normal(SeededBits& bits) {
    return std::sqrt(-2 * std::log1p(-bits.uniform())) * std::cos(2 * std::numbers::pi * bits.uniform());
}

std::vector<double> autoregression(std::size_t count, double mean, double deviation, double next,
                                   SeededBits& bits) {
    std::vector<double> values;
    double now = normal(bits);
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(mean + deviation * now);
        now = next * now + std::sqrt(1 - next * next) * normal(bits);
    }
    return values;
}

double concentration(std::size_t n, double deviation) {
    constexpr double chance = 0.05;
    return deviation * std::sqrt(2 * std::log(2 * static_cast<double>(n) / chance));
}

SharedMechanism::SharedMechanism(const std::string& spec)
    : mechanism_(ldp::make_mechanism(ldp::resolve(spec))) {}

std::vector<std::byte> SharedMechanism::summary_of(std::span<const ldp::Cell> values,
                                                   ldp::BitSource& bits) const {
    std::vector<std::byte> summary(ldp::summary_size(*mechanism_));
    ldp::start_summary(*mechanism_, summary);
    for (const ldp::Cell& value : values)
        if (ldp::accumulate(*mechanism_, summary, mechanism_->perturb({&value, 1}, bits)) != ldp::Outcome::ok)
            throw std::logic_error("a summary refused an honest report");
    return summary;
}

std::vector<std::byte> SharedMechanism::summary(std::span<const double> values, ldp::BitSource& bits) const {
    const std::uint64_t steps = mechanism_->cells()[0] - 1;
    std::vector<ldp::Cell> cells;
    for (const double value : values)
        cells.push_back(
            ldp::grid_point((std::clamp(value, -1.0, 1.0) + 1) / 2 * static_cast<double>(steps), steps)
                .draw(bits));
    return summary_of(cells, bits);
}

double central_mean(std::span<const double> values, const Setting& setting, SeededBits& bits) {
    const auto n = static_cast<double>(values.size());
    const double width = 2 * concentration(values.size(), setting.deviation);
    std::vector<double> counts(bins(width));
    for (const double value : values) ++counts[bin_of(value, width)];
    for (double& count : counts) count += laplace(4 / setting.epsilon, bits);
    const auto heaviest = static_cast<double>(std::ranges::max_element(counts) - counts.begin());
    const double middle = -bound + (heaviest + 0.5) * width,
                 half = setting.half_width > 0 ? setting.half_width : 1.5 * width;
    double sum = 0;
    for (const double value : values) sum += std::clamp(value, middle - half, middle + half);
    return sum / n + laplace(2 * (2 * half) / (n * setting.epsilon), bits);
}

LocalMeans::LocalMeans(double epsilon)
    : epsilon_(epsilon),
      laplace_(number_spec("laplace", epsilon)),
      optimal_(number_spec("optimal", epsilon)),
      tree_(number_spec("tree", epsilon)) {}

std::vector<double> LocalMeans::histogram(std::span<const double> values, double width,
                                          SeededBits& bits) const {
    const SharedMechanism response(R"({"mechanism": "grr", "epsilon": )" + ldp::shortest(epsilon_) +
                                   ", \"domain\": " + std::to_string(bins(width)) + "}");
    std::vector<ldp::Cell> cells;
    for (const double value : values) cells.push_back(bin_of(value, width));
    const std::vector<std::byte> summary = response.summary_of(cells, bits);
    return ldp::consistent(ldp::view_of(response.mechanism(), summary), ldp::Consistency::norm_sub);
}

LocalMeans::Normal LocalMeans::from_quartiles(std::span<const double> values, SeededBits& bits) const {
    // Half of the interquartile range over the normal quantile 0.674.
    constexpr double quartile = 0.674489750196, least = 1e-3;
    std::vector<double> scaled;
    for (const double value : values) scaled.push_back(value / bound);
    const std::vector<std::byte> summary = tree_.summary(scaled, bits);
    const ldp::SummaryView view = ldp::view_of(tree_.mechanism(), summary);
    const double range = ldp::quantile(view, 0.75) - ldp::quantile(view, 0.25);
    return {bound * ldp::quantile(view, 0.5), bound * std::max(range / 2 / quartile, least)};
}

LocalMeans::Window LocalMeans::window(std::span<const double> first, const Setting& setting, bool plug_in,
                                      SeededBits& bits) const {
    double deviation = setting.deviation;
    if (plug_in) {
        deviation = from_quartiles(first.first(first.size() / 2), bits).deviation;
        first = first.subspan(first.size() / 2);
    }
    const double width = 2 * concentration(2 * first.size(), deviation);
    const std::vector<double> shares = histogram(first, width, bits);
    const auto heaviest = static_cast<double>(std::ranges::max_element(shares) - shares.begin());
    const double middle = -bound + (heaviest + 0.5) * width,
                 half = setting.half_width > 0 ? setting.half_width : 1.5 * width;
    return {middle - half, middle + half};
}

LocalMeans::Found LocalMeans::on(const SharedMechanism& mechanism, std::span<const double> values,
                                 const Window& window, ldp::BitSource& bits) const {
    const double middle = (window.low + window.high) / 2, half = (window.high - window.low) / 2;
    std::vector<double> scaled;
    for (const double value : values) scaled.push_back((value - middle) / half);
    const std::vector<std::byte> summary = mechanism.summary(scaled, bits);
    const ldp::SummaryView view = ldp::view_of(mechanism.mechanism(), summary);
    const ldp::Estimate sample = ldp::estimate(view, {ldp::Quantity::means, ldp::Target::sample})[0];
    const ldp::Estimate population = ldp::estimate(view, {ldp::Quantity::means, ldp::Target::population})[0];
    return {middle + half * sample.value, mean_of(values), half * sample.standard_error,
            half * population.standard_error};
}

double LocalMeans::published(std::span<const double> values, const Setting& setting, bool plug_in,
                             SeededBits& bits) const {
    const std::size_t half = values.size() / 2;
    return on(laplace_, values.subspan(half), window(values.first(half), setting, plug_in, bits), bits).mean;
}

double LocalMeans::optimal_on_window(std::span<const double> values, const Setting& setting,
                                     SeededBits& bits) const {
    const std::size_t half = values.size() / 2;
    return on(optimal_, values.subspan(half), window(values.first(half), setting, false, bits), bits).mean;
}

LocalMeans::Found LocalMeans::two_rounds(std::span<const double> values, SeededBits& bits) const {
    constexpr double coverage = 0.9;
    const std::size_t quarter = values.size() / 4;
    std::vector<double> scaled;
    for (const double value : values.first(quarter)) scaled.push_back(value / bound);
    const std::vector<std::byte> summary = tree_.summary(scaled, bits);
    const ldp::LearntRange range = ldp::learn_ranges(ldp::view_of(tree_.mechanism(), summary), coverage)[0];
    return on(optimal_, values.subspan(quarter), {bound * range.low, bound * range.high}, bits);
}

double LocalMeans::quartile_window(std::span<const double> values, SeededBits& bits) const {
    constexpr double deviations = 5;
    const std::size_t quarter = values.size() / 4;
    const auto [median, deviation] = from_quartiles(values.first(quarter), bits);
    const double half = deviations * deviation;
    return on(optimal_, values.subspan(quarter), {median - half, median + half}, bits).mean;
}

double LocalMeans::one_round(std::span<const double> values, SeededBits& bits) const {
    return on(optimal_, values, {-bound, bound}, bits).mean;
}

}  // namespace evaluation

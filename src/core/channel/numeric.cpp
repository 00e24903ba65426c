#include "core/channel/numeric.hpp"

#include <algorithm>
#include <cmath>

namespace ldp {

double NumericChannel::alone(std::uint64_t out) const {
    std::vector<std::byte> tally(tally_size_);
    accumulate(tally.data(), out);
    return invert(1, tally.data()).mean;
}

// Noise is a mean over people, and symmetric about the middle: half of them are at one place, half opposite.
double NumericChannel::most_noise(double part) const noexcept {
    constexpr int places = 256;
    const double middle = static_cast<double>(steps_) / 2;
    const auto at = [&](double s) { return noise_at(s) + (1 - part) * (s - middle) * (s - middle); };
    double most = at(noisiest());
    for (int i = 0; i <= places; ++i) most = std::max(most, at(middle * i / places));
    return most;
}

NumericChannel::Moments QuadraticChannel::moments(double mean, double mean_square,
                                                  const Quadratic& noise) const noexcept {
    const auto top = static_cast<double>(steps());
    const double inside = std::clamp(mean, 0.0, top);
    const double square =
        std::isnan(mean_square) ? inside * inside : std::clamp(mean_square, inside * inside, top * inside);
    // The noise at the confined moments, not the spread of the few outputs seen: one report has an error too.
    return {mean, mean_square, noise(inside, square), square - inside * inside};
}

GridPoint grid_point(double position, std::uint64_t steps) noexcept {
    const double inside = std::clamp(position, 0.0, static_cast<double>(steps));
    const double lower = std::min(std::floor(inside), static_cast<double>(steps) - 1);
    const double fraction = inside - lower;
    // A fraction of 1 is the top of the grid; 2^64 − 1 would leave 2^-64 of it one step below.
    if (fraction >= 1) return {static_cast<std::uint64_t>(lower) + 1, 0};
    return {static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(fraction * 0x1p64)};
}

}  // namespace ldp

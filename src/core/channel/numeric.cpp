#include "core/channel/numeric.hpp"

#include <algorithm>
#include <cmath>

namespace ldp {

double NumericChannel::alone(std::uint64_t out) const {
    std::vector<std::byte> tally(tally_size_);
    accumulate(tally.data(), out);
    return invert(1, tally.data()).mean;
}

// The noise is a mean over users and symmetric about the middle. In the worst case, half of the users are at
// one point and half at the opposite one.
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
    // The noise follows from the clipped moments instead of the sample variance, which is 0 for one report.
    return {mean, mean_square, noise(inside, square), square - inside * inside};
}

GridPoint grid_point(double position, std::uint64_t steps) noexcept {
    const double inside = std::clamp(position, 0.0, static_cast<double>(steps));
    const double lower = std::min(std::floor(inside), static_cast<double>(steps) - 1);
    const double fraction = inside - lower;
    // A fraction of 1 is the top of the grid; with 2^64 − 1, a probability of 2^-64 would remain one step
    // below.
    if (fraction >= 1) return {static_cast<std::uint64_t>(lower) + 1, 0};
    return {static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(fraction * 0x1p64)};
}

}  // namespace ldp

#include "window.hpp"

#include <algorithm>
#include <cmath>

namespace ldp {

// Outputs are measured from the middle of their range: numbers stay small and nothing cancels.
namespace {

double middle(std::uint64_t outputs) noexcept {
    return (static_cast<double>(outputs) - 1) / 2;
}

}  // namespace

WindowChannel::Affine WindowChannel::mean() const noexcept {
    const auto w = static_cast<double>(width_);
    const double tilt = static_cast<double>(odds_.high - odds_.low) / static_cast<double>(total());
    // The window's cells s .. s+w−1, measured from the middle, sum to w·(s + (w−1)/2 − middle); all cells to
    // 0.
    return {tilt * w, tilt * w * ((w - 1) / 2 - middle(outputs()))};
}

WindowChannel::Quadratic WindowChannel::mean_square() const noexcept {
    const auto w = static_cast<double>(width_);
    const auto cells = static_cast<double>(outputs());
    const auto t = static_cast<double>(total());
    const double tilt = static_cast<double>(odds_.high - odds_.low) / t;
    const double centre = (w - 1) / 2 - middle(outputs());  // of the window, at s = 0
    const double all = static_cast<double>(odds_.low) / t * cells * (cells * cells - 1) / 12;
    return {tilt * w, 2 * tilt * w * centre, tilt * w * (centre * centre + (w * w - 1) / 12) + all};
}

WindowChannel::Moments WindowChannel::invert(const Sums& sums) const noexcept {
    const Affine m = mean();
    const Quadratic q = mean_square();
    const auto top = static_cast<double>(steps_);
    const double from = middle(outputs());
    const double output = sums.outputs / sums.n - from;
    const double output_square = (sums.squares - 2 * from * sums.outputs) / sums.n + from * from;

    Moments moments{};
    moments.mean = (output - m.offset) / m.slope;
    moments.mean_square = (output_square - q.b * moments.mean - q.c) / q.a;
    const double inside = std::clamp(moments.mean, 0.0, top);
    const double square = std::clamp(moments.mean_square, inside * inside, top * inside);
    moments.sampling = square - inside * inside;
    // The noise at the confined moments, not the spread of the few outputs seen: one report has an error too.
    moments.noise = ((q.a - m.slope * m.slope) * square + (q.b - 2 * m.slope * m.offset) * inside + q.c -
                     m.offset * m.offset) /
                    (m.slope * m.slope);
    return moments;
}

// The outputs' mean and mean square (from the middle of their range) lie between what the input in the middle
// and an input at an end give, but for chance. Their own spread is at most that of a variable with the same
// range.
std::vector<Check> WindowChannel::health(const Sums& sums) const {
    const Affine m = mean();
    const Quadratic q = mean_square();
    const auto top = static_cast<double>(steps_);
    const double from = middle(outputs());
    const double output = sums.outputs / sums.n - from;
    const double output_square = (sums.squares - 2 * from * sums.outputs) / sums.n + from * from;
    const auto p_value = [&](double found, double least, double most, double deviation) {
        const double beyond = std::max({0.0, least - found, found - most});
        return beyond > 0 ? two_sided(beyond * std::sqrt(sums.n) / deviation) : 1;
    };
    const double end = m.slope * top + m.offset;  // and −end at the other one
    const double least = (q.a * top / 2 + q.b) * top / 2 + q.c;
    return {
        {"mean within its range", output / end, 1, p_value(output, -end, end, std::sqrt(q.c - end * end))},
        {"mean square within its range", output_square / q.c, 1,
         p_value(output_square, least, q.c, from * from / 2)}};
}

double WindowChannel::noise_at(double s) const noexcept {
    const Affine m = mean();
    const Quadratic q = mean_square();
    const double output = m.slope * s + m.offset;
    return ((q.a * s + q.b) * s + q.c - output * output) / (m.slope * m.slope);
}

GridPoint grid_point(double position, std::uint64_t steps) noexcept {
    const double inside = std::clamp(position, 0.0, static_cast<double>(steps));
    const double lower = std::min(std::floor(inside), static_cast<double>(steps) - 1);
    const double fraction = inside - lower;
    // A fraction of 1 is the top of the grid; 2^64 − 1 would leave 2^-64 of it one step below.
    if (fraction >= 1) return {static_cast<std::uint64_t>(lower) + 1, 0};
    return {static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(std::ldexp(fraction, 64))};
}

}  // namespace ldp

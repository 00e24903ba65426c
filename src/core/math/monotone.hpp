// Monotone regression, and roots of monotone functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace ldp {

/// Returns the position at which the non-decreasing curve through the points (i, curve[i]) reaches the
/// height. It is the middle of a constant segment, or an end if the whole curve is above or below.
[[nodiscard]] double place(std::span<const double> curve, double height);

/// Returns the non-decreasing curve with the smallest weighted squared distance (pool adjacent violators).
/// Weights are equal if none are given.
[[nodiscard]] std::vector<double> monotone(std::span<const double> curve,
                                           std::span<const double> weights = {});

/// Returns a non-decreasing curve clipped to a cumulative distribution.
[[nodiscard]] std::vector<double> confined(std::vector<double> curve);

/// Returns the number nearest to `end` whose excess is not positive, if the excess of all numbers from `begin` to it is not
/// positive; otherwise `begin`. The result is that of 48 bisections. The last ones are decided by a narrow bracket of the root,
/// which secants find.
template <class Excess>
[[nodiscard]] double last_without_excess(double begin, double end, double excess_of_begin,
                                         const Excess& excess) noexcept {
    constexpr int halvings = 48, first_halvings = 4, most_secants = 12;
    double excess_of_end = excess(end);
    if (!(excess_of_end > 0)) return end;
    const double narrow = std::abs(end - begin) * 0x1p-47;
    int halving = 0;
    for (; halving < first_halvings; ++halving) {
        const double middle = (begin + end) / 2, found = excess(middle);
        if (found > 0)
            end = middle, excess_of_end = found;
        else
            begin = middle, excess_of_begin = found;
    }
    // The excess is not positive at `inside`, and positive at `outside`.
    double inside = begin, outside = end;
    double at = begin, last_at = end, found = excess_of_begin, last_found = excess_of_end;
    for (int secant = 0; secant < most_secants && std::abs(outside - inside) > narrow; ++secant) {
        double next = at - found * (at - last_at) / (found - last_found);
        const auto [least, most] = std::minmax(inside, outside);
        if (!(next > least && next < most)) next = (inside + outside) / 2;
        // A step across the root closes the bracket.
        else if (std::abs(next - at) < narrow)
            next = at + std::copysign(narrow, found > 0 ? inside - at : outside - at);
        last_at = at, last_found = found;
        at = next, found = excess(at);
        (found > 0 ? outside : inside) = at;
    }
    const bool up = end > begin;
    for (; halving < halvings; ++halving) {
        const double middle = (begin + end) / 2;
        const bool known_inside = up ? middle <= inside : middle >= inside,
                   known_outside = up ? middle >= outside : middle <= outside;
        (known_inside || (!known_outside && !(excess(middle) > 0)) ? begin : end) = middle;
    }
    return begin;
}

}  // namespace ldp

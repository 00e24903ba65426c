// Moments of assumed distributions of a number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace ldp {

/// Returns the mean and the variance of a distribution on two or more equidistant points from −1 to 1. The
/// shares add up to 1.
[[nodiscard]] inline std::pair<double, double> moments_of(std::span<const double> shares) noexcept {
    const double steps = static_cast<double>(shares.size()) - 1;
    double first = 0, second = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double at = 2 * static_cast<double>(i) / steps - 1;
        first += shares[i] * at;
        second += shares[i] * at * at;
    }
    return {first, std::max(0.0, second - first * first)};
}

}  // namespace ldp

// The contrast of colours, as WCAG 2 defines it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

namespace ldp::test {

/// The relative luminance of #rgb or #rrggbb.
inline double luminance(const std::string& colour) {
    std::array<double, 3> light{};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string digits =
            colour.size() == 4 ? std::string(2, colour[1 + i]) : colour.substr(1 + 2 * i, 2);
        const double share = static_cast<double>(std::strtol(digits.c_str(), nullptr, 16)) / 255;
        light[i] = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

inline double contrast(const std::string& one, const std::string& other) {
    const double a = luminance(one), b = luminance(other);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

}  // namespace ldp::test

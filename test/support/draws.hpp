// Numbers that tests draw from seeded bits. The words that each function takes are part of the tests' seeds.
#pragma once

#include <cmath>
#include <numbers>

#include "core/base/random.hpp"

namespace ldp::test {

/// A uniform number on [0, 1), a multiple of 2⁻⁵³.
inline double uniform(BitSource& bits) {
    return static_cast<double>(bits.word() >> 11) * 0x1p-53;
}

/// A uniform number that is neither 0 nor 1: the middle of an interval of 2⁻⁵³.
inline double inner_uniform(BitSource& bits) {
    return (static_cast<double>(bits.word() >> 11) + 0.5) * 0x1p-53;
}

/// A normal number (Box, Muller 1958): the radius is drawn first, then the angle.
inline double normal(BitSource& bits) {
    const double radius = std::sqrt(-2 * std::log(inner_uniform(bits)));
    return radius * std::cos(2 * std::numbers::pi * inner_uniform(bits));
}

}  // namespace ldp::test

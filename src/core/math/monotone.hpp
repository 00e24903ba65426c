// Curves that do not fall.
#pragma once

#include <span>
#include <vector>

namespace ldp {

/// Where on the curve through the corners (i, curve[i]), which does not fall, the height is reached: the
/// middle of a level stretch, an end if the curve stays above or below.
[[nodiscard]] double place(std::span<const double> curve, double height);

/// The curve that does not fall and is nearest by squares, of equal weight if there are no weights:
/// neighbours that fall are pooled.
[[nodiscard]] std::vector<double> monotone(std::span<const double> curve,
                                           std::span<const double> weights = {});

/// A curve that does not fall, as a cumulative distribution.
[[nodiscard]] std::vector<double> confined(std::vector<double> curve);

}  // namespace ldp

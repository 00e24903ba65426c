// PDP (Zhang, Ni, Fu, Hou, Zhang 2023): the window of width Δ = 24/(e^{ε/6}(6+5ε)−6) in outputs of [−b,b],
// positioned so that the mean is unbiased. With E = (e^ε−1)Δ, b = E(Δ+2)/(2(E−2)). Its share of the grid is
// Δ/(2b−Δ).

#include <algorithm>
#include <cmath>

#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::pdp {

std::uint64_t width(double epsilon, std::uint64_t steps) {
    // expm1 preserves the difference of nearly equal numbers for small ε.
    const double delta = 24 / (6 * std::expm1(epsilon / 6) + 5 * epsilon * std::exp(epsilon / 6));
    const double e = std::expm1(epsilon) * delta;
    const double b = e * (delta + 2) / (2 * (e - 2));
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(steps) * delta / (2 * b - delta))));
}

const MechanismEntry entry = numeric_entry<pdp_randomizer>(
    4, "window mechanism of PPMC",
    "a number drawn by chance, more often from near your own than from elsewhere");

}  // namespace ldp::pdp

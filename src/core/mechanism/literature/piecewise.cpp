// The piecewise mechanism (Wang, Xiao et al. 2019): the window of width b−1, b = (√e+1)/(√e−1), e = exp(ε),
// in outputs of [−b,b]; as a share of the grid, 1/√e.

#include <algorithm>
#include <cmath>

#include "core/mechanism/entries.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"

namespace ldp::piecewise {

std::uint64_t width(double epsilon, std::uint64_t steps) {
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(steps) * std::exp(-epsilon / 2))));
}

const MechanismEntry entry = numeric_entry<piecewise_randomizer>(
    3, "piecewise mechanism", "a number drawn by chance, more often from near your own than from elsewhere",
    true);

}  // namespace ldp::piecewise

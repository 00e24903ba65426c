// The piecewise mechanism (Wang, Xiao et al. 2019): the window of width b−1, b = (√e+1)/(√e−1), e = exp(ε),
// in outputs of [−b,b]; as a share of the grid, 1/√e.

#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::piecewise {

const MechanismEntry entry = numeric_entry<piecewise_randomizer>(
    3, "piecewise mechanism", "a number drawn by chance, more often from near your own than from elsewhere",
    true);

}  // namespace ldp::piecewise

// The hybrid mechanism (Wang, Xiao et al. 2019): piecewise with probability 1 − exp(−ε/2), otherwise the bit
// of duchi; always the bit up to ε = 0.6094. Its worst-case variance over x is smaller than that of both.

#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::hybrid {

const MechanismEntry entry = numeric_entry<hybrid_randomizer>(
    16, "piecewise and one bit, mixed",
    "a number or a single yes or no, drawn by chance, more often one that is near your own number", true);

}  // namespace ldp::hybrid

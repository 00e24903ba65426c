// Discrete Laplace noise (Dwork, McSherry, Nissim, Smith 2006; Ghosh, Roughgarden, Sundararajan 2009) of
// scale 2/ε on [−1,1], the range's width over ε.

#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::laplace {

const MechanismEntry entry = numeric_entry<laplace_randomizer>(
    13, "discrete Laplace noise", "your number, moved up or down by chance, often far", true);

}  // namespace ldp::laplace

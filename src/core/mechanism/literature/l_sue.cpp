// Symmetric unary encoding in two layers (Erlingsson, Pihur, Korolova 2014, with one bit per value; Arcolezi,
// Couchot, Al Bouna, Xiao 2022). Every bit is flipped with probability 1/(√a+1), a = exp(ε∞), and memoized.
// The second layer flips it again, such that the total flip probability is 1/(√c+1), c = exp(ε₁).

#include "core/mechanism/frequency/unary.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::l_sue {

const MechanismEntry entry =
    unary_chain_entry<symmetric_coins>(23, "l_sue", "symmetric unary encoding in two layers", true);

}  // namespace ldp::l_sue

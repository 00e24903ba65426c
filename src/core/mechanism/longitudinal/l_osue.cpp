// Optimised unary encoding with a second symmetric flip (L-OSUE of Arcolezi, Couchot, Al Bouna, Xiao 2022).
// The true value's bit is a fair coin and remains one after any flip. Every other bit of the permanent
// response is 1 with probability 1/(a+1), a = exp(ε∞). When it is sent, it is 1 with probability 1/(c+1), c =
// exp(ε₁).

#include "core/mechanism/frequency/unary.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::l_osue {

const MechanismEntry entry =
    unary_chain_entry<optimised_coins>(24, "l_osue", "optimized unary encoding in two layers");

}  // namespace ldp::l_osue

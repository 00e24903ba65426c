// Optimised unary encoding (Wang, Blocki, Li, Jha 2017), see optimised_coins().

#include "core/mechanism/frequency/unary.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::oue {

const MechanismEntry entry = unary_entry<optimised_coins>(2, "oue", "optimized unary encoding");

}  // namespace ldp::oue

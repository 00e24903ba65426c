// Symmetric unary encoding (Wang, Blocki, Li, Jha 2017), see symmetric_coins().

#include "core/mechanism/frequency/unary.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::sue {

const MechanismEntry entry = unary_entry<symmetric_coins>(6, "sue", "symmetric unary encoding");

}  // namespace ldp::sue

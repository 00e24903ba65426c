// What the server's settings allow: how large a state may be.
#pragma once

#include "boundary.hpp"

namespace ldp {

/// Throws Error (full) if a summary of so many bytes is more than ldp.max_state allows. Whoever makes a
/// report chooses how large a state it needs, and what answers from one takes several times as much: so it is
/// asked before a state is begun, and before one is answered from.
void check_state_size(std::size_t bytes);

}  // namespace ldp

// Limits from the server's settings: the largest size of a state.
#pragma once

#include "boundary.hpp"

namespace ldp {

/// Throws Error (full) if a summary of this number of bytes exceeds ldp.max_state. The creator of a
/// report determines the size of the state, and estimation takes several times as much memory. Therefore
/// the limit is checked before a state is created, and before estimation.
void check_state_size(std::size_t bytes);

}  // namespace ldp

// Reproducible bits for simulations, tests and the evaluation.
#pragma once

#include "core/math/insecure_bits.hpp"

namespace ldp::simulation {

using SeededBits = InsecureBits;

}  // namespace ldp::simulation

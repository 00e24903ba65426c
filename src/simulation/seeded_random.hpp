// Reproducible bits for simulations, tests and benchmarks.
#pragma once

#include "core/tables/model/insecure_bits.hpp"

namespace ldp::simulation {

using SeededBits = InsecureBits;

}  // namespace ldp::simulation

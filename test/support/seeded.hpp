// Reproducible bits for tests and benchmarks: those of the simulations.
#pragma once

#include "../../src/cli/seeded.hpp"

namespace ldp::test {

using cli::SeededBits;

}  // namespace ldp::test

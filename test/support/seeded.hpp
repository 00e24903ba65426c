// Reproducible bits for tests and benchmarks: those of the simulations.
#pragma once

#include "simulation/seeded.hpp"

namespace ldp::test {

using simulation::SeededBits;

}  // namespace ldp::test

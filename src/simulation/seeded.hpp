// Reproducible bits for simulations, tests and benchmarks. Not cryptographic: nothing that a real report is
// made with may include it.
#pragma once

#include <random>

#include "core/base/random.hpp"

namespace ldp::simulation {

class SeededBits final : public BitSource {
  public:
    explicit SeededBits(std::uint64_t seed) : engine_(seed) {}
    [[nodiscard]] std::uint64_t word() override { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

}  // namespace ldp::simulation

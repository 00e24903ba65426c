// Reproducible bits for tests and benchmarks. Not cryptographic: nothing outside those folders may include
// it.
#pragma once

#include <random>

#include "../../src/core/random.hpp"

namespace ldp::test {

class SeededBits final : public BitSource {
  public:
    explicit SeededBits(std::uint64_t seed) : engine_(seed) {}
    [[nodiscard]] std::uint64_t word() override { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

}  // namespace ldp::test

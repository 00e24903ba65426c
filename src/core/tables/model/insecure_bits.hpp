// Reproducible bits for made-up records, simulations, tests and benchmarks. They are not cryptographic: no
// report of a person may be made with them.
#pragma once

#include <cstdint>
#include <random>

#include "core/base/random.hpp"

namespace ldp {

/// Bits that follow from a seed.
class InsecureBits final : public BitSource {
  public:
    explicit InsecureBits(std::uint64_t seed) : engine_(seed) {}
    [[nodiscard]] std::uint64_t word() override { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

}  // namespace ldp

// Reproducible random bits for synthetic records, simulations, tests and benchmarks. They are not
// cryptographic and must not be used for reports of people.
#pragma once

#include <cstdint>
#include <random>

#include "core/base/random.hpp"

namespace ldp {

/// Bits that are a function of a seed.
class InsecureBits final : public BitSource {
  public:
    explicit InsecureBits(std::uint64_t seed) : engine_(seed) {}
    [[nodiscard]] std::uint64_t word() override { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

}  // namespace ldp

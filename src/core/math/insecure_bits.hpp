// Reproducible random bits for synthetic records, predictions, simulations, tests and benchmarks. They are
// not cryptographic and must not be used for reports of people.
#pragma once

#include <cstdint>
#include <random>

#include "core/base/random.hpp"

namespace ldp {

/// Bits that are a function of a seed, equal on every machine.
class InsecureBits final : public BitSource {
  public:
    explicit InsecureBits(std::uint64_t seed) : engine_(seed) {}
    [[nodiscard]] std::uint64_t word() override { return engine_(); }
    /// Returns a uniform number on [0, 1).
    [[nodiscard]] double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  private:
    std::mt19937_64 engine_;
};

}  // namespace ldp

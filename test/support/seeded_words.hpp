// Reproducible bits for tests and the evaluation: those of the simulations.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/seeded_random.hpp"

namespace ldp::test {

using simulation::SeededBits;

/// Seeded bits that count the words drawn.
struct CountedBits final : BitSource {
    explicit CountedBits(std::uint64_t seed) : bits(seed) {}
    std::uint64_t word() override { return ++words, bits.word(); }

    SeededBits bits;
    unsigned words = 0;
};

/// Seeded bits that record the bound of each draw, 0 of a whole word.
struct RecordedBounds final : BitSource {
    explicit RecordedBounds(std::uint64_t seed) : bits(seed) {}
    std::uint64_t word() override { return asked.push_back(0), bits.word(); }
    std::uint64_t below(std::uint64_t bound) override { return asked.push_back(bound), bound / 2; }

    SeededBits bits;
    std::vector<std::uint64_t> asked;
};

}  // namespace ldp::test

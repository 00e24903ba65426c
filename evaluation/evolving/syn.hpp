// The Syn stream (people whose values change now and then) under the protocols made for it: what they make of
// 10,000 people who report 120 times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "core/mechanism/role/mechanism.hpp"

namespace evaluation::syn {

inline constexpr std::size_t people = 10000, rounds = 120, values = 360;

struct Protocol {
    const char* name;
    const char* mechanism;
    const char* options;  ///< beside report_epsilon
    bool two_layers;      ///< with ε₁ = ε∞/2
    /// Whether a person is asked about few buckets, and so answers for few values: reports hardly change over
    /// the rounds, and what 120 rounds average out elsewhere takes repetitions.
    bool few_bits = false;
};

/// A protocol that is added here is measured by `evaluate` and by `evaluate-evolving`.
[[nodiscard]] std::span<const Protocol> protocols();

[[nodiscard]] std::unique_ptr<const ldp::Mechanism> mechanism_of(const Protocol& protocol, double epsilon);

/// What one repetition gave.
struct Outcome {
    double error = 0;                                 ///< squared, averaged over values and rounds
    double predicted = 0;                             ///< the same by the closed form, at the true shares
    std::map<std::uint64_t, std::uint64_t> spending;  ///< people, by how many permanent responses they needed
    double expected_answers = 0;  ///< permanent responses that a person needs, by the closed form
};

/// All clients with the behaviour of MemoizingReporter: permanent responses by key. The server evaluates
/// one round in every `stride`; the other rounds only add cost. Memos are drawn at their first use, which
/// has the same distribution.
[[nodiscard]] Outcome run(const ldp::Mechanism& mechanism, std::uint64_t seed, std::size_t every = 1);

}  // namespace evaluation::syn

// What a record of sampled attributes is made of. The mechanism stands in sampled.cpp, its settings and
// parameters in sampled_parameters.cpp.
#pragma once

#include <memory>
#include <vector>

#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"

namespace ldp {

/// Attributes next to each other that are alike.
struct Run {
    std::uint64_t length;
    std::uint64_t weight;  ///< of each
    std::unique_ptr<const Mechanism> inner;
    const Number* number;     ///< the same; none of a category
    std::size_t first = 0;    ///< the first of the attributes
    std::uint64_t begin = 0;  ///< of its stretch of the line
    std::size_t state = 0;    ///< where its part of a state begins
    std::size_t slot = 0;  ///< slot_size(), and the mechanism's payload_size(): asked for with every report
    std::size_t answer = 0;

    [[nodiscard]] std::size_t slot_size() const noexcept { return counter_size + inner->state_size(); }
};

/// A mechanism of `s` attributes a report, from runs that add up to a line of s turns.
[[nodiscard]] std::unique_ptr<const Mechanism> make_sampled(const Header& header, Bytes block,
                                                            std::uint64_t s, std::vector<Run> runs);

}  // namespace ldp

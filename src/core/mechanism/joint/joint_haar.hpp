// Questions of Haar details that people are divided among: what is asked, and how likely. The mechanism
// stands in joint_haar.cpp, its settings and parameters in joint_haar_parameters.cpp.
#pragma once

#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/joint/box_shares.hpp"
#include "core/mechanism/joint/joint.hpp"

namespace ldp {

/// A level of one attribute, or of each of two.
struct HaarQuery {
    ViewAttributes attributes;
    std::array<std::uint8_t, most_together> levels{};  ///< the root's is 0

    /// How many places there are, as a power of two.
    [[nodiscard]] unsigned places() const noexcept { return unsigned{levels[0]} + levels[1]; }
};

/// The bytes of a state that count its reports.
[[nodiscard]] inline std::uint64_t state_of(const HaarQuery& question) noexcept {
    return (std::uint64_t{2} << question.places()) * counter_size;
}

/// A mechanism of attributes of these sizes, each of whose questions has a weight in the lot that is not 0.
/// All levels of each single attribute come first.
[[nodiscard]] std::unique_ptr<const Mechanism> make_joint_haar(const Header& header, Bytes block,
                                                               std::vector<std::uint64_t> sizes,
                                                               unsigned buckets,
                                                               std::vector<HaarQuery> questions,
                                                               const std::vector<std::uint64_t>& weights);

}  // namespace ldp

// Level queries: the Haar coefficients among which users are divided, and their sampling weights.
// joint_haar.cpp contains the mechanism, joint_haar_parameters.cpp its settings and parameters.
#pragma once

#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/joint/box_shares.hpp"
#include "core/mechanism/joint/joint.hpp"

namespace ldp {

/// A level of one attribute, or a pair of levels of two attributes.
struct HaarQuery {
    ViewAttributes attributes;
    std::array<std::uint8_t, most_together> levels{};  ///< the root's is 0

    /// Returns the number of positions, as a power of two.
    [[nodiscard]] unsigned places() const noexcept { return unsigned{levels[0]} + levels[1]; }
};

/// Returns the number of bytes of a state that count the reports of a level query.
[[nodiscard]] inline std::uint64_t state_of(const HaarQuery& question) noexcept {
    return (std::uint64_t{2} << question.places()) * counter_size;
}

/// Returns a mechanism of attributes with these sizes. Each level query must have a positive sampling weight.
/// All levels of each single attribute come first.
[[nodiscard]] std::unique_ptr<const Mechanism> make_joint_haar(const Header& header, Bytes block,
                                                               std::vector<std::uint64_t> sizes,
                                                               unsigned buckets,
                                                               std::vector<HaarQuery> questions,
                                                               const std::vector<std::uint64_t>& weights);

}  // namespace ldp

// The exact output distribution of a randomizer, by enumeration of all outcomes of its draws.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/base/exact.hpp"
#include "core/base/random.hpp"

namespace ldp {

/// The possible outputs and their probabilities, which are greater than 0.
using Outcomes = std::map<std::vector<std::byte>, Exact>;

/// Returns the distribution of the `size` bytes that `draw` writes. It runs `draw` once for each sequence of
/// outcomes of its draws, with the released code and weights. No probability is estimated; the only
/// assumption is the distribution of a single draw of BitSource. Returns nothing if there are more than
/// `steps` sequences, or if `draw` reads a whole random word, which has too many outcomes. Otherwise `steps`
/// is reduced by the number of sequences.
[[nodiscard]] std::optional<Outcomes> law_of(std::size_t size,
                                             const std::function<void(BitSource&, MutableBytes)>& draw,
                                             std::uint64_t& steps);

}  // namespace ldp

// What a randomizer does, followed through every outcome of each of its draws.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/base/exact.hpp"
#include "core/base/random.hpp"

namespace ldp {

/// Strings of bytes that can come out, with their probabilities, none of them 0.
using Outcomes = std::map<std::vector<std::byte>, Exact>;

/// The law of the `size` bytes that `draw` writes. It is run once for each sequence of outcomes that the
/// draws it asks for can have, on the code and the weights that ship: no probability is estimated and none is
/// taken on trust but that a single draw of BitSource has its law. None if there are more than `steps`
/// sequences, or if it asks for a bare word, whose outcomes nobody can follow; else `steps` is lowered by
/// their number.
[[nodiscard]] std::optional<Outcomes> law_of(std::size_t size,
                                             const std::function<void(BitSource&, MutableBytes)>& draw,
                                             std::uint64_t& steps);

}  // namespace ldp

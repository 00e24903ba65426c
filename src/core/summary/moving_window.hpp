// Moving windows: what leaves a window is taken out of its summary, so that each step costs what came and
// went, and not the whole window.
#pragma once

#include "core/summary/summary.hpp"

namespace ldp {

/// Takes an untrusted summary out of one of the mechanism's that it was added to before. False, and no
/// change, if it is none of the same spec, has as many reports or more, or if nobody can know which rounds
/// are left: then the parts that stay have to be added up anew. Where rounds were not told, those that are
/// left are not told either, but for people who keep their answers: of them it is false if the other's were
/// not told.
///
/// Exact for every mechanism, since a state is nothing but counters and sums that merging adds up, each
/// modulo a power of 2. Inverting all bits of such a number turns x into −x − 1, in a plane of bits as in
/// bytes; so a − b is what inverting a, adding b and inverting again leads to.
[[nodiscard]] bool subtract(const Mechanism& mechanism, MutableBytes from, Bytes other) noexcept;

}  // namespace ldp

// Moving windows: expired parts are subtracted from a window's summary, so that a step costs the changed
// parts only.
#pragma once

#include "core/summary/summary.hpp"

namespace ldp {

/// Subtracts an untrusted summary from a summary of the mechanism that it was added to. Returns false and
/// changes nothing if the specs differ, if the part does not have fewer reports, or if the remaining rounds
/// cannot be determined. In these cases, the remaining parts must be added up again. If the rounds of `from`
/// are unknown, those of the remainder are also unknown. With memoized responses, the result is then false if
/// the rounds of `other` are also unknown.
///
/// The operation is exact for every mechanism: a state consists of counters and sums that merging adds modulo
/// a power of 2. Inverting all bits of such a number maps x to −x − 1, in bit planes as in bytes. Therefore,
/// inverting a, adding b and inverting again yields a − b.
[[nodiscard]] bool subtract(const Mechanism& mechanism, MutableBytes from, Bytes other) noexcept;

}  // namespace ldp

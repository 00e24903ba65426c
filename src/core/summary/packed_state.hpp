// A state as it is sent to another server. It has a version, and the parts of a summary before its counters. Then
// it has either the counters in the short form of core/format/packed_words.hpp, or the payloads of a list of
// reports (report_list.hpp). The kind of the block distinguishes the two.
#pragma once

#include "core/summary/report_list.hpp"

namespace ldp {

/// The first byte of a packed state. Other versions are rejected.
inline constexpr std::byte packed_state_version{1};

/// Whether a list should be counted before it is packed, because its counters have a shorter form that is worth
/// the time.
[[nodiscard]] bool packs_as_summary(const Mechanism& mechanism, Bytes list) noexcept;
/// Returns the largest size of a packed state.
[[nodiscard]] std::size_t packed_state_bound(Bytes state) noexcept;
/// Packs a state of the mechanism, a summary or a list, and returns the number of bytes written. `packed` has
/// packed_state_bound() bytes. Throws Error (malformed) for other bytes, and Interrupted.
[[nodiscard]] std::size_t pack_state(const Mechanism& mechanism, Bytes state, MutableBytes packed);

/// Returns the block and all behind it of untrusted packed bytes. Throws Error (malformed) for another version.
[[nodiscard]] Bytes packed_body(Bytes packed);
/// Returns the size of the state of such a body, whose block belongs to the mechanism.
[[nodiscard]] std::size_t unpacked_size(const Mechanism& mechanism, Bytes body) noexcept;
/// Fills a state of that size from an untrusted body. Throws Error (malformed) if it is not possible, and
/// Interrupted.
void unpack_state(const Mechanism& mechanism, Bytes body, MutableBytes state);

}  // namespace ldp

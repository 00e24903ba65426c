// A state as it is sent to another server. It has a version, and the parts of a summary before its counters. Then
// it has either the counters in the short form of core/format/packed_words.hpp, or the payloads of a list of
// reports (report_list.hpp). The kind of the block distinguishes the two.
#pragma once

#include <vector>

#include "core/format/packed_words.hpp"
#include "core/mechanism/frequency/counters.hpp"
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

// Sums of summaries in the short form. Most counters of a server's state may be zeros, which are neither written nor
// read. Therefore only the form of each state is checked. A sum is not a valid summary before check_summary() accepts it.

/// Throws Error (malformed) unless an untrusted body has the form of a summary of the mechanism.
void check_packed_form(const Mechanism& mechanism, Bytes body);
/// Fills a summary from an untrusted body, as unpack_state(), but checks only the form.
void unpack_unchecked(const Mechanism& mechanism, Bytes body, MutableBytes summary);

/// Adds summaries of a mechanism in the short form.
class PackedSum {
  public:
    /// The mechanism must outlive this object.
    explicit PackedSum(const Mechanism& mechanism);

    /// Returns the number of bytes that add() needs as memory of its own.
    [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
    /// Adds an untrusted body to a summary of the mechanism. Throws Error: malformed for another form, full for
    /// more than max_count reports, and Interrupted. The summary may then contain anything.
    void add(MutableBytes summary, Bytes body, MutableBytes memory) const;

  private:
    const Mechanism* mechanism_;
    std::vector<OwnSum> parts_;
    std::vector<ByteRange> ranges_;  ///< of the parts; without parts, all counters
    std::size_t memory_ = 0;
};

}  // namespace ldp

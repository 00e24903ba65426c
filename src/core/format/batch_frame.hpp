// A batch: many reports of one spec in one value. It contains the parameter block, which is most of a report,
// only once. The number of reports (4 bytes) and their payloads follow, in ascending order of their bytes.
//
// The sorted order contains no information: neither the order of the reports nor a hidden message of the
// batch's creator. Shuffling would remove the order as well, but the server could not verify it. In addition,
// batches of equal reports are equal, and sorted payloads compress better.
#pragma once

#include <vector>

#include "core/base/bytes.hpp"
#include "core/format/header.hpp"

namespace ldp {

/// Maximum total size of the payloads of a batch, in bytes. Reading one report requires the whole batch in
/// memory, and a batch of more than some thousand reports saves almost no further space.
inline constexpr std::size_t max_batch_payloads = std::size_t{1} << 24;

/// Reads and writes the parts of a batch whose block and payloads have these sizes.
class BatchFrame {
  public:
    BatchFrame(std::size_t block_size, std::size_t payload_size) noexcept
        : block_(block_size), payload_(payload_size) {}

    /// Returns the maximum number of reports of a batch; at least 1.
    [[nodiscard]] std::uint64_t most() const noexcept {
        return payload_ < max_batch_payloads ? max_batch_payloads / payload_ : 1;
    }
    /// Returns the size of a batch of `count` reports in bytes.
    [[nodiscard]] std::size_t size(std::uint64_t count) const noexcept {
        return payloads_at() + count * payload_;
    }
    [[nodiscard]] std::uint32_t count(Bytes batch) const noexcept {
        return load<std::uint32_t>(batch.data() + block_);
    }
    [[nodiscard]] Bytes payloads(Bytes batch) const noexcept { return batch.subspan(payloads_at()); }
    [[nodiscard]] MutableBytes payloads(MutableBytes batch) const noexcept {
        return batch.subspan(payloads_at());
    }
    [[nodiscard]] Bytes payload(Bytes batch, std::size_t i) const noexcept {
        return batch.subspan(payloads_at() + i * payload_, payload_);
    }

    /// Writes the part of a batch before the payloads.
    void start(MutableBytes batch, Bytes block, std::uint32_t count) const noexcept;
    /// Returns whether the bytes are a batch with this block, the count is neither 0 nor too large, and the
    /// size matches the count.
    [[nodiscard]] bool fits(Bytes batch, Bytes block) const noexcept;

    /// Returns the number of bytes before the payloads.
    [[nodiscard]] std::size_t payloads_at() const noexcept { return block_ + sizeof(std::uint32_t); }

  private:
    std::size_t block_, payload_;
};

/// The kind of a batch in the short form, in the place of a Kind.
inline constexpr std::uint8_t short_batch_kind = 3;
/// The bytes before the payloads of a batch in the short form: version, kind, the first bytes of the fingerprint, and the
/// number of reports.
inline constexpr std::size_t short_head_size = 2 + sizeof(std::uint64_t) + sizeof(std::uint32_t);

/// Returns whether the bytes are a batch in the short form. Requires that they are a batch.
[[nodiscard]] inline bool is_short_batch(Bytes bytes) noexcept {
    return bytes.size() > kind_offset && bytes[kind_offset] == std::byte{short_batch_kind};
}
/// Returns whether the bytes are a batch. Requires that they are a report or a batch.
[[nodiscard]] inline bool is_batch(Bytes bytes) noexcept {
    return bytes.size() > kind_offset && kind_of(bytes) == Kind::batch;
}

/// Returns the short form of a batch with this block size, for a server that has the block.
[[nodiscard]] std::vector<std::byte> short_form_of(Bytes batch, std::size_t block_size);
/// Returns the batch of untrusted bytes in the short form, whose payloads are not checked. Throws Error: malformed,
/// incompatible if the fingerprint differs from the block's.
[[nodiscard]] std::vector<std::byte> with_block(Bytes short_form, Bytes block);

/// Sorts payloads of this size into the order of a batch.
void sort_payloads(MutableBytes payloads, std::size_t payload_size);

}  // namespace ldp

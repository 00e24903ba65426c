// A batch: many reports of one spec as one value. It has the parameter block, which is most of a report,
// once. The number of reports (4 bytes) and their payloads follow, in ascending order of their bytes.
//
// The sorted order contains no information: neither the order of the reports nor a hidden message of the
// batch's creator. Shuffling would remove the order as well, but the server could not verify it. Besides,
// equal reports make equal batches, and sorted payloads compress better.
#pragma once

#include <vector>

#include "core/base/bytes.hpp"
#include "core/format/header.hpp"

namespace ldp {

/// The most bytes that the payloads of a batch may have. Reading one report needs the whole batch in memory,
/// and beyond some thousand reports a larger batch saves nothing.
inline constexpr std::size_t max_batch_payloads = std::size_t{1} << 24;

/// Reads and writes the parts of a batch whose block and payloads have these sizes.
class BatchFrame {
  public:
    BatchFrame(std::size_t block_size, std::size_t payload_size) noexcept
        : block_(block_size), payload_(payload_size) {}

    /// The most reports that a batch may have; at least 1.
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

    /// Writes what stands before the payloads.
    void start(MutableBytes batch, Bytes block, std::uint32_t count) const noexcept;
    /// Whether bytes begin with this block, as a batch, and are as long as their count says, which is neither
    /// 0 nor too large.
    [[nodiscard]] bool fits(Bytes batch, Bytes block) const noexcept;

    /// How many bytes stand before the payloads.
    [[nodiscard]] std::size_t payloads_at() const noexcept { return block_ + sizeof(std::uint32_t); }

  private:
    std::size_t block_, payload_;
};

/// Whether bytes are those of a batch, if they are a report or a batch at all.
[[nodiscard]] inline bool is_batch(Bytes bytes) noexcept {
    return bytes.size() > kind_offset && kind_of(bytes) == Kind::batch;
}

/// Puts payloads of this size into the order that a batch has them in.
void sort_payloads(MutableBytes payloads, std::size_t payload_size);

}  // namespace ldp

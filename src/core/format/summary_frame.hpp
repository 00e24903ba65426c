// A summary: the parameter block of its reports, how many they are (8 bytes), then the mechanism's state.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/format/header.hpp"

namespace ldp {

/// Reads and writes the parts of a summary whose block has this size and whose state has that.
class SummaryFrame {
  public:
    SummaryFrame(std::size_t block_size, std::size_t state_size) noexcept
        : block_(block_size), state_(state_size) {}

    [[nodiscard]] std::size_t size() const noexcept { return block_ + sizeof(std::uint64_t) + state_; }
    [[nodiscard]] std::uint64_t count(Bytes summary) const noexcept {
        return load<std::uint64_t>(summary.data() + block_);
    }
    void add_count(MutableBytes summary, std::uint64_t more) const noexcept {
        add<std::uint64_t>(summary.data() + block_, more);
    }
    [[nodiscard]] Bytes state(Bytes summary) const noexcept { return summary.last(state_); }
    [[nodiscard]] MutableBytes state(MutableBytes summary) const noexcept { return summary.last(state_); }

    /// Fills `summary`, size() bytes, with one of no reports.
    void start(MutableBytes summary, Bytes block) const noexcept {
        std::ranges::copy(block, summary.begin());
        set_kind(summary, Kind::summary);
        std::ranges::fill(summary.subspan(block_), std::byte{0});
    }
    /// Whether bytes have this size and begin with this block, as a summary.
    [[nodiscard]] bool fits(Bytes summary, Bytes block) const noexcept {
        return summary.size() == size() && begins_with_block(summary, block) &&
               kind_of(summary) == Kind::summary;
    }

  private:
    std::size_t block_, state_;
};

[[nodiscard]] std::vector<std::byte> frame_summary(Bytes block, std::uint64_t n, Bytes state);

}  // namespace ldp

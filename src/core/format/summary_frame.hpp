// A summary: the parameter block of its reports, their number (8 bytes), the first and the last of their
// rounds (4 bytes each), and the state of the mechanism.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/format/header.hpp"
#include "core/format/rounds.hpp"

namespace ldp {

/// Reads and writes the parts of a summary whose block has this size.
class SummaryFrame {
  public:
    explicit SummaryFrame(std::size_t block_size) noexcept : block_(block_size) {}

    /// Returns the size of a summary whose state has this size.
    [[nodiscard]] std::size_t size(std::size_t state_size) const noexcept { return state_at() + state_size; }
    [[nodiscard]] std::uint64_t count(Bytes summary) const noexcept {
        return load<std::uint64_t>(summary.data() + block_);
    }
    [[nodiscard]] Rounds rounds(Bytes summary) const noexcept {
        return {load<std::int32_t>(summary.data() + first_at()),
                load<std::int32_t>(summary.data() + last_at())};
    }
    /// Adds `more` reports of these rounds to the count.
    void add_count(MutableBytes summary, std::uint64_t more, const Rounds& rounds) const noexcept {
        add<std::uint64_t>(summary.data() + block_, more);
        put_rounds(summary, this->rounds(summary).with(rounds));
    }
    [[nodiscard]] Bytes state(Bytes summary) const noexcept { return summary.subspan(state_at()); }
    [[nodiscard]] MutableBytes state(MutableBytes summary) const noexcept {
        return summary.subspan(state_at());
    }

    /// Fills `summary` with a summary of no reports.
    void start(MutableBytes summary, Bytes block) const noexcept {
        start_head(summary, block);
        std::ranges::fill(state(summary), std::byte{0});
    }
    /// Fills only the part before the state.
    void start_head(MutableBytes summary, Bytes block) const noexcept {
        std::ranges::copy(block, summary.begin());
        set_kind(summary, Kind::summary);
        store<std::uint64_t>(summary.data() + block_, 0);
        put_rounds(summary, Rounds::none());
    }
    /// Returns whether the bytes are a summary with this block and with a state of this size.
    [[nodiscard]] bool fits(Bytes summary, Bytes block, std::size_t state_size) const noexcept {
        return summary.size() == size(state_size) && begins_with_block(summary, block) &&
               kind_of(summary) == Kind::summary;
    }

  private:
    [[nodiscard]] std::size_t first_at() const noexcept { return block_ + sizeof(std::uint64_t); }
    [[nodiscard]] std::size_t last_at() const noexcept { return first_at() + sizeof(std::int32_t); }
    [[nodiscard]] std::size_t state_at() const noexcept { return last_at() + sizeof(std::int32_t); }
    void put_rounds(MutableBytes summary, const Rounds& rounds) const noexcept {
        store(summary.data() + first_at(), rounds.first);
        store(summary.data() + last_at(), rounds.last);
    }

    std::size_t block_;
};

/// The parts of a summary that is not written yet. The state refers to the bytes of another summary.
struct SummaryDraft {
    std::vector<std::byte> block;
    std::uint64_t n;
    Rounds rounds;
    Bytes state;
    std::optional<std::uint64_t> behind = {};  ///< a number that follows the state

    [[nodiscard]] std::size_t size() const noexcept {
        return SummaryFrame(block.size()).size(state.size() + (behind ? sizeof(*behind) : 0));
    }
    /// Fills size() bytes. These may be hundreds of millions, so it checks for interrupts from time to time.
    void write(MutableBytes summary) const;
    [[nodiscard]] std::vector<std::byte> bytes() const;
};

}  // namespace ldp

// The state of few reports: the payloads themselves, in the order of arrival. It takes the memory of its
// reports, while a summary takes the memory of all counters. Counting the payloads gives the same summary, bit
// for bit, because counters and sums do not depend on the order.
//
// A list has the parts of a summary (core/format/summary_frame.hpp), except that the block is that of a report,
// and that payloads and free space replace the counters. The free space begins behind the payloads of n reports.
#pragma once

#include "core/summary/batch.hpp"

namespace ldp {

/// Whether a state is a list of reports; otherwise it is a summary, or no state.
[[nodiscard]] inline bool is_list(Bytes state) noexcept {
    return state.size() > kind_offset && kind_of(state) == Kind::report;
}

/// Reads and writes the lists of a mechanism. The functions do not allocate memory. Functions that count or
/// check many reports check for interrupts; all others do not throw.
class ReportList {
  public:
    /// The mechanism must outlive this object.
    explicit ReportList(const Mechanism& mechanism) noexcept;

    [[nodiscard]] const Mechanism& mechanism() const noexcept { return *mechanism_; }
    /// The most reports of a list, whose payloads take a quarter of the counters. 0 if lists do not save
    /// memory.
    [[nodiscard]] std::uint64_t most() const noexcept { return most_; }
    /// Returns the size of a list for this number of reports, with free space, or 0 if it would be longer than
    /// most(). The size plus `outside` bytes is a power of 2, in which memory is allocated; sizes therefore
    /// double.
    [[nodiscard]] std::size_t size_for(std::uint64_t reports, std::size_t outside) const noexcept;
    /// Returns the size of a list of this number of reports without free space.
    [[nodiscard]] std::size_t size(std::uint64_t reports) const noexcept {
        return frame_.size(reports * sent_size_);
    }
    /// Whether these bytes are a list of the mechanism whose reports are within the bytes. The functions
    /// below require no other property.
    [[nodiscard]] bool fits(Bytes list) const noexcept;
    [[nodiscard]] std::uint64_t count(Bytes list) const noexcept { return frame_.count(list); }
    /// Returns the number of reports for which there is free space.
    [[nodiscard]] std::uint64_t room(Bytes list) const noexcept {
        return frame_.state(list).size() / sent_size_ - count(list);
    }

    /// Whether fits() holds and there is free space for a report; without divisions, for each report.
    [[nodiscard]] bool takes_one(Bytes list) const noexcept {
        if (list.size() < frame_.size(0) || !is_list(list) || !begins_with_block(list, block_)) return false;
        const std::uint64_t n = count(list);
        return n < most_ && (n + 1) * sent_size_ <= frame_.state(list).size();
    }

    /// Fills `list` with a list of no reports.
    void start(MutableBytes list) const noexcept;
    /// Appends an untrusted report to a list with free space. The list is unchanged unless the outcome is ok.
    [[nodiscard]] Outcome append(MutableBytes list, Bytes report, const Rounds& rounds) const noexcept;
    /// Appends the reports of an untrusted batch to a list with free space for them. The list is unchanged
    /// unless the outcome is ok. Throws Interrupted.
    [[nodiscard]] Outcome append_batch(MutableBytes list, Bytes batch, const Rounds& rounds) const;
    /// Appends the reports of another list of the mechanism to a list with free space for them.
    void append_list(MutableBytes list, Bytes other) const noexcept;
    /// Adds the reports of a list to a summary of the mechanism. A refused payload, which only forged lists have,
    /// is malformed. Throws Interrupted. In both cases, the summary may contain some of the reports, and
    /// callers must discard it.
    [[nodiscard]] Outcome count_into(MutableBytes summary, Bytes list) const;
    /// Throws Error (malformed) if the untrusted bytes are not a list of the mechanism, without free space, whose
    /// payloads are possible. Throws Interrupted.
    void check(Bytes list) const;

  private:
    [[nodiscard]] bool valid(Bytes sent) const noexcept {
        return (!signal_ || sent[payload_size_] <= std::byte{1}) &&
               mechanism_->valid_payload(sent.first(payload_size_));
    }
    [[nodiscard]] Bytes sent(Bytes list) const noexcept {
        return frame_.state(list).first(count(list) * sent_size_);
    }
    void put(MutableBytes list, Bytes sent, std::uint64_t reports, const Rounds& rounds) const noexcept;

    const Mechanism* mechanism_;
    Bytes block_;
    SummaryFrame frame_;
    std::size_t payload_size_, sent_size_;
    bool signal_;
    std::uint64_t most_;
};

}  // namespace ldp

#include "core/summary/report_list.hpp"

#include <bit>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

/// The payloads take at most this part of the counters.
constexpr std::size_t part_of_counters = 4;
/// Shorter lists are not worth a second representation.
constexpr std::uint64_t fewest = 8;

}  // namespace

ReportList::ReportList(const Mechanism& mechanism) noexcept
    : mechanism_(&mechanism),
      block_(mechanism.block()),
      frame_(block_.size()),
      payload_size_(mechanism.payload_size()),
      sent_size_(ldp::sent_size(mechanism)),
      signal_(sent_size_ > payload_size_),
      most_(counted_size(mechanism) / part_of_counters / sent_size_) {
    if (most_ < fewest) most_ = 0;
}

std::size_t ReportList::size_for(std::uint64_t reports, std::size_t outside) const noexcept {
    if (reports > most_) return 0;
    return std::min(std::bit_ceil(outside + size(reports)) - outside, size(most_));
}

bool ReportList::fits(Bytes list) const noexcept {
    return list.size() >= frame_.size(0) && is_list(list) && begins_with_block(list, block_) &&
           count(list) <= frame_.state(list).size() / sent_size_;
}

void ReportList::start(MutableBytes list) const noexcept {
    frame_.start(list, block_);
    set_kind(list, Kind::report);
}

void ReportList::put(MutableBytes list, Bytes sent, std::uint64_t reports,
                     const Rounds& rounds) const noexcept {
    std::memcpy(frame_.state(list).data() + count(list) * sent_size_, sent.data(), sent.size());
    frame_.add_count(list, reports, rounds);
}

Outcome ReportList::append(MutableBytes list, Bytes report, const Rounds& rounds) const noexcept {
    if (!begins_with_block(report, block_) || !is_report(report)) return Outcome::mismatch;
    if (report.size() != block_.size() + sent_size_) return Outcome::malformed;
    const Bytes sent = payload_of(report, block_);
    if (!valid(sent)) return Outcome::malformed;
    put(list, sent, 1, rounds);
    return Outcome::ok;
}

Outcome ReportList::append_batch(MutableBytes list, Bytes batch, const Rounds& rounds) const {
    const BatchFrame batches(block_.size(), sent_size_);
    if (!begins_with_block(batch, block_) || !is_batch(batch)) return Outcome::mismatch;
    if (!batches.fits(batch, block_)) return Outcome::malformed;
    Work work;
    for (std::size_t i = 0; i < batches.count(batch); ++i, work.done(1 + sent_size_ / 8))
        if (!valid(batches.payload(batch, i))) return Outcome::malformed;
    put(list, batches.payloads(batch), batches.count(batch), rounds);
    return Outcome::ok;
}

void ReportList::append_list(MutableBytes list, Bytes other) const noexcept {
    put(list, sent(other), count(other), frame_.rounds(other));
}

Outcome ReportList::count_into(MutableBytes summary, Bytes list) const {
    const std::uint64_t before = frame_.count(summary), more = count(list);
    if (before > max_count || more > max_count - before) return Outcome::full;
    const ReportCounter counter(*mechanism_);
    const MutableBytes counted = frame_.state(summary);
    const std::size_t each = 1 + sent_size_ / 8 + static_cast<std::size_t>(mechanism_->cost().per_report);
    Work work;
    for (Bytes rest = sent(list); !rest.empty(); rest = rest.subspan(sent_size_), work.done(each))
        if (!counter.count_sent(counted, rest.first(sent_size_))) return Outcome::malformed;
    frame_.add_count(summary, more, frame_.rounds(list));
    return Outcome::ok;
}

void ReportList::check(Bytes list) const {
    if (!fits(list) || list.size() != size(count(list)))
        raise(ErrorCode::malformed, "the list of reports has the wrong length",
              "Found " + std::to_string(list.size()) + " bytes; a list without reports has " +
                  std::to_string(size(0)) + ", and each report adds " + std::to_string(sent_size_) + ".",
              "It is truncated or damaged, or does not come from ldp.");
    const Rounds rounds = frame_.rounds(list);
    const bool none = count(list) == 0;
    bool possible = rounds.empty() == none && (!none || rounds == Rounds::none());
    Work work;
    for (Bytes rest = sent(list); possible && !rest.empty(); rest = rest.subspan(sent_size_)) {
        possible = valid(rest.first(sent_size_));
        work.done(1 + sent_size_ / 8);
    }
    if (!possible)
        refuse_block("the list of reports is invalid",
                     "No reports with its parameters have these payloads and rounds.");
}

}  // namespace ldp

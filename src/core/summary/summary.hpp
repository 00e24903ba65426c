// Summaries of reports. A summary is a sequence of bytes without pointers. Its size depends on the spec and
// not on the number of reports, so that a database can store it, send it and change it in place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/format/fingerprint.hpp"
#include "core/format/report_frame.hpp"
#include "core/format/summary_frame.hpp"
#include "core/mechanism/longitudinal/candidate_search.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

// Counting -------------------------------------------------------------------------------------------------

enum class Outcome : std::uint8_t {
    ok,
    mismatch,   ///< made under another spec
    malformed,  ///< no randomizer could have made this payload
    full,       ///< more than max_count reports
};

/// Returns the mechanism of a summary, whose other bytes are not checked. The queries of a session are about few specs. Mechanisms
/// are immutable, so that a thread keeps the last ones, with all that they have computed on first use.
[[nodiscard]] std::shared_ptr<const Mechanism> mechanism_of(Bytes summary);

[[nodiscard]] std::size_t summary_size(const Mechanism& mechanism) noexcept;
/// Fills `summary` (summary_size bytes) with the empty summary.
void start_summary(const Mechanism& mechanism, MutableBytes summary) noexcept;
/// Whether these bytes have the size and block of the mechanism's summaries. Counting requires no other
/// property of the bytes.
[[nodiscard]] bool is_summary_of(const Mechanism& mechanism, Bytes summary) noexcept;

/// Counts an untrusted report in a summary of the mechanism. The summary is unchanged unless the outcome is
/// ok. If responses are memoized, queries need the rounds of all reports: see pooling.hpp.
[[nodiscard]] Outcome accumulate(const Mechanism& mechanism, MutableBytes summary, Bytes report,
                                 const Rounds& rounds = Rounds::unrecorded()) noexcept;
/// Counts many reports. The properties of the mechanism are looked up once.
class ReportCounter {
  public:
    /// The mechanism must outlive this object.
    explicit ReportCounter(const Mechanism& mechanism) noexcept
        : mechanism_(&mechanism),
          block_(mechanism.block()),
          payload_size_(mechanism.payload_size()),
          state_size_(mechanism.state_size()),
          counted_size_(counted_size(mechanism)),
          signal_(counted_size_ > state_size_),
          record_(signal_ ? find_capability<Record>(mechanism) : nullptr) {}

    /// As is_summary_of.
    [[nodiscard]] bool counts_in(Bytes summary) const noexcept {
        return SummaryFrame(block_.size()).fits(summary, block_, counted_size_);
    }
    /// As accumulate, for a summary with counts_in().
    [[nodiscard, gnu::always_inline]] Outcome count(MutableBytes summary, Bytes report,
                                                    const Rounds& rounds) const noexcept {
        const SummaryFrame frame(block_.size());
        if (report.size() >= long_report && report.size() <= longest_in_row) prefetch_below(report);
        if (!begins_with_block(report, block_) || !is_report(report)) return Outcome::mismatch;
        if (report.size() != block_.size() + payload_size_ + (signal_ ? 1 : 0)) return Outcome::malformed;
        if (frame.count(summary) >= max_count) return Outcome::full;
        if (!count_sent(frame.state(summary), payload_of(report, block_))) return Outcome::malformed;
        frame.add_count(summary, 1, rounds);
        return Outcome::ok;
    }

    /// Adds a report to a summary. The arguments are the bytes of the report after its block, and the bytes
    /// of the summary after its counts and rounds. Returns false and changes nothing if no client can have
    /// created the report.
    [[nodiscard, gnu::always_inline]] bool count_sent(MutableBytes counted, Bytes sent) const noexcept {
        if (!signal_) return mechanism_->accumulate(counted, sent);
        const std::byte bit = sent[payload_size_];
        if (bit > std::byte{1} ||
            !mechanism_->accumulate(counted.first(state_size_), sent.first(payload_size_)))
            return false;
        if (bit == std::byte{0}) return true;
        add<std::uint64_t>(counted.data() + state_size_, 1);
        if (record_ != nullptr)
            record_->count_parts(sent.first(payload_size_),
                                 counted.subspan(state_size_ + sizeof(std::uint64_t)));
        return true;
    }

    /// Same as count_sent(), for the reports of a batch. If it returns false, some of them may have been
    /// counted.
    [[nodiscard]] bool count_all_sent(MutableBytes counted, const Payloads& sent) const noexcept;

  private:
    static constexpr std::size_t long_report = 100;      // processors prefetch shorter reports themselves
    static constexpr std::size_t longest_in_row = 2000;  // longer reports are stored outside the row (TOAST)

    /// Prefetches the report after the next. PostgreSQL fills a page from its end. A scan therefore visits
    /// rows in descending order and the bytes of each row in ascending order, which processors do not
    /// predict. A wrong address is harmless, because a prefetch does not read.
    static void prefetch_below(Bytes report) noexcept {
        constexpr std::size_t line = 64, row_header = 32;
        const auto place = reinterpret_cast<std::uintptr_t>(report.data()) - 2 * (report.size() + row_header);
        for (std::size_t i = 0; i < report.size(); i += line)
            // NOLINTNEXTLINE(performance-no-int-to-ptr): no pointer into the report may leave it.
            __builtin_prefetch(reinterpret_cast<const void*>(place + i));
    }

    const Mechanism* mechanism_;
    Bytes block_;
    std::size_t payload_size_, state_size_, counted_size_;
    bool signal_;
    const Record* record_;  ///< null unless the ones of each part are counted
};
/// Adds an untrusted summary to one of the mechanism. The first is unchanged unless the outcome is ok.
[[nodiscard]] Outcome merge(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept;

/// Full validation of untrusted bytes that begin with the mechanism's block. Throws Error (malformed).
void check_report(const Mechanism& mechanism, Bytes report);
void check_summary(const Mechanism& mechanism, Bytes summary);

/// Throws Error (incompatible) that names both specs; each argument is a report or summary with a header.
[[noreturn]] void raise_incompatible(Bytes expected, Bytes found);
/// Throws the Error for reports beyond max_count.
[[noreturn]] void raise_full();
/// Throws the Error for an Outcome other than ok.
[[noreturn]] void raise_outcome(Outcome outcome, Bytes summary, Bytes added);

// Queries --------------------------------------------------------------------------------------------------
//
// All throw Error: unsupported if the mechanism does not estimate this, or if the reports were counted
// without required rounds; invalid_value if there are no reports or an argument is out of range.

/// Returns the view of a summary for queries. is_summary_of() must hold, and check_summary() for untrusted
/// bytes.
[[nodiscard]] SummaryView view_of(const Mechanism& mechanism, Bytes summary) noexcept;
/// Throws Error: invalid_value if there are no reports, unsupported as need_rounds().
void need_reports(const SummaryView& view);

/// Returns one estimate per item; its error is inflated if reports are repeated. If several attributes have
/// frequencies, the query names one.
[[nodiscard]] std::vector<Estimate> estimate(const SummaryView& view, const Question& question);
/// Returns the share of one value of the only attribute, or of the attribute with this number. A frequency
/// oracle computes this value only.
[[nodiscard]] Estimate share_of(const SummaryView& view, std::int64_t value, Target target,
                                std::size_t attribute = only_attribute);
/// Returns the mean of all values of several attributes; see GroupMean.
[[nodiscard]] Estimate group_mean(const SummaryView& view, std::size_t first, std::size_t last,
                                  Target target);
/// Returns the values for which the reports are evidence; see CandidateSearch.
[[nodiscard]] std::vector<Picked> pick(const SummaryView& view, CandidateMethod method);
/// Returns tests whether the reports have the distribution of honest reports, see Aggregator::health; no
/// tests if there are no reports. Throws Error (unsupported) if people repeat responses: honest reports then
/// do not have a known distribution.
[[nodiscard]] std::vector<Check> health(const SummaryView& view);

/// Returns the reports of a record that are about one attribute; all reports if there is a single attribute.
/// Throws Error: unsupported if every report is about several attributes, invalid_value if there is no such
/// attribute. There may be no reports.
[[nodiscard]] SummaryView single_part(const SummaryView& view, std::size_t attribute);
/// Returns these reports as a separate summary of the mechanism that randomized the attribute. It has all
/// estimates of this mechanism. Its fingerprint is part_fingerprint(), so that summaries of different
/// attributes cannot be merged. For a single attribute, the summary is unchanged. The state of the result
/// refers to the bytes of the view.
[[nodiscard]] SummaryDraft summary_of_part(const SummaryView& view, std::size_t attribute);

// For people to read ---------------------------------------------------------------------------------------

/// Returns a description of a report or a summary: "grr, epsilon 1, spec 0123456789abcdef".
[[nodiscard]] std::string describe(Bytes bytes);
/// Returns {"mechanism": …, "epsilon": …, "spec": fingerprint, "parameters": {…}}.
[[nodiscard]] std::string parameters_json(const Mechanism& mechanism);

}  // namespace ldp

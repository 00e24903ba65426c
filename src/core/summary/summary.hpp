// Summaries: what reports add up to. Flat bytes whose size depends on the spec, never on how many reports
// they hold, so that a database can keep them, send them and change them in place.
#pragma once

#include <string>
#include <vector>

#include "core/format/fingerprint.hpp"
#include "core/format/report_frame.hpp"
#include "core/format/summary_frame.hpp"
#include "core/mechanism/capability.hpp"
#include "core/mechanism/longitudinal/candidate_search.hpp"

namespace ldp {

// Counting -------------------------------------------------------------------------------------------------

enum class Outcome : std::uint8_t {
    ok,
    mismatch,   ///< made under another spec
    malformed,  ///< no randomizer could have made this payload
    full,       ///< more than max_count reports
};

[[nodiscard]] std::size_t summary_size(const Mechanism& mechanism) noexcept;
/// Fills `summary` (summary_size bytes) with the empty summary.
void start_summary(const Mechanism& mechanism, MutableBytes summary) noexcept;
/// Whether these bytes have the size and block of the mechanism's summaries: all that counting relies on.
[[nodiscard]] bool is_summary_of(const Mechanism& mechanism, Bytes summary) noexcept;

/// Counts an untrusted report in a summary of the mechanism. Anything but ok leaves the summary as it was.
/// Where people keep their answers, what is asked of reports whose rounds were not told is refused: see
/// pooling.hpp.
[[nodiscard]] Outcome accumulate(const Mechanism& mechanism, MutableBytes summary, Bytes report,
                                 const Rounds& rounds = Rounds::untold()) noexcept;
/// The same for one report after another: what each needs of the mechanism is looked up once.
class ReportCounter {
  public:
    /// The mechanism must outlive it.
    explicit ReportCounter(const Mechanism& mechanism) noexcept
        : mechanism_(&mechanism),
          block_(mechanism.block()),
          payload_size_(mechanism.payload_size()),
          state_size_(mechanism.state_size()) {}

    /// As is_summary_of.
    [[nodiscard]] bool counts_in(Bytes summary) const noexcept {
        return SummaryFrame(block_.size()).fits(summary, block_, state_size_);
    }
    /// As accumulate, in what it counts in.
    [[nodiscard, gnu::always_inline]] Outcome count(MutableBytes summary, Bytes report,
                                                    const Rounds& rounds) const noexcept {
        const SummaryFrame frame(block_.size());
        if (report.size() >= long_report && report.size() <= longest_in_row) prefetch_below(report);
        if (!begins_with_block(report, block_) || !is_report(report)) return Outcome::mismatch;
        if (report.size() != block_.size() + payload_size_) return Outcome::malformed;
        if (frame.count(summary) >= max_count) return Outcome::full;
        if (!mechanism_->accumulate(frame.state(summary), payload_of(report, block_)))
            return Outcome::malformed;
        frame.add_count(summary, 1, rounds);
        return Outcome::ok;
    }

  private:
    static constexpr std::size_t long_report = 100;      // of less, processors foresee which bytes come
    static constexpr std::size_t longest_in_row = 2000;  // more stands outside (TOAST)

    /// Asks for the report after the next. PostgreSQL fills a page from its end, so that a scan goes down
    /// from row to row, and up in each of them, which processors do not foresee. A guess that is wrong is
    /// harmless: nothing is read.
    static void prefetch_below(Bytes report) noexcept {
        constexpr std::size_t line = 64, row_header = 32;
        const auto place = reinterpret_cast<std::uintptr_t>(report.data()) - 2 * (report.size() + row_header);
        for (std::size_t i = 0; i < report.size(); i += line)
            // NOLINTNEXTLINE(performance-no-int-to-ptr): no pointer into the report may leave it.
            __builtin_prefetch(reinterpret_cast<const void*>(place + i));
    }

    const Mechanism* mechanism_;
    Bytes block_;
    std::size_t payload_size_, state_size_;
};
/// Adds an untrusted summary to one of the mechanism. Anything but ok leaves the first as it was.
[[nodiscard]] Outcome merge(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept;

/// Full validation of untrusted bytes that begin with the mechanism's block. Throws Error (malformed).
void check_report(const Mechanism& mechanism, Bytes report);
void check_summary(const Mechanism& mechanism, Bytes summary);

/// Throws Error (incompatible) that names both specs; each argument is a report or summary with a header.
[[noreturn]] void raise_incompatible(Bytes expected, Bytes found);
/// Throws the Error that an Outcome other than ok stands for.
[[noreturn]] void raise_outcome(Outcome outcome, Bytes summary, Bytes added);

// Questions. All throw Error: unsupported if the reports do not tell this, or were counted without the rounds
// that it takes, invalid_value if there are none or an argument is out of range.
// ---------------------------------

/// A summary of the mechanism, as questions see it: is_summary_of() holds, and check_summary() if the bytes
/// come from outside.
[[nodiscard]] SummaryView view_of(const Mechanism& mechanism, Bytes summary) noexcept;
/// Throws Error: invalid_value if there are no reports, unsupported as need_rounds().
void need_reports(const SummaryView& view);

/// One estimate per item, its error widened where people's reports repeat. Where there are several attributes
/// with frequencies, the question says whose.
[[nodiscard]] std::vector<Estimate> estimate(const SummaryView& view, const Question& question);
/// The share of one value, of the only attribute or of the one numbered so. A frequency oracle looks at no
/// other value.
[[nodiscard]] Estimate share_of(const SummaryView& view, std::int64_t value, Target target,
                                std::size_t attribute = only_attribute);
/// The mean of all values of several attributes, as GroupMean.
[[nodiscard]] Estimate group_mean(const SummaryView& view, std::size_t first, std::size_t last,
                                  Target target);
/// The values that the reports speak for, as CandidateSearch.
[[nodiscard]] std::vector<Picked> pick(const SummaryView& view, CandidateMethod method);
/// What honest reports must follow, as Aggregator::health; nothing if there are no reports. Throws Error
/// (unsupported) where people's reports repeat: honest ones then follow nothing of the kind.
[[nodiscard]] std::vector<Check> health(const SummaryView& view);

/// The reports that are about one attribute, of a record; of a single attribute all of them. Throws Error:
/// unsupported if every report is about several attributes, invalid_value if there is no such attribute.
/// There may be no reports.
[[nodiscard]] SummaryView single_part(const SummaryView& view, std::size_t attribute);
/// The same as a summary of its own, under the mechanism that randomized the attribute: it answers all that
/// this mechanism does. Its fingerprint is part_fingerprint's, so that summaries of different attributes do
/// not mix. Of a single attribute the summary as it is. Its state is that of the view, or in it.
[[nodiscard]] SummaryDraft summary_of_part(const SummaryView& view, std::size_t attribute);

// For people to read ---------------------------------------------------------------------------------------

/// "grr, epsilon 1, spec 0123456789abcdef", of a report or a summary.
[[nodiscard]] std::string describe(Bytes bytes);
/// {"mechanism": …, "epsilon": …, "spec": fingerprint, "parameters": {…}}
[[nodiscard]] std::string parameters_json(const Mechanism& mechanism);

}  // namespace ldp

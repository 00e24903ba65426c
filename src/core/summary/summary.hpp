// Summaries: what reports add up to. Flat bytes whose size depends on the spec, never on how many reports
// they hold, so that a database can keep them, send them and change them in place.
#pragma once

#include <string>
#include <vector>

#include "core/mechanism/mechanism.hpp"

namespace ldp {

enum class Outcome : std::uint8_t {
    ok,
    mismatch,   ///< made under another spec
    malformed,  ///< no randomiser could have made this payload
    full,       ///< more than max_count reports
};

[[nodiscard]] std::size_t summary_size(const Mechanism& mechanism) noexcept;
/// Fills `summary` (summary_size bytes) with the empty summary.
void start_summary(const Mechanism& mechanism, MutableBytes summary) noexcept;
/// Whether these bytes have the size and block of the mechanism's summaries: all that counting relies on.
[[nodiscard]] bool is_summary_of(const Mechanism& mechanism, Bytes summary) noexcept;
/// Reports counted; the summary is_summary_of the mechanism, as for all functions below.
[[nodiscard]] std::uint64_t summary_count(const Mechanism& mechanism, Bytes summary) noexcept;
/// The mechanism's part.
[[nodiscard]] Bytes summary_state(const Mechanism& mechanism, Bytes summary) noexcept;

/// Counts an untrusted report. Anything but ok leaves the summary as it was.
[[nodiscard]] Outcome accumulate(const Mechanism& mechanism, MutableBytes summary, Bytes report) noexcept;
/// Adds an untrusted summary. Anything but ok leaves the first as it was.
[[nodiscard]] Outcome merge(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept;

/// Throws Error (unsupported) that says what the mechanism's reports tell instead, unless they tell this.
void check_answers(const Mechanism& mechanism, Quantity quantity);
/// One estimate per item. Throws Error: unsupported if the mechanism has no such answer, invalid_value if
/// there are no reports.
[[nodiscard]] std::vector<Estimate> estimate(const Mechanism& mechanism, Bytes summary,
                                             const Question& question);
/// The mean of all values of several attributes, as Mechanism::group_mean. Throws Error: unsupported, or
/// invalid_value if there are no reports.
[[nodiscard]] Estimate group_mean(const Mechanism& mechanism, Bytes summary, std::size_t first,
                                  std::size_t last, Target target);
/// One attribute of a record as a summary of its own, of the reports that were about it, under the
/// mechanism that randomised it: it answers all that this mechanism does. Its fingerprint is
/// part_fingerprint's, so that summaries of different attributes do not mix. Of a single attribute the
/// summary as it is. Throws Error: unsupported if every report is about several attributes, invalid_value if
/// there is no such attribute.
[[nodiscard]] std::vector<std::byte> summary_of_part(const Mechanism& mechanism, Bytes summary,
                                                     std::size_t attribute);
/// What identifies that summary, from what identifies the record's spec.
[[nodiscard]] std::uint64_t part_fingerprint(std::uint64_t fingerprint, std::size_t attribute);

/// The values that the reports speak for, as Mechanism::pick. Throws Error: unsupported if each value has an
/// estimate of its own, invalid_value if there are no reports.
[[nodiscard]] std::vector<Picked> pick(const Mechanism& mechanism, Bytes summary, Selection selection);

/// What honest reports must follow, as Mechanism::health; nothing if there are no reports.
[[nodiscard]] std::vector<Check> health(const Mechanism& mechanism, Bytes summary);

/// Full validation of untrusted bytes that begin with the mechanism's block. Throws Error (malformed).
void check_report(const Mechanism& mechanism, Bytes report);
void check_summary(const Mechanism& mechanism, Bytes summary);

/// Throws Error (incompatible) that names both specs; each argument is a report or summary with a header.
[[noreturn]] void throw_incompatible(Bytes expected, Bytes found);
/// Throws the Error that an Outcome other than ok stands for.
[[noreturn]] void throw_outcome(Outcome outcome, Bytes summary, Bytes added);

/// "grr, epsilon 1, spec 0123456789abcdef", of a report or a summary.
[[nodiscard]] std::string describe(Bytes bytes);
/// {"mechanism": …, "epsilon": …, "spec": fingerprint, "parameters": {…}}
[[nodiscard]] std::string parameters_json(const Mechanism& mechanism);

}  // namespace ldp

// Batches of reports: creation, validation and counting. The format is in core/format/batch_frame.hpp.
#pragma once

#include <span>
#include <vector>

#include "core/format/batch_frame.hpp"
#include "core/format/report_frame.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

/// Returns the frame of a mechanism's batches.
[[nodiscard]] BatchFrame batch_frame(const Mechanism& mechanism) noexcept;

/// Packs at least one report of the mechanism into one batch, or into several if one is too small. Throws the
/// errors of check_report(), Error (incompatible) for a report of another spec, and Interrupted.
[[nodiscard]] std::vector<std::vector<std::byte>> pack(const Mechanism& mechanism,
                                                       std::span<const Report> reports);

/// Merges validated batches of the mechanism into one batch, or into several if one is too small. The result
/// does not show which batch a report came from. Throws Interrupted.
[[nodiscard]] std::vector<std::vector<std::byte>> merge(const Mechanism& mechanism,
                                                        std::span<const Bytes> batches);

/// Counts the reports of an untrusted batch, all from the same rounds. The outcomes full and mismatch leave
/// the summary unchanged. After the outcome malformed, or Interrupted, the state may contain some of the
/// reports while the count does not. Callers must discard such a summary.
[[nodiscard]] Outcome accumulate_batch(const Mechanism& mechanism, MutableBytes summary, Bytes batch,
                                       const Rounds& rounds = Rounds::unrecorded());

/// Returns the summary of untrusted reports of the mechanism, one after another. `rounds` has the round of each report, or
/// is empty if rounds are not recorded. Throws Error: malformed, also if the bytes are no whole number of reports,
/// incompatible, full. Throws Interrupted.
[[nodiscard]] std::vector<std::byte> summarize(const Mechanism& mechanism, Bytes reports,
                                               std::span<const std::int32_t> rounds = {});

/// Returns the summary of the reports of two untrusted summaries. Throws Error: malformed, incompatible, full.
[[nodiscard]] std::vector<std::byte> merge_summaries(Bytes one, Bytes other);

/// Validates untrusted bytes that begin with the mechanism's block. Throws Error (malformed) and Interrupted.
void check_batch(const Mechanism& mechanism, Bytes batch);
/// Calls check_report(), check_summary() or check_batch() according to the kind.
void check_value(const Mechanism& mechanism, Bytes bytes, Kind kind);

}  // namespace ldp

// Batches of reports (core/format/batch_frame.hpp): made, checked, counted.
#pragma once

#include <span>
#include <vector>

#include "core/format/batch_frame.hpp"
#include "core/format/report_frame.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

/// Of a mechanism's batches.
[[nodiscard]] BatchFrame batch_frame(const Mechanism& mechanism) noexcept;

/// These reports of the mechanism, at least one, as a batch, or as several where one has no room for all.
/// Throws what check_report throws, Error (incompatible) for a report of another spec, and Interrupted.
[[nodiscard]] std::vector<std::vector<std::byte>> pack(const Mechanism& mechanism,
                                                       std::span<const Report> reports);

/// All reports of these batches of the mechanism, which were checked, as one batch, or as several where one
/// has no room for all: which of them came in which batch is gone. Throws Interrupted.
[[nodiscard]] std::vector<std::vector<std::byte>> merge(const Mechanism& mechanism,
                                                        std::span<const Bytes> batches);

/// Counts the reports of an untrusted batch; their rounds are the same. Full and mismatch leave the summary
/// as it was. Malformed, or Interrupted, which is thrown, may leave some of the reports in it and its count
/// without them: nobody may use such a summary.
[[nodiscard]] Outcome accumulate_batch(const Mechanism& mechanism, MutableBytes summary, Bytes batch,
                                       const Rounds& rounds = Rounds::untold());

/// Full validation of untrusted bytes that begin with the mechanism's block. Throws Error (malformed) and
/// Interrupted.
void check_batch(const Mechanism& mechanism, Bytes batch);
/// check_report, check_summary or check_batch.
void check_value(const Mechanism& mechanism, Bytes bytes, Kind kind);

}  // namespace ldp

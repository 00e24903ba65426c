// Reporters: the conversion of records to reports, and its persistent state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "client/collection.hpp"
#include "client/receipt.hpp"
#include "client/store.hpp"

namespace ldp {

class BitSource;

/// Makes reports from records of one collection. The spec determines the implementation:
///   FreshReporter      draws each report anew; the records may belong to different people.
///   MemoizingReporter  repeats memoized responses, within a budget; one person with changing values.
///   SeriesReporter     reports the rounds of a series in order; one person with one value in each round.
/// In a record of series and other attributes, the part that the person draws determines the implementation.
///
/// A reporter changes only in memory. The caller stores unsaved() in the same step as the reports and then
/// calls commit(). If the step fails, the caller reverts the changes with undo() or rollback().
class Reporter {
  public:
    Reporter() = default;
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;
    virtual ~Reporter() = default;

    /// The reports that are due (in a series none, one or several) and the receipt of the record.
    struct Reported {
        std::vector<Report> reports;
        Receipt receipt;
    };
    /// Reports a record. `round` is empty if the round is chosen later, when the report is queued. Throws the
    /// errors of Collection::to_grid and those of the implementation; after an error nothing has changed.
    [[nodiscard]] virtual Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                          BitSource& bits) = 0;

    /// Returns the changes since the last commit(); valid until the next call.
    [[nodiscard]] virtual StateDelta unsaved() { return {}; }
    /// Records that the changes are stored, with responses of this round.
    virtual void commit(std::int32_t /*round*/) {}
    /// Reverts the latest report(). No other function may have been called since.
    virtual void undo() {}
    /// Reverts all changes since the last commit().
    virtual void rollback() {}

    /// Whether the person reports a series, in which rounds without a report are usual.
    [[nodiscard]] virtual bool reports_series() const noexcept { return false; }
    /// Whether the signal of a spent budget, if reports have one, depends on the person's values.
    [[nodiscard]] virtual bool pays_for_signal() const noexcept { return true; }

    /// Returns the permanent responses in the order of their draws, each with its ε. Throws Error
    /// (unsupported) if the reporter does not memoize responses.
    [[nodiscard]] virtual std::span<const PermanentResponse> ledger() const = 0;
};

/// Returns the reporter for the collection's spec, with the state in the store. If the store is empty, draws
/// and stores the person's public randomness. Throws Error (environment) if the state does not fit the spec.
[[nodiscard]] std::unique_ptr<Reporter> make_reporter(const Collection& collection, Store& store,
                                                      BitSource& bits);

}  // namespace ldp

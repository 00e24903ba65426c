// How records become reports, and what must be remembered of them.
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

/// Makes reports of records, under one collection. There are three, and the spec says which one it takes:
///   FreshReporter      each report is a new draw (records may be different people's)
///   MemoizingReporter  answers are kept and repeated, within a budget (one person, whose values change)
///   SeriesReporter     the rounds of a series are answered one by one (one person, one value a round)
///
/// A reporter changes in memory first. Whoever queues its reports stores unsaved() in the same step, and then
/// calls commit(), or takes back what was not stored: undo(), rollback().
class Reporter {
  public:
    Reporter() = default;
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;
    virtual ~Reporter() = default;

    /// The reports that are due, in a series none or several, and what became of the record.
    struct Reported {
        std::vector<Report> reports;
        Receipt receipt;
    };
    /// Reports a record. `round` is the record's, or nothing if it will be known only when the report is
    /// queued. Throws Error, and nothing changes: as Collection::place, and as the reporter says.
    [[nodiscard]] virtual Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                          BitSource& bits) = 0;

    /// All that the store does not know yet; valid until the next call.
    [[nodiscard]] virtual Notes unsaved() { return {}; }
    /// The store knows it now, as of this round.
    virtual void commit(std::int32_t /*round*/) {}
    /// Takes back the latest report(), if nothing was called since.
    virtual void undo() {}
    /// Takes back all that the store does not know.
    virtual void rollback() {}

    /// The answers that were drawn, each at its ε, in their order. Throws Error (unsupported) if reports cost
    /// otherwise.
    [[nodiscard]] virtual std::span<const Answer> ledger() const = 0;
};

/// The reporter that the collection's spec asks for. One that remembers goes on with what the store does; if
/// that is nothing, it draws and stores what a person keeps for ever. Throws Error (environment) if what is
/// remembered does not fit the spec.
[[nodiscard]] std::unique_ptr<Reporter> make_reporter(const Collection& collection, Store& store,
                                                      BitSource& bits);

}  // namespace ldp

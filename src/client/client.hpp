// The client of one person or device, or of a file of records: perturbs records, and queues and sends
// reports.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/composition.hpp"
#include "client/batch_transport.hpp"
#include "client/budget/budget_ledger.hpp"
#include "client/collection.hpp"
#include "client/receipt.hpp"
#include "client/store.hpp"

namespace ldp {

/// The result of a flush.
struct Flushed {
    std::uint64_t batches = 0;   ///< batches that the server has counted
    std::uint64_t reports = 0;   ///< reports in these batches
    std::uint64_t repeated = 0;  ///< batches among these that an earlier attempt had delivered
    std::uint64_t refused = 0;   ///< reports moved to the dead letters; Store::refused() has the reasons
    /// Whether the server has another history than at the last delivery of this store: it was set back or
    /// replaced, and may lack reports that were delivered before.
    bool set_back = false;
};

/// Returns the error of a flush that has moved this number of queued reports to the dead letters, for this reason.
[[nodiscard]] Error queue_set_aside(std::uint64_t reports, const std::string& reason);
/// Returns the error of a flush that has found another history of the server (Flushed::set_back).
[[nodiscard]] Error server_set_back();

class Client;
class Reporter;
class SystemRandom;

/// The size of batches: it is halved after a batch that was too large or refused, and grows again after
/// successful deliveries.
class BatchSize {
  public:
    /// Returns the size of the next batch, which is at most `most`.
    [[nodiscard]] std::size_t at_most(std::size_t most) const noexcept { return std::min(most, size_); }
    /// Halves the size after a batch with this number of reports has failed. After a batch that was too
    /// large, the size grows only after several deliveries. After a refused batch it grows with the next one,
    /// because most of its reports can be delivered.
    void halve(std::size_t reports, bool too_large) noexcept {
        size_ = std::max<std::size_t>(reports / 2, 1);
        if (too_large) calm_ = 16;
    }
    /// Records a successful delivery.
    void delivered() noexcept {
        if (calm_ > 0) --calm_;
        if (calm_ == 0 && size_ <= std::numeric_limits<std::size_t>::max() / 2) size_ *= 2;
    }

  private:
    std::size_t size_ = std::numeric_limits<std::size_t>::max();
    int calm_ = 0;  ///< deliveries before the size grows again
};

/// A flush in single steps, for callers that must not block: Client::flush is a loop over these steps. During
/// a flush its client or store must not be moved, and may take reports.
class Flush {
  public:
    /// Starts a flush of a client's queue to a destination, in batches of at most `most` reports. Throws Error
    /// (invalid_value) if `most` is 0, and Error (changed) if the contract has another destination.
    Flush(Client& client, std::size_t most, Destination destination = {});
    /// Starts a flush of a store's queue. `size` persists from one flush of the store to the next. The caller has compared
    /// the destination.
    Flush(Store& store, BatchSize& size, std::size_t most, Destination destination = {});
    /// Returns the batch to deliver: the same one until delivered() or undelivered(), and nothing at the end
    /// of the queue. Throws Error (environment) at the end if the server refused all reports. At the end, the store
    /// takes the history of a server that was set back, so that an interrupted flush does not hide it.
    [[nodiscard]] const std::optional<Batch>& next();
    /// Returns the batch that follows the current one, so that a transport can prepare it. It must not be
    /// sent before the current batch is delivered. Returns nothing if no report follows, or if the store does
    /// not support this.
    [[nodiscard]] const std::optional<Batch>& ahead();
    /// Records that the current batch was counted, by this attempt or by an earlier one. `history` is
    /// BatchTransport::history().
    void delivered(bool earlier, std::string_view history = {});
    /// Records that the current batch was not counted and never will be. Its reports are sent in smaller
    /// batches or moved to the dead letters. Returns false if neither is possible; then the caller handles
    /// `why`. Throws as Client::flush does.
    [[nodiscard]] bool undelivered(const Undelivered& why);
    /// Returns the result so far.
    [[nodiscard]] const Flushed& done() const noexcept { return flushed_; }

    /// Called after each batch with the result so far.
    using Progress = std::function<void(const Flushed&)>;
    /// Runs all steps with this transport, and returns the result. Throws as Client::flush does.
    Flushed run(BatchTransport& transport, const Progress& progress = {});

  private:
    [[noreturn]] void refuse_all(const char* what) const;
    void compare_history(std::string_view history);
    void store_history();

    Store& store_;
    BatchSize& size_;
    std::size_t most_, refused_before_;       ///< dead letters before the flush
    std::optional<Destination> destination_;  ///< until a batch was delivered there
    std::optional<std::int64_t> history_;     ///< of the server, if the store does not have it
    std::optional<Batch> batch_, ahead_;
    std::optional<Undelivered> refusal_;
    int in_a_row_ = 0;  ///< consecutive refused reports
    Flushed flushed_;
};

/// Perturbs records into reports, and queues the reports until the server has counted them. The order is
/// fixed: draw a report, write it durably, then send it. The values of attributes leave the
/// client in reports only; public columns are sent as they are. Random bits come only from the operating system.
///
/// Under a spec with "evolving", all records belong to one person at different times, and the store holds
/// this person's memoized responses. A repeated value gets the same permanent response at no cost, and the
/// budget bounds the cost of new responses. Under a mechanism for series (ddrm), all records also belong to
/// one person, one record for each round. Under any other spec each report is a fresh draw, and the records
/// may belong to different people.
///
/// A client, its store and its transport may be used by one thread at a time, and must not be used after a
/// fork. A program with several threads locks the client, or uses one client with its own store in each
/// thread. A client can be moved at any time. An object that was moved from can only be assigned to or
/// destroyed.
class Client {
  public:
    /// Binds the store, which must not be null, to the collection's contract, and resumes from the store's
    /// content. Throws Error (incompatible) if the store belongs to another spec, or if the collection is not
    /// the one that was agreed (compare() in client/contract.hpp). Throws Error (environment) if the store fails, if
    /// its content does not fit the spec, or if the system returns no random bits.
    ///
    /// If a change waits for an acceptance, the client is made, but report(), stage(), commit() and flush() throw
    /// Error (changed) until accept().
    Client(Collection collection, std::unique_ptr<Store> store);
    /// Binds the store in the same way, under these terms instead of the terms of the collection.
    Client(const Collection& collection, std::unique_ptr<Store> store, ContractTerms terms)
        : Client(collection.under(std::move(terms)), std::move(store)) {}
    /// Takes the store by value.
    template <std::derived_from<Store> S>
    Client(Collection collection, S store)
        : Client(std::move(collection), std::make_unique<S>(std::move(store))) {}
    Client(Client&&) noexcept;             ///< allowed at any time
    Client& operator=(Client&&) noexcept;  ///< allowed at any time
    ~Client();

    /// Sets whether the client accepts one record per round; initially it accepts any number. If it takes one, report() ignores
    /// every further record of a round: nothing is drawn, queued or spent, and the receipt has the origin `ignored`. The store
    /// records the rounds in which such a client has reported, so the rule also applies after a restart. Use this setting if
    /// one person reports and may press a button twice.
    void set_once_per_round(bool once) noexcept { once_per_round_ = once; }

    /// Returns the accepted contract, or the contract of the offer if the store is new.
    [[nodiscard]] Contract contract() const;
    /// Returns the differences between the accepted contract and the offer, as found when the client was created. If the
    /// destination of the last flush waits for an acceptance, returns the differences of the destination. Differences that wait
    /// have the kind `ask`.
    [[nodiscard]] const std::vector<ContractChange>& changes() const noexcept { return agreement_.changes(); }
    /// Returns the verdict that waits for an acceptance; null if none does.
    [[nodiscard]] const Verdict* waiting() const noexcept { return agreement_.waiting(); }
    /// Compares the destination of the next flush with the contract, as flush() does. A different destination waits for an
    /// acceptance.
    void compare_destination(const Destination& destination) {
        agreement_.compare_destination(*store_, destination);
    }
    /// Returns StoreAgreement::to_json() of contract().
    [[nodiscard]] std::string contract_json() const;
    /// Accepts the offered contract, whose digest this must be (Contract::has_digest). Throws Error
    /// (invalid_value) for any other digest.
    void accept(std::string_view digest);

    /// Sets the ledger of the group that pays for the reports (budget.group of the spec). All collections of
    /// the group must use one ledger; several clients may share the object. Without a ledger, report() and
    /// stage() throw Error (unsupported) under such a spec. Other specs ignore it, unless it has a limit of all
    /// accounts together. Throws Error (environment) if the ledger fails.
    void set_ledger(std::shared_ptr<BudgetLedger> ledger);

    /// Perturbs a record, queues the report as durably as the store supports, and returns a receipt. The
    /// record has one value for each attribute, in the spec's order. Under a mechanism for series, the call
    /// queues no report, one or several.
    ///
    /// `round` identifies repeated surveys of the same people. In a series it is the round of the value,
    /// counted from 1, in ascending order. Omitted rounds take the preceding value, and the reports due in
    /// them are made by this call.
    ///
    /// `columns` has values of public columns. They are queued, sent and stored with the report, unchanged and without
    /// protection.
    ///
    /// Throws Error (invalid_value) if Collection::encode rejects the record, or if the series does not have
    /// the round or has passed it. Throws Error (environment) if the store fails. After an error, nothing was
    /// queued and nothing was spent.
    ///
    /// Under "when_spent": "stop", the first record that needs a permanent response beyond the budget ends
    /// the reports of the person: the call and all later ones queue nothing, and the origin is `silent`.
    ///
    /// If the budget of the spec's group does not pay for the report, the call throws Error (spent), or under
    /// "when_spent": "stop" queues nothing, with the origin `silent`.
    Receipt report(std::span<const Value> record, std::int32_t round = 0, const PublicValues& columns = {});
    /// Reports a record given as a list: `client.report({612.50, "south"})`.
    Receipt report(std::initializer_list<Value> record, std::int32_t round = 0,
                   const PublicValues& columns = {}) {
        return report(std::span(record.begin(), record.size()), round, columns);
    }

    /// Perturbs a record and holds the report in memory until commit(). Together, stage() and commit() report
    /// many records with one durable write. Throws as report() does, and Error (unsupported) under a
    /// mechanism for series, where a round has one record, and after set_once_per_round(true).
    Receipt stage(std::span<const Value> record, const PublicValues& columns = {});
    /// Stages a record given as a list.
    Receipt stage(std::initializer_list<Value> record, const PublicValues& columns = {}) {
        return stage(std::span(record.begin(), record.size()), columns);
    }
    /// Queues the staged reports in this round and sets the checkpoints. Either both happen or neither. The
    /// reports with the same public columns are queued one after another, in the order of stage(). Throws Error
    /// (environment) if the store fails; the reports then stay staged.
    void commit(std::int32_t round = 0, std::span<const Checkpoint> checkpoints = {});
    /// Drops the staged reports and the responses that were drawn for them.
    void discard();

    /// Called after each batch with the result so far.
    using Progress = Flush::Progress;
    /// Sends the queued reports, the oldest first, and returns the result. A batch has reports of one round,
    /// at most `most` (≥ 1). The call may be repeated after any failure and from a new process: no queued
    /// report is lost, and none is counted twice.
    ///
    /// If the server refuses a batch, its reports are sent in smaller batches until the refused reports are
    /// found. These are moved to the store's dead letters, and the others are sent. Throws Error
    /// (environment) if the server refuses all reports or many in a row, because then the reports are not the
    /// likely cause. Throws Error (incompatible) if the server reports that it has counted a batch that the store does
    /// not have; the queue was then set aside (Store::set_queue_aside). Throws Error (changed) if the
    /// transport has another destination than the contract. Throws Error (invalid_value) if `most` is 0, and Error (environment) if the store
    /// fails. Exceptions of the transport and of `progress` pass through.
    Flushed flush(BatchTransport& transport, std::size_t most = 10000, const Progress& progress = {});

    /// Returns the collection.
    [[nodiscard]] const Collection& collection() const noexcept { return collection_; }
    /// Returns the store.
    [[nodiscard]] const Store& store() const noexcept { return *store_; }
    /// Returns the number of reports that are queued and not known to be counted.
    [[nodiscard]] std::uint64_t pending() const { return store_->pending(); }
    /// Returns the number of reports that are staged and not committed.
    [[nodiscard]] std::size_t staged() const noexcept { return staged_count_; }
    /// Returns the number of values that this client has clamped since its construction, by attribute.
    [[nodiscard]] const ClampedCount& clamped() const noexcept { return clamped_; }

    /// Returns the permanent responses in the order in which they were drawn, each with its ε and round. The
    /// result is valid until the client changes. Responses drawn since the last commit have no round yet.
    /// Throws Error (unsupported) unless the spec has "evolving".
    [[nodiscard]] std::span<const PermanentResponse> ledger() const;
    /// Returns whether this person reports a series, alone or as the drawn part of a record. Such a person has
    /// no report in most rounds.
    [[nodiscard]] bool reports_series() const noexcept;
    /// Returns the total cost of the ledger and, if reports have one, of the signal of a spent budget: the
    /// pure ε, and an ε that holds except with probability δ. Throws as ledger() does, and Error
    /// (invalid_value) unless 0 < δ < 1.
    [[nodiscard]] Spent spent(double delta = 1e-6) const;

  private:
    friend class Flush;
    [[nodiscard]] bool draws_anew() const noexcept;
    [[nodiscard]] std::uint64_t reports_made() const;
    /// Reserves the cost of the reporter's unsaved changes, with this number of reports more than those that
    /// are stored. Returns false if the group's budget does not pay for it and people then stop.
    [[nodiscard]] bool reserve(std::uint64_t reports);
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Checkpoint> checkpoints,
                std::span<const ColumnRun> runs);
    /// Throws Error (changed) if a change waits for an acceptance.
    void require_agreed() const { agreement_.require(); }
    void check_in_clear(const PublicValues& columns);
    /// Throws Error (spent) if the terms do not allow this number of reports beside the stored ones.
    void check_terms(std::uint64_t reports) const;

    bool once_per_round_ = false;
    Collection collection_;
    std::unique_ptr<Store> store_;
    StoreAgreement agreement_;
    std::unique_ptr<SystemRandom> bits_;  ///< has no buffered bits between reports
    std::unique_ptr<Reporter> reporter_;
    std::shared_ptr<BudgetLedger> budget_ledger_;
    double spent_in_group_ = 0, reserved_in_group_ = 0;   ///< of this collection, as in the ledger
    std::map<PublicValues, std::vector<Report>> staged_;  ///< by their public columns
    std::size_t staged_count_ = 0;
    ClampedCount clamped_;
    BatchSize batch_size_;
    bool counts_reports_ = false;  ///< whether fresh draws are counted
    bool pays_in_total_ = false;   ///< whether the ledger has a limit of all accounts together
    std::optional<std::set<std::string>> in_clear_;
    bool knows_in_clear_ = false;
};

}  // namespace ldp

// The client of one person or device, or of a file of records: perturbs, remembers, queues, sends.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "accounting/composition.hpp"
#include "client/batch_transport.hpp"
#include "client/collection.hpp"
#include "client/receipt.hpp"
#include "client/store.hpp"

namespace ldp {

/// What a flush did.
struct Flushed {
    std::uint64_t batches = 0;   ///< batches that are now known to be counted
    std::uint64_t reports = 0;   ///< reports in them
    std::uint64_t repeated = 0;  ///< of the batches, those that an earlier attempt had got through
    std::uint64_t refused = 0;   ///< reports that were set aside: Store::refused() says why
};

class Client;
class Reporter;
class SystemRandom;

/// How many reports to send at once: fewer after a batch that was too large or refused, then more again.
class BatchSize {
  public:
    /// How many of at most so many.
    [[nodiscard]] std::size_t at_most(std::size_t most) const noexcept { return std::min(most, size_); }
    /// A batch of so many failed and will go in halves. What is too large stays so for a while; of what is
    /// refused, most is not at fault.
    void halve(std::size_t reports, bool too_large) noexcept {
        size_ = std::max<std::size_t>(reports / 2, 1);
        if (too_large) calm_ = 16;
    }
    /// A batch got through.
    void delivered() noexcept {
        if (calm_ > 0) --calm_;
        if (calm_ == 0 && size_ <= std::numeric_limits<std::size_t>::max() / 2) size_ *= 2;
    }

  private:
    std::size_t size_ = std::numeric_limits<std::size_t>::max();
    int calm_ = 0;  ///< deliveries before it grows again
};

/// A flush in steps, for who must wait between them: Client::flush is a loop over these. While one goes on,
/// its client, or store, must stay where it is, and may report.
class Flush {
  public:
    /// Of what a client has queued. Throws Error (invalid_value) if `most` is 0.
    Flush(Client& client, std::size_t most);
    /// Of what a store has queued; `size` is kept from one flush of it to the next.
    Flush(Store& store, BatchSize& size, std::size_t most);
    /// The batch to deliver next, until it is known what became of it; nothing at the end, where it throws
    /// Error (environment) if the server refused all that there was.
    [[nodiscard]] const std::optional<Batch>& next();
    /// The batch that will be next if that one is delivered, for a transport to prepare; it must not leave
    /// before. Nothing if there is none yet, or the store does not look ahead.
    [[nodiscard]] const std::optional<Batch>& ahead();
    /// It was counted: by this attempt, or by an earlier one.
    void delivered(bool earlier);
    /// It was not and cannot be any more. Its reports will leave in smaller batches, or are set aside. False
    /// if this cannot help: then `why` is the caller's. Throws as Client::flush does.
    [[nodiscard]] bool undelivered(const Undelivered& why);
    /// What it has done so far.
    [[nodiscard]] const Flushed& done() const noexcept { return flushed_; }

    /// Called after each batch with what this flush has done so far.
    using Progress = std::function<void(const Flushed&)>;
    /// All steps, each batch by this transport. Throws as Client::flush does.
    Flushed run(BatchTransport& transport, const Progress& progress = {});

  private:
    [[noreturn]] void refuse_all(const char* what) const;

    Store& store_;
    BatchSize& size_;
    std::size_t most_, aside_;  ///< aside: how many were before
    std::optional<Batch> batch_, ahead_;
    std::optional<Undelivered> refusal_;
    int in_a_row_ = 0;  ///< refused
    Flushed flushed_;
};

/// Turns records into reports and keeps them until the server has counted them. The order is fixed: draw,
/// write durably, then send; what is in a record leaves the client only as a report. Randomness comes from
/// the operating system and from nowhere else.
///
/// Under a spec with "evolving" all records are one person's, at different times, and the store is what is
/// remembered of them: equal values are answered alike, which costs nothing, and the budget bounds the rest.
/// Under a mechanism of series (ddrm) all records are one person's, too, one for each round. Under any other
/// spec each report is a fresh draw, and the records may be different people's.
///
/// A client, its store and a transport at work for it belong to one thread at a time and do not survive a
/// fork. Programs that report from several threads lock around the client or keep one, with its own store, in
/// each. A client can be moved, whatever it holds; one that was moved from can only be assigned to or
/// destroyed.
class Client {
  public:
    /// Ties the store, which must not be null, to the collection's spec, and goes on with what it holds.
    /// Throws Error (incompatible) if it belongs to another spec, and Error (environment) if it fails, if
    /// what it remembers does not fit the spec, or if the system gives no random bits.
    Client(Collection collection, std::unique_ptr<Store> store);
    /// The same with a store by value.
    template <std::derived_from<Store> S>
    Client(Collection collection, S store)
        : Client(std::move(collection), std::make_unique<S>(std::move(store))) {}
    Client(Client&&) noexcept;             ///< whatever it holds
    Client& operator=(Client&&) noexcept;  ///< whatever either holds
    ~Client();

    /// Perturbs a record (one value for each attribute, in the spec's order) and queues the report as durably
    /// as the store can: one report, or of a series none or several. `round` tells repeated surveys of the
    /// same people apart; of a series it is the round whose value this is, from 1 on, in order: rounds that
    /// are left out have the value before them, and the reports due in them are made now. Throws Error
    /// (invalid_value) for a record that Collection::encode refuses, or a round that the series does not have
    /// or has passed, Error (spent) if the record needs a new answer, the budget has none left and the spec
    /// says "refuse", and Error (environment) if the store fails; whichever it is, nothing was queued, and
    /// nothing spent.
    Receipt report(std::span<const Value> record, std::int32_t round = 0);
    /// The same of a record that is written out: `client.report({612.50, "south"})`.
    Receipt report(std::initializer_list<Value> record, std::int32_t round = 0) {
        return report(std::span(record.begin(), record.size()), round);
    }

    /// The same in two steps, for many records at the price of one durable write: stage() perturbs and holds
    /// in memory, commit() queues all that is staged, in that order, and sets the marks, or does neither and
    /// keeps it staged. stage() throws as report() does, and Error (unsupported) under a mechanism of series,
    /// where a round has one record; commit() throws Error (environment) if the store fails.
    Receipt stage(std::span<const Value> record);
    /// The same of a record that is written out.
    Receipt stage(std::initializer_list<Value> record) {
        return stage(std::span(record.begin(), record.size()));
    }
    /// Queues what is staged, in this round: see stage().
    void commit(std::int32_t round = 0, std::span<const Mark> marks = {});
    /// Forgets what is staged, and the answers drawn for it.
    void discard();

    /// Called after each batch with what this flush has done so far.
    using Progress = Flush::Progress;
    /// Sends what is queued, the oldest first, in batches of one round and at most `most` (≥ 1) reports. Safe
    /// to repeat, after any failure and from a new process: nothing queued is lost and nothing is counted
    /// twice.
    ///
    /// A batch that the server certainly refuses is sent in smaller ones, until the reports are found that it
    /// refuses, which are set aside in the store; the others go on. Throws Error (environment) if so none is
    /// left, or one after another is refused: then it is not they who are at fault. Throws Error
    /// (incompatible) if the server has counted what the store does not know (Store::retire), Error
    /// (invalid_value) if `most` is 0, and Error (environment) if the store fails; what the transport or
    /// `progress` throws passes through.
    Flushed flush(BatchTransport& transport, std::size_t most = 10000, const Progress& progress = {});

    /// The collection whose records it takes.
    [[nodiscard]] const Collection& collection() const noexcept { return collection_; }
    /// Where its reports are kept.
    [[nodiscard]] const Store& store() const noexcept { return *store_; }
    /// Reports queued and not known to be counted.
    [[nodiscard]] std::uint64_t pending() const { return store_->pending(); }
    /// Reports staged and not committed.
    [[nodiscard]] std::size_t staged() const noexcept { return staged_.size(); }
    /// What this client has moved into what the spec declares, since it was made.
    [[nodiscard]] const ClampedCount& clamped() const noexcept { return clamped_; }

    /// The answers that were drawn, each with its ε and round, in their order; valid until the client next
    /// changes. Those since the last commit have no round yet. Throws Error (unsupported) unless the spec has
    /// "evolving".
    [[nodiscard]] std::span<const Answer> ledger() const;
    /// What they cost together, for certain and but for a probability of δ. Throws as ledger() does, and
    /// Error (invalid_value) unless δ lies in (0, 1).
    [[nodiscard]] Spent spent(double delta = 1e-6) const {
        return ldp::spent(ledger().size(), collection_.spec().epsilon(), delta);
    }

  private:
    friend class Flush;
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks);

    Collection collection_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<SystemRandom> bits_;  ///< empty between two reports
    std::unique_ptr<Reporter> reporter_;
    std::vector<Report> staged_;
    ClampedCount clamped_;
    BatchSize batch_size_;
};

}  // namespace ldp

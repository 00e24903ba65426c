// A client's persistent state: the queue of its reports and, under specs of changing values, the memoized
// responses of one person.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/contract.hpp"
#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/delivery/public_values.hpp"
#include "core/format/report_frame.hpp"

namespace ldp {

/// The name under which a report has its token, as if it were a public column. The server redeems the token and does not store
/// it with the report. A token admits one report.
inline constexpr std::string_view token_column = "ldp_token";

/// Reports that are sent together under an id, which is never used for other reports.
struct Batch {
    std::string id;               ///< a random UUID (version 4) in its text form, 36 characters
    std::int32_t round;           ///< round of all reports
    std::vector<Report> reports;  ///< at least one report, the oldest first
    PublicValues columns = {};    ///< public columns of all reports

    /// Returns the SHA-256 digest of round, reports and public columns, as ldp_submit_batch computes it. It
    /// distinguishes a repeated batch from another batch under the same id.
    [[nodiscard]] std::array<std::byte, 32> digest() const;
    /// Returns the reports as batch frames (core/format/batch_frame.hpp): one frame, or several if they do
    /// not fit into one. Returns nothing if a report is damaged, or if the reports belong to several specs.
    [[nodiscard]] std::optional<std::vector<std::vector<std::byte>>> packed() const;
    /// Returns the same batches in the short form, for endpoints.
    [[nodiscard]] std::optional<std::vector<std::vector<std::byte>>> packed_shortly() const;
};

/// A dead letter: a report that the server refused for good, kept for inspection.
struct Refused {
    std::int32_t round;         ///< round of the report
    Report report;              ///< its bytes
    std::string reason;         ///< the server's message
    bool sound = true;          ///< false if the report is damaged; then it cannot be queued again
    PublicValues columns = {};  ///< its public columns
    friend bool operator==(const Refused&, const Refused&) = default;
};

/// A number of consecutive reports with the same public columns.
struct ColumnRun {
    std::size_t reports;   ///< number of reports
    PublicValues columns;  ///< public columns of each report
};

/// A named number that is set in the same step as reports are queued, such as a position in their source.
struct Checkpoint {
    std::string_view name;  ///< chosen by the application
    std::int64_t value;     ///< the new value
};

/// A memoized permanent response, which is drawn once and repeated. The list of all responses is the ledger.
struct PermanentResponse {
    std::vector<Cell> key;  ///< the randomizer's input for a rounded record; all keys have the same length
    std::vector<std::byte> permanent;  ///< the response; all have the same length
    double epsilon;                    ///< the cost of the draw
    std::int32_t round = 0;            ///< round of the append that stored the response
    friend bool operator==(const PermanentResponse&, const PermanentResponse&) = default;
};

/// The change of a client's memory by an append.
struct StateDelta {
    /// A person's public randomness, which is drawn once and never changes; empty: no change.
    Bytes public_randomness = {};
    /// The new state of the reporter, such as the rounding state of changing values; empty: no change.
    Bytes progress = {};
    /// Responses drawn since the last append.
    std::span<const PermanentResponse> responses = {};
};

/// The persistent memory of one person.
struct Memory {
    /// Fingerprint of the spec that the store is bound to.
    std::optional<Fingerprint> fingerprint;
    /// The person's public randomness; empty before the first report.
    std::vector<std::byte> public_randomness;
    /// The state of the reporter; empty before the first report.
    std::vector<std::byte> progress;
    /// The permanent responses in the order of their draws.
    std::vector<PermanentResponse> responses;
};

/// The identity of the person of a store, as in the ledger of a group.
struct StoreIdentity {
    std::string person;  ///< name of the person; empty in a store of one person
    std::string store;   ///< 32 hexadecimal digits, different for each store that was made
};

/// Throws Error (environment): the responses in the store do not match its spec, for this reason.
[[noreturn]] void refuse_memory(const char* reason);

/// The outbox, a first-in-first-out queue of reports, and the memory of one person. Each call takes effect as
/// a whole or not at all, and its effect is as durable as the store when the call returns. Failures are Error
/// (environment).
///
/// A store serves one spec, one client and one thread at a time. An append stores the drawn responses and
/// their cost in the same step as the reports.
class Store {
  public:
    /// The reason of reports that were set aside because the server reports that another copy of the store is in use.
    static constexpr const char* outdated_copy =
        "the server has counted a batch under an id of this store, with other reports";

    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    /// Binds the store permanently to the spec of a contract, and keeps the contract in place of an earlier one.
    /// Throws Error (incompatible) if it is bound to another spec. agree() decides whether a contract may take
    /// the place of another one.
    virtual void bind(const Contract& contract) = 0;
    /// Returns the contract as Contract::to_json() wrote it; empty if the store has none.
    [[nodiscard]] virtual std::string contract() const = 0;

    /// Compares an offer with the store's contract, by compare(). A first or an unimportant change is bound. A change that
    /// waits for an acceptance changes nothing: the caller binds `contract` of the verdict when it is accepted. A store of an
    /// earlier release, which has a spec but no contract, adopts the contract of the offer, which the verdict shows once.
    /// Throws Error (incompatible) if the store is bound to another spec or the offer is refused.
    Verdict agree(const ContractTerms& terms, const Contract& offered,
                  const std::vector<PublicColumn>& columns = {});
    /// Compares the destination of a transport with the store's contract. Changes nothing.
    [[nodiscard]] Verdict compare_destination(const Destination& destination) const;
    /// Adds the destination of a delivered batch to a contract without one. A destination to which nothing was delivered,
    /// such as a mistyped address, does not become the destination of the contract.
    void learn_destination(const Destination& destination);

    /// Queues the reports in this round and order, sets the checkpoints and applies the delta, in one step.
    /// Each of the three may be empty. `runs` has the public columns of the reports, in their order; reports
    /// behind the last run have no public columns. The arguments are copied.
    virtual void append(std::span<const Report> reports, std::int32_t round,
                        std::span<const Checkpoint> checkpoints = {}, const StateDelta& delta = {},
                        std::span<const ColumnRun> runs = {}) = 0;
    /// Returns the person's memory. Throws Error (environment) if it is damaged.
    [[nodiscard]] virtual Memory memory() const = 0;
    /// Returns the value of a checkpoint; nothing if it was never set.
    [[nodiscard]] virtual std::optional<std::int64_t> checkpoint(std::string_view name) const = 0;
    /// Returns the number of reports that are queued and not confirmed.
    [[nodiscard]] virtual std::uint64_t pending() const = 0;

    /// Returns the current batch: the oldest reports of one round and with the same public columns, at most
    /// `most` (≥ 1). A store may reorder waiting reports with different public columns, so that batches do not
    /// become small. The batch's id is stored before the call returns. Further calls return the same batch,
    /// also with another `most`, until it is confirmed. Returns nothing if the queue is empty.
    [[nodiscard]] virtual std::optional<Batch> next_batch(std::size_t most) = 0;
    /// Returns the batch that follows the current one, with a stored id, so that it can be prepared during
    /// the delivery of the current batch. It must not be sent before the current batch is confirmed. If the
    /// current batch is released or moved to the dead letters, its reports get other ids. Returns nothing if
    /// there is no current batch or no further report, or if the store does not support this.
    [[nodiscard]] virtual std::optional<Batch> batch_after([[maybe_unused]] std::size_t most) {
        return std::nullopt;
    }
    /// Removes a batch that was counted. The removal may become durable later, because a repeated batch
    /// counts once. The call has no effect if the id is not the id of the current batch; this also holds for
    /// release() and move_to_dead_letters().
    virtual void confirm(std::string_view id) = 0;

    /// Returns the reports of a batch to the front of the queue, to be sent under other ids. The batch was
    /// not counted and never will be. Its id is not used again.
    virtual void release(std::string_view id) = 0;
    /// Moves the reports of a batch from the queue to the dead letters, with the reason. The batch was not
    /// counted and never will be. Its id is not used again.
    virtual void move_to_dead_letters(std::string_view id, std::string_view reason) = 0;
    /// Returns the dead letters, the oldest first.
    [[nodiscard]] virtual std::vector<Refused> refused() const = 0;
    /// Queues the dead letters again, except damaged ones. Returns the number of queued reports.
    virtual std::uint64_t requeue_refused() = 0;
    /// Deletes the dead letters. Returns their number.
    virtual std::uint64_t drop_refused() = 0;

    /// Returns the identity of the person. It does not change, and a copy of the store has the same identity. Throws Error
    /// (unsupported) if the store has none; it then cannot serve a spec with a budget of a group.
    [[nodiscard]] virtual StoreIdentity identity() const;

    /// Moves all queued reports to the dead letters, with the reason, and draws a new secret for later batch ids. The
    /// server reports that it has counted a batch under an id of this store, but with other reports. Then another
    /// copy of the store may be in use, or the server is wrong. Memory, checkpoints, contract and identity stay, and
    /// later reports are queued and sent as usual, so that no budget is spent twice.
    virtual void set_queue_aside(std::string_view reason) = 0;

  protected:
    Store(Store&&) = default;             ///< for movable stores
    Store& operator=(Store&&) = default;  ///< for movable stores

    /// A secret of a store: one secret determines its identity, another secret the ids of its batches.
    using Secret = std::array<std::byte, 32>;
    /// Returns a new secret from the operating system's random numbers.
    [[nodiscard]] static Secret draw_secret();
    /// Returns a name of the store that reveals nothing about the secret.
    [[nodiscard]] static std::string name_of_store(const Secret& secret);
    /// Returns the id of the batch with this number under the store's secret. A copy of the store derives the
    /// same ids, which reveals the copy to the server. Without the secret, the ids cannot be derived.
    [[nodiscard]] static std::string batch_id(const Secret& secret, std::int64_t number);
    /// Throws Error (incompatible): the store is bound to another spec.
    [[noreturn]] static void refuse_spec(const Fingerprint& bound, const Fingerprint& found,
                                         const std::string& differences = {});
};

class Collection;

/// The contract of an open store with its collection: the changes that were found, and the one that waits for an
/// acceptance.
class StoreAgreement {
  public:
    /// Calls Store::agree() for the collection.
    StoreAgreement(Store& store, const Collection& collection);

    /// Throws Error (changed) if a change of the collection waits for an acceptance.
    void require() const {
        if (waits_) opened_.require_agreed();
    }
    /// Compares the destination of the next flush with the contract. Another destination waits for an acceptance until the
    /// next call.
    void compare_destination(const Store& store, const Destination& destination);
    /// Calls compare_destination(). Throws Error (changed) if a change waits for an acceptance.
    void require_destination(const Store& store, const Destination& destination);
    /// Returns the changes of the destination that waits; otherwise the changes of the collection that were found at the
    /// opening.
    [[nodiscard]] const std::vector<ContractChange>& changes() const noexcept {
        return moved_ ? moved_->changes : opened_.changes;
    }
    /// Returns the verdict that waits for an acceptance; null if none does.
    [[nodiscard]] const Verdict* waiting() const noexcept;
    /// Binds the store to the contract that waits. Throws Error (invalid_value) for the digest of another contract.
    void accept(Store& store, std::string_view digest);
    /// Returns the JSON object of a contract with two further keys: "changes" is an array of the changes, and "waiting" the
    /// digest that accept() takes, or null.
    [[nodiscard]] std::string to_json(const Contract& contract) const;

  private:
    Verdict opened_;
    bool waits_;  ///< whether `opened_` waits
    std::optional<Verdict> moved_;
};

}  // namespace ldp

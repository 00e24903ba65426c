// A store in an SQLite file.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "client/store.hpp"

namespace ldp {

namespace sqlite {
struct Contents;
}

/// Keeps its state in an SQLite file that only its owner can read (created with mode 0600). The effects of
/// calls survive crashes of the program and of the system, and power failures. The confirmation of a batch is
/// an exception: a system crash may undo it until the next call that waits for the disk. The batch is then
/// sent again under its id, and counts once. The memoized responses are as secret as the person's values.
///
/// The file is locked while the store is open. Opening a second store on it, in this process or another,
/// fails after one second. The file must be on a local disk. It may be moved or copied only together with the
/// file NAME-wal, if that exists. The stores of many people can share a file (SqliteFleet).
class SqliteStore final : public Store {
  public:
    /// Opens the file, or creates it if it does not exist. Throws Error (environment) in these cases: the
    /// file is in use, read-only or damaged; it is not a state file of ldp; another release wrote it, whose
    /// files this release cannot read. An existing file is never replaced by an empty one.
    explicit SqliteStore(const std::string& path);
    SqliteStore(SqliteStore&&) noexcept;             ///< the file stays locked
    SqliteStore& operator=(SqliteStore&&) noexcept;  ///< closes the file of the target
    ~SqliteStore() override;

    void bind(const Contract& contract) override;
    [[nodiscard]] std::string contract() const override;
    void append(std::span<const Report> reports, std::int32_t round,
                std::span<const Checkpoint> checkpoints = {}, const StateDelta& delta = {},
                std::span<const ColumnRun> runs = {}) override;
    [[nodiscard]] Memory memory() const override;
    [[nodiscard]] std::optional<std::int64_t> checkpoint(std::string_view name) const override;
    [[nodiscard]] std::uint64_t pending() const override;
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override;
    [[nodiscard]] std::optional<Batch> batch_after(std::size_t most) override;
    void confirm(std::string_view id) override;
    void release(std::string_view id) override;
    void move_to_dead_letters(std::string_view id, std::string_view reason) override;
    [[nodiscard]] std::vector<Refused> refused() const override;
    std::uint64_t requeue_refused() override;
    std::uint64_t drop_refused() override;
    [[nodiscard]] StoreIdentity identity() const override;
    void set_queue_aside(std::string_view reason) override;

    // A server that is set back to an earlier state lacks reports that were delivered. A store can keep delivered
    // batches for a time. If they are sent again under their ids, the server counts the batches that it lacks.

    /// A delivered batch.
    struct KeptBatch {
        Batch batch;            ///< its id, reports and public columns
        std::string route;      ///< how it was delivered, as given to keep_delivered()
        std::int64_t last = 0;  ///< its position among the kept batches
    };
    /// Keeps the batches that are confirmed from now on for this time by the system's clock; 0: keeps no batches. Deletes
    /// batches whose time has passed. `route` is the delivery route: the server recognizes an id on one route only.
    void keep_delivered(std::chrono::seconds time, std::string route);
    /// Returns the number of reports in kept batches.
    [[nodiscard]] std::uint64_t kept() const;
    /// Marks all kept batches to be sent again. Returns the number of their reports.
    std::uint64_t send_again();
    /// Returns the first marked batch; nothing if none is left.
    [[nodiscard]] std::optional<KeptBatch> next_again() const;
    /// Removes the mark of this batch, which the server has counted.
    void sent_again(const KeptBatch& kept);
    /// Queues the reports of this marked batch, which was not counted and never will be under its id.
    void queue_again(const KeptBatch& kept);

  private:
    friend class SqliteFleet;
    [[nodiscard]] static std::shared_ptr<sqlite::Contents> open(const std::string& path);
    /// Opens the store of one person in an open file. Throws Error (environment) if this store is already
    /// open.
    SqliteStore(std::shared_ptr<sqlite::Contents> contents, std::string_view person);

    /// Throws Error if reports must not be sent now.
    void require_leaving();
    /// Returns a batch with an assigned id: the rows behind `after`, up to and including `last`.
    [[nodiscard]] Batch named(std::string id, std::optional<std::int64_t> after, std::int64_t last) const;
    /// Assigns an id to the oldest reports without one, and returns them as a batch; nothing if no such
    /// report is left.
    [[nodiscard]] std::optional<Batch> name_next(std::size_t most);

    class Opened;
    std::unique_ptr<Opened> opened_;
};

}  // namespace ldp

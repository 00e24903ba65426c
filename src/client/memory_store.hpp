// A store in memory, for programs that can lose unsent reports (simulations, tests, pipelines), or that
// persist snapshots themselves.
#pragma once

#include <array>
#include <deque>
#include <map>

#include "client/store.hpp"

namespace ldp {

/// Keeps reports and memoized responses in memory. They are lost when the process ends, and a person then
/// spends the budget again. To prevent this, an application can persist the snapshot after each change and
/// before anything is sent. Instead of a snapshot after each change, it can append what changes() returns to
/// the last snapshot, so that a report costs the bytes of the report, however long the queue is.
class MemoryStore final : public Store {
  public:
    MemoryStore() = default;
    /// Restores a snapshot. Throws Error (environment) if the snapshot is damaged.
    explicit MemoryStore(Bytes snapshot);
    /// Returns the complete state.
    [[nodiscard]] std::vector<std::byte> snapshot() const;

    /// Starts to record changes. `snapshot` is a snapshot of the present state.
    void record_changes(Bytes snapshot);
    /// Returns the changes since record_changes() or the last call; empty without a change. Requires
    /// record_changes().
    [[nodiscard]] std::vector<std::byte> changes();
    /// Repeats changes of a store that was in the present state when they began. Requires record_changes().
    /// Throws Error (environment) if the changes are damaged or follow another state.
    void apply(Bytes changes);

    /// The first number of a snapshot's content.
    static constexpr std::uint32_t snapshot_version = 3;

    void bind(const Contract& contract) override;
    [[nodiscard]] std::string contract() const override { return contract_; }
    /// Drops the contract, for a member of a fleet, which uses the contract of the fleet. Must not be used with changes().
    void drop_contract() noexcept { contract_.clear(); }
    void append(std::span<const Report> reports, std::int32_t round,
                std::span<const Checkpoint> checkpoints = {}, const StateDelta& delta = {},
                std::span<const ColumnRun> runs = {}) override;
    [[nodiscard]] Memory memory() const override { return memory_; }
    [[nodiscard]] std::optional<std::int64_t> checkpoint(std::string_view name) const override;
    [[nodiscard]] std::uint64_t pending() const override { return queue_.size(); }
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override;
    void confirm(std::string_view id) override;
    void release(std::string_view id) override;
    void move_to_dead_letters(std::string_view id, std::string_view reason) override;
    [[nodiscard]] std::vector<Refused> refused() const override { return refused_; }
    std::uint64_t requeue_refused() override;
    std::uint64_t drop_refused() override;
    [[nodiscard]] StoreIdentity identity() const override { return {{}, name_of_store(secret_)}; }
    void set_queue_aside(std::string_view reason) override;

  private:
    struct Queued {
        std::int32_t round;
        Report report;
        PublicValues columns = {};
    };
    /// Moves at most `most` reports that can share a batch with the oldest one to the front. Returns their
    /// number.
    std::size_t gather(std::size_t most);
    [[nodiscard]] bool current(std::string_view id) const noexcept { return !batch_.empty() && id == batch_; }
    /// A record in `recorded_`.
    class Record;
    /// Repeats the next recorded change.
    void repeat(Reader& reader);
    /// Discards the id of the current batch.
    void forget() noexcept;
    /// Removes the reports of the current batch from the queue, and discards its id.
    void remove() noexcept;

    void bind(const Fingerprint& fingerprint, std::string contract);
    void set_queue_aside(std::string_view reason, const Secret& ids);

    Memory memory_;
    std::string contract_;
    std::deque<Queued> queue_;
    std::map<std::string, std::int64_t, std::less<>> checkpoints_;
    std::vector<Refused> refused_;
    Secret secret_ = draw_secret();
    Secret ids_ = secret_;      ///< from which batch ids are derived
    std::int64_t batches_ = 0;  ///< number of batch ids assigned so far
    std::string batch_;         ///< id of the current batch, or empty
    std::size_t taken_ = 0;     ///< number of its reports, at the front of the queue
    bool records_ = false;
    std::vector<std::byte> recorded_;  ///< changes since the last call of changes()
    /// Digest of the snapshot, then of the preceding digest with the changes, so that changes follow one state only.
    std::array<std::byte, 32> digest_{};
};

}  // namespace ldp

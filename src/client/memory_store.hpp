// A store for programs that can lose what was not sent (simulations, tests, pipelines), or that write it away
// themselves.
#pragma once

#include <deque>
#include <map>

#include "client/store.hpp"

namespace ldp {

/// Keeps its reports in memory, which is all that can run out: they end with the process, and so does what is
/// remembered of a person, who then spends again. Unless a program writes the snapshot away after each call
/// that changes it, and before anything is sent: then it is as durable as that.
class MemoryStore final : public Store {
  public:
    MemoryStore() = default;
    /// Goes on where a snapshot was taken. Throws Error (environment) if it was damaged since.
    explicit MemoryStore(Bytes snapshot);
    /// All that it holds.
    [[nodiscard]] std::vector<std::byte> snapshot() const;

    void bind(std::uint64_t fingerprint) override;
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks = {},
                const Notes& notes = {}) override;
    [[nodiscard]] Memory memory() const override { return memory_; }
    [[nodiscard]] std::optional<std::int64_t> mark(std::string_view name) const override;
    [[nodiscard]] std::uint64_t pending() const override { return queue_.size(); }
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override;
    void confirm(std::string_view id) override;
    void release(std::string_view id) override;
    void move_to_dead_letters(std::string_view id, std::string_view reason) override;
    [[nodiscard]] std::vector<Refused> refused() const override { return refused_; }
    std::uint64_t requeue_refused() override;
    std::uint64_t drop_refused() override;
    void retire() override { memory_.outdated = true; }

  private:
    struct Queued {
        std::int32_t round;
        Report report;
    };
    [[nodiscard]] bool current(std::string_view id) const noexcept { return !batch_.empty() && id == batch_; }
    /// The current batch is named no more.
    void forget() noexcept;
    /// Its reports leave the queue, too.
    void remove() noexcept;

    Memory memory_;
    std::deque<Queued> queue_;
    std::map<std::string, std::int64_t, std::less<>> marks_;
    std::vector<Refused> refused_;
    Secret secret_ = draw_secret();
    std::int64_t batches_ = 0;  ///< how many were named
    std::string batch_;         ///< the current batch's id, or empty
    std::size_t taken_ = 0;     ///< how many reports from the front it holds
};

}  // namespace ldp

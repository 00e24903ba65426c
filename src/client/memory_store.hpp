// A store for programs that can lose what was not sent: simulations, tests, pipelines.
#pragma once

#include <deque>
#include <map>

#include "client/store.hpp"

namespace ldp {

/// Keeps its reports in memory, which is all that can run out: they end with the process, and so does what is
/// remembered of a person, who then spends again.
class MemoryStore final : public Store {
  public:
    void bind(std::uint64_t fingerprint) override;
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks = {},
                const Notes& notes = {}) override;
    [[nodiscard]] Memory memory() const override { return memory_; }
    [[nodiscard]] std::optional<std::int64_t> mark(std::string_view name) const override;
    [[nodiscard]] std::uint64_t pending() const override { return queue_.size(); }
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override;
    void confirm(std::string_view id) override;

  private:
    struct Queued {
        std::int32_t round;
        Report report;
    };
    Memory memory_;
    std::deque<Queued> queue_;
    std::map<std::string, std::int64_t, std::less<>> marks_;
    std::string batch_;      ///< the current batch's id, or empty
    std::size_t taken_ = 0;  ///< how many reports from the front it holds
};

}  // namespace ldp

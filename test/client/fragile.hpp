// A server that counts, a store that refuses, and a store and a transport that die at any step.
#pragma once

#include <map>
#include <utility>

#include "client_support.hpp"

namespace ldp::test {

/// A server that counts each batch once, as ldp_claim_batch does.
class Counter final : public BatchTransport {
  public:
    bool deliver(const Batch& batch) override {
        const auto [found, fresh] = batches_.try_emplace(batch.id, batch.reports);
        BOOST_REQUIRE((found->second == batch.reports));
        if (fresh) counted_.insert(counted_.end(), batch.reports.begin(), batch.reports.end());
        return fresh;
    }
    [[nodiscard]] const std::vector<Report>& counted() const { return counted_; }
    [[nodiscard]] std::size_t batches() const { return batches_.size(); }

  private:
    std::map<std::string, std::vector<Report>> batches_;
    std::vector<Report> counted_;
};

/// A store that has no space while `broken` is true.
class FailingStore final : public StoreAround<MemoryStore> {
  public:
    explicit FailingStore(const bool& broken) : StoreAround(MemoryStore()), broken_(broken) {}
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Checkpoint> checkpoints,
                const StateDelta& delta, std::span<const ColumnRun> runs) override {
        if (broken_) throw Error(ErrorCode::environment, "no space left");
        StoreAround::append(reports, round, checkpoints, delta, runs);
    }

  private:
    const bool& broken_;
};

/// The moment at which the program dies: after this number of steps.
struct Died {};
class Fuse {
  public:
    explicit Fuse(int steps) : left_(steps) {}
    void step() {
        if (left_-- == 0) throw Died{};
    }
    [[nodiscard]] bool burnt() const { return left_ < 0; }

  private:
    int left_;
};

/// A store and a transport that may die before and after everything they do.
class FragileStore final : public StoreAround<SqliteStore> {
  public:
    FragileStore(const std::string& path, Fuse& fuse) : StoreAround(SqliteStore(path)), fuse_(fuse) {}
    void bind(const Contract& contract) override {
        between([&] { store_.bind(contract); });
    }
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Checkpoint> checkpoints,
                const StateDelta& delta, std::span<const ColumnRun> runs) override {
        between([&] { store_.append(reports, round, checkpoints, delta, runs); });
    }
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override {
        std::optional<Batch> batch;
        between([&] { batch = store_.next_batch(most); });
        return batch;
    }
    [[nodiscard]] std::optional<Batch> batch_after(std::size_t most) override {
        std::optional<Batch> batch;
        between([&] { batch = store_.batch_after(most); });
        return batch;
    }
    void confirm(std::string_view id) override {
        between([&] { store_.confirm(id); });
    }
    void release(std::string_view id) override {
        between([&] { store_.release(id); });
    }
    void move_to_dead_letters(std::string_view id, std::string_view reason) override {
        between([&] { store_.move_to_dead_letters(id, reason); });
    }
    void set_queue_aside(std::string_view reason) override {
        between([&] { store_.set_queue_aside(reason); });
    }

  private:
    template <class Work>
    void between(Work work) {
        fuse_.step();
        work();
        fuse_.step();
    }
    Fuse& fuse_;
};

class FragileTransport final : public BatchTransport {
  public:
    FragileTransport(Counter& counter, Fuse& fuse) : counter_(counter), fuse_(fuse) {}
    bool deliver(const Batch& batch) override {
        fuse_.step();
        const bool fresh = counter_.deliver(batch);
        fuse_.step();
        return fresh;
    }

  private:
    Counter& counter_;
    Fuse& fuse_;
};

}  // namespace ldp::test

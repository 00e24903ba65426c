#include "cli/counting/parallel_count.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

namespace ldp::cli {

namespace {

/// Chunks on their way to the threads that count them, and the first error.
class ChunkQueue {
  public:
    explicit ChunkQueue(std::size_t chunks) : idle_(chunks) {}

    /// Returns an idle chunk; nothing if counting has failed.
    [[nodiscard]] std::optional<RecordChunk> idle() {
        std::unique_lock alone(mutex_);
        changed_.wait(alone, [&] { return !idle_.empty() || failed_ != never; });
        if (failed_ != never) return {};
        RecordChunk chunk = std::move(idle_.front());
        idle_.pop_front();
        return chunk;
    }
    void put_idle(RecordChunk chunk) {
        const std::scoped_lock alone(mutex_);
        idle_.push_back(std::move(chunk));
        changed_.notify_all();
    }
    void put_full(RecordChunk chunk) {
        const std::scoped_lock alone(mutex_);
        full_.push_back(std::move(chunk));
        changed_.notify_all();
    }
    /// Returns the next chunk before the first error; nothing after the last one.
    [[nodiscard]] std::optional<RecordChunk> full() {
        std::unique_lock alone(mutex_);
        changed_.wait(alone, [&] { return !full_.empty() || closed_; });
        if (full_.empty() || full_.front().number > failed_) return {};
        RecordChunk chunk = std::move(full_.front());
        full_.pop_front();
        return chunk;
    }
    void close() {
        const std::scoped_lock alone(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    /// Keeps the error of this chunk unless an earlier chunk has one.
    void fail(std::uint64_t chunk, std::exception_ptr error) {
        const std::scoped_lock alone(mutex_);
        if (chunk < failed_) {
            failed_ = chunk;
            error_ = std::move(error);
        }
        changed_.notify_all();
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<RecordChunk> idle_, full_;
    bool closed_ = false;
    std::uint64_t failed_ = never;  ///< the first chunk with an error
    std::exception_ptr error_;
};

/// Fills chunks until `next` returns false or a chunk has an error.
void fill_chunks(const std::function<bool(RecordChunk&)>& next, ChunkQueue& queue) {
    for (std::uint64_t number = 0;; ++number) {
        std::optional<RecordChunk> chunk = queue.idle();
        if (!chunk) return;
        try {
            chunk->number = number;
            if (!next(*chunk)) return;
        } catch (...) {
            return queue.fail(number, std::current_exception());
        }
        queue.put_full(std::move(*chunk));
    }
}

void count_chunks(ChunkQueue& queue, RecordCounter& counter) {
    while (std::optional<RecordChunk> chunk = queue.full()) {
        try {
            counter.count(*chunk);
        } catch (...) {
            queue.fail(chunk->number, std::current_exception());
        }
        queue.put_idle(std::move(*chunk));
    }
}

}  // namespace

void SkippedRecords::add(const Error& error) {
    constexpr std::uint64_t most_notices = 10;
    const std::scoped_lock alone(adding_);
    if (++count_ <= most_notices)
        notice_(std::string("skipped: ") + error.what());
    else if (count_ == most_notices + 1)
        notice_("skipped: further records are only counted");
}

void count_in_parallel(const std::function<bool(RecordChunk&)>& next, std::size_t threads,
                       GroupMemory& memory, SkippedRecords* skipped, GroupCounts& counts) {
    const auto refused = [skipped](const Error& error) {
        if (skipped == nullptr) throw error;
        skipped->add(error);
    };
    std::deque<GroupCounts> parts;  // one for each thread
    std::deque<RecordCounter> counters;
    for (std::size_t i = 0; i < threads; ++i)
        counters.emplace_back(i == 0 ? counts : parts.emplace_back(counts.mechanism(), memory), refused);
    ChunkQueue queue(2 * threads);
    {
        std::vector<std::jthread> running;
        try {
            for (RecordCounter& counter : counters)
                running.emplace_back([&] { count_chunks(queue, counter); });
            fill_chunks(next, queue);
        } catch (...) {  // the threads that were started must end
            queue.fail(0, std::current_exception());
        }
        queue.close();
    }
    queue.rethrow();
    for (GroupCounts& part : parts) counts.absorb(part);
}

}  // namespace ldp::cli

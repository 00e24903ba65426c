// Counts chunks of records with several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "cli/counting/record_counter.hpp"
#include "cli/records.hpp"

namespace ldp::cli {

/// Invalid records that were skipped. Threads share it.
class SkippedRecords {
  public:
    using Notice = std::function<void(const std::string&)>;
    /// Passes the first skipped records on to `notice`.
    explicit SkippedRecords(Notice notice) : notice_(std::move(notice)) {}
    void add(const Error& error);
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  private:
    std::mutex adding_;
    Notice notice_;
    std::uint64_t count_ = 0;
};

/// Counts the chunks that `next` fills, until it returns false, and adds them to the counts. `next` runs in this thread, and
/// `threads` others count. Throws the first error in the order of the chunks: of an invalid record unless they are skipped,
/// of `next`, or of RecordCounter. Then the counts are incomplete.
void count_in_parallel(const std::function<bool(RecordChunk&)>& next, std::size_t threads,
                       GroupMemory& memory, SkippedRecords* skipped, GroupCounts& counts);

}  // namespace ldp::cli

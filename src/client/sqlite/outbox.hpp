// The queue of a state file: reports between being drawn and known to be counted.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "client/sqlite/segment.hpp"
#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

/// Rows of stretches, the oldest first. How many reports wait is in the head, which each step keeps right.
class Outbox {
  public:
    explicit Outbox(const StateFile& file) : database_(file) {}

    /// Queues reports, of this round and in this order. Within another step they are held, for those of other
    /// stores to stand in the same rows, until settle().
    void append(Step& step, std::span<const Report> reports, std::int64_t round);
    /// Writes what is held.
    void settle(Step& step);
    /// Forgets what is held, of a step that is not going to be done.
    void forget() noexcept { held_.clear(); }

    /// A row as it stands, whatever that is.
    struct OutboxRow {
        std::int64_t id, round, digest;
        ReportSegment segment;
        /// Whether it is as it was written.
        [[nodiscard]] bool sound() const noexcept;
    };
    /// Reports at the front, of one round.
    struct Front {
        std::int64_t round = 0;
        std::int64_t last = 0;  ///< the last row that they stand in; they are all that stands up to there
        std::vector<Report> reports;     ///< may be none
        std::vector<OutboxRow> damaged;  ///< rows that stood before or among them
    };
    /// The oldest reports behind a row, or of all, at most `most` (≥ 1). Where these end within a stretch, it
    /// becomes two; what is damaged leaves the queue.
    [[nodiscard]] Front first(Step& step, std::size_t most, std::optional<std::int64_t> after);
    /// All reports behind a row, or from the front on, up to the end of another one. Nothing if any of them
    /// is damaged or missing.
    [[nodiscard]] std::optional<Front> up_to(std::int64_t last, std::optional<std::int64_t> after) const;
    /// Removes all reports up to the end of this row.
    void drop(Step& step, std::int64_t last);

  private:
    void write(Step& step, std::span<const Report> reports, std::int64_t round);
    void put(Step& step, std::int64_t id, std::int64_t round, const ReportSegment& segment);
    void remove(Step& step, const OutboxRow& row);
    /// What stands at the front or behind a row, up to another one or until there are so many reports. Where
    /// these end within a row, that is `cut`, of which they are the first `taken`.
    struct Reach {
        Front front = {};
        std::optional<OutboxRow> cut = {};
        std::size_t taken = 0;
    };
    [[nodiscard]] Reach read(std::optional<std::int64_t> after, std::int64_t last, std::size_t most) const;

    const StateFile& database_;
    Statement put_{database_, "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)"};
    Statement front_{
        database_,
        "SELECT id, round, count, shared, digest, content FROM outbox WHERE id > ? AND id <= ? ORDER BY id"};
    Statement counts_{database_, "SELECT count FROM outbox"};
    Statement drop_{database_, "DELETE FROM outbox WHERE id <= ? RETURNING count, digest"};
    Statement drop_one_{database_, "DELETE FROM outbox WHERE id = ?"};
    std::vector<Report> held_ = {};
    std::int64_t round_ = 0;  ///< of what is held
};

}  // namespace ldp::sqlite

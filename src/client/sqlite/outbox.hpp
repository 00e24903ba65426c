// The queue of a state file: reports that were drawn and are not known to be counted.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/sqlite/segment.hpp"
#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

/// Rows of report segments, the oldest first. The head has the number of waiting reports; each step updates
/// it.
class Outbox {
  public:
    explicit Outbox(const StateFile& file) : database_(file) {}

    /// Queues reports of a round with these public columns, in this order. Within a joint step, the reports are
    /// held until settle(), so that reports of several stores share rows.
    void append(Step& step, std::span<const Report> reports, std::int64_t round, const std::string& columns);
    /// Writes the held reports.
    void settle(Step& step);
    /// Deletes the held reports of a step that is rolled back.
    void forget() noexcept {
        held_.clear();
        held_at_.clear();
        holds_ = 0;
    }

    /// A row as it was read, which may be damaged.
    struct OutboxRow {
        std::int64_t id, round, digest;
        ReportSegment segment;
        std::string columns;
        /// Whether the row is unchanged since it was written.
        [[nodiscard]] bool sound() const noexcept;
    };
    /// Reports at the front, of one round and with the same public columns.
    struct OldestReports {
        std::int64_t round = 0;
        std::string columns = {};
        std::int64_t last = 0;           ///< the last row of the reports; they are all reports up to it
        std::vector<Report> reports;     ///< may be empty
        std::vector<OutboxRow> damaged;  ///< damaged rows before or among them
    };
    /// Returns the oldest reports after a row, or of the whole queue, at most `most` (≥ 1). If they end
    /// within a segment, it is split. Damaged rows are removed from the queue.
    [[nodiscard]] OldestReports first(Step& step, std::size_t most, std::optional<std::int64_t> after);
    /// Returns all reports after a row, or from the front on, up to the end of another row. Returns nothing
    /// if one of them is damaged or missing.
    [[nodiscard]] std::optional<OldestReports> up_to(std::int64_t last,
                                                     std::optional<std::int64_t> after) const;
    /// Removes all reports up to the end of this row.
    void drop(Step& step, std::int64_t last);

  private:
    void write(Step& step, std::span<const Report> reports, std::int64_t round, const std::string& columns);
    void put(Step& step, std::int64_t id, std::int64_t round, const ReportSegment& segment,
             const std::string& columns);
    /// Reports that wait for settle(), of one round and with the same public columns.
    struct HeldGroup {
        std::int64_t round;
        std::string columns;
        std::vector<Report> reports;
    };
    /// Returns the reports of the group for this round and these public columns, which may be new.
    std::vector<Report>& held_group(std::int64_t round, const std::string& columns);
    /// Sorts rows behind a row, so that rows that can share a batch are adjacent.
    void gather(Step& step, std::optional<std::int64_t> after);
    void remove(Step& step, const OutboxRow& row);
    /// The reports at the front or after a row, up to another row or to a number of reports. If they end
    /// within a row, the row is `cut`, and they include its first `taken` reports.
    struct Reach {
        OldestReports front = {};
        std::optional<OutboxRow> cut = {};
        std::size_t taken = 0;
    };
    [[nodiscard]] Reach read(std::optional<std::int64_t> after, std::int64_t last, std::size_t most) const;

    const StateFile& database_;
    Statement put_{database_, "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?)"};
    Statement front_{database_,
                     "SELECT id, round, count, shared, digest, content, columns FROM outbox "
                     "WHERE id > ? AND id <= ? ORDER BY id"};
    Statement counts_{database_, "SELECT count FROM outbox"};
    Statement drop_{database_, "DELETE FROM outbox WHERE id <= ? RETURNING count, digest"};
    Statement drop_one_{database_, "DELETE FROM outbox WHERE id = ?"};
    std::vector<HeldGroup> held_ = {};  ///< in the order in which they were begun
    /// Indices of groups with public columns.
    std::map<std::pair<std::int64_t, std::string>, std::size_t> held_at_ = {};
    std::size_t holds_ = 0;      ///< number of held reports
    std::int64_t gathered_ = 0;  ///< the last row that gather() has sorted
};

}  // namespace ldp::sqlite

// The dead-lettered reports of a state file, which were rejected or damaged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

/// Rows of dead-lettered reports with their causes, the oldest first.
class Refusals {
  public:
    explicit Refusals(const StateFile& file) : database_(file) {}

    struct RefusalRow {
        std::int64_t round;
        Report report;
        std::string reason;
        bool sound;
        std::string columns;
    };
    void keep(Step& step, const RefusalRow& row);
    /// Throws Error (environment) if one has changed.
    [[nodiscard]] std::vector<RefusalRow> all() const;
    /// Deletes all rows; returns their number.
    std::uint64_t drop(Step& step);

  private:
    const StateFile& database_;
    Statement keep_{
        database_,
        "INSERT INTO refused (round, report, reason, sound, digest, columns) VALUES (?, ?, ?, ?, ?, ?)"};
    Statement all_{database_,
                   "SELECT round, report, reason, sound, digest, columns FROM refused ORDER BY id"};
    Statement drop_{database_, "DELETE FROM refused RETURNING digest"};
};

}  // namespace ldp::sqlite

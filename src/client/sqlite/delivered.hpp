// Delivered batches that a state file keeps for a time, so that they can be sent again under their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/sqlite/segment.hpp"
#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

/// Rows of report segments, in the order of their deliveries.
class Delivered {
  public:
    explicit Delivered(const StateFile& file) : database_(file) {}

    /// A delivered batch.
    struct DeliveredBatch {
        std::int64_t last = 0;  ///< its last row
        std::string id;
        std::int64_t round = 0;
        std::string columns;  ///< as in the queue
        std::string route;    ///< how it was delivered
        std::vector<Report> reports;
    };
    /// Keeps a delivered batch until this time, in seconds since 1970.
    void keep(Step& step, const DeliveredBatch& batch, std::int64_t until);
    /// Returns the first batch behind a row, if any. Throws Error (environment) if it is
    /// damaged.
    [[nodiscard]] std::optional<DeliveredBatch> after(std::int64_t row) const;
    /// Deletes the batches that were kept until this time.
    void drop_until(Step& step, std::int64_t time);
    /// Deletes a batch.
    void drop(Step& step, std::string_view id);
    /// Returns the number of kept reports.
    [[nodiscard]] std::uint64_t reports() const;

  private:
    const StateFile& database_;
    Statement keep_{
        database_,
        "INSERT INTO delivered (batch, until, round, columns, route, count, shared, content, digest) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"};
    Statement after_{database_,
                     "SELECT id, batch, until, round, columns, route, count, shared, content, digest "
                     "FROM delivered WHERE id > ? ORDER BY id"};
    Statement drop_{database_, "DELETE FROM delivered WHERE until <= ? RETURNING digest"};
    Statement drop_one_{database_, "DELETE FROM delivered WHERE batch = ? RETURNING digest"};
    Statement count_{database_, "SELECT coalesce(sum(count), 0) FROM delivered"};
};

}  // namespace ldp::sqlite

// Groups as points: names that are numbers, dates or times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ldp {

/// Returns the number that a name represents. A date or a time in ISO 8601, such as 2026-03-01 or
/// 2026-03-01T12:00:00+00:00, is its number of days since 1970-01-01; a time without an offset is in UTC.
/// Throws Error (invalid_value) for any other name.
[[nodiscard]] double point_of_name(std::string_view name);

/// Points in time: all names are dates, or all are integers of at most nine digits, as the first one is.
class TimeNames {
  public:
    /// Throws Error (invalid_value) for any other name.
    explicit TimeNames(std::span<const std::string_view> names);

    /// Whether the names are dates.
    [[nodiscard]] bool dates() const noexcept { return dates_; }
    /// Returns the integers, or the days since 1970-01-01, in the order of the names.
    [[nodiscard]] const std::vector<std::int32_t>& positions() const noexcept { return positions_; }
    /// Returns the name of a position.
    [[nodiscard]] std::string name(std::int32_t position) const;

  private:
    bool dates_;
    std::vector<std::int32_t> positions_ = {};
};

}  // namespace ldp

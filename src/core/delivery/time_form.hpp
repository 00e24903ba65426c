// The forms of a date or a time in a text. The server, the command and bounds of SQL functions accept the
// same texts.
#pragma once

#include <string_view>

namespace ldp {

/// The forms of a date or time in ISO 8601.
enum class TimeForm {
    none,      ///< any other text, such as 03/04/2026
    infinite,  ///< infinity or -infinity
    date,      ///< 2026-11-25
    local,     ///< 2026-11-25 10:30:00, without an offset from UTC
    instant,   ///< 2026-11-25 10:30:00+01 or 2026-11-25T09:30:00Z
};

/// Returns the form of a text. Years have four to six digits, and " BC" may follow. Seconds and their fraction may
/// be missing. The day must exist in its month.
[[nodiscard]] TimeForm time_form(std::string_view text) noexcept;

}  // namespace ldp

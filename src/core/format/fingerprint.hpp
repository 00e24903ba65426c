// What identifies a spec in every report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ldp {

/// Of a spec's canonical text.
[[nodiscard]] std::uint64_t fingerprint_of(std::string_view canonical) noexcept;
/// Of one attribute's reports, from that of its record.
[[nodiscard]] std::uint64_t part_fingerprint(std::uint64_t record, std::size_t attribute);

/// As people see it: 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);
/// Reads that back; nothing if it is something else.
[[nodiscard]] std::optional<std::uint64_t> read_fingerprint(std::string_view text) noexcept;

}  // namespace ldp

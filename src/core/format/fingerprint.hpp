// The fingerprint, which identifies a spec in every report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ldp {

/// Returns the fingerprint of a spec's canonical text.
[[nodiscard]] std::uint64_t fingerprint_of(std::string_view canonical) noexcept;
/// Returns the fingerprint of the reports of one attribute, derived from the fingerprint of the record.
[[nodiscard]] std::uint64_t part_fingerprint(std::uint64_t record, std::size_t attribute);

/// Returns the text form: 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);
/// Reads the text form; nothing if the text is not a fingerprint.
[[nodiscard]] std::optional<std::uint64_t> read_fingerprint(std::string_view text) noexcept;

}  // namespace ldp

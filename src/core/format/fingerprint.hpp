// The fingerprint, which identifies a spec. Every report contains its first bytes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"

namespace ldp {

/// SHA-256 of the canonical text of a spec (RFC 8785).
struct Fingerprint {
    std::array<std::byte, 32> digest{};  ///< The bytes, in the order of the hexadecimal text.

    /// Returns the fingerprint of a canonical text.
    [[nodiscard]] static Fingerprint of(std::string_view canonical) noexcept;
    /// Returns the first 8 bytes, which blocks contain, as they are in memory.
    [[nodiscard]] std::uint64_t in_block() const noexcept { return load<std::uint64_t>(digest.data()); }
    /// Orders fingerprints by their bytes.
    friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// Returns the first 8 bytes of the fingerprint of the reports of one attribute, derived from the record's
/// fingerprint.
[[nodiscard]] std::uint64_t part_fingerprint(std::uint64_t record, std::size_t attribute);

/// Returns the text form: 64 hexadecimal digits.
[[nodiscard]] std::string fingerprint_text(const Fingerprint& fingerprint);
/// Returns the text form of the bytes in a block: the first 16 digits of the fingerprint.
[[nodiscard]] std::string fingerprint_text(std::uint64_t in_block);

}  // namespace ldp

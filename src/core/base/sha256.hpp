// SHA-256 (FIPS 180-4), for unpredictable names of batches and for digests that a server compares.
#pragma once

#include <array>

#include "core/base/bytes.hpp"

namespace ldp {

/// SHA-256 (FIPS 180-4) of bytes that are added in parts.
class Sha256 {
  public:
    /// Uses the processor's SHA instructions if available and `fast` is true; otherwise portable code with
    /// the same result.
    explicit Sha256(bool fast = true) noexcept;

    /// Appends bytes.
    void add(Bytes bytes) noexcept;
    /// Appends the bytes of a text.
    void add(std::string_view text) noexcept {
        add(Bytes(reinterpret_cast<const std::byte*>(text.data()), text.size()));
    }
    /// Returns the digest of all bytes; nothing can be added afterwards.
    [[nodiscard]] std::array<std::byte, 32> digest() noexcept;

  private:
    using State = std::array<std::uint32_t, 8>;
    State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> rest_{};
    std::uint64_t size_ = 0;
    void (*block_)(State& state, const std::byte* block) noexcept;
};

/// Returns SHA-256 of the bytes.
[[nodiscard]] inline std::array<std::byte, 32> sha256(Bytes bytes) noexcept {
    Sha256 hash;
    hash.add(bytes);
    return hash.digest();
}

}  // namespace ldp

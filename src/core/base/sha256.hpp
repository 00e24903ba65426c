// SHA-256 (FIPS 180-4): names for batches that nobody can guess, and digests that a server can compare.
#pragma once

#include <array>

#include "core/base/bytes.hpp"

namespace ldp {

/// SHA-256 (FIPS 180-4) of bytes that are added one part after another.
class Sha256 {
  public:
    /// By the processor's own instructions, where it has them; otherwise, or if it is not to be fast, by
    /// those that every processor has, with the same result.
    explicit Sha256(bool fast = true) noexcept;

    /// Adds bytes to those before.
    void add(Bytes bytes) noexcept;
    /// Adds the bytes of a text.
    void add(std::string_view text) noexcept {
        add(Bytes(reinterpret_cast<const std::byte*>(text.data()), text.size()));
    }
    /// Of all that was added; nothing can be added after it.
    [[nodiscard]] std::array<std::byte, 32> digest() noexcept;

  private:
    using State = std::array<std::uint32_t, 8>;
    State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> rest_{};
    std::uint64_t size_ = 0;
    void (*block_)(State& state, const std::byte* block) noexcept;
};

/// SHA-256 of these bytes.
[[nodiscard]] inline std::array<std::byte, 32> sha256(Bytes bytes) noexcept {
    Sha256 hash;
    hash.add(bytes);
    return hash.digest();
}

}  // namespace ldp

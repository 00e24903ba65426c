// Counts how often each bit of many bit strings was set: the state of every oracle whose report supports a
// set of values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"

namespace ldp {

/// Counters held as bit planes: plane j holds the j-th binary digit of every counter, side by side and in the
/// order of the bit strings that are counted. Adding a string is a ripple of carries through a handful of
/// planes, for all counters of a machine word at once, so that counting costs hardly more than reading. Equal
/// counts are equal bytes, in whichever order and by however many workers they were made.
class BitCounters {
  public:
    /// A plane for each digit of max_count.
    static constexpr unsigned planes = 41;

    /// Counters for strings of `bits` bits, lowest first, in whole bytes; the last byte's spare bits are 0.
    explicit BitCounters(std::size_t bits) noexcept : bits_(bits), width_((bits + 7) / 8) {}

    [[nodiscard]] std::size_t bits() const noexcept { return bits_; }
    /// Bytes of a string.
    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    /// Bytes of the counters; all zero to begin with.
    [[nodiscard]] std::size_t size() const noexcept { return planes * width_; }

    /// Counts one string of width() bytes. Counters beyond 2^41 − 1 wrap around.
    void add(std::byte* counters, const std::byte* string) const noexcept {
        add(counters, 0, {string, width_});
    }
    /// Counts a part of a string that begins at its byte `from`: for strings that are made piece by piece.
    void add(std::byte* counters, std::size_t from, Bytes part) const noexcept;
    void merge(std::byte* counters, const std::byte* others) const noexcept;
    /// Whether no counter exceeds n and no spare bit is set.
    [[nodiscard]] bool at_most(const std::byte* counters, std::uint64_t n) const noexcept;
    /// One of them, and all.
    [[nodiscard]] std::uint64_t count(const std::byte* counters, std::size_t bit) const noexcept;
    [[nodiscard]] std::vector<std::uint64_t> counts(const std::byte* counters) const;
    /// The sum of all counters, modulo 2^64: exact while bits() counters stay below 2^41 each.
    [[nodiscard]] std::uint64_t total(const std::byte* counters) const noexcept;

    /// Bits set in a string.
    [[nodiscard]] static std::uint64_t ones(Bytes string) noexcept;
    /// Whether the spare bits of a string are 0.
    [[nodiscard]] bool tidy(const std::byte* string) const noexcept {
        return (string[width_ - 1] & spare_bits()) == std::byte{0};
    }
    /// The bits of a string's last byte that no counter stands behind.
    [[nodiscard]] std::byte spare_bits() const noexcept {
        return static_cast<std::byte>(bits_ % 8 == 0 ? 0 : 0xFF << bits_ % 8);
    }

  private:
    /// visit(at, word) for each eight bytes of a string, then for each that is left; `word` tells the type.
    template <class Visit>
    void for_each_word(Visit visit) const noexcept {
        std::size_t at = 0;
        for (; width_ - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) visit(at, std::uint64_t{});
        for (; at < width_; ++at) visit(at, std::uint8_t{});
    }

    std::size_t bits_;
    std::size_t width_;
};

/// Has a function compiled for wide registers; defined where there are any to compile for.
#if defined(__x86_64__) && defined(__GNUC__)
#define LDP_WIDE __attribute__((target("avx2,popcnt")))
#endif

/// Whether this processor has the wide registers that the fast paths use. Every fast path has a portable twin
/// that gives the same bytes.
[[nodiscard]] bool wide_registers() noexcept;
/// Makes this process use the portable paths, so that a test can compare; false undoes it.
void use_portable_paths(bool portable) noexcept;

}  // namespace ldp

// Counters of the bits of many bit strings: the state of every oracle whose report supports a set of values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/math/payloads.hpp"

namespace ldp {

/// Counters stored as bit planes: plane j holds the j-th binary digit of every counter, in the order of the
/// bits of a string. Adding a string propagates carries through a few planes for all counters of a machine
/// word at once, so that counting is almost as fast as reading. The bytes depend on the counts only, not on
/// the order or the number of workers.
class BitCounters {
  public:
    /// One plane for each binary digit of max_count.
    static constexpr unsigned planes = 41;

    /// Counters for strings of `bits` bits, lowest first, in whole bytes; the last byte's spare bits are 0.
    explicit BitCounters(std::size_t bits) noexcept : bits_(bits), width_((bits + 7) / 8) {}

    [[nodiscard]] std::size_t bits() const noexcept { return bits_; }
    /// Returns the size of a string in bytes.
    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    /// Returns the size of the counters in bytes. They are initially zero.
    [[nodiscard]] std::size_t size() const noexcept { return planes * width_; }

    /// Counts one string of width() bytes. Counters wrap around at 2^41.
    void add(std::byte* counters, const std::byte* string) const noexcept {
        add(counters, 0, {string, width_});
    }
    /// Counts a part of a string that starts at its byte `from`.
    void add(std::byte* counters, std::size_t from, Bytes part) const noexcept;
    /// Counts a part of each of many strings. The parts start at byte `from` of the strings.
    void add_all(std::byte* counters, std::size_t from, const Payloads& parts) const noexcept;
    void merge(std::byte* counters, const std::byte* others) const noexcept;
    /// Returns whether no counter exceeds n and no spare bit is set.
    [[nodiscard]] bool at_most(const std::byte* counters, std::uint64_t n) const noexcept;
    /// Return one counter, and all counters.
    [[nodiscard]] std::uint64_t count(const std::byte* counters, std::size_t bit) const noexcept;
    [[nodiscard]] std::vector<std::uint64_t> counts(const std::byte* counters) const;
    /// Returns the sum of all counters modulo 2^64; exact while bits() counters stay below 2^41 each.
    [[nodiscard]] std::uint64_t total(const std::byte* counters) const noexcept;

    /// Returns the number of bits set in a string.
    [[nodiscard]] static std::uint64_t ones(Bytes string) noexcept;
    /// The smallest and the largest number of bits set in a string, the sum of the squares of these numbers, and the bits that
    /// the last byte of any string has.
    struct Ones {
        std::uint64_t least, most;
        Uint128 squares;
        std::byte last;
    };
    /// Returns them for strings of 1 to 2^24 bytes.
    [[nodiscard]] static Ones ones(const Payloads& strings) noexcept;
    /// Counts many strings of width() bytes, and returns their ones.
    [[nodiscard]] Ones count_all(std::byte* counters, const Payloads& strings) const noexcept;
    /// Returns whether the spare bits of all strings of width() bytes are 0.
    [[nodiscard]] bool tidy(const Ones& ones) const noexcept {
        return (ones.last & spare_bits()) == std::byte{0};
    }
    /// Returns whether the spare bits of a string are 0.
    [[nodiscard]] bool tidy(const std::byte* string) const noexcept {
        return (string[width_ - 1] & spare_bits()) == std::byte{0};
    }
    /// Returns a mask of the bits of a string's last byte without a counter.
    [[nodiscard]] std::byte spare_bits() const noexcept {
        return static_cast<std::byte>(bits_ % 8 == 0 ? 0 : 0xFF << bits_ % 8);
    }

  private:
    /// Calls visit(at, word) for each eight bytes of a string, then for each remaining byte; the type of
    /// `word` gives the width.
    template <class Visit>
    void for_each_word(Visit visit) const noexcept {
        std::size_t at = 0;
        for (; width_ - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) visit(at, std::uint64_t{});
        for (; at < width_; ++at) visit(at, std::uint8_t{});
    }

    std::size_t bits_;
    std::size_t width_;
};

/// Compiles a function for wide registers; defined only on processors that have them.
#if defined(__x86_64__) && defined(__GNUC__)
#define LDP_WIDE __attribute__((target("avx2,popcnt")))
#endif

/// Returns whether the processor has the wide registers of the fast paths. Every fast path has a portable
/// version that computes the same bytes.
[[nodiscard]] bool wide_registers() noexcept;
/// Makes this process use the portable paths, for tests that compare both; false restores the default.
void use_portable_paths(bool portable) noexcept;

}  // namespace ldp

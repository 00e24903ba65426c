#include "core/math/bit_counters.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/base/interrupt.hpp"
#include "core/base/limits.hpp"

namespace ldp {

static_assert(std::bit_width(max_count) == BitCounters::planes);

namespace {

bool processor_is_wide() noexcept {
#ifdef LDP_WIDE
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0;
#else
    return false;
#endif
}

/// Determined once, since it is needed for every string.
std::atomic<bool> wide{processor_is_wide()};

// The same source is compiled twice: once for any processor, once for wide registers.

/// Four words that the compiler keeps in one wide register, or in several narrow ones.
using Wide = std::uint64_t __attribute__((vector_size(32)));

bool any(std::uint64_t word) noexcept {
    return word != 0;
}
[[gnu::always_inline]] inline bool any(const Wide& w) noexcept {
    return (w[0] | w[1] | w[2] | w[3]) != 0;
}

/// Adds a block of a string that fits in registers while its carries propagate.
template <class Word, std::size_t count = 1, std::size_t size = sizeof(Word)>
[[gnu::always_inline]] inline void ripple(std::byte* plane, std::size_t width,
                                          const std::byte* string) noexcept {
    // Number of planes that most additions reach. Checking for remaining carries only after these planes
    // avoids unpredictable branches.
    constexpr unsigned usual = std::bit_width(8 * size * count);
    Word carry[count]{};
    std::memcpy(carry, string, count * size);
    const auto carry_on = [&] {
        Word left{};
#pragma GCC unroll 4
        for (std::size_t i = 0; i < count; ++i) {
            Word digits{};
            std::memcpy(&digits, plane + i * size, size);
            const Word sum = digits ^ carry[i];
            carry[i] &= digits;
            left |= carry[i];
            std::memcpy(plane + i * size, &sum, size);
        }
        plane += width;
        return any(left);
    };
#pragma GCC unroll 16
    for (unsigned j = 1; j < usual; ++j) carry_on();
    for (unsigned j = usual; carry_on() && j < BitCounters::planes; ++j) {
    }
}

/// Adds short strings, and the ends of long ones, which are smaller than a wide register.
void add_short(std::byte* counters, std::size_t width, Bytes string) noexcept {
    const std::byte* from = string.data();
    std::size_t at = 0;
    for (; string.size() - at >= 8; at += 8) ripple<std::uint64_t>(counters + at, width, from + at);
    const std::size_t rest = string.size() - at;
    if ((rest & 4) != 0) {
        ripple<std::uint64_t, 1, 4>(counters + at, width, from + at);
        at += 4;
    }
    if ((rest & 2) != 0) {
        ripple<std::uint64_t, 1, 2>(counters + at, width, from + at);
        at += 2;
    }
    if ((rest & 1) != 0) ripple<std::uint64_t, 1, 1>(counters + at, width, from + at);
}

[[gnu::always_inline]] inline void add_long(std::byte* counters, std::size_t width, Bytes string) noexcept {
    const std::byte* from = string.data();
    std::size_t at = 0;
    for (; string.size() - at >= 128; at += 128) ripple<Wide, 4>(counters + at, width, from + at);
    for (; string.size() - at >= 32; at += 32) ripple<Wide>(counters + at, width, from + at);
    if (at < string.size()) add_short(counters + at, width, string.subspan(at));
}

[[gnu::always_inline]] inline std::uint64_t ones_of(Bytes string) noexcept {
    std::uint64_t ones = 0;
    std::size_t at = 0;
    for (; string.size() - at >= 8; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, string.data() + at, sizeof(word));
        ones += static_cast<std::uint64_t>(std::popcount(word));
    }
    for (; at < string.size(); ++at)
        ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(string[at])));
    return ones;
}

#ifdef LDP_WIDE
LDP_WIDE void add_wide(std::byte* counters, std::size_t width, Bytes string) noexcept {
    add_long(counters, width, string);
}
LDP_WIDE std::uint64_t ones_wide(Bytes string) noexcept {
    return ones_of(string);
}
#endif

}  // namespace

bool wide_registers() noexcept {
    return wide.load(std::memory_order_relaxed);
}

void use_portable_paths(bool portable) noexcept {
    wide.store(!portable && processor_is_wide());
}

void BitCounters::add(std::byte* counters, std::size_t from, Bytes part) const noexcept {
    if (part.size() < sizeof(Wide)) return add_short(counters + from, width_, part);
#ifdef LDP_WIDE
    if (wide.load(std::memory_order_relaxed)) return add_wide(counters + from, width_, part);
#endif
    add_long(counters + from, width_, part);
}

std::uint64_t BitCounters::ones(Bytes string) noexcept {
#ifdef LDP_WIDE
    if (wide.load(std::memory_order_relaxed)) return ones_wide(string);
#endif
    return ones_of(string);
}

void BitCounters::merge(std::byte* counters, const std::byte* others) const noexcept {
    for_each_word([&]<class Word>(std::size_t at, Word) {
        Word carry = 0;
        for (std::size_t plane = at; plane < size(); plane += width_) {
            const auto a = load<Word>(counters + plane), b = load<Word>(others + plane);
            store(counters + plane, static_cast<Word>(a ^ b ^ carry));
            carry = static_cast<Word>((a & b) | (carry & (a ^ b)));
        }
    });
}

// Compares from the highest digit downwards; a counter is undecided while its digits equal those of n.
bool BitCounters::at_most(const std::byte* counters, std::uint64_t n) const noexcept {
    bool all = true;
    for_each_word([&]<class Word>(std::size_t at, Word) {
        Word undecided = static_cast<Word>(~Word{0}), beyond = 0;
        for (unsigned j = planes; j-- > 0;) {
            const auto digits = load<Word>(counters + j * width_ + at);
            if ((n >> j & 1) != 0)
                undecided &= digits;
            else
                beyond |= undecided & digits;
        }
        all = all && beyond == 0;
    });
    for (unsigned j = 0; j < planes && all; ++j) all = tidy(counters + j * width_);
    return all;
}

std::uint64_t BitCounters::count(const std::byte* counters, std::size_t bit) const noexcept {
    std::uint64_t count = 0;
    for (unsigned j = 0; j < planes; ++j)
        count |= std::uint64_t{std::to_integer<unsigned>(counters[j * width_ + bit / 8]) >> bit % 8 & 1} << j;
    return count;
}

std::vector<std::uint64_t> BitCounters::counts(const std::byte* counters) const {
    std::vector<std::uint64_t> counts(bits_);
    for (unsigned j = 0; j < planes; ++j, check_interrupt())
        for (std::size_t i = 0; i < bits_; ++i)
            counts[i] |= std::uint64_t{std::to_integer<unsigned>(counters[j * width_ + i / 8]) >> i % 8 & 1}
                         << j;
    return counts;
}

std::uint64_t BitCounters::total(const std::byte* counters) const noexcept {
    std::uint64_t total = 0;
    for (unsigned j = 0; j < planes; ++j) total += ones({counters + j * width_, width_}) << j;
    return total;
}

}  // namespace ldp

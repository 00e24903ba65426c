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
    // Not as one block, which a processor would have to wait for: compilers copy it in narrower registers.
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&carry[i], string + i * size, size);
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

/// A carry-save adder: the sum of three numbers of one bit, for all bits of a word.
template <class Word>
[[gnu::always_inline]] inline void full_add(Word& sum, Word& carry, const Word& a, const Word& b) noexcept {
    const Word differ = a ^ b;
    carry = (a & b) | (differ & sum);
    sum ^= differ;
}

/// Strings that are added together: their sums fit into five planes.
constexpr std::size_t together = 16;

/// Sums a word of each of 16 strings with carry-save adders: ones, twos, fours, eights and sixteens.
template <class Word>
[[gnu::always_inline]] inline void sum_words(Word (&sum)[5], const std::byte* string,
                                             std::size_t stride) noexcept {
    const auto next = [&](Word & word) __attribute__((always_inline)) {
        std::memcpy(&word, string, sizeof(Word));
        string += stride;
    };
    Word twos[2], fours[2], eights[2];
#pragma GCC unroll 2
    for (std::size_t eight = 0; eight < 2; ++eight) {
#pragma GCC unroll 2
        for (std::size_t four = 0; four < 2; ++four) {
#pragma GCC unroll 2
            for (std::size_t two = 0; two < 2; ++two) {
                Word a, b;
                next(a);
                next(b);
                full_add(sum[0], twos[two], a, b);
            }
            full_add(sum[1], fours[four], twos[0], twos[1]);
        }
        full_add(sum[2], eights[eight], fours[0], fours[1]);
    }
    full_add(sum[3], sum[4], eights[0], eights[1]);
}

/// Adds a number of some binary digits to each counter of a word.
template <class Word, std::size_t digits_of_sum>
[[gnu::always_inline]] inline void add_planes(std::byte* plane, std::size_t width,
                                              const Word (&sum)[digits_of_sum]) noexcept {
    constexpr std::size_t size = sizeof(Word);
    Word carry{};
    const auto add_plane = [&](const Word& addend) __attribute__((always_inline)) {
        Word digits;
        std::memcpy(&digits, plane, size);
        full_add(digits, carry, addend, Word(carry));
        std::memcpy(plane, &digits, size);
        plane += width;
    };
#pragma GCC unroll 10
    for (std::size_t j = 0; j < digits_of_sum; ++j) add_plane(sum[j]);
    for (unsigned j = digits_of_sum; any(carry) && j < BitCounters::planes; ++j) add_plane(Word{});
}

template <class Word>
[[gnu::always_inline]] inline void add_column(std::byte* plane, std::size_t width, const std::byte* string,
                                              std::size_t stride) noexcept {
    Word sum[5]{};
    sum_words(sum, string, stride);
    add_planes(plane, width, sum);
}

/// Adds strings of one word in blocks of 16 wide registers that are full of them, and returns how many were added. The sums
/// of the strings in one place of a register are then added together, half of the places at a time.
template <class Word>
[[gnu::always_inline]] inline std::size_t add_packed(std::byte* plane, std::size_t width,
                                                     const Payloads& strings) noexcept {
    constexpr std::size_t block = together * sizeof(Wide) / sizeof(Word);
    constexpr std::size_t most_digits = 5 + std::bit_width(sizeof(Wide) / sizeof(Word)) - 1;
    Word gathered[block];
    std::size_t done = 0;
    for (; strings.count() - done >= block; done += block) {
        Wide sums[5]{};
        const std::byte* from = strings.at(done);
        if (strings.stride() != sizeof(Word)) {
            for (std::size_t i = 0; i < block; ++i)
                std::memcpy(&gathered[i], strings.at(done + i), sizeof(Word));
            from = reinterpret_cast<const std::byte*>(gathered);
        }
        sum_words(sums, from, sizeof(Wide));
        std::uint64_t quarter[4][most_digits]{};
        for (std::size_t j = 0; j < 5; ++j)
            for (std::size_t q = 0; q < 4; ++q) quarter[q][j] = sums[j][q];
        std::size_t digits = 5;
        const auto add = [&](std::uint64_t * sum, const std::uint64_t* addend, std::size_t shift)
            __attribute__((always_inline)) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < digits; ++j)
                full_add(sum[j], carry, addend[j] >> shift, std::uint64_t(carry));
            sum[digits] = carry;
        };
        add(quarter[0], quarter[1], 0);
        add(quarter[2], quarter[3], 0);
        ++digits;
        add(quarter[0], quarter[2], 0);
        ++digits;
        for (std::size_t half = 32; half >= 8 * sizeof(Word); half /= 2, ++digits)
            add(quarter[0], quarter[0], half);
        Word sum[most_digits];
        for (std::size_t j = 0; j < most_digits; ++j) sum[j] = static_cast<Word>(quarter[0][j]);
        add_planes(plane, width, sum);
    }
    return done;
}

[[gnu::always_inline]] inline std::size_t add_packed(std::byte* counters, std::size_t width,
                                                     const Payloads& strings) noexcept {
    switch (strings.size()) {
        case 1:
            return add_packed<std::uint8_t>(counters, width, strings);
        case 2:
            return add_packed<std::uint16_t>(counters, width, strings);
        case 4:
            return add_packed<std::uint32_t>(counters, width, strings);
        default:
            return 0;
    }
}

[[gnu::always_inline]] inline void add_columns(std::byte* counters, std::size_t width,
                                               const Payloads& parts) noexcept {
    for (std::size_t i = add_packed(counters, width, parts); i < parts.count(); i += together) {
        const std::byte* from = parts.at(i);
        std::size_t at = 0;
        for (; parts.size() - at >= 32; at += 32)
            add_column<Wide>(counters + at, width, from + at, parts.stride());
        for (; parts.size() - at >= 8; at += 8)
            add_column<std::uint64_t>(counters + at, width, from + at, parts.stride());
        for (; parts.size() - at >= 4; at += 4)
            add_column<std::uint32_t>(counters + at, width, from + at, parts.stride());
        for (; parts.size() - at >= 2; at += 2)
            add_column<std::uint16_t>(counters + at, width, from + at, parts.stride());
        if (at < parts.size()) add_column<std::uint8_t>(counters + at, width, from + at, parts.stride());
    }
}

[[gnu::always_inline]] inline std::uint64_t ones_of(Bytes string) noexcept {
    std::uint64_t ones = 0;
    std::size_t at = 0;
    const auto eight = [&](std::size_t from) {
        std::uint64_t word;
        std::memcpy(&word, string.data() + from, sizeof(word));
        return static_cast<std::uint64_t>(std::popcount(word));
    };
    // Added in pairs, so that no addition waits for all that precede it.
    for (; string.size() - at >= 32; at += 32)
        ones += (eight(at) + eight(at + 8)) + (eight(at + 16) + eight(at + 24));
    for (; string.size() - at >= 8; at += 8) ones += eight(at);
    for (; at < string.size(); ++at)
        ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(string[at])));
    return ones;
}

/// Strings of one word: a load and a count for each, without the loops of other sizes.
template <class Word>
[[gnu::always_inline]] inline BitCounters::Ones ones_of_words(const Payloads& strings) noexcept {
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    std::uint64_t squares = 0;  // at most 2^12 for a string, so the sum of all strings in memory fits
    for (std::size_t i = 0; i < strings.count(); ++i) {
        const auto ones = static_cast<std::uint64_t>(std::popcount(std::uint64_t{load<Word>(strings.at(i))}));
        least = std::min(least, ones);
        most = std::max(most, ones);
        squares += ones * ones;
    }
    return {least, most, squares};
}

/// Strings of two bytes without gaps, 16 in a register.
[[gnu::always_inline]] inline BitCounters::Ones ones_of_pairs(const Payloads& strings) noexcept {
    using Pairs = std::uint16_t __attribute__((vector_size(32)));
    constexpr std::size_t lanes = sizeof(Pairs) / 2;
    constexpr std::size_t most_registers = 255;  // the squares of as many strings, each at most 16², fit
    const Pairs nothing{};
    Pairs least = nothing + std::uint16_t{16}, most{};
    std::uint64_t squares = 0;
    std::size_t i = 0;
    while (strings.count() - i >= lanes) {
        Pairs sum{};
        const std::size_t end = i + std::min((strings.count() - i) / lanes, most_registers) * lanes;
        for (; i < end; i += lanes) {
            Pairs ones;
            std::memcpy(&ones, strings.at(i), sizeof(ones));
            ones -= (ones >> 1) & 0x5555;
            ones = (ones & 0x3333) + ((ones >> 2) & 0x3333);
            ones = (ones + (ones >> 4)) & 0x0F0F;
            ones = (ones + (ones >> 8)) & 0x1F;
            least = ones < least ? ones : least;
            most = ones > most ? ones : most;
            sum += ones * ones;
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) squares += sum[lane];
    }
    BitCounters::Ones all{~std::uint64_t{0}, 0, squares};
    for (std::size_t lane = 0; i > 0 && lane < lanes; ++lane) {
        all.least = std::min<std::uint64_t>(all.least, least[lane]);
        all.most = std::max<std::uint64_t>(all.most, most[lane]);
    }
    const BitCounters::Ones rest = ones_of_words<std::uint16_t>(strings.range(i, strings.count() - i));
    return {std::min(all.least, rest.least), std::max(all.most, rest.most), all.squares + rest.squares};
}

[[gnu::always_inline]] inline BitCounters::Ones ones_of_all(const Payloads& strings) noexcept {
    switch (strings.size()) {
        case 2:
            if (strings.stride() == 2) return ones_of_pairs(strings);
            return ones_of_words<std::uint16_t>(strings);
        case 4:
            return ones_of_words<std::uint32_t>(strings);
        case 8:
            return ones_of_words<std::uint64_t>(strings);
        default:
            break;
    }
    BitCounters::Ones all{~std::uint64_t{0}, 0, 0};
    for (std::size_t i = 0; i < strings.count(); ++i) {
        const std::uint64_t ones = ones_of(strings[i]);
        all.least = std::min(all.least, ones);
        all.most = std::max(all.most, ones);
        all.squares += ones * ones;
    }
    return all;
}

/// Returns 64 bits as a transposed square: bit i of byte j becomes bit j of byte i (Warren 2013).
std::uint64_t transposed(std::uint64_t square) noexcept {
    const auto exchange = [&](unsigned distance, std::uint64_t mask) {
        const std::uint64_t differing = (square ^ square >> distance) & mask;
        square ^= differing ^ differing << distance;
    };
    exchange(7, 0x00AA00AA00AA00AA);
    exchange(14, 0x0000CCCC0000CCCC);
    exchange(28, 0x00000000F0F0F0F0);
    return square;
}

#ifdef LDP_WIDE
LDP_WIDE void add_wide(std::byte* counters, std::size_t width, Bytes string) noexcept {
    add_long(counters, width, string);
}
LDP_WIDE void add_columns_wide(std::byte* counters, std::size_t width, const Payloads& parts) noexcept {
    add_columns(counters, width, parts);
}
LDP_WIDE std::uint64_t ones_wide(Bytes string) noexcept {
    return ones_of(string);
}
LDP_WIDE BitCounters::Ones ones_of_all_wide(const Payloads& strings) noexcept {
    return ones_of_all(strings);
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

void BitCounters::add_all(std::byte* counters, std::size_t from, const Payloads& parts) const noexcept {
    const std::size_t whole = parts.count() - parts.count() % together;
    const Payloads most = parts.range(0, whole);
#ifdef LDP_WIDE
    if (wide.load(std::memory_order_relaxed))
        add_columns_wide(counters + from, width_, most);
    else
#endif
        add_columns(counters + from, width_, most);
    for (std::size_t i = whole; i < parts.count(); ++i) add(counters, from, parts[i]);
}

BitCounters::Ones BitCounters::ones(const Payloads& strings) noexcept {
#ifdef LDP_WIDE
    if (wide.load(std::memory_order_relaxed)) return ones_of_all_wide(strings);
#endif
    return ones_of_all(strings);
}

bool BitCounters::tidy(const Payloads& strings) const noexcept {
    if (spare_bits() == std::byte{0}) return true;
    std::byte found{};
    for (std::size_t i = 0; i < strings.count(); ++i) found |= strings.at(i)[width_ - 1];
    return (found & spare_bits()) == std::byte{0};
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

// Eight digits of eight counters are a square of 64 bits, which is transposed at once.
std::vector<std::uint64_t> BitCounters::counts(const std::byte* counters) const {
    std::vector<std::uint64_t> counts(bits_);
    for (unsigned first = 0; first < planes; first += 8, check_interrupt()) {
        const unsigned digits = std::min(8U, planes - first);
        for (std::size_t i = 0; i < width_; ++i) {
            std::uint64_t square = 0;
            for (unsigned j = 0; j < digits; ++j)
                square |= std::to_integer<std::uint64_t>(counters[(first + j) * width_ + i]) << 8 * j;
            if (square == 0) continue;
            square = transposed(square);
            const std::size_t last = std::min<std::size_t>(bits_ - 8 * i, 8);
            for (std::size_t k = 0; k < last; ++k) counts[8 * i + k] |= (square >> 8 * k & 0xFF) << first;
        }
    }
    return counts;
}

std::uint64_t BitCounters::total(const std::byte* counters) const noexcept {
    std::uint64_t total = 0;
    for (unsigned j = 0; j < planes; ++j) total += ones({counters + j * width_, width_}) << j;
    return total;
}

}  // namespace ldp

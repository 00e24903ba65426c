// Counts of the ones of many bit strings, in the registers of the processor or in portable words.
// Length: each width of strings has a loop of its own, and all share the planes of the counters.

#include "core/math/bit_counters.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>

#include "core/base/interrupt.hpp"
#include "core/base/limits.hpp"

#ifdef LDP_WIDE
#include <immintrin.h>
#endif

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
[[gnu::always_inline]] inline void add_short(std::byte* counters, std::size_t width, Bytes string) noexcept {
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
template <class Word>
[[gnu::always_inline]] inline void add_planes(std::byte* plane, std::size_t width, const Word* sum,
                                              std::size_t digits_of_sum) noexcept {
    constexpr std::size_t size = sizeof(Word);
    Word carry{};
    const auto add_plane = [&](const Word& addend) __attribute__((always_inline)) {
        Word digits;
        std::memcpy(&digits, plane, size);
        full_add(digits, carry, addend, Word(carry));
        std::memcpy(plane, &digits, size);
        plane += width;
    };
#pragma GCC unroll 5
    for (std::size_t j = 0; j < digits_of_sum; ++j) add_plane(sum[j]);
    for (std::size_t j = digits_of_sum; any(carry) && j < BitCounters::planes; ++j) add_plane(Word{});
}

template <class Word>
[[gnu::always_inline]] inline void add_column(std::byte* plane, std::size_t width, const std::byte* string,
                                              std::size_t stride) noexcept {
    Word sum[5]{};
    sum_words(sum, string, stride);
    add_planes(plane, width, sum, 5);
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

/// Strings of one or two words, which overlap if the size of a string is not a power of two.
template <class Word, bool two>
[[gnu::always_inline]] inline BitCounters::Ones ones_of_words(const Payloads& strings) noexcept {
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    std::uint64_t squares = 0;  // at most 2^14 for a string, so the sum of all strings in memory fits
    const std::size_t second = two ? strings.size() - sizeof(Word) : 0;
    const std::size_t overlap = two ? 8 * (2 * sizeof(Word) - strings.size()) : 0;
    Word last = 0;
    for (std::size_t i = 0; i < strings.count(); ++i) {
        const std::byte* string = strings.at(i);
        const auto end = load<Word>(string + second);
        last |= end;
        auto ones = static_cast<std::uint64_t>(std::popcount(static_cast<Word>(end >> overlap)));
        if constexpr (two) ones += static_cast<std::uint64_t>(std::popcount(load<Word>(string)));
        least = std::min(least, ones);
        most = std::max(most, ones);
        squares += ones * ones;
    }
    return {least, most, squares, static_cast<std::byte>(last >> (8 * sizeof(Word) - 8))};
}

/// Strings of two bytes without gaps, 16 in a register.
[[gnu::always_inline]] inline BitCounters::Ones ones_of_pairs(const Payloads& strings) noexcept {
    using Pairs = std::uint16_t __attribute__((vector_size(32)));
    constexpr std::size_t lanes = sizeof(Pairs) / 2;
    constexpr std::size_t most_registers = 255;  // the squares of as many strings, each at most 16², fit
    const Pairs nothing{};
    Pairs least = nothing + std::uint16_t{16}, most{}, seen{};
    std::uint64_t squares = 0;
    std::size_t i = 0;
    while (strings.count() - i >= lanes) {
        Pairs sum{};
        const std::size_t end = i + std::min((strings.count() - i) / lanes, most_registers) * lanes;
        for (; i < end; i += lanes) {
            Pairs ones;
            std::memcpy(&ones, strings.at(i), sizeof(ones));
            seen |= ones;
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
    BitCounters::Ones all = ones_of_words<std::uint16_t, false>(strings.range(i, strings.count() - i));
    all.squares += squares;
    // Copied, since GCC 12 may read single lanes with MMX instructions, which make the floating-point unit unusable.
    std::uint16_t least_of[lanes], most_of[lanes];
    std::byte seen_in[sizeof(seen)];
    std::memcpy(least_of, &least, sizeof(least));
    std::memcpy(most_of, &most, sizeof(most));
    std::memcpy(seen_in, &seen, sizeof(seen));
    for (std::size_t lane = 0; i > 0 && lane < lanes; ++lane) {
        all.least = std::min<std::uint64_t>(all.least, least_of[lane]);
        all.most = std::max<std::uint64_t>(all.most, most_of[lane]);
        all.last |= seen_in[2 * lane + 1];
    }
    return all;
}

[[gnu::always_inline]] inline BitCounters::Ones ones_of_all(const Payloads& strings) noexcept {
    switch (strings.size()) {
        case 1:
            return ones_of_words<std::uint8_t, false>(strings);
        case 2:
            if (strings.stride() == 2) return ones_of_pairs(strings);
            return ones_of_words<std::uint16_t, false>(strings);
        case 3:
            return ones_of_words<std::uint16_t, true>(strings);
        case 4:
            return ones_of_words<std::uint32_t, false>(strings);
        case 5:
        case 6:
        case 7:
            return ones_of_words<std::uint32_t, true>(strings);
        case 8:
            return ones_of_words<std::uint64_t, false>(strings);
        default:
            if (strings.size() > 8 && strings.size() <= 16)
                return ones_of_words<std::uint64_t, true>(strings);
            break;
    }
    BitCounters::Ones all{~std::uint64_t{0}, 0, 0, std::byte{0}};
    for (std::size_t i = 0; i < strings.count(); ++i) {
        const std::uint64_t ones = ones_of(strings[i]);
        all.least = std::min(all.least, ones);
        all.most = std::max(all.most, ones);
        all.squares += ones * ones;
        all.last |= strings[i].back();
    }
    return all;
}

/// The ones of two groups of strings.
BitCounters::Ones joined(const BitCounters::Ones& a, const BitCounters::Ones& b) noexcept {
    return {std::min(a.least, b.least), std::max(a.most, b.most), a.squares + b.squares, a.last | b.last};
}

constexpr BitCounters::Ones no_ones{~std::uint64_t{0}, 0, 0, std::byte{0}};

/// Bytes of a block of strings that are counted together: 16 wide registers.
constexpr std::size_t block_size = together * sizeof(Wide);

/// What is determined besides the counters: nothing, or the ones of each string of `size` bytes in a place.
template <std::size_t place>
struct NoOnes {
    explicit NoOnes(std::size_t) noexcept {}
    void add(const std::byte*) noexcept {}
    [[nodiscard]] BitCounters::Ones take() noexcept { return no_ones; }
    static BitCounters::Ones of(const Payloads&) noexcept { return no_ones; }
};

template <std::size_t place>
class PlainOnes {
  public:
    explicit PlainOnes(std::size_t size) noexcept : size_(size) {}
    void add(const std::byte* block) noexcept {
        ones_ = joined(ones_, ones_of_all({block, block_size / place, size_, place}));
    }
    [[nodiscard]] BitCounters::Ones take() noexcept { return std::exchange(ones_, no_ones); }
    [[gnu::always_inline]] static BitCounters::Ones of(const Payloads& strings) noexcept {
        return ones_of_all(strings);
    }

  private:
    std::size_t size_;
    BitCounters::Ones ones_ = no_ones;
};

#ifdef LDP_WIDE
template <std::size_t place>
class WideOnes {
  public:
    explicit WideOnes(std::size_t size) noexcept : size_(size) { clear(); }

    /// Counts the bits of half bytes by a table, and adds the counts of a place. Numbers of 16 bits are compared, of which the
    /// first one of a place has its count.
    LDP_WIDE void add(const std::byte* block) noexcept {
        const __m256i low = _mm256_set1_epi8(15), one_8 = _mm256_set1_epi8(1), one_16 = _mm256_set1_epi16(1);
        const __m256i counts =
            _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        __m256i least = least_, most = most_, squares = squares_, seen = seen_;
        for (std::size_t i = 0; i < together; ++i) {
            const __m256i strings =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + i * sizeof(__m256i)));
            seen = _mm256_or_si256(seen, strings);
            __m256i ones = _mm256_add_epi8(
                _mm256_shuffle_epi8(counts, _mm256_and_si256(strings, low)),
                _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(strings, 4), low)));
            if constexpr (place == 1) {
                least = _mm256_min_epu8(least, ones);
                most = _mm256_max_epu8(most, ones);
                ones = _mm256_maddubs_epi16(ones, ones);
                squares = _mm256_add_epi32(squares, _mm256_madd_epi16(ones, one_16));
                continue;
            }
            if constexpr (place == 2 || place == 4) ones = _mm256_maddubs_epi16(ones, one_8);
            if constexpr (place == 4) ones = _mm256_madd_epi16(ones, one_16);
            if constexpr (place >= 8) ones = _mm256_sad_epu8(ones, _mm256_setzero_si256());
            if constexpr (place >= 16) ones = _mm256_add_epi64(ones, _mm256_bsrli_epi128(ones, 8));
            if constexpr (place == 32) ones = _mm256_add_epi64(ones, _mm256_permute4x64_epi64(ones, 2));
            least = _mm256_min_epu16(least, ones);
            most = _mm256_max_epu16(most, ones);
            if constexpr (place >= 16) ones = _mm256_and_si256(ones, first_of_place());
            squares = _mm256_add_epi32(squares, _mm256_madd_epi16(ones, ones));
        }
        least_ = least;
        most_ = most;
        squares_ = squares;
        seen_ = seen;
    }
    [[nodiscard]] BitCounters::Ones take() noexcept {
        BitCounters::Ones ones = no_ones;
        std::uint32_t squares[8];
        std::memcpy(squares, &squares_, sizeof(squares));
        for (const std::uint32_t some : squares) ones.squares += some;
        using Count = std::conditional_t<place == 1, std::uint8_t, std::uint16_t>;
        for (std::size_t at = 0; at < sizeof(Wide); at += place) {
            ones.least = std::min<std::uint64_t>(ones.least, load<Count>(bytes_of(least_) + at));
            ones.most = std::max<std::uint64_t>(ones.most, load<Count>(bytes_of(most_) + at));
            ones.last |= bytes_of(seen_)[at + size_ - 1];
        }
        clear();
        return ones;
    }
    LDP_WIDE static BitCounters::Ones of(const Payloads& strings) noexcept { return ones_of_all(strings); }

  private:
    LDP_WIDE static __m256i first_of_place() noexcept {
        return place == 16 ? _mm256_setr_epi64x(-1, 0, -1, 0) : _mm256_setr_epi64x(-1, 0, 0, 0);
    }
    static const std::byte* bytes_of(const __m256i& lanes) noexcept {
        return reinterpret_cast<const std::byte*>(&lanes);
    }
    void clear() noexcept {
        std::memset(&least_, 0xFF, sizeof(least_));
        for (__m256i* lanes : {&most_, &squares_, &seen_}) std::memset(lanes, 0, sizeof(*lanes));
    }

    std::size_t size_;
    __m256i least_, most_, squares_, seen_;
};
#endif

/// The unsigned number of 1, 2, 4 or 8 bytes.
template <std::size_t size>
using WordOf =
    std::conditional_t<size == 1, std::uint8_t,
                       std::conditional_t<size == 2, std::uint16_t,
                                          std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

/// Strings shorter than a wide register, in places of a power of two of bytes: 16 registers full of them are a block.
template <std::size_t place, template <std::size_t> class Count>
struct PlacedStrings {
    static constexpr std::size_t block = together * sizeof(Wide) / place;
    /// Strings that are copied to places together. The processor has stored the first ones when they are read.
    static constexpr std::size_t ahead = 8 * block;
    /// Blocks whose sums are collected in registers, and the binary digits of these sums.
    static constexpr std::size_t most_blocks = 255;
    static constexpr std::size_t digits = std::bit_width(most_blocks * together);
    static constexpr std::size_t most_digits = digits + std::bit_width(sizeof(Wide) / place) - 1;

    /// Copies strings to places, a word at a time.
    [[gnu::always_inline]] static void gather(std::byte* places, const Payloads& strings) noexcept {
        if (strings.size() == place)
            gather_as<false>(places, strings);
        else
            gather_as<true>(places, strings);
    }
    /// A string that does not fill its place has more than half of its size: its halves overlap.
    template <bool overlap>
    [[gnu::always_inline]] static void gather_as(std::byte* places, const Payloads& strings) noexcept {
        constexpr std::size_t word = sizeof(std::uint64_t);
        const std::size_t rest = strings.size() - (place + 1) / 2;
        std::size_t i = 0;
        if constexpr (place > 2 * word) {
            for (; i < strings.count(); ++i) {
                std::memcpy(places + i * place, strings.at(i), 2 * word);
                std::memcpy(places + i * place + rest, strings.at(i) + rest, 2 * word);
            }
        } else if constexpr (place == 2 * word) {
            const std::size_t both = 8 * (word - rest);
            for (; i < strings.count(); ++i) {
                store(places + i * place, load<std::uint64_t>(strings.at(i)));
                store(places + i * place + word, load<std::uint64_t>(strings.at(i) + rest) >> both);
            }
        } else {
            using Half = WordOf<(place + 1) / 2>;
            const auto in_place = [&](std::size_t number) __attribute__((always_inline)) {
                const std::byte* from = strings.at(number);
                if constexpr (!overlap) return std::uint64_t{load<WordOf<place>>(from)};
                return load<Half>(from) | std::uint64_t{load<Half>(from + rest)} << 8 * rest;
            };
            constexpr std::size_t in_word = word / place;
            for (; strings.count() - i >= in_word; i += in_word) {
                std::uint64_t some = 0;
#pragma GCC unroll 8
                for (std::size_t k = 0; k < in_word; ++k) some |= in_place(i + k) << 8 * place * k;
                store(places + i * place, some);
            }
            for (; i < strings.count(); ++i)
                store(places + i * place, static_cast<WordOf<place>>(in_place(i)));
        }
    }

    [[gnu::always_inline]] static BitCounters::Ones add(std::byte* counters, std::size_t width,
                                                        const Payloads& strings) noexcept {
        std::byte places[ahead * place];
        if constexpr (place > 16) std::memset(places, 0, sizeof(places));
        const bool packed = strings.size() == place && strings.stride() == place;
        BitCounters::Ones all = no_ones;
        Count<place> ones(strings.size());
        for (std::size_t done = 0; done < strings.count();) {
            Wide sum[digits]{};
            std::size_t strings_of_place = 0;
            for (std::size_t blocks = 0; blocks < most_blocks && done < strings.count(); ++blocks) {
                const Payloads some = strings.range(done, std::min(block, strings.count() - done));
                const std::byte* from = packed ? some.at(0) : places + done % ahead * place;
                if (packed ? some.count() < block : done % ahead == 0) {
                    const Payloads next = strings.range(done, std::min(ahead, strings.count() - done));
                    if (next.count() < ahead) std::memset(places, 0, sizeof(places));
                    gather(places, next);
                    from = places;
                }
                if (some.count() == block)
                    ones.add(from);
                else
                    all = joined(all, Count<place>::of(some));
                Wide sums[5]{};
                sum_words(sums, from, sizeof(Wide));
                strings_of_place += together;
                Wide carry{};
#pragma GCC unroll 5
                for (std::size_t j = 0; j < 5; ++j) full_add(sum[j], carry, sums[j], Wide(carry));
                const auto used = static_cast<std::size_t>(std::bit_width(strings_of_place));
                for (std::size_t j = 5; j < used; ++j) {
                    const Wide digit = sum[j];
                    sum[j] = digit ^ carry;
                    carry &= digit;
                }
                done += some.count();
            }
            add_places(counters, width, strings.size(), sum, std::bit_width(strings_of_place));
            all = joined(all, ones.take());
        }
        return all;
    }

  private:
    /// Adds the sums of all places, half of the places at a time, to the counters of one string of `size` bytes.
    [[gnu::always_inline]] static void add_places(std::byte* counters, std::size_t width, std::size_t size,
                                                  const Wide (&sums)[digits], std::size_t used) noexcept {
        std::uint64_t quarter[4][most_digits]{};
        for (std::size_t j = 0; j < used; ++j)
            for (std::size_t q = 0; q < 4; ++q) quarter[q][j] = sums[j][q];
        const auto add = [&](std::uint64_t * sum, const std::uint64_t* addend, std::size_t shift)
            __attribute__((always_inline)) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < used; ++j)
                full_add(sum[j], carry, addend[j] >> shift, std::uint64_t(carry));
            sum[used] = carry;
        };
        std::size_t quarters = 4;
        for (; quarters * 8 > place && quarters > 1; quarters /= 2, ++used)
            for (std::size_t q = 0; q < quarters / 2; ++q) add(quarter[q], quarter[q + quarters / 2], 0);
        for (std::size_t half = 32; half >= 8 * place; half /= 2, ++used) add(quarter[0], quarter[0], half);
        std::byte sum[most_digits][place];
        for (std::size_t j = 0; j < used; ++j)
            for (std::size_t at = 0; at < place; at += 8)
                std::memcpy(sum[j] + at, &quarter[at / 8][j], std::min<std::size_t>(8, place - at));
        std::size_t at = 0;
        for (; size - at >= 8; at += 8) add_part<std::uint64_t>(counters, width, sum, at, used);
        if ((size & 4) != 0) {
            add_part<std::uint32_t>(counters, width, sum, at, used);
            at += 4;
        }
        if ((size & 2) != 0) {
            add_part<std::uint16_t>(counters, width, sum, at, used);
            at += 2;
        }
        if ((size & 1) != 0) add_part<std::uint8_t>(counters, width, sum, at, used);
    }

    /// Adds a word of the sums, which starts at byte `at` of the string.
    template <class Word>
    [[gnu::always_inline]] static void add_part(std::byte* counters, std::size_t width,
                                                const std::byte (&sum)[most_digits][place], std::size_t at,
                                                std::size_t used) noexcept {
        if constexpr (sizeof(Word) <= place) {
            Word words[most_digits];
            for (std::size_t j = 0; j < used; ++j) std::memcpy(&words[j], sum[j] + at, sizeof(Word));
            add_planes(counters + at, width, words, used);
        }
    }
};

/// Strings that do not fill a block, and longer ones.
[[gnu::always_inline]] inline void add_loose(std::byte* counters, std::size_t width,
                                             const Payloads& parts) noexcept {
    std::size_t i = 0;
    for (; parts.count() - i >= together; i += together) {
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
    for (; i < parts.count(); ++i) add_long(counters, width, parts[i]);
}

/// Adds strings in the smallest places in which they fit, if they fill a block.
template <template <std::size_t> class Count>
[[gnu::always_inline]] inline BitCounters::Ones add_columns(std::byte* counters, std::size_t width,
                                                            const Payloads& parts) noexcept {
    const auto fills = [&](std::size_t place) {
        return parts.size() > place / 2 && parts.size() <= place && parts.count() * place >= block_size;
    };
    if (fills(1)) return PlacedStrings<1, Count>::add(counters, width, parts);
    if (fills(2)) return PlacedStrings<2, Count>::add(counters, width, parts);
    if (fills(4)) return PlacedStrings<4, Count>::add(counters, width, parts);
    if (fills(8)) return PlacedStrings<8, Count>::add(counters, width, parts);
    if (fills(16)) return PlacedStrings<16, Count>::add(counters, width, parts);
    if (fills(32)) return PlacedStrings<32, Count>::add(counters, width, parts);
    add_loose(counters, width, parts);
    return Count<1>::of(parts);
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
    (void)add_columns<NoOnes>(counters, width, parts);
}
LDP_WIDE BitCounters::Ones count_columns_wide(std::byte* counters, std::size_t width,
                                              const Payloads& parts) noexcept {
    return add_columns<WideOnes>(counters, width, parts);
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
#ifdef LDP_WIDE
    if (wide.load(std::memory_order_relaxed)) return add_columns_wide(counters + from, width_, parts);
#endif
    (void)add_columns<NoOnes>(counters + from, width_, parts);
}

BitCounters::Ones BitCounters::count_all(std::byte* counters, const Payloads& strings) const noexcept {
#ifdef LDP_WIDE
    if (wide.load(std::memory_order_relaxed)) return count_columns_wide(counters, width_, strings);
#endif
    return add_columns<PlainOnes>(counters, width_, strings);
}

BitCounters::Ones BitCounters::ones(const Payloads& strings) noexcept {
#ifdef LDP_WIDE
    if (wide.load(std::memory_order_relaxed)) return ones_of_all_wide(strings);
#endif
    return ones_of_all(strings);
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

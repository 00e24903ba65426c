#include "core/format/packed_words.hpp"

#include <algorithm>
#include <array>

namespace ldp {

namespace {

constexpr std::size_t word_size = sizeof(std::uint64_t), group_words = 16,
                      group_size = group_words * word_size;
constexpr unsigned longest_run = 64, plain = 64, few = 128, relative = 144;
constexpr unsigned plain_widths = 64, most_few = 15, relative_widths = 64, few_value = 16;

using WordGroup = std::array<std::uint64_t, group_words>;

/// The words of the first group of the bytes, which may be the incomplete last one.
WordGroup load_group(Bytes bytes) noexcept {
    WordGroup words;
    if (bytes.size() >= group_size) {
        for (std::size_t i = 0; i < group_words; ++i)
            words[i] = load<std::uint64_t>(bytes.data() + i * word_size);
        return words;
    }
    std::byte whole[group_size] = {};
    std::ranges::copy(bytes, whole);
    return load_group(whole);
}

bool is_zero(Bytes group) noexcept {
    if (group.size() < group_size) return all_zero(group);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < group_words; ++i) found |= load<std::uint64_t>(group.data() + i * word_size);
    return found == 0;
}

/// Bytes of words of `width` bits.
constexpr std::size_t content_size(unsigned width) noexcept {
    return group_words / 8 * width;
}

/// Writes the lowest `width` bits of each word; they have no others.
void put_bits(const WordGroup& words, unsigned width, std::byte* to) noexcept {
    constexpr unsigned bits = 64;
    std::uint64_t waiting = 0;
    unsigned filled = 0;
    for (const std::uint64_t word : words) {
        waiting |= filled < bits ? word << filled : 0;
        filled += width;
        if (filled < bits) continue;
        store(to, waiting);
        to += word_size;
        filled -= bits;
        waiting = filled == 0 ? 0 : word >> (width - filled);
    }
    for (; filled > 0; filled -= 8, waiting >>= 8) *to++ = static_cast<std::byte>(waiting);
}

/// Reads words of `width` bits.
WordGroup take_bits(const std::byte* from, unsigned width) noexcept {
    std::byte bits[group_size + sizeof(Uint128)];
    std::memcpy(bits, from, content_size(width));
    std::memset(bits + content_size(width), 0, sizeof(Uint128));
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
    WordGroup words;
    for (std::size_t i = 0; i < group_words; ++i) {
        const std::size_t at = i * width;
        words[i] = static_cast<std::uint64_t>(load<Uint128>(bits + at / 8) >> at % 8) & mask;
    }
    return words;
}

constexpr std::size_t number_size(std::uint64_t number) noexcept {
    return number == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(number)) + 6) / 7;
}

std::byte* put_number(std::byte* to, std::uint64_t number) noexcept {
    for (; number >= 128; number >>= 7) *to++ = static_cast<std::byte>(number | 128);
    *to++ = static_cast<std::byte>(number);
    return to;
}

std::byte* put_group(const WordGroup& words, std::byte* to) noexcept {
    std::uint64_t least = words[0], greatest = 0;
    unsigned others = 0;
    for (const std::uint64_t word : words) {
        least = std::min(least, word);
        greatest = std::max(greatest, word);
        others += word != 0 ? 1 : 0;
    }
    const auto width = static_cast<unsigned>(std::bit_width(greatest));
    if (greatest <= few_value && others < content_size(width)) {
        *to++ = static_cast<std::byte>(few + others);
        for (std::size_t i = 0; i < group_words; ++i)
            if (words[i] != 0) *to++ = static_cast<std::byte>(i | (words[i] - 1) << 4);
        return to;
    }
    const auto above = static_cast<unsigned>(std::bit_width(greatest - least));
    if (number_size(least) + content_size(above) >= content_size(width)) {
        *to++ = static_cast<std::byte>(plain + width);
        put_bits(words, width, to);
        return to + content_size(width);
    }
    *to++ = static_cast<std::byte>(relative + above);
    to = put_number(to, least);
    WordGroup rest;
    std::ranges::transform(words, rest.begin(), [least](std::uint64_t word) { return word - least; });
    put_bits(rest, above, to);
    return to + content_size(above);
}

/// Reads a number from the front of the bytes. Returns false unless they begin with a number of at most 64 bits.
bool take_number(Bytes& bytes, std::uint64_t& number) noexcept {
    number = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto next = std::to_integer<std::uint64_t>(bytes[0]);
        bytes = bytes.subspan(1);
        if (shift == 63 && next > 1) return false;
        number |= (next & 127) << shift;
        if (next < 128) return true;
    }
    return false;
}

/// Reads a group other than zeros from the front of the bytes.
bool take_group(unsigned first, Bytes& packed, WordGroup& words) noexcept {
    if (first > few && first <= few + most_few) {
        const std::size_t others = first - few;
        if (packed.size() < others) return false;
        words.fill(0);
        std::size_t next = 0;
        for (const std::byte byte : packed.first(others)) {
            const std::size_t i = std::to_integer<std::size_t>(byte) % group_words;
            if (i < next) return false;
            next = i + 1;
            words[i] = std::to_integer<std::uint64_t>(byte >> 4) + 1;
        }
        packed = packed.subspan(others);
        return true;
    }
    std::uint64_t least = 0;
    unsigned width = first - plain;
    if (first >= relative) {
        width = first - relative;
        if (width >= relative_widths || !take_number(packed, least)) return false;
    } else if (first <= plain || width > plain_widths) {
        return false;
    }
    if (packed.size() < content_size(width)) return false;
    if (width == 0)
        words.fill(0);
    else
        words = take_bits(packed.data(), width);
    packed = packed.subspan(content_size(width));
    for (std::uint64_t& word : words) word += least;
    return true;
}

/// Writes the words to the first group of the bytes. Returns false if a word behind their end is not 0.
bool store_group(const WordGroup& words, MutableBytes bytes) noexcept {
    std::byte whole[group_size];
    std::byte* const to = bytes.size() >= group_size ? bytes.data() : whole;
    for (std::size_t i = 0; i < group_words; ++i) store(to + i * word_size, words[i]);
    if (to != whole) return true;
    std::memcpy(bytes.data(), whole, bytes.size());
    return all_zero(Bytes(whole).subspan(bytes.size()));
}

template <class Span>
Span without_group(Span bytes) noexcept {
    return bytes.subspan(std::min(group_size, bytes.size()));
}

}  // namespace

std::size_t pack_words(Bytes bytes, MutableBytes packed) noexcept {
    std::byte* to = packed.data();
    while (!bytes.empty()) {
        unsigned zeros = 0;
        for (; zeros < longest_run && !bytes.empty() &&
               is_zero(bytes.first(std::min(group_size, bytes.size())));
             ++zeros)
            bytes = without_group(bytes);
        if (zeros > 0) {
            *to++ = static_cast<std::byte>(zeros - 1);
            continue;
        }
        to = put_group(load_group(bytes), to);
        bytes = without_group(bytes);
    }
    return static_cast<std::size_t>(to - packed.data());
}

namespace {

/// Reads a short form of bytes of this size: calls visit(position in the bytes, words) for each group that is not
/// written as zeros, and skip(position, size) for a run of zeros. Returns false as unpack_words() does, and if visit()
/// does.
template <class Visit, class Skip>
[[gnu::always_inline]] inline bool read_groups(Bytes packed, std::size_t size, Visit visit,
                                               Skip skip) noexcept {
    std::size_t at = 0;
    while (!packed.empty()) {
        const auto first = std::to_integer<unsigned>(packed[0]);
        packed = packed.subspan(1);
        if (at == size) return false;
        if (first < longest_run) {
            const std::size_t zeros = (std::size_t{first} + 1) * group_size;
            if (zeros >= size - at + group_size) return false;
            skip(at, std::min(zeros, size - at));
            at += std::min(zeros, size - at);
            continue;
        }
        WordGroup words;
        if (!take_group(first, packed, words) || !visit(at, words)) return false;
        at += std::min(group_size, size - at);
    }
    return at == size;
}

}  // namespace

bool unpack_words(Bytes packed, MutableBytes bytes) noexcept {
    return read_groups(
        packed, bytes.size(),
        [&](std::size_t at, const WordGroup& words) { return store_group(words, bytes.subspan(at)); },
        [&](std::size_t at, std::size_t size) { std::ranges::fill(bytes.subspan(at, size), std::byte{0}); });
}

bool are_packed_words(Bytes packed, std::size_t size) noexcept {
    return read_groups(
        packed, size,
        [&](std::size_t at, const WordGroup& words) {
            std::byte last[group_size];
            return size - at >= group_size || store_group(words, MutableBytes(last).first(size - at));
        },
        [](std::size_t, std::size_t) {});
}

bool add_words(Bytes packed, MutableBytes bytes, std::span<const ByteRange> apart,
               MutableBytes copies) noexcept {
    std::size_t copied = 0;  // position in copies of the first of these ranges
    const auto put = [&](std::size_t at, std::uint64_t word) {
        while (!apart.empty() && at >= apart[0].at + apart[0].size) {
            copied += apart[0].size_of_words();
            apart = apart.subspan(1);
        }
        if (!apart.empty() && at >= apart[0].at)
            store(copies.data() + copied + (at - apart[0].at), word);
        else
            add(bytes.data() + at, word);
    };
    return read_groups(
        packed, bytes.size(),
        [&](std::size_t at, const WordGroup& words) {
            const std::size_t end = std::min(at + group_size, bytes.size());
            const bool whole = end == at + group_size;
            if (whole && (apart.empty() || end <= apart[0].at)) {
                for (std::size_t i = 0; i < group_words; ++i)
                    add(bytes.data() + at + i * word_size, words[i]);
                return true;
            }
            for (std::size_t i = 0, word = at; i < group_words; ++i, word += word_size) {
                const std::size_t present = word < end ? std::min(word_size, end - word) : 0;
                if (present < word_size && words[i] >> 8 * present != 0) return false;
                if (present > 0) put(word, words[i]);
            }
            return true;
        },
        [](std::size_t, std::size_t) {});
}

}  // namespace ldp

// Short form of bytes that consist mostly of counters: many zeros, many small numbers, numbers close to each
// other. The bytes are read as words of 8 bytes in groups of 16 words. The last word is padded with zeros. A
// group has a first byte and its content:
//
//     first byte  content
//     0 to 63     None. This group and the next ones, one more than the byte says, are zeros.
//     65 to 128   The words, each with (byte − 64) bits, the lowest bits first: 2 bytes for each bit.
//     129 to 143  (byte − 128) bytes, one for each word that is not 0. The lower four bits are its index, the
//                 upper four bits are the word − 1. Indices ascend; the other words are 0.
//     144 to 207  A number, then each word minus this number, with (byte − 144) bits. The number is written in
//                 groups of 7 bits, the lowest first. All bytes but the last one have the top bit set.
//
// Other first bytes are not used. The writer takes the shortest form of each group.
#pragma once

#include <span>

#include "core/base/bytes.hpp"

namespace ldp {

/// The largest number of bytes that pack_words() writes for this number of bytes.
[[nodiscard]] constexpr std::size_t packed_bound(std::size_t size) noexcept {
    constexpr std::size_t group = 128;
    return (size + group - 1) / group * (1 + group);
}
/// Writes the short form of the bytes and returns its size. `packed` has packed_bound(bytes.size()) bytes.
/// If each segment but the last has a multiple of 128 bytes, the concatenated short forms are a short form of
/// the whole.
[[nodiscard]] std::size_t pack_words(Bytes bytes, MutableBytes packed) noexcept;
/// Fills `bytes` from an untrusted short form. Returns false unless the form is valid and has exactly this
/// number of bytes; `bytes` may then contain anything.
[[nodiscard]] bool unpack_words(Bytes packed, MutableBytes bytes) noexcept;
/// Returns whether an untrusted short form is valid and has exactly this number of bytes.
[[nodiscard]] bool are_packed_words(Bytes packed, std::size_t size) noexcept;

/// Adjacent bytes of a state that begin with a word.
struct ByteRange {
    std::size_t at, size;

    /// Returns the size of the words that contain the bytes.
    [[nodiscard]] constexpr std::size_t size_of_words() const noexcept {
        constexpr std::size_t word = sizeof(std::uint64_t);
        return (size + word - 1) / word * word;
    }
};
/// Adds the words of an untrusted short form to the words of `bytes`, modulo 2^64, without visiting zeros. Words in
/// the ranges `apart` are not added: they are written to `copies`, one range after another. The ranges ascend and do
/// not share words. `copies` has size_of_words() of all of them and contains zeros. If the last word of `bytes` is
/// incomplete, it is in a range. Returns false unless the form is valid and has exactly this number of bytes; both
/// may then contain anything.
[[nodiscard]] bool add_words(Bytes packed, MutableBytes bytes, std::span<const ByteRange> apart,
                             MutableBytes copies) noexcept;

}  // namespace ldp

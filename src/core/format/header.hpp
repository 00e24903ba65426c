// The three formats. A report is a parameter block and a payload; a batch is the same block and many
// payloads; a summary is the same block, the counts and the mechanism's state. They belong to the same spec
// if and only if their blocks are equal, byte by byte.
//
//     offset  size
//          0     1  format version (2)
//          1     1  kind: 0 report, 1 summary, 2 batch; 3 is a batch in the short form (batch_frame.hpp)
//          2     1  mechanism
//          3     1  flags: 1 if responses are memoized; the other bits are reserved, 0
//          4     2  size of the block, including this header
//          6     2  the spec's min_group; 0 for the default
//          8     8  first bytes of the fingerprint of the canonical spec
//         16     8  epsilon
//         24        the mechanism's parameters, which suffice for debiasing
//      block        report: payload · summary: number of reports (8), first and last round (4 each), state ·
//                   batch: number of reports (4), payloads
//
// Numbers are little-endian. Lengths follow from the block and, for a batch, from the number of its reports.
// A payload or state contains no lengths.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/limits.hpp"

namespace ldp {

/// All later releases read this version. Version 1 belongs to unpublished releases before 1.0.
inline constexpr std::uint8_t format_version = 2;
/// Bytes before the mechanism's parameters.
inline constexpr std::size_t header_size = 24;
/// A block travels with every report, so it stays small enough for a row to stay on its page.
inline constexpr std::size_t max_block_size = 2000;

/// The kind of a value that starts with a block.
enum class Kind : std::uint8_t {
    report = 0,   ///< report of one person
    summary = 1,  ///< counts of many reports
    batch = 2,    ///< many reports under one block
};

/// The name of the kind in errors: "report", "summary" or "batch".
[[nodiscard]] const char* noun(Kind kind) noexcept;

inline constexpr std::size_t kind_offset = 1;        ///< offset of the kind in a header, in bytes
inline constexpr std::size_t block_size_offset = 4;  ///< offset of the size of the block

/// Default of min_group: the smallest number of reports (people, if responses are memoized) for which
/// estimates are shown. See doc/spec.md.
inline constexpr std::uint16_t usual_min_group = 20;

/// The fields of the spec in a block, except the mechanism and its parameters.
struct Terms {
    std::uint64_t fingerprint = 0;  ///< its first 8 bytes: Fingerprint::in_block()
    bool kept = false;  ///< whether responses are memoized, so that reports of several rounds repeat them
    std::uint16_t min_group = usual_min_group;  ///< at least 1
    friend bool operator==(const Terms&, const Terms&) = default;
};

/// The fields of a header.
struct Header : Terms {
    Kind kind;                 ///< kind of the value
    std::uint8_t mechanism;    ///< its number: MechanismEntry::id
    std::uint16_t block_size;  ///< bytes of the block, this header included
    double epsilon;            ///< of a report
};

/// Throws Error (malformed) if bytes begin with another version than format_version.
void check_version(Bytes bytes);
/// Reads and checks the header of untrusted bytes of the given kind; Error (malformed) describes the problem.
[[nodiscard]] Header read_header(Bytes bytes, Kind kind);

/// Returns the fields of at least header_size bytes, without checks.
[[nodiscard]] Header unchecked_header(Bytes bytes) noexcept;

/// A header followed by the mechanism's parameters. Throws Error (invalid_spec) if it would be too long.
[[nodiscard]] std::vector<std::byte> make_block(std::uint8_t mechanism, const Terms& terms, double epsilon,
                                                Bytes parameters);

/// Returns the kind of bytes that begin with a header.
[[nodiscard]] inline Kind kind_of(Bytes bytes) noexcept {
    return static_cast<Kind>(bytes[kind_offset]);
}
/// Sets the kind of a header.
inline void set_kind(MutableBytes bytes, Kind kind) noexcept {
    bytes[kind_offset] = static_cast<std::byte>(kind);
}
/// Returns the block size of a checked header.
[[nodiscard]] inline std::size_t block_size_of(Bytes bytes) noexcept {
    return load<std::uint16_t>(bytes.data() + block_size_offset);
}

/// True if the bytes of either kind begin with this block, whatever their own kind.
[[nodiscard]] inline bool begins_with_block(Bytes bytes, Bytes block) noexcept {
    constexpr std::size_t skip = kind_offset + 1;
    return bytes.size() >= block.size() && bytes[0] == block[0] &&
           std::memcmp(bytes.data() + skip, block.data() + skip, block.size() - skip) == 0;
}

}  // namespace ldp

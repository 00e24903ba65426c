// The CHECK constraint of a table of reports, which rejects reports of other specs.
//
// The constraint contains the parameter block of the spec, or its digest form: the header of the block and the SHA-256
// digest of the block. PostgreSQL parses a constraint again in each statement, byte by byte, and a block can have 2000
// bytes. Blocks of at most digest_form_size bytes stand in the constraint themselves.
#pragma once

#include "boundary.hpp"

namespace ldp {

/// Size of the digest form of a block.
inline constexpr std::size_t digest_form_size = header_size + 32;

/// Returns whether a constraint with these bytes accepts the reports with this block, and no others. The block has the
/// kind of a report.
[[nodiscard]] bool accepts(Bytes expected, Bytes block) noexcept;

}  // namespace ldp

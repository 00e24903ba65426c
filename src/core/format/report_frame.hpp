// The transmitted form of a report: the parameter block of its spec, followed by the payload.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/format/header.hpp"

namespace ldp {

/// A report's bytes.
using Report = std::vector<std::byte>;

/// Returns a report of this block with a payload of `payload_size` zero bytes.
[[nodiscard]] Report frame_report(Bytes block, std::size_t payload_size);

/// The payload of a report that was framed with this block.
[[nodiscard]] inline MutableBytes payload_of(Report& report, Bytes block) noexcept {
    return MutableBytes(report).subspan(block.size());
}
/// The payload, read-only.
[[nodiscard]] inline Bytes payload_of(Bytes report, Bytes block) noexcept {
    return report.subspan(block.size());
}

/// Returns whether bytes that begin with a header are a report.
[[nodiscard]] inline bool is_report(Bytes bytes) noexcept {
    return kind_of(bytes) == Kind::report;
}

}  // namespace ldp

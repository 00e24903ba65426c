// A segment: consecutive reports of one round in the queue, as one row of a state file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/format/report_frame.hpp"

namespace ldp::sqlite {

/// Reports of one length, in the order of the queue. Their common prefix is stored once: the parameter block
/// if they have one spec, and possibly more. The remaining bytes of each report follow. The encoding is
/// therefore lossless for all bytes, and a report takes little more space than its payload.
struct ReportSegment {
    /// Largest size of a segment of several reports in bytes. It limits the loss by a damaged segment.
    static constexpr std::size_t most = std::size_t{1} << 16;

    /// Returns a segment of the first of these reports. It has as many reports of one length as it can hold,
    /// at least one.
    [[nodiscard]] static ReportSegment of(std::span<const Report> reports);

    /// Whether the members are consistent. Data from a file may have any values.
    [[nodiscard]] bool possible() const noexcept;
    /// Returns the number of reports of a damaged row: the count that was read if it is plausible, else 1.
    [[nodiscard]] static std::int64_t plausible(std::int64_t count) noexcept;
    /// Returns the `size` reports from number `from` on. The segment must be possible(), as for append_to().
    [[nodiscard]] ReportSegment part(std::size_t from, std::size_t size) const;
    /// Appends the reports to `reports`.
    void append_to(std::vector<Report>& reports) const;

    /// Returns the number of bytes of each report after the common prefix.
    [[nodiscard]] std::size_t rest() const noexcept {
        return (content.size() - static_cast<std::size_t>(shared)) / static_cast<std::size_t>(count);
    }

    std::int64_t count = 0;          ///< number of reports
    std::int64_t shared = 0;         ///< length of the common prefix in bytes
    std::vector<std::byte> content;  ///< the common prefix, then the rest of each report
};

}  // namespace ldp::sqlite

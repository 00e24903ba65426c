// A stretch: reports of one round that were queued one after another, as one row of a state file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/format/report_frame.hpp"

namespace ldp::sqlite {

/// Reports of one length, in the order in which they were queued. What all of them begin with stands once:
/// their parameter block, if they are of one spec, and whatever else they share. Behind it is the rest of
/// each, one after another. So any bytes come back as they were, and a report takes little more than its
/// payload.
struct ReportSegment {
    /// The most bytes of reports in a stretch of several: few enough for a damaged one to be no great loss.
    static constexpr std::size_t most = std::size_t{1} << 16;

    /// Of the first of these reports, at least one: as many as are of one length and have room.
    [[nodiscard]] static ReportSegment of(std::span<const Report> reports);

    /// Whether this can be a stretch. What was read from a file may be anything.
    [[nodiscard]] bool possible() const noexcept;
    /// A count that was read, or 1 if none says so: how many reports a damaged row stands for.
    [[nodiscard]] static std::int64_t plausible(std::int64_t count) noexcept;
    /// Its reports from number `from` on, `size` of them. Must be possible, as for append_to().
    [[nodiscard]] ReportSegment part(std::size_t from, std::size_t size) const;
    /// Puts its reports behind others.
    void append_to(std::vector<Report>& reports) const;

    /// Bytes that each report has for itself.
    [[nodiscard]] std::size_t rest() const noexcept {
        return (content.size() - static_cast<std::size_t>(shared)) / static_cast<std::size_t>(count);
    }

    std::int64_t count = 0;          ///< of reports
    std::int64_t shared = 0;         ///< how many bytes they begin with alike
    std::vector<std::byte> content;  ///< these bytes, then the rest of each
};

}  // namespace ldp::sqlite

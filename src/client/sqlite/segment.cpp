#include "client/sqlite/segment.hpp"

#include <algorithm>

namespace ldp::sqlite {

ReportSegment ReportSegment::of(std::span<const Report> reports) {
    const Report& first = reports.front();
    const std::size_t room = std::max<std::size_t>(most / std::max<std::size_t>(first.size(), 1), 1);
    std::size_t count = 1, shared = first.size();
    for (; count < std::min(room, reports.size()) && reports[count].size() == first.size(); ++count)
        shared = static_cast<std::size_t>(std::mismatch(first.begin(),
                                                        first.begin() + static_cast<std::ptrdiff_t>(shared),
                                                        reports[count].begin())
                                              .first -
                                          first.begin());
    ReportSegment segment{static_cast<std::int64_t>(count), static_cast<std::int64_t>(shared), {}};
    segment.content.reserve(shared + count * (first.size() - shared));
    const auto rest = static_cast<std::ptrdiff_t>(shared);
    segment.content.assign(first.begin(), first.begin() + rest);
    for (const Report& report : reports.first(count))
        segment.content.insert(segment.content.end(), report.begin() + rest, report.end());
    return segment;
}

bool ReportSegment::possible() const noexcept {
    const auto size = static_cast<std::int64_t>(content.size());
    if (count < 1 || shared < 0 || shared > size || (size - shared) % count != 0) return false;
    const auto limit = static_cast<std::int64_t>(most);
    const std::int64_t each = shared + (size - shared) / count;
    return count == 1 || (count <= limit && each <= limit / count);
}

std::int64_t ReportSegment::plausible(std::int64_t count) noexcept {
    return count >= 1 && count <= static_cast<std::int64_t>(most) ? count : 1;
}

ReportSegment ReportSegment::part(std::size_t from, std::size_t size) const {
    const Bytes all(content);
    const Bytes alike = all.first(static_cast<std::size_t>(shared));
    const Bytes own = all.subspan(alike.size() + from * rest(), size * rest());
    ReportSegment part{static_cast<std::int64_t>(size), shared, {alike.begin(), alike.end()}};
    part.content.insert(part.content.end(), own.begin(), own.end());
    return part;
}

void ReportSegment::append_to(std::vector<Report>& reports) const {
    const Bytes alike = Bytes(content).first(static_cast<std::size_t>(shared));
    Bytes others = Bytes(content).subspan(alike.size());
    const std::size_t each = rest();
    for (std::int64_t i = 0; i < count; ++i, others = others.subspan(each)) {
        Report& report = reports.emplace_back();
        report.reserve(alike.size() + each);
        report.assign(alike.begin(), alike.end());
        report.insert(report.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(each));
    }
}

}  // namespace ldp::sqlite

#include "client/sqlite/outbox.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ldp::sqlite {

namespace {

std::int64_t digest_of(std::int64_t id, std::int64_t round, const ReportSegment& segment,
                       const std::string& columns) {
    return RowDigest::of("outbox", id, round, segment.count, segment.shared, Bytes(segment.content),
                         std::string_view(columns));
}

}  // namespace

bool Outbox::OutboxRow::sound() const noexcept {
    return digest_of(id, round, segment, columns) == digest && segment.possible();
}

void Outbox::put(Step& step, std::int64_t id, std::int64_t round, const ReportSegment& segment,
                 const std::string& columns) {
    const std::int64_t digest = digest_of(id, round, segment, columns);
    put_(id, round, segment.count, segment.shared, digest, Bytes(segment.content), std::string_view(columns))
        .finish();
    step.came(digest);
}

void Outbox::remove(Step& step, const OutboxRow& row) {
    drop_one_(row.id).finish();
    step.went(row.digest);
}

void Outbox::append(Step& step, std::span<const Report> reports, std::int64_t round,
                    const std::string& columns) {
    step.head.waiting += static_cast<std::int64_t>(reports.size());
    if (!step.within()) return write(step, reports, round, columns);
    constexpr std::size_t many = 10000;
    if (holds_ >= many) settle(step);
    std::vector<Report>& held = held_group(round, columns);
    held.insert(held.end(), reports.begin(), reports.end());
    holds_ += reports.size();
}

void Outbox::settle(Step& step) {
    for (const HeldGroup& group : held_) write(step, group.reports, group.round, group.columns);
    forget();
}

std::vector<Report>& Outbox::held_group(std::int64_t round, const std::string& columns) {
    if (!held_.empty() && held_.back().round == round && held_.back().columns == columns)
        return held_.back().reports;
    // Without public columns, reports are sent in the order of their calls.
    const auto [known, added] = columns.empty() ? std::pair(held_at_.end(), true)
                                                : held_at_.try_emplace({round, columns}, held_.size());
    if (added) held_.push_back({round, columns, {}});
    return added ? held_.back().reports : held_[known->second].reports;
}

void Outbox::write(Step& step, std::span<const Report> reports, std::int64_t round,
                   const std::string& columns) {
    while (!reports.empty()) {
        const ReportSegment segment = ReportSegment::of(reports);
        put(step, step.head.reports + 1, round, segment, columns);
        step.head.reports += segment.count;
        reports = reports.subspan(static_cast<std::size_t>(segment.count));
    }
}

Outbox::Reach Outbox::read(std::optional<std::int64_t> after, std::int64_t last, std::size_t most) const {
    const std::int64_t before = after.value_or(std::numeric_limits<std::int64_t>::min());
    Reach reach;
    auto& [front, cut, taken] = reach;
    for (auto rows = front_(before, last); front.reports.size() < most && rows.row();) {
        OutboxRow row{rows.integer(0),
                      rows.integer(1),
                      rows.integer(4),
                      {rows.integer(2), rows.integer(3), rows.blob(5)},
                      rows.text(6)};
        if (!row.sound()) {
            front.damaged.push_back(std::move(row));
            continue;
        }
        if (front.reports.empty()) {
            front.round = row.round;
            front.columns = row.columns;
        }
        if (row.round != front.round || row.columns != front.columns) break;
        front.last = row.id;
        const std::size_t room = most - front.reports.size();
        if (static_cast<std::size_t>(row.segment.count) <= room) {
            row.segment.append_to(front.reports);
            continue;
        }
        taken = room;
        row.segment.part(0, taken).append_to(front.reports);
        cut = std::move(row);
    }
    return reach;
}

void Outbox::gather(Step& step, std::optional<std::int64_t> after) {
    constexpr std::size_t most_rows = 40000, most_bytes = std::size_t{1} << 24;
    const std::int64_t before = after.value_or(std::numeric_limits<std::int64_t>::min());
    std::vector<OutboxRow> found;
    bool any = false;
    std::size_t bytes = 0;
    for (auto rows = front_(before, std::numeric_limits<std::int64_t>::max());
         found.size() < most_rows && bytes < most_bytes && rows.row();) {
        OutboxRow row{rows.integer(0),
                      rows.integer(1),
                      rows.integer(4),
                      {rows.integer(2), rows.integer(3), rows.blob(5)},
                      rows.text(6)};
        // Rows that were gathered before are passed over one batch at a time.
        if (found.empty() && row.id <= gathered_) return;
        if (!row.sound()) break;
        any = any || !row.columns.empty();
        bytes += row.segment.content.size();
        found.push_back(std::move(row));
    }
    if (found.empty()) return;
    gathered_ = found.back().id;
    if (!any) return;

    // In the order in which each pair of round and columns first occurs.
    std::map<std::pair<std::int64_t, std::string_view>, std::size_t> seen;
    for (const OutboxRow& row : found) seen.try_emplace({row.round, row.columns}, seen.size());
    std::vector<const OutboxRow*> order;
    for (const OutboxRow& row : found) order.push_back(&row);
    std::ranges::stable_sort(order, {}, [&](const OutboxRow* row) {
        return seen.at({row->round, row->columns});
    });
    if (std::ranges::is_sorted(order, {}, [](const OutboxRow* row) { return row->id; })) return;
    for (const OutboxRow& row : found) remove(step, row);
    std::int64_t id = found.front().id;
    for (const OutboxRow* row : order) {
        put(step, id, row->round, row->segment, row->columns);
        gathered_ = id;
        id += row->segment.count;
    }
}

Outbox::OldestReports Outbox::first(Step& step, std::size_t most, std::optional<std::int64_t> after) {
    gather(step, after);
    auto [front, cut, taken] = read(after, std::numeric_limits<std::int64_t>::max(), most);
    if (cut) {
        const auto rest = static_cast<std::size_t>(cut->segment.count) - taken;
        remove(step, *cut);
        put(step, cut->id, cut->round, cut->segment.part(0, taken), cut->columns);
        put(step, cut->id + static_cast<std::int64_t>(taken), cut->round, cut->segment.part(taken, rest),
            cut->columns);
    }
    for (const OutboxRow& row : front.damaged) remove(step, row);
    if (!front.damaged.empty()) {  // their counts may be damaged, too
        step.head.waiting = 0;
        for (auto row = counts_(); row.row();) step.head.waiting += ReportSegment::plausible(row.integer(0));
    }
    return std::move(front);
}

std::optional<Outbox::OldestReports> Outbox::up_to(std::int64_t last,
                                                   std::optional<std::int64_t> after) const {
    OldestReports front = read(after, last, std::numeric_limits<std::size_t>::max()).front;
    if (!front.damaged.empty() || front.last != last) return std::nullopt;
    return front;
}

void Outbox::drop(Step& step, std::int64_t last) {
    for (auto gone = drop_(last); gone.row();) {
        step.head.waiting -= ReportSegment::plausible(gone.integer(0));
        step.went(gone.integer(1));
    }
}

}  // namespace ldp::sqlite

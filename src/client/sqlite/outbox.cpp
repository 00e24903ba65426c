#include "client/sqlite/outbox.hpp"

#include <limits>
#include <utility>

namespace ldp::sqlite {

namespace {

std::int64_t digest_of(std::int64_t id, std::int64_t round, const ReportSegment& segment) {
    return RowDigest::of("outbox", id, round, segment.count, segment.shared, Bytes(segment.content));
}

}  // namespace

bool Outbox::OutboxRow::sound() const noexcept {
    return digest_of(id, round, segment) == digest && segment.possible();
}

void Outbox::put(Step& step, std::int64_t id, std::int64_t round, const ReportSegment& segment) {
    const std::int64_t digest = digest_of(id, round, segment);
    put_(id, round, segment.count, segment.shared, digest, Bytes(segment.content)).finish();
    step.came(digest);
}

void Outbox::remove(Step& step, const OutboxRow& row) {
    drop_one_(row.id).finish();
    step.went(row.digest);
}

void Outbox::append(Step& step, std::span<const Report> reports, std::int64_t round) {
    step.head.waiting += static_cast<std::int64_t>(reports.size());
    if (!step.within()) return write(step, reports, round);
    constexpr std::size_t many = 10000;
    if (round != round_ || held_.size() >= many) settle(step);
    round_ = round;
    held_.insert(held_.end(), reports.begin(), reports.end());
}

void Outbox::settle(Step& step) {
    write(step, held_, round_);
    held_.clear();
}

void Outbox::write(Step& step, std::span<const Report> reports, std::int64_t round) {
    while (!reports.empty()) {
        const ReportSegment segment = ReportSegment::of(reports);
        put(step, step.head.reports + 1, round, segment);
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
                      {rows.integer(2), rows.integer(3), rows.blob(5)}};
        if (!row.sound()) {
            front.damaged.push_back(std::move(row));
            continue;
        }
        if (front.reports.empty()) front.round = row.round;
        if (row.round != front.round) break;
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

Outbox::Front Outbox::first(Step& step, std::size_t most, std::optional<std::int64_t> after) {
    auto [front, cut, taken] = read(after, std::numeric_limits<std::int64_t>::max(), most);
    if (cut) {
        const auto rest = static_cast<std::size_t>(cut->segment.count) - taken;
        remove(step, *cut);
        put(step, cut->id, cut->round, cut->segment.part(0, taken));
        put(step, cut->id + static_cast<std::int64_t>(taken), cut->round, cut->segment.part(taken, rest));
    }
    for (const OutboxRow& row : front.damaged) remove(step, row);
    if (!front.damaged.empty()) {  // their counts may be damaged, too
        step.head.waiting = 0;
        for (auto row = counts_(); row.row();) step.head.waiting += ReportSegment::plausible(row.integer(0));
    }
    return std::move(front);
}

std::optional<Outbox::Front> Outbox::up_to(std::int64_t last, std::optional<std::int64_t> after) const {
    Front front = read(after, last, std::numeric_limits<std::size_t>::max()).front;
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

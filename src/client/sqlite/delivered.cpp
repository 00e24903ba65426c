#include "client/sqlite/delivered.hpp"

namespace ldp::sqlite {

namespace {

std::int64_t digest_of(const Delivered::DeliveredBatch& batch, std::int64_t until,
                       const ReportSegment& segment) {
    return RowDigest::of("delivered", std::string_view(batch.id), until, batch.round,
                         std::string_view(batch.columns), std::string_view(batch.route), segment.count,
                         segment.shared, Bytes(segment.content));
}

}  // namespace

void Delivered::keep(Step& step, const DeliveredBatch& batch, std::int64_t until) {
    std::span<const Report> rest(batch.reports);
    while (!rest.empty()) {
        const ReportSegment segment = ReportSegment::of(rest);
        const std::int64_t digest = digest_of(batch, until, segment);
        keep_(std::string_view(batch.id), until, batch.round, std::string_view(batch.columns),
              std::string_view(batch.route), segment.count, segment.shared, Bytes(segment.content), digest)
            .finish();
        step.came(digest);
        rest = rest.subspan(static_cast<std::size_t>(segment.count));
    }
}

std::optional<Delivered::DeliveredBatch> Delivered::after(std::int64_t row) const {
    DeliveredBatch batch;
    for (auto rows = after_(row); rows.row();) {
        DeliveredBatch part{rows.integer(0), rows.text(1), rows.integer(3), rows.text(4), rows.text(5), {}};
        const ReportSegment segment{rows.integer(6), rows.integer(7), rows.blob(8)};
        if (digest_of(part, rows.integer(2), segment) != rows.integer(9) || !segment.possible())
            damaged(database_.path(), "A delivered batch has changed.");
        if (!batch.id.empty() && part.id != batch.id) break;
        part.reports = std::move(batch.reports);
        segment.append_to(part.reports);
        batch = std::move(part);
    }
    return batch.id.empty() ? std::nullopt : std::optional(std::move(batch));
}

void Delivered::drop_until(Step& step, std::int64_t time) {
    for (auto gone = drop_(time); gone.row();) step.went(gone.integer(0));
}

void Delivered::drop(Step& step, std::string_view id) {
    for (auto gone = drop_one_(id); gone.row();) step.went(gone.integer(0));
}

std::uint64_t Delivered::reports() const {
    return static_cast<std::uint64_t>(count_().number().value_or(0));
}

}  // namespace ldp::sqlite

#include "client/sqlite/refusals.hpp"

#include <utility>

namespace ldp::sqlite {

namespace {

std::int64_t digest_of(const Refusals::RefusalRow& row) {
    return RowDigest::of("refused", row.round, Bytes(row.report), std::string_view(row.reason),
                         std::int64_t{row.sound}, std::string_view(row.columns));
}

}  // namespace

void Refusals::keep(Step& step, const RefusalRow& row) {
    const std::int64_t digest = digest_of(row);
    keep_(row.round, Bytes(row.report), std::string_view(row.reason), std::int64_t{row.sound}, digest,
          std::string_view(row.columns))
        .finish();
    step.came(digest);
}

std::vector<Refusals::RefusalRow> Refusals::all() const {
    std::vector<RefusalRow> all;
    for (auto row = all_(); row.row();) {
        RefusalRow one{row.integer(0), row.blob(1), row.text(2), row.integer(3) != 0, row.text(5)};
        if (digest_of(one) != row.integer(4)) damaged(database_.path(), "A dead letter has changed.");
        all.push_back(std::move(one));
    }
    return all;
}

std::uint64_t Refusals::drop(Step& step) {
    std::uint64_t dropped = 0;
    for (auto gone = drop_(); gone.row(); ++dropped) step.went(gone.integer(0));
    return dropped;
}

}  // namespace ldp::sqlite

#include "client/sqlite/refusals.hpp"

#include <utility>

namespace ldp::sqlite {

namespace {

std::int64_t digest_of(std::int64_t round, const Report& report, std::string_view reason, bool sound) {
    return RowDigest::of("refused", round, Bytes(report), reason, std::int64_t{sound});
}

}  // namespace

void Refusals::keep(Step& step, std::int64_t round, const Report& report, std::string_view reason,
                    bool sound) {
    const std::int64_t digest = digest_of(round, report, reason, sound);
    keep_(round, Bytes(report), reason, std::int64_t{sound}, digest).finish();
    step.came(digest);
}

std::vector<Refusals::RefusalRow> Refusals::all() const {
    std::vector<RefusalRow> all;
    for (auto row = all_(); row.row();) {
        RefusalRow one{row.integer(0), row.blob(1), row.text(2), row.integer(3) != 0};
        if (digest_of(one.round, one.report, one.reason, one.sound) != row.integer(4))
            damaged(database_.path(), "A report that was set aside has changed.");
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

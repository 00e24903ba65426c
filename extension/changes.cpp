// Series: what changed between two summaries.

#include "core/summary/change.hpp"

#include <algorithm>
#include <type_traits>

#include "arguments.hpp"
#include "rows.hpp"

using namespace ldp;

namespace {

/// Changes in PostgreSQL's memory, to be given out as rows.
struct Changes {
    const Change* changes;
    std::size_t count;
    double reach;  ///< of an interval, in standard errors

    void write(Columns& columns, std::size_t row) const {
        const auto& [attribute, value, difference] = changes[row];
        columns.put(static_cast<std::int32_t>(attribute));
        columns.put(Int32GetDatum(static_cast<std::int32_t>(value.value_or(0))), !value);
        columns.put(difference.value);
        columns.put(difference.standard_error);
        columns.put(difference.value - reach * difference.standard_error);
        columns.put(difference.value + reach * difference.standard_error);
    }
};

/// Nothing if one of the summaries holds no reports.
Changes changes(Bytes before, Bytes after, double kept, double confidence, Target target) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(before);
    // What is no summary at all is reported as that, not as one of another spec.
    const std::unique_ptr<const Mechanism> other = checked_mechanism(after);
    Changes answer{nullptr, 0, reach(confidence)};
    if (summary_count(*mechanism, before) == 0 || summary_count(*other, after) == 0) return answer;
    const std::vector<Change> found = change(*mechanism, before, after, kept, target);
    auto* rows = static_cast<Change*>(try_palloc(found.size() * sizeof(Change)));
    std::ranges::copy(found, rows);
    answer.changes = rows;
    answer.count = found.size();
    return answer;
}

}  // namespace

/// (before, after, kept, confidence, target): a row per number and per value of a category.
LDP_FUNCTION(ldp_change_rows) {
    return rows(fcinfo, [=] {
        const Bytes before = summary_argument(fcinfo, 0), after = summary_argument(fcinfo, 1);
        const double kept = PG_GETARG_FLOAT8(2), confidence = PG_GETARG_FLOAT8(3);
        return changes(before, after, kept, confidence, target_argument(fcinfo, 4));
    });
}

// Diagnostics of a summary: statistics with a known distribution under honest reporting.

#include "estimate_rows.hpp"

using namespace ldp;

namespace {

/// Row type ldp_statistic.
constexpr Column statistic_columns[] = {
    {"statistic", TEXTOID}, {"observed", FLOAT8OID}, {"expected", FLOAT8OID}, {"p_value", FLOAT8OID}};

/// Statistics with a known distribution under honest reporting, and their p-values.
struct Statistics {
    struct Statistic {
        const char* name;
        double observed, expected, p_value;
    };
    const Statistic* statistics = nullptr;
    std::size_t count = 0;

    void write(RowWriter<statistic_columns>& row, std::size_t number) const {
        const Statistic& one = statistics[number];
        row.put("statistic", server_text(one.name));
        row.put("observed", one.observed);
        row.put("expected", one.expected);
        row.put("p_value", one.p_value);
    }
};

Statistics statistics(const Subject& subject) {
    return ask_part(subject, Statistics{}, [](const SummaryView& view) {
        const std::vector<Check> checks = health(view);
        auto* all = static_cast<Statistics::Statistic*>(
            try_palloc((checks.size() + 1) * sizeof(Statistics::Statistic)));
        for (std::size_t i = 0; i < checks.size(); ++i)
            all[i] = {keep(checks[i].name), checks[i].observed, checks[i].expected, checks[i].p_value};
        return Statistics{all, checks.size()};
    });
}

}  // namespace

/// (summary, attribute): diagnostics of honest reporting.
LDP_FUNCTION(ldp_health) {
    return rows<statistic_columns>(
        fcinfo, [=] { return statistics(subject_argument(fcinfo)); }, 1);
}

LDP_FUNCTION(ldp_health_final) {
    return row_array<statistic_columns>(fcinfo, statistics({summary_argument(fcinfo), {}, {}}));
}

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
    return ask_part(subject, Statistics{}, [&](const SummaryView& view) {
        const std::vector<Check> checks = health(view);
        auto* all = static_cast<Statistics::Statistic*>(
            try_palloc((checks.size() + 1) * sizeof(Statistics::Statistic)));
        std::size_t count = 0;
        for (const Check& check : checks)
            all[count++] = {keep(check.name), check.observed, check.expected, check.p_value};
        // Spent budgets are no sign of forged reports, and have no p-value.
        if (const SpentBudgets spent = spent_budgets(subject.summary); spent.has_signal() && spent.possible())
            all[count++] = {"share of people whose budget is spent",
                            spent.share(critical_value(usual_confidence)).share.value, 0, unknown};
        return Statistics{all, count};
    });
}

constexpr Column spent_columns[] = {{"estimate", FLOAT8OID}, {"stderr", FLOAT8OID}, {"lower", FLOAT8OID},
                                    {"upper", FLOAT8OID},    {"n", INT8OID},        {"people", INT8OID},
                                    {"p_value", FLOAT8OID},  {"note", TEXTOID}};

/// The share of people whose responses repeat a spent budget: one row.
struct SpentRow {
    SpentShare share{{unknown, unknown}, {unknown, unknown}, unknown};
    ReportStatus status = {};
    std::size_t count = 0;

    void write(RowWriter<spent_columns>& row, std::size_t) const {
        row.put("estimate", share.share.value);
        row.put("stderr", share.share.standard_error);
        row.put("lower", share.interval.lower);
        row.put("upper", share.interval.upper);
        status.put_counts(row);
        row.put("p_value", share.p_value);
        status.put_note(row, !std::isnan(share.share.value));
    }
};

SpentRow spent(Bytes summary, double critical_value) {
    return ask(summary, SpentRow{.count = 1}, [&](const SummaryView& view) {
        need_rounds(view);
        SpentRow one{.status = report_status(view), .count = 1};
        const SpentBudgets budgets(view);
        if (!budget_terms(view.mechanism->block()).can_end())
            one.status.note = "no budget can end under this spec";
        else if (budgets.has_signal() && one.status.enough)
            one.share = budgets.share(critical_value);
        return one;
    });
}

}  // namespace

/// (summary, confidence): the share of people whose responses repeat a spent budget.
LDP_FUNCTION(ldp_spent) {
    return rows<spent_columns>(
        fcinfo, [=] { return spent(summary_argument(fcinfo), critical_value(PG_GETARG_FLOAT8(1))); });
}

/// (summary, attribute): diagnostics of honest reporting.
LDP_FUNCTION(ldp_health) {
    return rows<statistic_columns>(
        fcinfo, [=] { return statistics(subject_argument(fcinfo)); }, 1);
}

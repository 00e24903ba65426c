// Rows of the terms of a regression.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/results/report_status.hpp"
#include "core/results/result_table.hpp"
#include "core/results/summary_query.hpp"

namespace ldp {

inline constexpr auto term_columns = answer_columns("text term", "bigint people");

/// Rows about all reports together: of estimate_columns, or one per term.
struct TermRows {
    struct TermRow {
        std::optional<std::string> term, label;
        Estimate estimate;
        Interval interval;
        std::string note = {};            ///< of this row; empty without one
        const char* statistic = nullptr;  ///< of this row, if it has another one than the others
    };
    std::string attribute = {};
    const char* statistic = "coefficient";
    ReportStatus status = {};
    std::vector<TermRow> rows = {};
    std::size_t count = 0;

    template <class Writer>
    void write(Writer& row, std::size_t number) const {
        const auto& [term, label, estimate, interval, note, own_statistic] = rows[number];
        row.put("attribute", attribute);
        row.put("statistic", own_statistic != nullptr ? own_statistic : statistic);
        if constexpr (Writer::has("term")) {
            if (term) row.put("term", *term);
        }
        if (label) row.put("label", *label);
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        row.put("lower", interval.lower);
        row.put("upper", interval.upper);
        status.put_counts(row);
        if (!note.empty())
            row.put("note", note);
        else
            status.put_note(row, !std::isnan(estimate.value));
    }

    void add(TermRow row) {
        rows.push_back(std::move(row));
        count = rows.size();
    }
};

/// The rows of a regression with the link logit (regression/logistic_fit.hpp): the intercept, or that of each group, and the
/// predictors. A predictor is an attribute of the reports or a column of the groups. Numbers have one row, and categories one
/// for each value except the first. Throws Error: invalid_value for unknown names, unsupported if the reports do not cover the
/// outcome and its predictors together.
[[nodiscard]] std::unique_ptr<Results> logistic_regression(const Subject& subject, const SummaryQuery& query);

}  // namespace ldp

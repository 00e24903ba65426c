// Rows of estimates of attributes and their values: names and labels, the estimate with its error, the number of
// reports, numeric codes, and a note.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/results/report_status.hpp"
#include "core/results/result_table.hpp"
#include "core/results/summary_query.hpp"

namespace ldp {

/// What a row estimates. The mean of values on a circle is a direction.
enum class Statistic : std::uint8_t {
    mean,
    proportion,
    response_rate,
    set_size,
    resultant_length,
    direction,
    change,
    none
};
/// The last statistic that a query can select.
inline constexpr Statistic last_selectable = Statistic::direction;
/// Their names in rows, in their order.
inline constexpr const char* statistic_names[] = {
    "mean", "proportion", "response_rate", "set_size", "resultant_length", "direction", "change"};

inline constexpr auto estimate_columns =
    answer_columns("bigint people", "integer attribute_number", "integer value");
/// The columns of estimates with p-values.
inline constexpr auto ranked_columns =
    answer_columns("number p_value", "bigint people", "integer attribute_number", "integer value");

/// Rows of estimate_columns or ranked_columns.
struct EstimateRows {
    /// Replaces a number if the row has no single attribute or value.
    static constexpr std::uint32_t no_attribute = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

    struct EstimateRow {
        std::uint32_t attribute;
        Statistic statistic;
        std::uint64_t value;  ///< its number; the code of a string
        Estimate estimate;
        const ReportStatus* status;
    };

    const Labels* labels = &no_labels();
    double critical_value = 0;  ///< half the length of an interval, in standard errors
    bool tested = false;        ///< whether there are p-values
    /// Of the rows that are added next; nothing: a proportion if the row has a value, else a mean.
    std::optional<Statistic> statistic = {};
    std::vector<EstimateRow> rows = {};
    std::vector<double> p_values = {};
    std::vector<Interval> intervals = {};  ///< individual intervals of rows; empty if no row has one
    KeptStatuses statuses = {};
    std::size_t count = 0, room = 0;

    template <class Row>
    void write(Row& row, std::size_t number) const {
        const auto& [attribute, of, value, found, status] = rows[number];
        const Estimate estimate = status->shown(found);
        put_names(row, rows[number]);
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        const bool own = number < intervals.size() && !std::isnan(intervals[number].lower);
        const Interval range =
            !status->enough || status->pointwise
                ? Interval{unknown, unknown}
                : extended(own ? intervals[number] : interval(estimate, critical_value, status->law),
                           status->bias, critical_value);
        row.put("lower", range.lower);
        row.put("upper", range.upper);
        if constexpr (Row::has("n")) status->put_counts(row);
        if constexpr (Row::has("p_value"))
            row.put("p_value", status->pointwise ? unknown : status->shown(p_values[number]));
        status->put_note(row, !std::isnan(estimate.value));
    }

    /// Attribute and value of a row, by name and by number, and its statistic.
    template <class Row>
    void put_names(Row& row, const EstimateRow& one) const {
        const auto& [attribute, of, value, found, status] = one;
        if (of != Statistic::none) row.put("statistic", statistic_names[static_cast<std::size_t>(of)]);
        if (attribute != no_attribute) {
            row.put("attribute", labels->name(attribute));
            row.put("attribute_number", static_cast<std::int32_t>(attribute));
        }
        if (value != none) {
            row.put("label", labels->label(attribute, value));
            if (value <= std::numeric_limits<std::int32_t>::max() && !labels->of_strings(attribute))
                row.put("value", static_cast<std::int32_t>(value));
        }
    }

    // There may be millions of rows, so each is written once, in place.

    void reserve(std::size_t wanted) {
        room = wanted;
        reserve_rows(rows, room);
        if (tested) reserve_rows(p_values, room);
    }
    [[nodiscard]] bool reserved() const noexcept { return room > 0; }
    const ReportStatus* kept(ReportStatus status) { return statuses.keep(std::move(status)); }
    void add(std::size_t attribute, std::uint64_t value, const Estimate& estimate, const ReportStatus* status,
             double p_value = unknown) {
        const Statistic of = statistic.value_or(value != none ? Statistic::proportion : Statistic::mean);
        rows.push_back({static_cast<std::uint32_t>(attribute), of, value, estimate, status});
        if (tested) p_values.push_back(p_value);
        ++count;
    }
    /// Adds a row with an individual interval.
    void add(std::size_t attribute, std::uint64_t value, const Estimate& estimate, const ReportStatus* status,
             const Interval& own, double p_value = unknown) {
        if (intervals.size() <= count) intervals.resize(std::max(room, count + 1), {unknown, unknown});
        intervals[count] = own;
        add(attribute, value, estimate, status, p_value);
    }
};

}  // namespace ldp

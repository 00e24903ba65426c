// Figures of every kind with given estimates, for tests of results and layouts.
#pragma once

#include "cli/answers/clear_differences.hpp"
#include "core/math/statistics.hpp"
#include "figures/formatting.hpp"

namespace ldp::test::sample {

using namespace ldp::cli;

using Kind = Figure::Kind;

/// An estimate with a margin of two standard errors.
inline Row row(std::string label, double estimate, double error, std::string group = {},
               std::string n = "1000") {
    return {.label = std::move(label),
            .group = std::move(group),
            .estimate = estimate,
            .error = error,
            .lower = estimate - 2 * error,
            .upper = estimate + 2 * error,
            .n = std::move(n)};
}
inline Row at(double x, Row row) {
    row.at = x;
    return row;
}

/// Compares rounds, with the tests of normal estimates. Pages have those of the library.
inline void compare_normal_rounds(Figure& figure) {
    compare_rounds(figure);
    for (LineChange& change : figure.changes) {
        const double error = (change.upper - change.lower) / 4;
        change.p_value = error > 0 ? two_sided(std::abs(change.estimate / error)) : NAN;
    }
}
/// Compares each group with all others, which are weighted by their reports, by the tests of normal estimates.
inline void compare_normal_groups(Figure& figure) {
    figure.contrasts.clear();
    for (std::size_t i = 0; i < figure.rows.size(); ++i) {
        const Row& one = figure.rows[i];
        double weights = 0, sum = 0, variance = 0;
        for (const Row& other : figure.rows) {
            const double n = std::stod(other.n);
            if (&other == &one || other.label != one.label || !std::isfinite(other.estimate)) continue;
            weights += n;
            sum += n * other.estimate;
            variance += n * n * other.error * other.error;
        }
        if (weights == 0 || !std::isfinite(one.estimate)) continue;
        const double estimate = one.estimate - sum / weights;
        const double error = std::hypot(one.error, std::sqrt(variance) / weights);
        figure.contrasts.push_back({i, {}, estimate, two_sided(std::abs(estimate / error))});
    }
    join_two_groups(figure);
}

/// Marks clear changes and differences as in a document of this figure alone.
inline void mark(Figure& figure) {
    Section section{.figures = {std::move(figure)}};
    mark_clear({&section, 1});
    figure = std::move(section.figures[0]);
}

inline Figure mood() {
    return {.title = "Shares of mood",
            .sql = "SELECT 1",
            .shares = true,
            .rows = {row("bad", 0.27, 0.012), row("ok", 0.48, 0.01), row("never", -0.01, 0.01),
                     row("good", 0.26, 0.01)}};
}
inline Figure hours() {
    return {.title = "Means",
            .kind = Kind::vector,
            .rows = {at(0, row("0h", 12.4, 2)), at(1, row("8h", -1, 2)), at(2, row("16h", 96.2, 2))},
            .ordered = true};
}
inline Figure quantiles() {
    Figure figure{
        .title = "Quantiles of income", .kind = Kind::quantiles, .ordered = true, .heading = "Quantiles"};
    for (const auto& [share, value] :
         std::vector<std::pair<double, double>>{{0.25, 1580}, {0.5, 2240}, {0.75, 3160}})
        figure.rows.push_back({.label = rounded(100 * share) + " %",
                               .at = share,
                               .estimate = value,
                               .lower = value - 150,
                               .upper = value + 140,
                               .n = "1000"});
    return figure;
}
inline Figure income() {
    Figure figure{
        .title = "Distribution of income", .shares = true, .kind = Kind::distribution, .ordered = true};
    for (int i = 0; i < 3; ++i) {
        Row one = row(rounded(3000 * i) + " to " + rounded(3000 * (i + 1)), 0.5 - 0.2 * i, 0.02);
        one.at = 3000 * i;
        one.until = 3000 * (i + 1);
        figure.rows.push_back(one);
    }
    return figure;
}
inline Figure changes_of_mood() {
    Figure figure{.title = "Shares of mood, round by round",
                  .shares = true,
                  .kind = Kind::change,
                  .axis = "round",
                  .rows = {at(1, row("", 0.23, 0.01, "bad")), at(1, row("", 0.5, 0.01, "ok")),
                           at(2, row("", 0.27, 0.01, "bad")), at(2, row("", 0.48, 0.01, "ok")),
                           at(3, row("", 0.31, 0.01, "bad")), at(3, row("", 0.49, 0.01, "ok"))},
                  .heading = "By round"};
    compare_normal_rounds(figure);
    mark(figure);
    return figure;
}
inline Figure mood_by(const std::vector<std::string>& groups) {
    Figure figure{
        .title = "Shares of mood by town", .shares = true, .kind = Kind::comparison, .axis = "town"};
    figure.heading = "By town";
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const double shift = i == 0 ? 0.08 : 0;
        const std::string n = std::to_string(1000 * (i + 1));
        figure.rows.push_back(row("bad", 0.2 + shift, 0.01, groups[i], n));
        figure.rows.push_back(row("ok", 0.5, 0.01, groups[i], n));
    }
    compare_normal_groups(figure);
    mark(figure);
    return figure;
}
inline Figure pairs() {
    return {.title = "mood and transport",
            .shares = true,
            .kind = Kind::table,
            .rows = {row("bad", 0.11, 0.01, "car"), row("bad", 0.16, 0.01, "bus"),
                     row("ok", 0.41, 0.01, "car"), row("ok", 0.32, 0.01, "bus")}};
}
inline Figure associations() {
    Figure figure{.title = "Associations", .kind = Kind::association};
    figure.rows = {row("mood", 0.05, 0.04, "town"), row("mood", 0.31, 0.02, "transport")};
    for (Row& one : figure.rows) one.scale = Interval{0, 1};
    return figure;
}
inline Figure age() {
    Figure figure{.title = "Mean of age", .about = "The line shows the declared range.", .kind = Kind::mean};
    figure.rows = {row("age", 41.26, 0.4)};
    figure.rows[0].scale = Interval{0, 100};
    return figure;
}

/// A curve over dates, whose second point has too few reports.
inline Figure hours_over_date() {
    Figure figure{
        .title = "Mean of hours over seen", .kind = Kind::curve, .axis = "seen", .position = date_of_days};
    for (const auto& [x, value] :
         std::vector<std::pair<double, double>>{{20513, 8}, {20514, NAN}, {20543, 6.5}}) {
        figure.rows.push_back(at(x, row(date_of_days(x), value, 0.1)));
        figure.rows.back().unit = "h";
    }
    figure.rows[1].note = "too few reports within the bandwidth";
    return figure;
}

}  // namespace ldp::test::sample

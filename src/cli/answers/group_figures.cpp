#include "cli/answers/group_figures.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/answers/clear_differences.hpp"
#include "core/base/text.hpp"
#include "core/groups/measured/kernel_regression.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/results/row_functions.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

namespace {

/// Maximum number of lines of a drawing, and of groups of people in a drawing of bars.
constexpr std::size_t most_lines = 6, most_groups = 20;

/// Limits the drawing to the first groups of this list. Tables and files have all groups.
void limit_drawing(Figure& figure, std::vector<std::string> groups, std::size_t most, const char* what) {
    if (groups.size() <= most) return;
    figure.about += "The drawing shows the " + std::to_string(most) + " largest of " +
                    std::to_string(groups.size()) + " " + what + "; the table contains all. ";
    groups.resize(most);
    figure.drawn_groups = std::move(groups);
}

/// Limits the drawing to the lines with the largest mean.
void limit_lines(Figure& figure) {
    std::map<std::string, double> sums;
    for (const Row& row : figure.rows) sums[row.group] += std::isfinite(row.estimate) ? row.estimate : 0;
    std::vector<std::string> groups;
    for (const auto& [group, sum] : sums) groups.push_back(group);
    std::ranges::stable_sort(groups, std::ranges::greater{},
                             [&](const std::string& group) { return sums[group]; });
    limit_drawing(figure, std::move(groups), most_lines, "lines");
}

constexpr double half[] = {0.5};

/// Joins adjacent rounds whose estimates are equal to one point. Returns a note; empty without such rounds.
std::string drop_repeated(Figure& figure) {
    std::map<double, std::vector<Row>> rounds;
    for (Row& row : figure.rows) rounds[row.at].push_back(row);
    const auto same = [](const Row& one, const Row& other) {
        return one.group == other.group && one.n == other.n && one.estimate == other.estimate;
    };
    std::vector<std::string> notes;
    figure.rows.clear();
    for (auto first = rounds.begin(); first != rounds.end();) {
        auto next = std::next(first);
        while (next != rounds.end() && std::ranges::equal(first->second, next->second, same)) ++next;
        const double last = std::prev(next)->first;
        if (last != first->first) {
            const double from = std::next(first)->first;
            notes.push_back(
                (from == last ? "In round " + rounded(last)
                              : "In rounds " + rounded(from) + " to " + rounded(last)) +
                ", all devices repeated their responses from memory: the figures refer to round " +
                rounded(first->first) + ", and a change since then cannot be seen. ");
        }
        for (Row& row : first->second) {
            if (last != row.at) {
                row.until = last;
                row.note += (row.note.empty() ? "" : "; ") + ("equal until round " + rounded(last));
            }
            figure.rows.push_back(std::move(row));
        }
        first = next;
    }
    std::string text;
    for (const std::string& note : notes) text += note;
    return text;
}

Source::Find find(const char* function, const SummaryQuery& query) {
    return [function, query](const Subject& whole) { return row_function(function).find(whole, query); };
}

}  // namespace

std::string GroupFigures::called(std::size_t attribute) const {
    return source_.called(attribute);
}

GroupFigures::GroupAccessor GroupFigures::frequencies(std::size_t attribute) const {
    return source_.statistics("g.summary", "proportion", attribute);
}

GroupFigures::GroupAccessor GroupFigures::means() const {
    return source_.statistics("g.summary", "mean");
}

GroupFigures::GroupAccessor GroupFigures::median(std::size_t attribute) const {
    const std::string& called = source_.spec().attributes()[attribute].name;
    SummaryQuery query = source_.query("quantiles");
    query.attribute = called;
    query.shares = half;
    return {"ldp_quantiles(g.summary, ARRAY[0.5]" + source_.options() + ", attribute => " + constant(called) +
                ")",
            find("quantiles", query)};
}

std::string GroupFigures::means_title(const std::vector<std::size_t>& attributes) const {
    const Attribute& one = source_.spec().attributes()[attributes[0]];
    if (!one.vector.empty()) return "Means of " + source_.called_whole(attributes[0]);
    return attributes.size() == 1 ? "Mean of " + called(attributes[0])
                                  : "Means of " + grouped(attributes.size()) + " attributes";
}

Figure GroupFigures::by_round(Figure figure, const GroupAccessor& accessor,
                              const std::vector<std::size_t>& which) {
    const auto view = source_.view_of_all();
    if (source_.asked().round || !source_.has_rounds() || !view || !view->rounds.recorded() ||
        view->rounds.most() < 2)
        return {};
    figure.title += ", round by round";
    figure.heading = "By round";
    figure.kind = Figure::Kind::change;
    figure.axis = "round";
    source_.ask(
        figure, "SELECT g.name, a.* FROM {groups}, " + accessor.sql + " AS a", accessor.find,
        [&](const NamedRow& row) {
            const auto j = static_cast<std::size_t>(number(row, "attribute_number"));
            if (std::ranges::find(which, j) == which.end()) return;
            Row one = row_of(row);
            if (!figure.shares) one.unit = source_.unit(j);
            one.at = number(row, "name");
            one.group = which.size() > 1 ? source_.label_of(j) : std::exchange(one.label, {});
            figure.rows.push_back(std::move(one));
        },
        "round");
    std::ranges::stable_sort(figure.rows, {}, &Row::at);
    const std::string repeated = source_.spec().evolving() ? drop_repeated(figure) : "";
    if (!repeated.empty()) figure.about += repeated;
    compare(figure, which);
    if (figure.rows.empty() || figure.rows.front().at != figure.rows.back().at) limit_lines(figure);
    return figure;
}

void GroupFigures::compare(Figure& figure, const std::vector<std::size_t>& which) {
    compare_rounds(figure);
    for (LineChange& change : figure.changes) {
        const auto before = static_cast<std::int32_t>(std::lround(change.from));
        if (figure.quantity == "median") {
            change.p_value = source_.p_value_of_medians(before, which[0]);
            continue;
        }
        for (const Source::RoundChange& found : source_.changes_since(before)) {
            if (std::ranges::find(which, found.attribute) == which.end()) continue;
            const std::string line = which.size() > 1 ? source_.label_of(found.attribute) : found.label;
            if (line != change.group) continue;
            change.estimate = found.estimate;
            change.lower = found.lower;
            change.upper = found.upper;
            change.p_value = found.p_value;
        }
    }
}

/// A series has many rounds, whose news is the change from the first one to the last. Estimates of its rounds share
/// reports, so that the library computes their difference.
void GroupFigures::compare_series(Figure& figure, std::size_t attribute) {
    compare_rounds(figure);
    std::vector<LineChange> whole;
    for (const LineChange& change : figure.changes)
        if (!is_latest(figure, change)) whole.push_back(change);
    if (!whole.empty()) figure.changes = std::move(whole);
    if (figure.quantity == "median") return;
    for (LineChange& change : figure.changes)
        for (const Source::RoundChange& found :
             source_.changes_of_series(attribute, static_cast<std::int32_t>(std::lround(change.from)),
                                       static_cast<std::int32_t>(std::lround(change.to))))
            if (found.label == change.group) {
                change.estimate = found.estimate;
                change.lower = found.lower;
                change.upper = found.upper;
                change.p_value = found.p_value;
            }
}

void GroupFigures::contrast(Figure& figure, const std::vector<std::size_t>& which) {
    const bool numbers = which.size() > 1 || source_.spec().attributes()[which[0]].numeric();
    for (std::size_t i = 0; i < figure.rows.size(); ++i) {
        const Row& row = figure.rows[i];
        if (!std::isfinite(row.estimate)) continue;
        const auto position = static_cast<std::size_t>(std::isfinite(row.at) ? std::lround(row.at) : 0);
        const std::size_t attribute = which[which.size() > 1 ? position : 0];
        for (const Source::GroupDifference& found : source_.differences(source_.asked().by))
            if (found.group == row.group && found.attribute == attribute &&
                (numbers ? !found.value : found.value == static_cast<std::int32_t>(position)))
                figure.contrasts.push_back({i, {}, found.estimate, found.p_value});
    }
    join_two_groups(figure);
}

Figure GroupFigures::by_group(Figure figure, const GroupAccessor& accessor,
                              const std::vector<std::size_t>& which) {
    const std::string& by = source_.asked().by;
    if (by.empty()) return {};
    figure.title += " by " + name(by, 40);
    figure.heading = "By " + name(by, 40);
    figure.kind = Figure::Kind::comparison;
    figure.axis = by;
    std::vector<std::string> groups;
    source_.ask(
        figure, "SELECT g.name, a.* FROM {groups}, " + accessor.sql + " AS a", accessor.find,
        [&](const NamedRow& row) {
            const auto j = static_cast<std::size_t>(number(row, "attribute_number"));
            if (std::ranges::find(which, j) == which.end()) return;
            Row one = row_of(row);
            if (!figure.shares) one.unit = source_.unit(j);
            one.group = text(row, "name");
            if (std::ranges::find(groups, one.group) == groups.end()) groups.push_back(one.group);
            one.at = number(row, "value");
            if (which.size() > 1) {
                one.label = source_.label_of(j);
                one.at = static_cast<double>(j - which[0]);
            }
            figure.rows.push_back(std::move(one));
        },
        by);
    limit_drawing(figure, std::move(groups), figure.ordered && !figure.shares ? most_lines : most_groups,
                  "groups");
    contrast(figure, which);
    return figure;
}

Figure GroupFigures::shares_by_round(std::size_t attribute, bool ordered) {
    return by_round({.title = "Shares of " + called(attribute), .shares = true, .ordered = ordered},
                    frequencies(attribute), {attribute});
}

Figure GroupFigures::shares_by_group(std::size_t attribute, bool ordered) {
    return by_group({.title = "Shares of " + called(attribute), .shares = true, .ordered = ordered},
                    frequencies(attribute), {attribute});
}

bool GroupFigures::in_per_cent(const std::vector<std::size_t>& attributes) const {
    return attributes.size() == 1 && source_.is_proportion(attributes[0]);
}

Figure GroupFigures::means_by_round(const std::vector<std::size_t>& attributes) {
    return by_round({.title = means_title(attributes), .shares = in_per_cent(attributes)}, means(),
                    attributes);
}

Figure GroupFigures::means_by_group(const std::vector<std::size_t>& attributes) {
    return by_group({.title = means_title(attributes),
                     .shares = in_per_cent(attributes),
                     .ordered = attributes.size() > 1},
                    means(), attributes);
}

Figure GroupFigures::median_by_round(std::size_t attribute) {
    return by_round({.title = "Median of " + called(attribute), .quantity = "median"}, median(attribute),
                    {attribute});
}

Figure GroupFigures::median_by_group(std::size_t attribute) {
    return by_group({.title = "Median of " + called(attribute), .quantity = "median"}, median(attribute),
                    {attribute});
}

Figure GroupFigures::series(std::size_t attribute) {
    const Attribute& asked = source_.spec().attributes()[attribute];
    const bool number = asked.numeric();
    Figure figure{.title = (number ? "Mean of " : "Shares of ") + called(attribute) + ", round by round",
                  .shares = !number,
                  .kind = Figure::Kind::change,
                  .axis = "round"};
    SummaryQuery query = source_.query("series");
    if (of_record()) query.attribute = asked.name;
    source_.ask(figure, "SELECT * FROM ldp_series({summary}" + series_argument(attribute) + ")",
                find("series", query), [&](const NamedRow& row) {
                    Row one = row_of(row);
                    one.at = cli::number(row, "round");
                    one.attribute = attribute;
                    if (number) one.unit = source_.unit(attribute);
                    one.group = std::exchange(one.label, {});
                    figure.rows.push_back(std::move(one));
                });
    compare_series(figure, attribute);
    limit_lines(figure);
    return figure;
}

bool GroupFigures::of_record() const {
    return source_.spec().attributes().size() > 1;
}

std::string GroupFigures::series_argument(std::size_t attribute) const {
    const std::string& name = source_.spec().attributes()[attribute].name;
    return source_.options() + (of_record() ? ", attribute => " + constant(name) : "");
}

Figure GroupFigures::series_median(std::size_t attribute) {
    Figure figure{.title = "Median of " + called(attribute) + ", round by round",
                  .kind = Figure::Kind::change,
                  .axis = "round",
                  .heading = "Median",
                  .quantity = "median"};
    SummaryQuery query = source_.query("series_quantiles");
    query.shares = half;
    if (of_record()) query.attribute = source_.spec().attributes()[attribute].name;
    source_.ask(figure,
                "SELECT * FROM ldp_series_quantiles({summary}, ARRAY[0.5]" + series_argument(attribute) + ")",
                find("series_quantiles", query), [&](const NamedRow& row) {
                    Row one = row_of(row);
                    one.at = cli::number(row, "round");
                    one.unit = source_.unit(attribute);
                    figure.rows.push_back(std::move(one));
                });
    compare_series(figure, attribute);
    return figure;
}

GroupFigures::CurveAxis GroupFigures::curve_axis() {
    const std::string& column = source_.asked().curve;
    const std::string type = source_.type_of_column(column);
    for (const char* number : {"smallint", "integer", "bigint", "real", "double precision", "numeric"})
        if (type == number) return {"g.name::float8", column, "", nullptr};
    const bool zoned = type == "timestamp with time zone";
    if (zoned || type == "date" || type == "timestamp without time zone")
        return {"extract(epoch FROM g.name::" + type + ")::float8 / 86400", column + (zoned ? " (UTC)" : ""),
                " days", date_of_days};
    if (type == "time without time zone")
        return {"extract(epoch FROM g.name::time)::float8 / 3600", column, " hours", time_of_hours};
    throw Error(ErrorCode::invalid_value, "a curve needs a column of numbers, dates or times",
                "The column \"" + column + "\" has the type " + (type.empty() ? "unknown" : type) + ".",
                "Compare its groups with --by.");
}

Figure GroupFigures::curve(std::size_t attribute, const CurveAxis& axis) {
    const Asked& asked = source_.asked();
    Figure figure{.title = "Mean of " + called(attribute) + " over " + name(asked.curve, 40),
                  .kind = Figure::Kind::curve,
                  .axis = axis.name,
                  .heading = called(attribute),
                  .position = axis.position};
    const std::string arguments =
        (asked.bandwidth > 0 ? ", bandwidth => " + shortest(asked.bandwidth) : "") + source_.options(false) +
        (of_record() ? ", attribute => " + constant(source_.spec().attributes()[attribute].name) : "");
    // The function with a name takes numbers, and one round.
    const bool by_name = axis.position == nullptr && source_.of_collection() &&
                         (asked.curve == "round" || (!source_.round() && !asked.all_rounds));
    const std::string points =
        "(SELECT array_agg(ROW(jsonb_build_object('x', p.x), p.summary)::{ldp}ldp_group ORDER BY p.x) AS groups FROM "
        "(SELECT " +
        axis.sql + " AS x, g.summary FROM {groups} WHERE g.name IS NOT NULL) AS p) AS p";
    const std::string all_arguments =
        ", " + shortest(asked.bandwidth) + "::float8, " + shortest(asked.confidence) +
        "::float8, 'population'::text, " +
        (of_record() ? constant(source_.spec().attributes()[attribute].name) : "NULL") + "::text)";
    double bandwidth = NAN;
    source_.ask_server(
        figure,
        by_name ? "SELECT * FROM ldp_kernel_regression({name}, ARRAY[" + constant(asked.curve) + "]" +
                      arguments + ")"
                : "SELECT c.* FROM " + points + ", ldp_kernel_regression(groups" + arguments + ") AS c",
        by_name ? "SELECT * FROM {ldp}ldp_kernel_regression({name}::{ldp}ldp_source, ARRAY[" +
                      constant(asked.curve) + "]::text[]" + all_arguments
                : "SELECT c.* FROM " + points +
                      ", {ldp}ldp_kernel_regression(groups::{ldp}ldp_source, NULL::text[]" + all_arguments +
                      " AS c",
        [&](const NamedRow& row) {
            Row one = row_of(row);
            one.at = number(row, "x");
            one.label = axis.position == nullptr ? shortest(one.at) : axis.position(one.at);
            one.unit = source_.unit(attribute);
            bandwidth = number(row, "bandwidth_used");
            figure.rows.push_back(std::move(one));
        },
        asked.curve);
    if (figure.rows.empty()) return figure;
    if (bandwidth == 0) {
        figure.about =
            "The mean at each value of " + name(axis.name, 40) + ". There are fewer than " +
            std::to_string(KernelRegression::fewest_smoothed) +
            " values, so each mean uses only the reports with its value. Each interval applies to its "
            "point alone and to the population.";
        return figure;
    }
    figure.about = "The mean as a smooth function of " + name(axis.name, 40) +
                   ". Each point is a weighted mean of the reports at a distance below the bandwidth of " +
                   rounded(bandwidth) + axis.unit +
                   (asked.bandwidth > 0 ? "" : ", which was chosen from the reports") +
                   ". Each interval holds for its point alone, for the population and a smooth true curve. "
                   "It contains no bound of the bias.";
    return figure;
}

std::vector<Figure> GroupFigures::curves(const std::vector<std::size_t>& attributes) {
    const CurveAxis axis = curve_axis();
    const std::string column = name(source_.asked().curve, 40);
    Figure values{.title = "Means over " + column};
    double points = 0;
    const char* const count = "SELECT count(*) AS points FROM {groups} WHERE g.name IS NOT NULL";
    const bool counted = source_.ask_server(
        values, count, count, [&](const NamedRow& row) { points = number(row, "points"); },
        source_.asked().curve);
    constexpr std::size_t fewest = KernelRegression::fewest_points, most = KernelRegression::most_points;
    if (counted && points >= fewest && points <= most) {
        std::vector<Figure> figures;
        for (const std::size_t attribute : attributes) figures.push_back(curve(attribute, axis));
        return figures;
    }
    if (counted)
        values.refused = "A curve needs reports at " + grouped(fewest) + " to " + grouped(most) +
                         " different values of " + column + ", and there are reports at " +
                         grouped(static_cast<std::uint64_t>(points)) + ".";
    return {std::move(values)};
}

}  // namespace ldp::cli

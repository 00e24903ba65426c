// Rows of estimates as a drawing: the choice of figures. src/figures draws them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "capi/c_boundary.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/results/json_query.hpp"
#include "figures/figure_drawing.hpp"
#include "figures/formatting.hpp"
#include "plot/sheet.hpp"

using namespace ldp;
using namespace ldp::capi;
using figures::Figure;
using figures::Row;

namespace {

constexpr std::size_t most_rows = 10'000, most_lines = 6, most_notes = 5;

/// A number of a row, or NaN. An infinite number is a text.
double number_in(const Json& row, const char* key) {
    const auto found = row.find(key);
    if (found == row.end()) return NAN;
    if (found->is_number()) return found->get<double>();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return *found == "Infinity" ? infinity : *found == "-Infinity" ? -infinity : NAN;
}

/// A text or a number of a row as text; empty if it is missing.
std::string text_in(const Json& row, const char* key) {
    const auto found = row.find(key);
    if (found == row.end() || found->is_null()) return {};
    if (found->is_string()) return found->get<std::string>();
    return found->is_number() ? figures::rounded(found->get<double>()) : json_text(*found, Unsound::allowed);
}

bool has(const Json& row, const char* key) {
    const auto found = row.find(key);
    return found != row.end() && !found->is_null();
}

/// What is known of the attribute of rows.
struct KnownAttribute {
    std::string title = {}, unit = {};
    std::optional<Interval> range = {};
    const AttributeTexts* texts = nullptr;  ///< null without texts
};

KnownAttribute known_of(const ldp_collection* collection, const std::string& attribute) {
    KnownAttribute known{.title = attribute.empty() ? "" : figures::name(attribute, 60)};
    if (collection == nullptr) return known;
    const Spec& spec = collection->collection.spec();
    if (const AttributeTexts* texts = spec.texts().find(attribute); texts != nullptr) {
        known.texts = texts;
        if (!texts->title.empty()) known.title = figures::name(texts->title, 60);
        if (!texts->unit.empty()) known.unit = figures::name(texts->unit, 20);
    }
    for (const Attribute& one : spec.attributes())
        if (one.name == attribute && one.numeric()) known.range = {one.min, one.max};
    return known;
}

/// The rows of one statistic of an attribute, in their order.
struct Estimates {
    std::string attribute, statistic;
    std::vector<const Json*> rows = {};

    [[nodiscard]] bool all(auto condition) const {
        return std::ranges::all_of(rows, [&](const Json* row) { return condition(*row); });
    }
};

bool is_cell(const Json& row) {
    return has(row, "cell") && row["cell"].is_array() && row["cell"].size() == 2;
}

/// The kind of figure that the columns of the rows allow.
Figure::Kind kind_of(const Estimates& found) {
    if (found.all([](const Json& row) { return std::isfinite(number_in(row, "round")); }))
        return Figure::Kind::change;
    const bool shares = found.statistic == "proportion";
    if (!shares && found.statistic != "mean" && found.statistic != "quantile")
        return Figure::Kind::association;
    if (found.all([](const Json& row) { return has(row, "group_key"); })) return Figure::Kind::comparison;
    if (!shares) return found.statistic == "mean" ? Figure::Kind::mean : Figure::Kind::quantiles;
    if (found.all(is_cell)) return Figure::Kind::table;
    if (found.all([](const Json& row) { return number_in(row, "low") <= number_in(row, "high"); }))
        return Figure::Kind::distribution;
    return Figure::Kind::category;
}

/// A label or a number of a cell of a table.
std::string part_of_cell(const Json& cell, std::size_t i) {
    return cell[i].is_string() ? cell[i].get<std::string>() : json_text(cell[i], Unsound::allowed);
}

Row row_of(const Json& row, Figure::Kind kind, const Estimates& all, const KnownAttribute& known) {
    Row made{.label = text_in(row, "label"),
             .estimate = number_in(row, "estimate"),
             .error = number_in(row, "stderr"),
             .lower = number_in(row, "lower"),
             .upper = number_in(row, "upper"),
             .note = has(row, "note") ? figures::name(text_in(row, "note")) : ""};
    if (known.texts != nullptr) made.label = known.texts->display_text(made.label);
    const std::string group = text_in(row, "group_key");
    switch (kind) {
        case Figure::Kind::change:
            made.at = number_in(row, "round");
            made.group = made.label.empty() ? group : made.label;
            if (!group.empty() && !made.label.empty()) made.group += ", " + group;
            made.label.clear();
            break;
        case Figure::Kind::table:
            made.label = part_of_cell(row["cell"], 0);
            made.group = part_of_cell(row["cell"], 1);
            break;
        case Figure::Kind::distribution:
            made.at = number_in(row, "low");
            made.until = number_in(row, "high");
            made.edge = figures::edge_text(made.at, made.until - made.at);
            break;
        case Figure::Kind::mean:
            made.label = all.attribute;
            made.scale = known.range;
            break;
        case Figure::Kind::comparison:
            made.group = group;
            break;
        default:
            made.group = group;
            if (made.label.empty() && group.empty()) made.label = all.attribute;
            break;
    }
    if (all.statistic == "mean" || all.statistic == "quantile") made.unit = known.unit;
    return made;
}

/// Draws the lines of largest estimates only, so that lines have different colours.
void limit_lines(Figure& figure) {
    std::vector<std::pair<double, std::string>> largest;
    for (const Row& row : figure.rows) {
        auto line = std::ranges::find(largest, row.group, &std::pair<double, std::string>::second);
        if (line == largest.end()) line = largest.insert(line, {-HUGE_VAL, row.group});
        if (row.estimate > line->first) line->first = row.estimate;
    }
    if (largest.size() <= most_lines) return;
    std::ranges::stable_sort(largest, std::ranges::greater{}, &std::pair<double, std::string>::first);
    for (std::size_t i = 0; i < most_lines; ++i) figure.drawn_groups.push_back(largest[i].second);
    figure.about = "the " + std::to_string(most_lines) + " largest of " + std::to_string(largest.size());
}

Figure figure_of(const Estimates& found, const KnownAttribute& known) {
    const Figure::Kind kind = kind_of(found);
    Figure figure{.title = known.title,
                  .shares = found.statistic == "proportion",
                  .kind = kind,
                  .ordered = known.texts != nullptr && known.texts->ordered};
    if (!figure.shares && !found.statistic.empty())
        figure.title += (figure.title.empty() ? "" : ", ") + figures::name(found.statistic, 40);
    for (const Json* row : found.rows) figure.rows.push_back(row_of(*row, kind, found, known));
    if (kind == Figure::Kind::change) {
        figure.axis = "round";
        std::ranges::stable_sort(figure.rows, {}, &Row::at);
        limit_lines(figure);
    }
    if (kind == Figure::Kind::distribution) {
        const Row& last = figure.rows.back();
        figure.axis = known.title;
        figure.last_edge = figures::edge_text(last.until, last.until - last.at);
    }
    return figure;
}

std::vector<Figure> figures_of(const Json& rows, const ldp_collection* collection) {
    std::vector<Estimates> all;
    for (const Json& row : rows) {
        if (!row.is_object() || !row.contains("estimate"))
            raise(ErrorCode::invalid_value, "a row has no estimate",
                  "A drawing is made from rows with the column \"estimate\".");
        const std::string attribute = text_in(row, "attribute"), statistic = text_in(row, "statistic");
        const auto same = std::ranges::find_if(all, [&](const Estimates& one) {
            return one.attribute == attribute && one.statistic == statistic;
        });
        (same == all.end() ? all.emplace_back(attribute, statistic) : *same).rows.push_back(&row);
    }
    std::vector<Figure> figures;
    std::optional<std::size_t>
        of_means;  // means with declared ranges share a figure, each with its own scale
    for (const Estimates& one : all) {
        const KnownAttribute known = known_of(collection, one.attribute);
        Figure figure = figure_of(one, known);
        if (figure.kind != Figure::Kind::mean || !known.range) {
            figures.push_back(std::move(figure));
        } else if (of_means) {
            Figure& means = figures[*of_means];
            means.title = "Means";
            means.rows.insert(means.rows.end(), figure.rows.begin(), figure.rows.end());
        } else {
            of_means = figures.size();
            figures.push_back(std::move(figure));
        }
    }
    return figures;
}

}  // namespace

ldp_status ldp_plot(const ldp_collection* collection, const char* rows, size_t length, const char* title,
                    char** svg, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(svg, "pointer for the drawing");
        need(rows, "rows");
        const Json read = parsed_query({rows, length == LDP_TO_END ? std::strlen(rows) : length});
        if (!read.is_array() || read.empty())
            raise(ErrorCode::invalid_value, "there are no rows to draw",
                  "The rows are a JSON array with at least one object.");
        if (read.size() > most_rows)
            raise(ErrorCode::invalid_value, "there are too many rows for a drawing",
                  "Found " + std::to_string(read.size()) + "; at most " + std::to_string(most_rows) + ".");
        plot::ChartLayout sheet;
        if (title != nullptr && *title != '\0')
            sheet.text(figures::name(text_of(title, LDP_TO_END, "title")), "t b", 18);
        std::vector<std::string> notes;
        bool intervals = false;
        for (const Figure& figure : figures_of(read, collection)) {
            sheet.gap(20);
            if (!figure.title.empty()) sheet.text(figure.title, "t b", 15);
            if (!figure.about.empty()) sheet.text(figure.about, "m", 12);
            sheet.gap(8);
            sheet.row({{figures::drawn(figure)}});
            for (const Row& row : figure.rows) {
                intervals |= std::isfinite(row.lower) && std::isfinite(row.upper);
                if (!row.note.empty() && notes.size() < most_notes &&
                    std::ranges::find(notes, row.note) == notes.end())
                    notes.push_back(row.note);
            }
        }
        for (const std::string& note : notes) sheet.text(note, "m", 12);
        if (intervals) sheet.text("Lines across estimates are confidence intervals.", "m", 12);
        const std::string text = sheet.svg();
        made = handed_over<char>(text.data(), text.size());
    });
}

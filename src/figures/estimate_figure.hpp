// A figure: estimates of one kind that are drawn together, before they have a layout.
//
// Names of attributes and labels of values may contain any characters. Row::label and Row::group hold them
// unchanged. All other text is the program's own, or was returned by name().
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/mechanism/role/estimate.hpp"

namespace ldp::figures {

/// The comparison of a row with the same estimate of the other groups.
enum class Contrast { none, unclear, above, below };

/// An estimate. Numbers that do not exist are NaN.
struct Row {
    std::string label = {};
    std::string group = {};  ///< the line of a point, the column of a cell, or the group of people
    double at = NAN;         ///< the position along an axis
    double until = NAN;      ///< the end of an interval that begins there, or the last of several rounds
    std::string edge = {};   ///< the label of an interval's lower end in a drawing
    double estimate = NAN, error = NAN, lower = NAN, upper = NAN;
    double truth = NAN;  ///< the true value, where it is known, as in simulations
    std::string n = {}, note = {};
    std::string unit = {};               ///< of the estimate; empty for shares
    std::optional<Interval> scale = {};  ///< the range of the drawing, if the row has its own
    bool proportion = false;             ///< a mean of numbers from 0 to 1, which is shown in per cent
    double height = 1;                   ///< factor of the drawn height of a share, see bin_heights()
    double drawn = NAN;                  ///< the estimate in the drawing, if it differs
    /// The attribute whose planned error the row's error is compared with.
    std::optional<std::size_t> attribute = {};
    Contrast contrast = Contrast::none;
};

/// The change of a line of a figure between two rounds.
struct LineChange {
    std::string group = {};       ///< the line
    double from = NAN, to = NAN;  ///< rounds
    double estimate = NAN, lower = NAN, upper = NAN, p_value = NAN;
    bool clear = false;
};
/// The difference of a row from the other groups of people.
struct GroupContrast {
    std::size_t row;
    std::optional<std::size_t> other = {};  ///< for two groups: the row of the other group
    double estimate = NAN, p_value = NAN;
};

/// Estimates of one kind that are drawn together.
struct Figure {
    enum class Kind {
        category,      ///< shares of values, as bars
        mean,          ///< means of numbers, each on its own range
        distribution,  ///< shares of intervals of a number, as a histogram
        quantiles,     ///< quantiles of a number
        vector,        ///< means of numbers in order, as a line; at: the index
        table,         ///< shares of pairs of values; label: row, group: column
        association,   ///< coefficients of pairs of attributes
        change,        ///< estimates by round; at: the round, group: the value
        comparison,    ///< estimates by group of people; label: the value, group: the group
        curve,         ///< the mean of a number over a public column; at: the value of the column
    };
    std::string title = {};  ///< complete without the title of the section
    std::string about = {};  ///< notes for the reader
    std::string sql = {};    ///< the query that returns these rows
    bool shares = false;     ///< whether numbers are shares, which are shown in per cent
    Kind kind = Kind::category;
    std::string axis =
        {};  ///< the name of the horizontal axis, or the title of the attribute of a table's columns
    std::string row_of = {};  ///< the title of the attribute of a table's rows
    std::vector<Row> rows = {};
    std::string refused = {};       ///< the reason, if there are no rows
    bool ordered = false;           ///< whether categories have an order; if not, they are sorted by size
    std::string heading = {};       ///< below the title of the section; empty for its first figure
    std::string quantity = "mean";  ///< the quantity of rows without a label
    std::string result = {};        ///< result in one sentence, unless it equals the result of the section
    std::vector<std::string> drawn_groups = {};  ///< groups in the drawing; empty if it has all groups
    /// Of lines by round: from the round before the last one, then from the first round if it is another one.
    std::vector<LineChange> changes = {};
    std::vector<GroupContrast> contrasts = {};  ///< of a comparison
    std::string last_edge = {};                 ///< the label of the upper end of the last interval
    double end = NAN;                           ///< the end of the axis of shares; NaN: the end of the rows
    std::string vector = {};                    ///< the title of a vector whose elements have the rows
    std::string whom = {};                      ///< the people to whom a share of people who answer refers
    std::optional<Interval> range = {};         ///< the declared range of means, if the rows have a common
                                                ///< one
    std::string (*position)(double) = nullptr;  ///< labels along the axis of a curve; null for numbers
};

/// The rows of a figure in the order of drawings and tables: categories without an order by size, the values
/// of a comparison by their largest estimate, other rows in their own order.
[[nodiscard]] std::vector<const Row*> display_order(const Figure& figure);
/// Whether the axis of a figure begins at zero: for shares always, and for other numbers if none is negative
/// and the smallest is at most half of the largest.
[[nodiscard]] bool axis_from_zero(const Figure& figure);

}  // namespace ldp::figures

// What `ldp estimate` tells, before it is laid out: sections of sentences, figures and tables. What asks
// fills it in, what writes reads it, and neither knows the other.
//
// Attributes' names and values' labels are text of others, and may be anything. In labels and groups of rows
// they stand as the collection has them; all other text is made of ours and of what name() returned.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/mechanism/estimate.hpp"

namespace ldp::cli {

/// An estimate and what it is about. Numbers that there are none of are NaN.
struct Row {
    std::string label = {};
    std::string group = {};  ///< the line that a point is on, or the column of a cell
    double at = NAN;         ///< where a point stands
    double estimate = NAN, error = NAN, lower = NAN, upper = NAN;
    double truth = NAN;  ///< where it is known, as in simulations
    std::string n = {}, note = {};
    std::optional<Interval> scale = {};  ///< the range to draw it in, if it is the row's own
    /// The attribute whose natural answer it is a part of: what errors were promised of.
    std::optional<std::size_t> attribute = {};
};

/// Estimates that are drawn together.
struct Figure {
    enum class Kind {
        marks,  ///< one below the other, on one scale unless rows have their own
        lines,  ///< points along an axis, a line for each group
        grid,   ///< rows and columns of cells
    };
    std::string title = {};
    std::string about = {};  ///< what a reader must know to read it
    std::string sql = {};    ///< what gives these rows to whoever may ask
    bool shares = false;     ///< whether numbers are shares, and shown in per cent
    Kind kind = Kind::marks;
    std::string axis = {};  ///< what points stand along
    std::vector<Row> rows = {};
    std::string refused = {};  ///< why there are no rows
};

struct Column {
    std::string title;
    bool words = false;  ///< whether it holds text, rather than numbers
};
struct Cell {
    std::string text;
    double value = NAN;  ///< the number that the text shows
};
struct Table {
    std::string title = {}, about = {};
    std::string sql = {};             ///< empty if nobody was asked
    std::vector<Column> header = {};  ///< the first one says what a row is about
    std::vector<std::vector<Cell>> rows = {};
    std::string refused = {};
};

struct Section {
    std::string title = {};
    std::vector<std::string> paragraphs = {}, points = {};
    std::vector<Figure> figures = {};
    std::vector<Table> tables = {};
};

struct Document {
    std::string title = {};
    std::vector<std::string> lead = {};  ///< what nobody should miss, a paragraph each
    std::vector<Section> sections = {};
};

}  // namespace ldp::cli

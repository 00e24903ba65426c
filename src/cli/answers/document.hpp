// The document that `ldp estimate` writes: sections of sentences, figures and tables, before they have a
// layout. answers_of() fills it, and the layouts write it as text, CSV, SVG or HTML.
//
// Names of attributes and labels of values may contain any characters. Row::label and Row::group hold them
// unchanged. All other text is the program's own, or was returned by name().
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/mechanism/role/estimate.hpp"
#include "figures/estimate_figure.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

// Figures, their texts and numbers.
using figures::axis_from_zero;
using figures::brief;
using figures::common_unit;
using figures::constant;
using figures::Contrast;
using figures::date_of_days;
using figures::display_order;
using figures::edge_text;
using figures::escaped;
using figures::Figure;
using figures::FigureNumbers;
using figures::GroupContrast;
using figures::in_html;
using figures::LineChange;
using figures::lines_of;
using figures::margin_of;
using figures::name;
using figures::rounded;
using figures::Row;
using figures::shown;
using figures::sign_of;
using figures::subject;
using figures::time_of_hours;
using figures::unmarked;
using figures::width;
using figures::with_digits;

struct Column {
    std::string title;
    bool words = false;  ///< whether the column has text instead of numbers
};
struct Cell {
    std::string text;
    double value = NAN;     ///< the number that the text shows
    std::string note = {};  ///< a second line
    std::string to = {};    ///< the upper end of an interval, after "to"
    double to_value = NAN;
};
struct Table {
    std::string title = {}, about = {};
    std::string sql = {};             ///< empty if no query was made
    std::vector<Column> header = {};  ///< the first column has the subject of each row
    std::vector<std::vector<Cell>> rows = {};
    std::string refused = {};
};

/// A question with its results and figures, or information about the collection.
struct Section {
    std::string title = {};
    std::string result = {};    ///< the result in one sentence
    std::string question = {};  ///< the wording of the question
    std::vector<std::string> paragraphs = {}, points = {};
    bool repeated = false;  ///< whether all reports of all rounds are the same responses
    bool asked = true;      ///< whether it is a single question
    std::vector<Figure> figures = {};
    std::vector<Table> tables = {};
};

/// A sentence about the whole document, and what it is about.
struct Fact {
    enum class Use {
        about,    ///< beside the results
        dates,    ///< below the title
        warning,  ///< before all results: the estimates may be wrong by more than their intervals
    };
    std::string title, text;
    Use use = Use::about;
};

struct Document {
    std::string title = {};
    std::string news = {};         ///< the clear changes and differences; they precede all other text
    std::string description = {};  ///< by the owner of the collection
    std::vector<Fact> lead = {};   ///< before all sections
    std::string source = {}, citation = {};
    std::vector<Section> sections = {};
    double confidence = 0.95;  ///< of all intervals
    bool compares_populations =
        true;  ///< the target of changes between rounds and of differences between groups
    std::vector<std::string> notes = {};  ///< explanations of terms on the page
};

}  // namespace ldp::cli

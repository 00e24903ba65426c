// A document as one SVG file.

#include <ostream>

#include "cli/answers/layouts.hpp"
#include "figures/figure_drawing.hpp"
#include "plot/sheet.hpp"

namespace ldp::cli {

void write_svg(std::ostream& out, const Document& document) {
    plot::ChartLayout sheet;
    sheet.text(document.title, "t b", 18);
    for (const std::string* text : {&document.description, &document.news})
        if (!text->empty()) sheet.text(*text, "t", 13);
    for (const Fact& fact : document.lead) sheet.text(fact.text, "t", 13);
    for (const Section& section : document.sections) {
        for (const Figure& figure : section.figures) {
            sheet.gap(20);
            sheet.text(figure.title, "t b", 15);
            const std::string& result = &figure == section.figures.data() ? section.result : figure.result;
            if (!result.empty()) sheet.text(result, "t", 13);
            if (!figure.about.empty()) sheet.text(figure.about, "m", 12);
            if (!figure.refused.empty()) sheet.text(figure.refused, "t", 12);
            if (figure.rows.empty()) continue;
            sheet.gap(8);
            sheet.row({{figures::drawn(figure)}});
        }
    }
    for (const std::string& note : document.notes) sheet.text(note, "m", 12);
    out << sheet.svg();
}

}  // namespace ldp::cli

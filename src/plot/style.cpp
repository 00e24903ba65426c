#include "plot/style.hpp"

#include <string_view>

namespace ldp::plot {

namespace {

/// Those of text and series have a contrast of 4.5 to 1 or more with the paper, in both schemes.
constexpr Colour all_colours[] = {
    {"paper", "#fff", "#14191e"},   {"ink", "#1d2730", "#e8edf1"},  {"soft", "#55626d", "#a3b0bb"},
    {"grid", "#d9e0e6", "#36424d"}, {"zero", "#8796a2", "#71808d"}, {"0", "#1763a6", "#6db3f2"},
    {"1", "#b3400e", "#f2905c"},    {"2", "#1c7a4a", "#5fcb92"},    {"3", "#7b3fa0", "#c79be8"},
    {"4", "#86670a", "#dcb94a"},    {"5", "#5a6470", "#aab4be"},    {"6", "#0b7285", "#4fc3d9"},
    {"7", "#b02a6b", "#f08cbd"},    {"8", "#7a4a2a", "#d0a27c"},    {"9", "#55700a", "#b5cc4e"},
    {"10", "#1c2e6b", "#98a8f5"},   {"11", "#c22f2f", "#ff8a80"},
};
constexpr std::size_t first_series = 5;

std::string properties(bool dark) {
    std::string text;
    for (const Colour& colour : all_colours)
        text += std::string(" --plot-") + colour.name + ": " + (dark ? colour.dark : colour.light) + ";";
    return text;
}

/// A declaration for programs without custom properties, then the one for those with them.
std::string painted(const char* property, const Colour& colour) {
    return std::string(property) + ": " + colour.light + "; " + property + ": var(--plot-" + colour.name +
           ")";
}

}  // namespace

std::span<const Colour> colours() noexcept {
    return all_colours;
}

std::size_t series_colours() noexcept {
    return std::size(all_colours) - first_series;
}

std::string style_sheet() {
    const Colour &paper = all_colours[0], &ink = all_colours[1], &soft = all_colours[2];
    const Colour &grid = all_colours[3], &zero = all_colours[4];
    // :is() accepts selectors that a browser does not support, such as :has() in older ones.
    std::string text = ":root {" + properties(false) +
                       " }\n@media screen {\n  :root:is([data-theme=\"dark\"], :has(#theme-dark:checked)) {" +
                       properties(true) +
                       " }\n}\n@media screen and (prefers-color-scheme: dark) {\n"
                       "  :root:not(:is([data-theme=\"light\"], :has(#theme-light:checked))) {" +
                       properties(true) + " }\n}\n";
    text +=
        "svg { font: 13px system-ui, sans-serif; overflow: visible }\n"
        ".t { " +
        painted("fill", ink) + " } .m { " + painted("fill", soft) +
        "; font-size: 11.5px } .b { font-weight: 600 } .i { font-style: italic }\n"
        ".c { text-anchor: middle } .e { text-anchor: end }\n"
        ".g { " +
        painted("stroke", grid) + " } .z { " + painted("stroke", zero) + " } .paper { " +
        painted("fill", paper) + " } .s { stroke-width: 2 }\n";
    for (const Colour& colour : std::span(all_colours).subspan(first_series))
        text += std::string(".c") + colour.name + " { " + painted("stroke", colour) + "; " +
                painted("fill", colour) + " }\n";
    return text +
           ".p { fill: none; vector-effect: non-scaling-stroke }\n"
           ".h, .w { stroke: none } .w { fill-opacity: .22 }\n";
}

}  // namespace ldp::plot

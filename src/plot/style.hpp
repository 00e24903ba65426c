// Colours and text of drawings, for light and dark paper.
#pragma once

#include <span>
#include <string>

namespace ldp::plot {

/// A colour is the custom property --plot-NAME, which a page may set; drawings follow it. These are the
/// values without any: in light and in dark.
struct Colour {
    const char *name, *light, *dark;
};
/// The paper first, then what stands on it.
[[nodiscard]] std::span<const Colour> colours() noexcept;
/// How many of them are for series: the classes c0, c1, ...
[[nodiscard]] std::size_t series_colours() noexcept;

/// The style sheet of drawings. Colours are those of prefers-color-scheme, unless the root element has
/// data-theme="light" or "dark", or the page has a checked control with the identifier theme-light or
/// theme-dark. On paper they are light. Programs without custom properties show the light colours.
///
/// Classes of text: t text, m smaller and softer, b bold, i italic, c centred, e ending at its position.
/// Classes of shapes: g a line of the grid, z its zero, s a stroke, p a path, w an area, h a surface, paper.
/// The classes c0, c1, ... have the colours of series.
[[nodiscard]] std::string style_sheet();

}  // namespace ldp::plot

// Colours and text styles of drawings, for light and dark backgrounds.
#pragma once

#include <span>
#include <string>

namespace ldp::plot {

/// A colour of drawings. A page may set it with the custom property --plot-NAME. `light` and `dark` are the
/// default values for the two schemes.
struct Colour {
    const char *name, *light, *dark;
};
/// Returns all colours, the background first.
[[nodiscard]] std::span<const Colour> colours() noexcept;
/// Returns the number of colours for series: the classes c0, c1, ...
[[nodiscard]] std::size_t series_colours() noexcept;

/// Returns the style sheet of drawings. Colours follow prefers-color-scheme, unless the root element
/// has data-theme="light" or "dark", or the page has a checked control with the identifier theme-light or
/// theme-dark. Printed drawings have the light colours. Programs without custom properties show the light
/// colours.
///
/// Classes of text: t text, m smaller and softer, b bold, i italic, c centered, e ending at its position.
/// Classes of shapes: g a line of the grid, z its zero, s a stroke, p a path, w an area, h a surface, paper.
/// The classes c0, c1, ... have the colours of series.
[[nodiscard]] std::string style_sheet();

}  // namespace ldp::plot

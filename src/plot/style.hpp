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

/// Returns the style sheet of drawings. Colours follow prefers-color-scheme, unless the root element has
/// data-theme="light" or "dark". Printed drawings are light. Programs without support for custom properties
/// show the light colours.
///
/// The classes of text are t (text), m (smaller and softer), b (bold), i (italic), c (centred) and e (ends at
/// its position). Those of shapes are g (grid line), z (its zero), s (stroke), p (path), w (area), h
/// (surface) and paper. The colours of series are c0, c1, ...
[[nodiscard]] std::string style_sheet();

}  // namespace ldp::plot

// Figures as drawings: the choice of drawing for each kind, and its texts. src/plot draws.
#pragma once

#include "figures/estimate_figure.hpp"
#include "plot/canvas.hpp"

namespace ldp::figures {

[[nodiscard]] plot::Drawing drawn(const Figure& figure);

}  // namespace ldp::figures

// Everything that a collection's reports can be asked, and what may be said without asking.
#pragma once

#include "cli/answers/source.hpp"

namespace ldp::cli {

/// The whole answer. What can be asked follows from what the mechanism can do, never from its name.
[[nodiscard]] Document answers_of(Source& source);

/// Figures of everything that the reports tell.
[[nodiscard]] Section figures_of(Source& source);

}  // namespace ldp::cli

// Everything that a collection's reports can be asked, and what may be said without asking.
#pragma once

#include "cli/answers/source.hpp"

namespace ldp::cli {

/// The whole answer. What can be asked follows from what the mechanism can do, never from its name.
[[nodiscard]] Document answers_of(Source& source);

/// Figures of everything that the reports tell.
[[nodiscard]] Section figures_of(Source& source);
/// What people were asked; what they were promised, in plain words; what it cost them; how far liars get, and
/// whether there are signs of any.
[[nodiscard]] Section collected(const Source& source);
[[nodiscard]] Section promise(const Source& source);
[[nodiscard]] Section trust(Source& source);
/// The errors that the spec let expect, beside those that came out.
[[nodiscard]] Section planned(const Source& source, const Section& figures);

}  // namespace ldp::cli

// The document of a collection: all questions that the reports answer, and the conditions of the answers.
#pragma once

#include <vector>

#include "cli/answers/source.hpp"

namespace ldp::cli {

/// The whole document. Its questions follow from the capabilities of the mechanism, not from its name.
[[nodiscard]] Document answers_of(Source& source);

/// The questions of a collection, with their figures and results.
[[nodiscard]] std::vector<Section> questions_of(Source& source);

}  // namespace ldp::cli

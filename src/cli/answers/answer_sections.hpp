// The document of a collection: all questions that the reports answer, and the conditions of the answers.
#pragma once

#include <vector>

#include "cli/answers/source.hpp"

namespace ldp::cli {

/// The whole document. Its questions follow from the capabilities of the mechanism, not from its name.
[[nodiscard]] Document answers_of(Source& source);

/// The questions of a collection, with their figures and results.
[[nodiscard]] std::vector<Section> questions_of(Source& source);

/// How many people were asked and reported, in one sentence; empty if the number of people who were asked is unknown.
[[nodiscard]] std::string response_of(const Source& source);
/// The response by round and by question; empty if all reports are about all questions and nothing else is known. The
/// questions have the numbers of reports that their figures used.
[[nodiscard]] Section response_section(Source& source, const std::vector<Section>& questions);

}  // namespace ldp::cli

// The document of a collection: all questions that the reports answer, and the conditions of the answers.
#pragma once

#include <vector>

#include "cli/answers/source.hpp"

namespace ldp::cli {

/// The whole document. Its questions follow from the capabilities of the mechanism, not from its name.
[[nodiscard]] Document answers_of(Source& source);

/// The questions of a collection, with their figures and results.
[[nodiscard]] std::vector<Section> questions_of(Source& source);

/// The reports about a question. `own`: the number is taken from the figure of the question, because several
/// questions are reported together.
struct QuestionCount {
    std::size_t attribute;  ///< the first one of a vector
    std::uint64_t reports;
    bool own;
};
[[nodiscard]] std::vector<QuestionCount> counts_by_question(const Source& source,
                                                            const std::vector<Section>& questions);

/// A sentence with the numbers of people who were asked and who reported, or the statement that they are not
/// known.
[[nodiscard]] std::string response_of(const Source& source);
/// The response by round and by question; empty if all reports are about all questions and nothing else is
/// known. The number of reports about a question is the number that its figure used.
[[nodiscard]] Section response_section(Source& source, const std::vector<Section>& questions);

}  // namespace ldp::cli

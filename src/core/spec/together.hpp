// Which mechanism tells several attributes together best, as a spec asks about them.
#pragma once

#include <vector>

#include "core/mechanism/selection.hpp"
#include "core/spec/json_object.hpp"

namespace ldp {

/// Whether a spec does: it has "views", or its mechanism is one of those.
[[nodiscard]] bool asks_together(const Json& spec);

/// These mechanisms, the better one first, with the options that the spec gives them; their obstacle is what
/// a spec through them is refused for. Their variance is the exact one of the two attributes that are told
/// worst, of people who are spread evenly over the cells: of a cell's share, or, if the spec's "target" is
/// "ranges", of boxes half as wide as both attributes, on average over where they begin; where views have one
/// attribute each, of a value's share. Where "people" has questions left out that such an answer takes, it is
/// that without "people". The spec's other keys are taken as they are; throws Error as Spec::from_json does
/// unless it is invalid_spec.
[[nodiscard]] std::vector<Candidate> rank_together(const Json& spec);

/// Settles "auto": the first of the ranking, and why. Throws Error (invalid_spec) that tells each one's
/// obstacle if none can be chosen.
[[nodiscard]] Selected choose_together(const Json& spec);

}  // namespace ldp

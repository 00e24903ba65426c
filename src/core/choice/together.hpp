// The choice of a mechanism for joint estimates of several attributes.
#pragma once

#include <vector>

#include "core/choice/selection.hpp"
#include "core/contract/json_object.hpp"

namespace ldp {

/// Whether a spec needs joint estimates: it has "marginals", or names a mechanism for them.
[[nodiscard]] bool asks_together(const Json& spec);

/// Ranks the mechanisms for joint estimates with the options of the spec, the better one first. An obstacle
/// is the error of a spec with this mechanism. The variance is exact, and refers to the two attributes with
/// the largest variance, for values spread evenly over the cells. It is the variance of a cell's share. If
/// the spec's "target" is "ranges", it is the variance of boxes half as wide as both attributes, averaged
/// over their positions. If views have one attribute each, it is the variance of a value's share. If "people"
/// omits queries that the estimate needs, the variance is computed without "people". Throws Error as
/// Spec::from_json does, except invalid_spec. `responses` is the limit of memoized responses, or null.
[[nodiscard]] std::vector<Candidate> rank_together(const Json& spec,
                                                   const ResponseLimit* responses = nullptr);

/// Chooses the mechanism for "auto": the first of the ranking, with the reason. Throws Error (invalid_spec)
/// with the obstacle of each mechanism if none can be chosen.
[[nodiscard]] Selected choose_together(const Json& spec, const ResponseLimit* responses = nullptr);

}  // namespace ldp

// The choices that a spec leaves open: the mechanism "auto", the protocol "evolving": "auto", the views of joint
// tables, and the parts of a record. Servers and commands make these choices; devices receive the result.
#pragma once

#include <string_view>
#include <vector>

#include "core/choice/selection.hpp"
#include "core/contract/spec.hpp"

namespace ldp {

/// Parses a spec and makes the choices that it leaves open. A spec without open choices is returned as
/// Spec::from_json() returns it. Throws Error as Spec::from_json() does, and if a choice is impossible.
[[nodiscard]] Spec resolve(std::string_view json);

/// The requirements of a spec, and the ranking of mechanisms for them.
struct Ranking {
    SelectionRequest demand;            ///< the requirements
    std::vector<Candidate> candidates;  ///< as by rank()
};
/// Ranks the mechanisms for a spec, whose own mechanism is ignored. The limits come from the spec, or from
/// its earlier choice. For a spec about several attributes together, the candidates of rank_together() are
/// first, and all others have an obstacle. Throws Error as resolve() does.
[[nodiscard]] Ranking advise(std::string_view json);

}  // namespace ldp

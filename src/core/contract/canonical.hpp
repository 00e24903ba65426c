// The canonical form of a spec: equal for equal specs, complete, and read back to an equal spec.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/contract/spec.hpp"

namespace ldp {

/// Without "derived" and "chosen": what the fingerprint is of.
[[nodiscard]] nlohmann::json canonical_json(const Spec& spec);
/// The canonical form with the texts of the spec.
[[nodiscard]] nlohmann::json described_json(const Spec& spec);
/// The object "budget".
[[nodiscard]] nlohmann::json budget_json(const Budget& budget);
/// What follows from it: sizes, and the parameters that its mechanism works out.
[[nodiscard]] nlohmann::json derived_json(const Spec& spec);

}  // namespace ldp

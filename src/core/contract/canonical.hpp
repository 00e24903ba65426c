// The canonical form of a spec: equal for equal specs, complete, and read back to an equal spec.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/contract/spec.hpp"

namespace ldp {

/// Returns the canonical form without "derived" and "chosen". The fingerprint is computed from it.
[[nodiscard]] nlohmann::json canonical_json(const Spec& spec);
/// Returns the canonical form with the texts of the spec.
[[nodiscard]] nlohmann::json described_json(const Spec& spec);
/// Returns the object "budget".
[[nodiscard]] nlohmann::json budget_json(const Budget& budget);
/// Returns the object "derived": sizes, and the parameters that the mechanism computes.
[[nodiscard]] nlohmann::json derived_json(const Spec& spec);

}  // namespace ldp

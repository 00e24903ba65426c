// The choices that a record of parts leaves open: its mechanisms, the number of parts in a report, and how
// often each part is reported.
#pragma once

#include <vector>

#include "core/choice/selection.hpp"

namespace ldp {

/// Makes the choices of a record whose options are complete with their defaults. Without "per_report", the
/// number of parts is the one with the least geometric mean of their variances. `responses` is the limit of
/// memoized responses, or null. Throws Error (invalid_spec) if no mechanism suits or keeps to the limits, or
/// if the margins cannot be reached.
void choose_record(SettingsDraft& draft, const Limits& limits, const ResponseLimit* responses);

/// The mechanism for a vector that is reported alone: the one for ranges for "estimate": "ranges", else the one of
/// least expected variance of the means. Throws Error (invalid_spec).
[[nodiscard]] const MechanismEntry& choose_vector_mechanism(const std::vector<Attribute>& attributes,
                                                            double epsilon, const Limits& limits,
                                                            const ResponseLimit* responses = nullptr);

}  // namespace ldp

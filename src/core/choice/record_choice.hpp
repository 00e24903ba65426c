// The choices that a record of parts leaves open: its mechanisms, the number of parts in a report, and how
// often each part is reported.
#pragma once

#include <vector>

#include "core/choice/selection.hpp"

namespace ldp {

/// Makes the choices of a record whose options are complete with their defaults. Without "per_report", the
/// choice is the number of parts with the smallest geometric mean of the variances of all parts. `responses`
/// is the limit of memoized responses, or null. Throws Error (invalid_spec) if no mechanism suits or keeps to
/// the limits, or if the margins cannot be reached.
void choose_record(SettingsDraft& draft, const Limits& limits, const ResponseLimit* responses);

/// The mechanism of a vector that is reported alone.
struct VectorChoice {
    const MechanismEntry* mechanism;
    double n_variance;  ///< the largest expected one of an element; unknown for "estimate": "ranges"
};
/// The mechanism for ranges for "estimate": "ranges", otherwise the one with the smallest expected variance of the means. The
/// first attribute's option "norm" bounds the length of vectors. Throws Error (invalid_spec).
[[nodiscard]] VectorChoice choose_vector_mechanism(const std::vector<Attribute>& attributes, double epsilon,
                                                   const Limits& limits,
                                                   const ResponseLimit* responses = nullptr);

}  // namespace ldp

// The choice by "evolving": "auto" for several attributes, and for the distribution of one attribute. It
// chooses the ε of a response and the mechanism of each part. All choices have the same limit of the total ε.
#pragma once

#include <string>
#include <vector>

#include "core/choice/evolving_choice.hpp"
#include "core/choice/response_needs.hpp"

namespace ldp {

/// A part of a planned spec: an attribute, a vector, or the attributes of joint tables.
struct PlannedPart {
    std::string name;       ///< of its first attribute, or of its vector
    std::string mechanism;  ///< the mechanism of the part
    double chance;          ///< the probability that a person reports it
    /// Predicted error of its estimates in a round, for all people of the stream. The error of a mean is in
    /// the unit of the attribute. Otherwise it is the root mean square over the shares, ranges or elements.
    double error;
    double ended;  ///< share of its people whose budget ends
};

/// A spec, its predicted parts, and the stream for which they are predicted.
struct PlannedRecord {
    Spec spec;
    std::vector<PlannedPart> parts;
    DeclaredStream stream;
};

/// Whether "evolving": "auto" is about several attributes or a vector, or has "estimate".
[[nodiscard]] bool asks_for_record_protocol(const Json& spec);
/// Returns the spec with the "stream" objects of attributes moved into the object "stream" beside
/// "attributes". Throws Error (invalid_spec) if an attribute has a stream in both.
[[nodiscard]] Json with_collected_streams(Json spec);

/// Chooses ε among the values that the budget permits, by the smallest geometric mean of the parts' errors.
/// For each ε, the parts are chosen as without "evolving": "auto": only mechanisms whose budget cannot end,
/// or under which it ends for at most 5 % of the people of the stream. The reason in the spec states the
/// errors. Throws Error (invalid_spec).
[[nodiscard]] PlannedRecord plan_record_protocol(const Json& spec);
/// Predicts the parts of a spec with "evolving".
[[nodiscard]] std::vector<PlannedPart> predict_parts(const Spec& spec, const DeclaredStream& stream,
                                                     std::size_t most_values);

}  // namespace ldp

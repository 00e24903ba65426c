// Which mechanism suits a question best: what "auto" in a spec means, and the ranking behind it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/spec/spec.hpp"

namespace ldp {

/// A mechanism under one question, with its options' defaults.
struct Candidate {
    const MechanismEntry* mechanism;
    double n_variance;  ///< Mechanism::promised_variance, of the attribute that has the largest
    std::uint64_t report_bytes;
    std::uint64_t summary_bytes;
    double decode_cost;    ///< in the unit of Limits
    std::string obstacle;  ///< why it cannot be chosen; empty if it can
};

/// All mechanisms that "auto" knows: those that can be chosen first, each part by ascending variance, equal
/// ones by size and cost. One that cannot be built for so many values has NaN and 0 for what is unknown. Two
/// or more attributes are a record, whose attributes keep to the limits one by one. There is at least one.
[[nodiscard]] std::vector<Candidate> rank(double epsilon, const std::vector<Attribute>& attributes,
                                          const Limits& limits);

/// The ranking for a spec whose mechanism does not matter: another, "auto", or none. Throws Error as
/// Spec::from_json does.
[[nodiscard]] std::vector<Candidate> advise(std::string_view json);

struct Verdict {
    const MechanismEntry* mechanism;
    std::string reason;  ///< one sentence
};
/// Settles "auto": the first of the ranking, and why. Throws Error (invalid_spec) that tells each one's
/// obstacle if none can be chosen.
[[nodiscard]] Verdict choose(const Demand& demand);

}  // namespace ldp

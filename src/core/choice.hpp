// Which mechanism suits a question best: what "auto" in a spec means, and the ranking behind it.
#pragma once

#include <string>
#include <vector>

#include "spec.hpp"

namespace ldp {

/// What a choice must keep to.
struct Limits {
    std::uint64_t report_bytes = 64;  ///< whole reports, parameter block included
    std::uint64_t decode_cost =
        1000;  ///< Cost::per_report + Cost::per_answer / 10^6: steps a report, at a million
};

/// A mechanism under one question.
struct Candidate {
    const MechanismEntry* mechanism;
    double n_variance;  ///< n·Var of a frequency, averaged over the values, which is the same for all data
    std::uint64_t report_bytes;
    std::uint64_t summary_bytes;
    double decode_cost;
    std::string obstacle;  ///< why it cannot be chosen; empty if it can
};

/// All mechanisms that "auto" knows for these attributes: those that can be chosen first, each part by
/// ascending variance. One that cannot take the attributes at all has NaN and 0 for what is unknown.
[[nodiscard]] std::vector<Candidate> rank(double epsilon, const std::vector<Attribute>& attributes,
                                          const Limits& limits);

}  // namespace ldp

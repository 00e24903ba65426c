// Mechanism selection: ranks mechanisms for given attributes. "auto" in a spec chooses the first.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/mechanism/settings.hpp"

namespace ldp {

class Mechanism;

/// The requirements of a collection, independent of the mechanism.
struct SelectionRequest {
    double epsilon;                     ///< ε of a report
    std::vector<Attribute> attributes;  ///< the attributes that users report
    Limits limits;                      ///< the limits of reports and decoding
};

/// A mechanism under the requirements, with default options.
struct Candidate {
    const MechanismEntry* mechanism;  ///< the mechanism
    double n_variance;                ///< Planner::expected_variance(), the largest over the attributes
    double bias;  ///< largest bias by one percent of forged reports, of a share or of a mean on [−1,1]
    std::uint64_t report_bytes;   ///< size of a whole report, parameter block included
    std::uint64_t summary_bytes;  ///< size of a summary
    double decode_cost;           ///< in the unit of Limits
    std::string obstacle;         ///< the reason why it cannot be chosen; empty if it can
};

/// Returns a candidate with the sizes and the cost of the mechanism that `build` makes. `build` also sets
/// variance and bias. If `build` throws Error (invalid_spec), its message becomes the obstacle.
[[nodiscard]] Candidate measured_candidate(
    const MechanismEntry& entry, const std::function<std::unique_ptr<const Mechanism>(Candidate&)>& build);

/// Returns all mechanisms that "auto" considers. Candidates without an obstacle come first. Both parts are
/// sorted by ascending variance, then by size and cost. A mechanism that cannot be built for the domain has
/// NaN and 0 for unknown fields. Two or more attributes form a record, whose attributes are checked against
/// the limits one by one. The result is not empty.
[[nodiscard]] std::vector<Candidate> rank(const SelectionRequest& demand);

/// The result of "auto".
struct Selected {
    const MechanismEntry* mechanism;  ///< the mechanism
    std::string reason;               ///< one sentence
};
/// Returns the first candidate of the ranking and the reason of the choice. Error (invalid_spec) with the
/// obstacle of each candidate if none can be chosen.
[[nodiscard]] Selected choose(const SelectionRequest& demand);

}  // namespace ldp

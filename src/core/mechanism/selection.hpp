// Mechanism selection: which one suits a question best, which is what "auto" in a spec means.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/mechanism/settings.hpp"

namespace ldp {

class Mechanism;

/// What is asked for, whichever mechanism answers.
struct SelectionRequest {
    double epsilon;                     ///< of a report
    std::vector<Attribute> attributes;  ///< what people report
    Limits limits;                      ///< what it must keep to
};

/// A mechanism under one question, with its options' defaults.
struct Candidate {
    const MechanismEntry* mechanism;  ///< which one
    double n_variance;                ///< Planner::promised_variance, of the attribute that has the largest
    double bias;  ///< how far one forged report in a hundred moves an estimate at most, in the same unit
    std::uint64_t report_bytes;   ///< of a whole report, parameter block included
    std::uint64_t summary_bytes;  ///< of a summary
    double decode_cost;           ///< in the unit of Limits
    std::string obstacle;         ///< why it cannot be chosen; empty if it can
};

/// A candidate whose variance and pull `build` tells of the mechanism that it makes, and whose sizes and cost
/// are that one's. If a spec is refused there (Error invalid_spec), why is its obstacle.
[[nodiscard]] Candidate measured_candidate(
    const MechanismEntry& entry, const std::function<std::unique_ptr<const Mechanism>(Candidate&)>& build);

/// All mechanisms that "auto" knows: those that can be chosen first, each part by ascending variance, equal
/// ones by size and cost. One that cannot be built for so many values has NaN and 0 for what is unknown. Two
/// or more attributes are a record, whose attributes keep to the limits one by one. There is at least one.
[[nodiscard]] std::vector<Candidate> rank(const SelectionRequest& demand);

/// What was chosen.
struct Selected {
    const MechanismEntry* mechanism;  ///< which one
    std::string reason;               ///< one sentence
};
/// Settles "auto": the first of the ranking, and why. Throws Error (invalid_spec) that tells each one's
/// obstacle if none can be chosen.
[[nodiscard]] Selected choose(const SelectionRequest& demand);

}  // namespace ldp

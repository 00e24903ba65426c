// The plan of a whole record: the expected error of each attribute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/spec.hpp"

namespace ldp {

/// The expected error of one estimate of a record.
struct RecordEstimate {
    std::string attribute;
    std::string estimate;   ///< for display
    std::string mechanism;  ///< of the part of the record
    double reports;         ///< expected number of reports about the part
    double error;           ///< standard error, in the units of the attribute
    double margin;          ///< half the length of the interval at 95 %
    /// The number of people from which on the margin of the spec is reached; empty if it has none.
    std::optional<std::uint64_t> people = {};
};

/// The expected errors of all parts of a record.
struct RecordPlan {
    Spec spec;
    std::uint64_t people;
    std::vector<RecordEstimate> estimates;
};

/// Returns whether a spec in JSON with this planning target is planned as a whole: it has an ε and is a
/// record of parts, and the target names neither an attribute nor an error.
[[nodiscard]] bool plans_record(const std::string& spec, const std::string& target);

/// Plans a record. People are spread evenly over the values of each attribute. Without a number of people,
/// "people" of the spec is used, or the number that "max_margin_of_error" requires. Throws Error
/// (invalid_spec) if there is neither, or if the people do not suffice for the margins.
[[nodiscard]] RecordPlan plan_record(const std::string& spec, const std::string& target,
                                     std::optional<std::int64_t> people);

}  // namespace ldp

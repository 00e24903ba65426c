// The specs and values whose reports are counted.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace ldp::test {

/// The values of a record, which own their texts.
using OwnedRecord = std::vector<std::variant<double, std::string>>;

/// A record, and the records that the client has reported before.
struct TimedRecord {
    std::string name;
    OwnedRecord record;
    std::vector<OwnedRecord> before;
};

/// Records that are compared with each other.
struct TimedCase {
    std::string name;
    std::string spec;
    std::vector<TimedRecord> records;
};

/// Returns a case for each mechanism of the registry, with the name of the mechanism.
[[nodiscard]] std::vector<TimedCase> mechanism_cases();
/// Returns the cases of kinds of input: labels, texts, sets, numbers, records, memoized responses.
[[nodiscard]] std::vector<TimedCase> input_cases();
/// Returns records that the client rejects.
[[nodiscard]] std::vector<TimedCase> refused_cases();

}  // namespace ldp::test

// Descriptions of the columns of a file that a statistics package wrote.
#pragma once

#include <string>
#include <vector>

namespace ldp::cli {

/// A code in a file, and its text for people.
struct ValueLabel {
    std::string code;
    std::string label;

    [[nodiscard]] bool operator==(const ValueLabel&) const = default;
};

/// A column of the file.
struct CodebookColumn {
    enum class ColumnKind { number, text, date };
    /// The level of measurement that the file states.
    enum class Measure { unknown, nominal, ordinal, scale };

    std::string name;
    std::string title = {};  ///< the variable label
    ColumnKind kind = ColumnKind::number;
    Measure measure = Measure::unknown;
    std::vector<ValueLabel> labels = {};   ///< in ascending order of codes, without missing codes
    std::vector<ValueLabel> missing = {};  ///< codes and ranges of missing answers

    [[nodiscard]] bool operator==(const CodebookColumn&) const = default;
};

struct Codebook {
    std::string title = {};  ///< the file label
    std::vector<CodebookColumn> columns = {};

    [[nodiscard]] bool operator==(const Codebook&) const = default;
};

}  // namespace ldp::cli

// Descriptions of the columns of a file that a statistics package wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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

/// Returns a text with a space instead of each character that controls a terminal: below U+0020, and U+007F to U+009F.
/// Use it for texts from a file that are shown without quotes. Texts of specs have none of these characters.
[[nodiscard]] inline std::string without_controls(std::string_view text) {
    std::string safe;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
        const bool two_bytes = byte == 0xC2 && next >= 0x80 && next < 0xA0;
        safe += byte < 0x20 || byte == 0x7F || two_bytes ? ' ' : text[i];
        if (two_bytes) ++i;
    }
    return safe;
}

struct Codebook {
    std::string title = {};  ///< the file label
    std::vector<CodebookColumn> columns = {};

    [[nodiscard]] bool operator==(const Codebook&) const = default;
};

}  // namespace ldp::cli

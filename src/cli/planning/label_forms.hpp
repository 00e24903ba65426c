// Labels that are the same text in two Unicode forms.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ldp::cli {

/// Returns two labels that are probably one text in a decomposed and a composed form (NFD and NFC), as "e" with a
/// combining accent and the single character; nothing if no two labels are. Labels must be valid UTF-8.
///
/// Without tables of characters, a letter with combining marks is compared with any single character outside
/// ASCII. Labels that mix both forms of different letters may therefore be returned.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> two_forms(
    const std::vector<std::string>& labels);

}  // namespace ldp::cli

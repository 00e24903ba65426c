// The command that `ldp audit --command` attacks: values in, reports out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli {

/// A shell command that writes a report for each value.
struct AttackedCommand {
    /// Stands for the value, if the command runs once for each report.
    static constexpr const char* value_mark = "{value}";

    std::string text;
    /// Whether the command runs once for each person. Otherwise it runs once for all people, or, with the mark, once
    /// for each report.
    bool alone = false;

    /// Whether the command contains the mark.
    [[nodiscard]] bool runs_by_value() const { return text.find(value_mark) != std::string::npos; }
    /// Returns the lines that the command writes for `people` people, who all have these values in their rounds: one
    /// line for each value of each person, in order. Calls `done` after each person. Throws Error: environment if the
    /// command fails, malformed if it writes another number of lines.
    [[nodiscard]] std::vector<std::string> lines(const std::vector<std::string>& values, std::uint64_t people,
                                                 const std::function<void()>& done) const;
};

/// Reads reports of a mechanism: hexadecimal digits, as `ldp perturb` and ldp_report write them. Returns the bytes behind
/// the block of each report. Throws Error with the number of the line: malformed if a line is not a report that the
/// server accepts, incompatible if it belongs to another spec. `value` is the value of these reports, for the error.
[[nodiscard]] std::vector<std::vector<std::byte>> sent_in_lines(const Mechanism& mechanism,
                                                                const std::vector<std::string>& lines,
                                                                const std::string& value);

}  // namespace ldp::cli

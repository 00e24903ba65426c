// The parser of files of statistics packages, which runs in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ldp::cli {

/// A format of a statistics package.
enum class StatisticsFormat { sav, por, dta, sas7bdat, xport };

/// Returns the format for the ending of a file's name: .sav, .zsav, .por, .dta, .sas7bdat and .xpt, in any case.
[[nodiscard]] std::optional<StatisticsFormat> statistics_format(std::string_view file);

/// Returns whether this program was built with ReadStat, which reads these formats.
[[nodiscard]] bool has_statistics_parser() noexcept;

/// The kinds of frames from the parser's process. A frame is its kind, its size as four bytes, least significant first,
/// and its content: the codebook in JSON, CSV text of the rows, the end without content, or the message of an error.
enum class FrameKind : char { codebook = 'C', rows = 'R', end = 'E', error = 'X' };

/// Parses the file and writes frames to the descriptor: the codebook, then rows, then the end; or an error at any time.
/// Never returns to the caller. Call it in a child process only.
[[noreturn]] void run_statistics_parser(int descriptor, const std::string& file, StatisticsFormat format);

}  // namespace ldp::cli

// A reader of CSV (RFC 4180) that streams: its memory is bounded whatever the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace ldp::cli {

/// Reads a header and then one record after another. Fields are separated by commas and may stand in double
/// quotes; lines end in LF or CRLF; a byte order mark and empty lines (unless there is only one column, where
/// they are records) are passed over.
///
/// Two kinds of errors: Error (invalid_value) is about one record, whose place is known, and reading may go
/// on behind it; Error (malformed) is about the file, and after it there is nothing more to read.
class CsvReader {
  public:
    /// Longest record, in bytes, line end included, and most columns.
    static constexpr std::size_t longest = std::size_t{1} << 20;
    static constexpr std::size_t most_columns = 10000;

    /// Reads the header. `name` stands in errors. Throws Error (malformed) if there is none, or if it is no
    /// CSV.
    CsvReader(std::istream& in, std::string name);

    /// The names of the columns.
    [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
    /// Where a column of this name stands. Throws Error (malformed), with this hint, if there is none, or
    /// more than one.
    [[nodiscard]] std::size_t column(std::string_view name, const std::string& hint = {}) const;

    /// Reads the next record. False at the end of the file.
    [[nodiscard]] bool next();
    /// A field of the record that next() read; valid until it is called again.
    [[nodiscard]] std::string_view field(std::size_t column) const noexcept;
    /// The line that the record begins on, from 1; in a file of one record a line, its number.
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// A place between two records.
    struct Position {
        std::uint64_t offset;  ///< bytes before it
        std::uint64_t line;    ///< the line that begins there
    };
    /// The place behind the record that next() read or refused.
    [[nodiscard]] Position place() const noexcept { return {offset_, next_line_}; }
    /// Goes on reading there. The stream must be seekable.
    void seek(const Position& place);

  private:
    [[nodiscard]] bool fill();
    [[nodiscard]] int get();
    void take_plain();
    [[nodiscard]] bool begin_record();
    [[nodiscard]] const char* parse_record();
    [[noreturn]] void broken(std::uint64_t line, const std::string& message, const std::string& detail,
                             const std::string& hint) const;

    std::istream& in_;
    std::string name_;
    std::vector<std::string> header_;

    std::string text_;               ///< the fields of the record, one behind the other, without their quotes
    std::vector<std::size_t> ends_;  ///< where each of them ends in it
    std::uint64_t line_ = 0;         ///< of the record
    std::uint64_t start_ = 0;        ///< offset of the record
    std::uint64_t next_line_ = 1;
    std::uint64_t offset_ = 0;

    std::vector<char> buffer_;
    const char* at_ = nullptr;  ///< the next byte in the buffer
    const char* end_ = nullptr;
};

}  // namespace ldp::cli

// A streaming reader of CSV (RFC 4180) with bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace ldp::cli {

/// Reads a header and then one record after another. Fields are separated by commas and may be in double
/// quotes. Lines end in LF or CRLF. A byte order mark is skipped. Empty lines are skipped, too, unless there
/// is only one column, where they are records.
///
/// An Error (invalid_value) concerns one record, and reading can continue with the next one. An Error
/// (malformed) concerns the file, and reading must stop.
class CsvReader {
  public:
    /// Maximum length of a record in bytes, including the line end.
    static constexpr std::size_t longest = std::size_t{1} << 20;
    /// Maximum number of columns.
    static constexpr std::size_t most_columns = 10000;

    /// Reads the header. `name` is the file's name in errors. Throws Error (malformed) if the file has no
    /// header or is not CSV.
    CsvReader(std::istream& in, std::string name);

    /// The names of the columns.
    [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
    /// Returns the index of the column with this name. Throws Error (malformed), with this hint, if there is
    /// no such column or more than one.
    [[nodiscard]] std::size_t column(std::string_view name, const std::string& hint = {}) const;

    /// Reads the next record. Returns false at the end of the file.
    [[nodiscard]] bool next();
    /// Returns a field of the current record; valid until the next call of next().
    [[nodiscard]] std::string_view field(std::size_t column) const noexcept;
    /// Returns the number of the record's first line, from 1.
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// A position between two records.
    struct Position {
        std::uint64_t offset;  ///< in bytes
        std::uint64_t line;    ///< number of the line that begins here
    };
    /// Returns the position behind the current record.
    [[nodiscard]] Position position() const noexcept { return {offset_, next_line_}; }
    /// Continues reading at this position. The stream must be seekable.
    void seek(const Position& position);

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

    std::string text_;               ///< concatenated fields of the record, without quotes
    std::vector<std::size_t> ends_;  ///< end of each field in `text_`
    std::uint64_t line_ = 0;         ///< first line of the record
    std::uint64_t start_ = 0;        ///< offset of the record
    std::uint64_t next_line_ = 1;
    std::uint64_t offset_ = 0;

    std::vector<char> buffer_;
    const char* at_ = nullptr;  ///< the next byte in the buffer
    const char* end_ = nullptr;
};

}  // namespace ldp::cli

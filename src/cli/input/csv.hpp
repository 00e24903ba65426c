// A streaming reader of CSV (RFC 4180) with bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/codebook.hpp"

namespace ldp::cli {

/// How the values of a file are written.
struct CsvFormat {
    std::optional<char> delimiter = {};     ///< ',' ';' '|' or a tab; a comma if no delimiter was given
    char decimal = '.';                     ///< the decimal mark of numbers, '.' or ','
    std::vector<std::string> missing = {};  ///< texts of missing answers, besides the empty text
    const Codebook* codebook = nullptr;     ///< of the columns, if the file has one
    bool numbers_rows = false;              ///< errors name rows from 1, not lines: each record is one line
    std::string encoding = {};    ///< as iconv names it; empty for UTF-8, or UTF-16 with a byte order mark
    std::size_t header_rows = 1;  ///< the first row has the names of the columns; the other rows are not read
    std::string set_separator = ";";  ///< between the labels of a set

    [[nodiscard]] bool operator==(const CsvFormat&) const = default;
};

/// Reads a header and then one record after another. Fields are separated by commas or another delimiter and
/// may be in double quotes. Lines end in LF or CRLF. A byte order mark is skipped, and a first line such as "sep=;" names the
/// delimiter. Empty lines are skipped, unless there is only one column, where they are records. Blank records, which have
/// delimiters only, are skipped and counted. Texts must be UTF-8.
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
    CsvReader(std::istream& in, std::string name, CsvFormat format = {});

    /// The names of the columns.
    [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }
    /// Returns the index of the column with this name. Throws Error (malformed), with this hint, if there is
    /// no such column or more than one.
    [[nodiscard]] std::size_t column(std::string_view name, const std::string& hint = {}) const;
    /// Returns the delimiter that probably separates the header's names, if the header has one column and no
    /// delimiter was given; otherwise nothing.
    [[nodiscard]] std::optional<char> probable_delimiter() const;
    /// Throws Error (malformed) if the header probably has another delimiter.
    void need_columns() const;
    /// From now on, the fields of a column with value labels are the labels of their codes. A code is kept if
    /// `known` contains the code but not its label.
    void use_labels(std::size_t column, const std::vector<std::string>& known);

    /// Reads the next record. Returns false at the end of the file.
    [[nodiscard]] bool next();
    /// Returns a field of the current record; valid until the next call of next(). A missing answer is empty.
    [[nodiscard]] std::string_view field(std::size_t column) const noexcept;
    /// Returns a field as a number is written in C: with a point as its decimal mark. Valid until the next call.
    [[nodiscard]] std::string_view number_field(std::size_t column);
    /// Returns the number of the record's first line, from 1.
    [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
    /// Returns the name of a record by its line() for errors: "line 12", or "row 11".
    [[nodiscard]] std::string record_name(std::uint64_t line) const;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const CsvFormat& format() const noexcept { return format_; }

    /// Returns the number of blank records that were skipped.
    [[nodiscard]] std::uint64_t blank() const noexcept { return blank_; }

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
    void refuse_others() const;
    void take_separator_line();
    void read_header();
    void need_utf8() const;
    [[nodiscard]] bool begin_record();
    [[nodiscard]] const char* parse_record();
    [[noreturn]] void broken(std::uint64_t line, const std::string& message, const std::string& detail,
                             const std::string& hint) const;
    /// Returns the delimiter under which a part of a name in the header is this name.
    [[nodiscard]] std::optional<char> delimiter_of(std::string_view name) const;
    [[nodiscard]] std::string_view raw_field(std::size_t column) const noexcept;

    std::istream& in_;
    std::string name_;
    CsvFormat format_;
    char delimiter_;
    std::map<std::size_t, std::map<std::string, std::string, std::less<>>> labels_;  ///< of use_labels()
    std::string number_;                                                             ///< of number_field()
    std::vector<std::string> header_;

    std::string text_;               ///< concatenated fields of the record, without quotes
    std::vector<std::size_t> ends_;  ///< end of each field in `text_`
    bool quoted_ = false;            ///< whether a field of the record is in quotes
    std::uint64_t blank_ = 0;        ///< blank records that were skipped
    std::uint64_t line_ = 0;         ///< first line of the record
    std::uint64_t start_ = 0;        ///< offset of the record
    std::uint64_t next_line_ = 1;
    std::uint64_t offset_ = 0;

    std::vector<char> buffer_;
    const char* at_ = nullptr;  ///< the next byte in the buffer
    const char* end_ = nullptr;
};

}  // namespace ldp::cli

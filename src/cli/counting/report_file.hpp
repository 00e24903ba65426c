// Files of reports: lines of hexadecimal digits, COPY in text and binary format, CSV, and bytes.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli {

/// What the command line says about files of reports.
struct ReportFileOptions {
    std::vector<std::string> columns =
        {};  ///< of a COPY, whose output does not name them; empty: the report alone
    std::vector<std::string> by = {};  ///< columns of groups
    std::optional<std::int32_t> round =
        {};                ///< of all reports; no value: of the column round, if the file has it
    char delimiter = ',';  ///< of CSV
};

/// How the reports of a file are written.
enum class ReportFormat { lines, copy_text, copy_binary, csv, bytes };

/// The format of one file, and the positions of its columns.
struct ReportLayout {
    static constexpr std::size_t of_round = ~std::size_t{0};  ///< in `by`: the group's value is the round

    std::string name;  ///< of the file, in errors
    ReportFormat format;
    char delimiter = ',';
    std::size_t columns = 1, report = 0;
    std::optional<std::size_t> round = {};
    std::optional<std::int32_t> every_round = {};
    std::vector<std::size_t> by = {};  ///< the columns of groups
    std::vector<std::string> by_names = {};

    /// Returns the name of a record for errors: "reports.csv, line 12".
    [[nodiscard]] std::string place(std::uint64_t record) const;
};

/// Consecutive whole records of a file.
struct RecordChunk {
    std::uint64_t number = 0;  ///< of the chunk in its run, from 0
    std::shared_ptr<const ReportLayout> layout = {};
    std::uint64_t first = 1;  ///< number of the first line or record
    std::vector<char> bytes = {};
    std::size_t size = 0;  ///< of the records; the other bytes are unused
};

/// Reads chunks of whole records, in bounded memory.
class ReportFile {
  public:
    /// Size of a chunk in bytes. A chunk with a longer record is longer.
    static constexpr std::size_t chunk_size = std::size_t{1} << 20;
    static constexpr std::size_t longest_record = std::size_t{1} << 26;

    /// Finds the format and the columns. Stream and mechanism must outlive this object. Throws Error (malformed) if the file
    /// has no reports, or lacks a column.
    ReportFile(std::istream& in, std::string name, const ReportFileOptions& options,
               const Mechanism& mechanism);

    /// Fills the chunk, whose memory is reused. Returns false at the end. Throws Error: malformed if a record does not end,
    /// environment if the file cannot be read.
    [[nodiscard]] bool next(RecordChunk& chunk);

  private:
    void need(bool fine, const std::string& message, const std::string& detail,
              const std::string& hint = {}) const;
    /// Reads until `rest_` has `wanted` bytes or the file ends.
    void fill(std::size_t wanted);
    void detect(const ReportFileOptions& options);
    void read_header(const ReportFileOptions& options);
    void take_copy_header();
    void find_columns(const std::vector<std::string>& columns, const ReportFileOptions& options);
    /// Returns the number of bytes of whole records at the beginning of `rest_`, at most `most`. Adds their number.
    [[nodiscard]] std::size_t whole_records(std::size_t most, std::uint64_t& records);
    [[nodiscard]] std::size_t whole_lines(std::string_view text, std::uint64_t& lines) const;
    [[nodiscard]] std::size_t whole_rows(std::string_view text, std::uint64_t& rows);
    [[nodiscard]] std::size_t whole_values(std::string_view text, std::uint64_t& values) const;

    std::istream& in_;
    const Mechanism& mechanism_;
    std::shared_ptr<ReportLayout> layout_ = std::make_shared<ReportLayout>();
    std::vector<char> rest_;  ///< bytes that were read, from at_ to used_
    std::size_t at_ = 0, used_ = 0;
    bool ended_ = false;        ///< whether the stream is at its end
    bool trailer_ = false;      ///< whether the end mark of a binary COPY was read
    std::uint64_t record_ = 1;  ///< number of the first record of rest_
};

}  // namespace ldp::cli

// A file of people's values, in any format that the command reads.
#pragma once

#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>

#include "cli/input/codebook.hpp"
#include "cli/input/csv.hpp"

namespace ldp::cli {

/// A CSV file in UTF-8, in the encoding of its format or, with a byte order mark, in UTF-16; or a file of SPSS, Stata or SAS, by
/// the ending of its name.
class PeopleFile {
  public:
    /// Opens the file and reads its header. `name` is "-" for standard input. Throws Error: environment if the file
    /// cannot be read, malformed if it has no header or is of another kind.
    PeopleFile(const std::string& name, const CsvFormat& format);
    PeopleFile(const PeopleFile&) = delete;
    PeopleFile& operator=(const PeopleFile&) = delete;

    /// The rows. References to it stay valid as long as this object.
    [[nodiscard]] CsvReader& rows() noexcept { return *rows_; }

  private:
    void open_statistics(const std::string& name, const CsvFormat& format);

    std::ifstream file_;
    std::unique_ptr<std::streambuf> converted_;  ///< null if the bytes of the file are read as they are
    std::istream in_{nullptr};
    std::optional<CsvReader> rows_;
};

}  // namespace ldp::cli

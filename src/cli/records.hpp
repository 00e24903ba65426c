// Rows of a CSV file as records of a collection, and what is counted on the way.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "../client/collection.hpp"
#include "../core/error.hpp"
#include "command.hpp"
#include "csv.hpp"

namespace ldp::cli {

/// What a row becomes that is no record of the collection.
enum class BadRow { stop, skip };

/// How a run went. Every row is either skipped or accepted.
struct Tally {
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::vector<std::uint64_t> clamped;  ///< values moved, as in Encoded::clamped, for each attribute

    [[nodiscard]] std::uint64_t accepted() const noexcept { return rows - skipped; }
};

/// "1,000 rows read, 2 skipped, 5 values clamped (wage 3, age 2), 998 reports written"
[[nodiscard]] std::string summary(const Tally& tally, const Spec& spec, const std::string& what_was_done);
/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

class Records {
  public:
    /// Finds the attributes' columns by name; Error (malformed) if one is missing. The first skipped rows are
    /// told to `notices`, if given.
    Records(CsvReader& csv, const Spec& spec, BadRow policy, std::ostream* notices = nullptr);

    /// Hands the next good row, as a record, to `take`, which returns the attributes it clamped. False at the
    /// end. Error (invalid_value), of the reader, of the row or of `take`, is the row's: under BadRow::skip
    /// it is counted, under BadRow::stop it is thrown with the line's number. Every other error passes
    /// through.
    template <class Take>
    [[nodiscard]] bool next(Take&& take) {
        for (;;) {
            try {
                if (!csv_.next()) return false;
                const std::vector<std::size_t> clamped = take(record());
                ++tally_.rows;
                for (const std::size_t j : clamped) ++tally_.clamped[j];
                return true;
            } catch (const Error& error) {
                refuse(error);
            }
        }
    }

    [[nodiscard]] const Tally& tally() const noexcept { return tally_; }
    [[nodiscard]] const CsvReader& csv() const noexcept { return csv_; }
    /// Goes on behind an earlier run that ended at this place with this tally.
    void resume(const CsvReader::Place& place, Tally tally);

  private:
    [[nodiscard]] std::span<const Value> record();
    void refuse(const Error& error);

    CsvReader& csv_;
    const Spec& spec_;
    BadRow policy_;
    std::ostream* notices_;
    std::vector<std::size_t> columns_;
    std::vector<Value> values_;
    Tally tally_;
};

/// The options that decide what is done with unfit rows and values.
void add_record_options(Options& options);
[[nodiscard]] BadRow bad_row_policy(const Arguments& arguments);
[[nodiscard]] Outside outside_policy(const Arguments& arguments);

}  // namespace ldp::cli

// Rows of a CSV file as records of a collection, and what is counted on the way.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "client/collection.hpp"
#include "client/user_means.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

/// What a row becomes that is no record of the collection.
enum class BadRow { stop, skip };

/// How a run went. Every row is either skipped or accepted; where rows are averaged, so is every person.
struct Tally {
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::uint64_t people = 0;  ///< whose rows were averaged; 0 where each row is a record
    std::uint64_t people_skipped = 0;
    ClampedCount clamped;

    [[nodiscard]] std::uint64_t accepted() const noexcept {
        return people > 0 ? people - people_skipped : rows - skipped;
    }
};

/// "1,000 rows read, 2 skipped, 5 values clamped (wage 3, age 2), 998 reports written", with
/// "7 coefficients clamped" if there are any; of averages,
/// "1,000 rows read, 2 skipped, 310 people averaged, 1 skipped, 5 values clamped (wage 5), 309 reports
/// written"
[[nodiscard]] std::string summary(const Tally& tally, const Spec& spec, const std::string& what_was_done);

/// Which columns of a file make its records.
struct Columns {
    std::string person = {};  ///< says whose a row is, if rows are averaged; empty if each row is a record
    std::map<std::string, std::string> of = {};  ///< of the attributes that are not called as they are

    /// Tells equal columns from others, beside the same spec.
    [[nodiscard]] std::uint64_t hash() const;
};

class Records {
  public:
    /// Finds the columns by name; Error (malformed) if one is missing, Error (invalid_value) if what is to be
    /// averaged is a category, Error (unsupported) for a spec of values that change. The first skipped rows
    /// are told to `notices`, if given.
    Records(CsvReader& csv, const Spec& spec, BadRow policy, const Columns& columns = {},
            std::ostream* notices = nullptr);

    /// Hands the next record, a good row or the averages of a person's good rows, to `take`, which returns
    /// what was moved, in a Receipt or the like. False at the end. Error (invalid_value), of the reader, of
    /// the row or of `take`, is the row's or the person's: under BadRow::skip it is counted, under
    /// BadRow::stop it is thrown with the line's number, of a person their first. Every other error passes
    /// through.
    ///
    /// People come in the order of their first rows, when all rows have been read.
    template <class Take>
    [[nodiscard]] bool next(Take&& take) {
        if (means_) average();
        return attempt([&] {
            if (!(means_ ? next_person() : next_row())) return false;
            const auto taken = take(std::span<const Value>(values_));
            if (!means_) ++tally_.rows;
            tally_.clamped.add(taken.clamped);
            return true;
        });
    }

    [[nodiscard]] const Tally& tally() const noexcept { return tally_; }
    /// Rows, or people, that next() is done with.
    [[nodiscard]] std::uint64_t done() const noexcept { return means_ ? person_ : tally_.rows; }

    /// A place between two records: a row's, and how many people were before it.
    struct RecordPosition {
        CsvReader::Position row;
        std::uint64_t person;
    };
    [[nodiscard]] RecordPosition place() const noexcept { return {csv_.place(), person_}; }
    /// Goes on behind an earlier run over the same file that ended at this place with this tally. Averages
    /// are taken again, of all rows.
    void resume(const RecordPosition& place, Tally tally);

  private:
    /// Repeats a step that fails by what it reads, until it does not.
    template <class Step>
    bool attempt(Step step) {
        for (;;) {
            try {
                return step();
            } catch (const Error& error) {
                refuse(error);
            }
        }
    }
    [[nodiscard]] bool next_row();
    [[nodiscard]] bool next_person();
    void average();
    void refuse(const Error& error);

    CsvReader& csv_;
    BadRow policy_;
    std::ostream* notices_;
    std::vector<const Attribute*> given_;  ///< the spec's, but its products
    std::vector<std::size_t> columns_;     ///< of them
    std::vector<Value> values_;            ///< of the record
    Tally tally_;

    std::optional<UserMeans> means_;  ///< if rows are averaged
    std::size_t names_ = 0;           ///< the column of the people's names
    std::vector<std::uint64_t> first_lines_;
    std::uint64_t person_ = 0;  ///< the next one
    bool averaged_ = false;
};

/// The options that decide what makes a record, and what is done with unfit rows and values.
void add_record_options(Options& options);
[[nodiscard]] BadRow bad_row_policy(const Arguments& arguments);
[[nodiscard]] Outside outside_policy(const Arguments& arguments);
/// The columns that --column and --average-by name, for the attributes of the spec.
[[nodiscard]] Columns record_columns(const Arguments& arguments, const Spec& spec);

}  // namespace ldp::cli

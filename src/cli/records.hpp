// Conversion of CSV rows to records of a collection, with counts of skipped and clamped values.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/input/csv.hpp"
#include "cli/public_options.hpp"
#include "client/collection.hpp"
#include "client/fleet/user_means.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

/// The treatment of invalid rows.
enum class BadRow { stop, skip };

/// Counts of a panel (src/cli/submission/panel.hpp).
struct PanelCount {
    std::uint64_t reports = 0;   ///< queued reports; a series may have none or several per row
    std::uint64_t spent = 0;     ///< rows without a report because the person's budget was spent
    std::uint64_t memoized = 0;  ///< reports that repeat a memoized response
};

/// Counts of a run. Every row is either skipped or accepted. If rows are averaged, this also holds for every
/// person.
struct Tally {
    std::uint64_t rows = 0;
    std::uint64_t skipped = 0;
    std::uint64_t people = 0;  ///< people with averaged rows; 0 if each row is a record
    std::uint64_t people_skipped = 0;
    ClampedCount clamped;
    std::optional<PanelCount> panel = {};  ///< if the rows are those of a panel

    /// Returns the number of reports.
    [[nodiscard]] std::uint64_t accepted() const noexcept {
        if (panel) return panel->reports;
        return people > 0 ? people - people_skipped : rows - skipped;
    }
};

/// Returns a summary line, such as
/// "1,000 rows read, 2 skipped, 5 numbers clamped (wage 3, age 2), 998 reports written". Counts of clamped
/// coefficients and of averaged people are included if they are not zero.
[[nodiscard]] std::string summary(const Tally& tally, const Spec& spec, const std::string& what_was_done);

/// The columns of a file from which records are made.
struct ColumnMap {
    std::string person = {};  ///< the column that identifies people; empty if each row is a record
    std::map<std::string, std::string> of = {};  ///< columns of attributes with another name, by attribute
    std::vector<PublicSource> filled = {};       ///< public columns that the file fills
    /// The columns of a panel: of the person and of the round. Without a person, the file is no panel;
    /// without a round, all rows have the same one.
    std::string panel_person = {}, panel_round = {};
    /// The column of the time over which a person's slopes are computed instead of averages; empty for averages.
    std::string time = {};

    /// Returns the name of the column with the values of an attribute.
    [[nodiscard]] const std::string& source(const Attribute& attribute) const;
    /// Returns the name of the column that states whether a set has this label: the name in --column, or
    /// "ATTRIBUTE.LABEL".
    [[nodiscard]] std::string source(const Attribute& attribute, const std::string& label) const;
    /// Returns the columns that may have values of an attribute, including the columns of the labels of a
    /// set.
    [[nodiscard]] std::vector<std::string> sources(const Attribute& attribute) const;
    /// Returns whether --column names columns of labels of this set.
    [[nodiscard]] bool names_labels(const Attribute& attribute) const;
    /// Returns a hash of the map. Under one spec, different maps have different hashes.
    [[nodiscard]] std::uint64_t hash() const;
};

/// The exit code of a run that is complete except for skipped rows.
inline constexpr int exit_skipped = 5;

class Records {
  public:
    /// Finds the columns by name. The first skipped rows are written to `notices`, if given. Throws Error
    /// (malformed) if a column is missing, and Error (invalid_value) if an averaged attribute is a category.
    /// Throws Error (unsupported) if the spec is one of changing values and the file is no panel, or the
    /// reverse.
    Records(CsvReader& csv, const Spec& spec, BadRow policy, const ColumnMap& columns = {},
            std::ostream* notices = nullptr);

    /// Calls `take` with the next record and returns true, or returns false at the end. A record is a valid
    /// row, or the averages of a person's valid rows. `take` returns a Receipt or another object with the
    /// clamped values. An Error (invalid_value) of the reader, of the row or of `take` concerns one row or
    /// person. Under BadRow::skip it is counted. Under BadRow::stop it is thrown again with the number of the
    /// line, or for a person with the number of their first row. Other errors pass through.
    ///
    /// Averaged records follow the order of people's first rows, and begin after the last row was read.
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

    /// The public columns of the record that next() hands over.
    [[nodiscard]] const PublicValues& columns() const noexcept {
        return means_ ? side_of_people_[person_ - 1] : public_values_;
    }
    /// From now on, rows with one of these values of public columns are invalid. Borrows the values.
    void refuse_values(const RefusedValues& refused) noexcept { refused_ = &refused; }
    /// The line of the record that next() hands over: of a person, the first one.
    [[nodiscard]] std::uint64_t line() const noexcept {
        return means_ ? first_lines_[person_ - 1] : csv_.line();
    }
    /// In a panel, the person of the record that next() hands over.
    [[nodiscard]] std::string person() const { return std::string(csv_.field(names_)); }
    /// The round of this record; nothing if the file has no column of rounds. Throws Error (invalid_value) if
    /// the field is not an integer of 32 bits.
    [[nodiscard]] std::optional<std::int32_t> round() const;
    /// Sets the counts of a panel, which the caller makes.
    void count_panel(const PanelCount& count) { tally_.panel = count; }
    [[nodiscard]] const Tally& tally() const noexcept { return tally_; }
    /// Returns the numbers of rows or people that were skipped in this run, by reason, most frequent first.
    /// Empty if none was.
    [[nodiscard]] std::string reasons() const;
    /// Returns the exit code of a complete run: exit_skipped instead of 0 if rows were skipped.
    [[nodiscard]] int exit_code(int without_skipped) const noexcept {
        const bool skipped = tally_.skipped + tally_.people_skipped > 0;
        return without_skipped == Exit::done && skipped ? exit_skipped : without_skipped;
    }
    /// The number of rows, or of people, that next() has finished.
    [[nodiscard]] std::uint64_t done() const noexcept { return means_ ? person_ : tally_.rows; }

    /// A position between two records: the position of a row, and the number of people before it.
    struct RecordPosition {
        CsvReader::Position row;
        std::uint64_t person;
    };
    [[nodiscard]] RecordPosition position() const noexcept { return {csv_.position(), person_}; }
    /// Resumes an earlier run over the same file that ended at this position with this tally. Averages are
    /// computed again from all rows.
    void resume(const RecordPosition& position, Tally tally);

  private:
    /// Repeats a step until it succeeds; refuse() counts or throws each error.
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
    /// Finds the columns of an attribute.
    void find_values(const Attribute& attribute, const ColumnMap& columns, bool only);
    /// Returns the labels of the set of given_[j] with semicolons between them, valid until the next row.
    [[nodiscard]] std::string_view set_field(std::size_t j);
    /// Finds the file's columns with values of public columns.
    void find_side(const ColumnMap& columns);
    /// Reads the public columns of the current row.
    void read_side();
    /// Throws Error (invalid_value) if the row's public columns differ from those of the person's first row.
    void check_side() const;
    [[nodiscard]] bool next_row();
    [[nodiscard]] bool next_person();
    void average();
    /// Returns the number in the column of the time. Throws Error (invalid_value).
    [[nodiscard]] double time() const;
    void refuse(const Error& error);

    CsvReader& csv_;
    BadRow policy_;
    std::ostream* notices_;
    std::vector<const Attribute*> given_;  ///< the spec's attributes, except products
    std::vector<std::size_t> columns_;     ///< the columns of `given_`
    /// Of sets whose labels have columns of their own, these labels and columns; empty for other attributes.
    std::vector<std::vector<std::pair<std::string, std::size_t>>> label_columns_;
    std::vector<std::string> sets_;  ///< texts of the sets of the current record
    std::vector<Value> values_;      ///< the current record
    std::vector<std::pair<PublicColumn, std::size_t>>
        side_;                    ///< public columns, and their columns in the file
    PublicValues public_values_;  ///< public columns of the current record
    const RefusedValues* refused_ = nullptr;
    Tally tally_;

    std::optional<UserMeans> means_;          ///< if rows are averaged, or slopes computed
    std::optional<UserSlopes> slopes_;        ///< if slopes are computed instead of averages
    std::size_t times_ = 0;                   ///< the column of the time
    std::size_t names_ = 0;                   ///< the column that identifies people
    std::optional<std::size_t> rounds_ = {};  ///< the column of the round
    std::vector<std::uint64_t> first_lines_;
    std::vector<PublicValues> side_of_people_;
    std::uint64_t person_ = 0;                      ///< the next person
    std::map<std::string, std::uint64_t> reasons_;  ///< of skipped rows
    bool averaged_ = false;
};

/// Adds the options for columns, invalid rows and values outside their range.
void add_record_options(Options& options);
[[nodiscard]] BadRow bad_row_policy(const Arguments& arguments);
[[nodiscard]] Outside outside_policy(const Arguments& arguments);
/// Returns the columns that --column and --average-by name, for the attributes of the spec.
[[nodiscard]] ColumnMap record_columns(const Arguments& arguments, const Spec& spec);

}  // namespace ldp::cli

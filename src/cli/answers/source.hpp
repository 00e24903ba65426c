// The reports of a collection, aggregated once by the server or in a file, and queries of the summary. Rows of results are
// computed here, from the bytes of the summary.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/document.hpp"
#include "cli/input/summary_file.hpp"
#include "client/pqxx_compat.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/results/row_functions.hpp"

namespace ldp::cli {

struct Asked {
    std::string collection;  ///< or a rollup
    double confidence = 0.95;
    std::string target = {};  ///< "sample" or "population"; empty for the default of each function of SQL
    std::optional<std::int32_t> round = {};
    bool all_rounds = false;  ///< the reports of all rounds together, instead of those of the last one
    std::string by = {};      ///< the public column of groups that are compared; may be empty
    std::string date =
        {};  ///< the public column with the date of a report; empty for the only column with dates
    std::string title = {};  ///< of the document; empty for the collection's name
    std::string curve = {};  ///< the public column over which curves are estimated; may be empty
    double bandwidth = 0;    ///< of curves; 0 to choose it from the reports
    /// Returns the digest of the certificate that the results name, whose spec must be this one; may be empty. A function, so
    /// that programs without certificates need not link them.
    std::function<std::string(const Spec&)> certificate_digest = {};
};

/// Attributes that are one question: one attribute, or all attributes of a mechanism that reports them
/// together.
struct QuestionPart {
    std::size_t first, count;
    const Mechanism* mechanism;
};

/// Dates as the server writes them: 2026-03-02.
struct Dates {
    std::string today;
    std::string first = {}, last = {};  ///< of the reports; empty if they are unknown
};

/// A row of results: numbers and texts by the names of their columns.
class NamedRow {
  public:
    virtual ~NamedRow() = default;
    /// NaN if the cell is NULL or the column does not exist.
    [[nodiscard]] virtual double number(std::string_view column) const = 0;
    /// Empty if the cell is NULL or the column does not exist.
    [[nodiscard]] virtual std::string text(std::string_view column) const = 0;
    /// An element of an array of texts.
    [[nodiscard]] virtual std::string element(std::string_view column, std::size_t index) const = 0;
};

class Source {
  public:
    /// Fetches the spec and the summary in read-only transactions. If no collection has the name, it may be
    /// the name of a rollup. Throws Error (environment) if the server cannot be reached, has neither, or
    /// denies this role access; Error (invalid_value) if there is no column for groups or dates with the name
    /// in `asked`.
    Source(pqxx::connection& connection, Asked asked);
    /// Takes a spec and summaries of its reports, without a server. Groups are those of the table's columns. Throws Error:
    /// incompatible if a summary belongs to another spec, invalid_value as the other constructor.
    Source(Spec spec, SummaryTable summaries, Asked asked);

    [[nodiscard]] const Asked& asked() const noexcept { return asked_; }
    [[nodiscard]] const Spec& spec() const noexcept { return spec_; }
    /// Selects whether results have the titles, units and display texts of the spec, as at first, or the names and
    /// labels.
    void show_texts(bool shown);
    /// The texts of the spec; empty if names are shown.
    [[nodiscard]] const SpecTexts& spec_texts() const;
    /// The texts of an attribute, or those of its vector; texts that were not given are empty.
    [[nodiscard]] const AttributeTexts& texts(std::size_t attribute) const;
    /// The title of an attribute, or its name; of an element, the title or the name of its vector before its own. For
    /// display.
    [[nodiscard]] std::string called(std::size_t attribute, std::size_t most = 60) const;
    /// The title or name of the vector with this element, or of an attribute that is in no vector.
    [[nodiscard]] std::string called_whole(std::size_t attribute, std::size_t most = 60) const;
    /// The label of a row about an attribute: its title or name, or the display text of an element. Not for display.
    [[nodiscard]] std::string label_of(std::size_t attribute) const;
    /// The unit of an attribute, for display; empty if it has none.
    [[nodiscard]] std::string unit(std::size_t attribute) const;
    /// Whether an attribute is a number from 0 to 1 without a unit. Its mean is shown in per cent.
    [[nodiscard]] bool is_proportion(std::size_t attribute) const;
    /// The label of a value as rows show it: its display text, if it has one.
    [[nodiscard]] std::string label_of_value(std::size_t attribute, std::uint64_t value) const {
        return labels_.label(attribute, value);
    }
    /// The round of the results: the one that was asked for, or the last one with enough reports; nothing if the
    /// results are of all reports together.
    [[nodiscard]] std::optional<std::int32_t> round() const { return asked_.round ? asked_.round : last_; }
    /// The earlier rounds with enough reports, ascending; empty unless the results are of the last one by default.
    [[nodiscard]] const std::vector<std::int32_t>& earlier_rounds() const noexcept { return earlier_; }
    /// A change of the share of a value, or of the mean of a number, between two rounds.
    struct RoundChange {
        std::size_t attribute;
        std::string label;  ///< empty for a number
        double estimate, lower, upper, p_value;
    };
    /// The changes of all attributes from an earlier round to the round of the results; empty if the mechanism has none.
    [[nodiscard]] const std::vector<RoundChange>& changes_since(std::int32_t before);
    /// The changes of the mean of a number, or of the shares of all values, between two rounds of a series.
    [[nodiscard]] std::vector<RoundChange> changes_of_series(std::size_t attribute, std::int32_t from,
                                                             std::int32_t to);
    /// A group that is compared with all other groups together (OtherGroups::Contrast).
    struct GroupDifference {
        std::string group;
        std::size_t attribute;
        std::optional<std::int32_t> value;  ///< none for a number
        double estimate, p_value;
    };
    /// The differences of all groups of this column in all attributes that have a test.
    [[nodiscard]] const std::vector<GroupDifference>& differences(const std::string& by);
    /// The p-value of the hypothesis that an earlier round and the round of the results have one median; NaN without a
    /// test.
    [[nodiscard]] double p_value_of_medians(std::int32_t before, std::size_t attribute);
    /// Returns whether the intervals of estimates are about the people who reported.
    [[nodiscard]] bool of_sample() const;
    /// Returns whether the reports are those of a collection, not of a rollup.
    [[nodiscard]] bool of_collection() const noexcept { return rollup_.empty(); }
    /// Returns the number of reports of each round, without rounds that have too few reports for this role.
    [[nodiscard]] std::map<std::int32_t, std::uint64_t> reports_by_round();
    /// Returns whether reports can be grouped by round. A rollup may lack this column.
    [[nodiscard]] bool has_rounds() const;
    [[nodiscard]] const Mechanism& mechanism() const noexcept { return *mechanism_; }
    /// The mechanism that randomizes one attribute.
    [[nodiscard]] const Mechanism& reporter(std::size_t attribute) const;
    /// The parts of the spec in order, without derived attributes.
    [[nodiscard]] std::vector<QuestionPart> parts() const;
    /// The summary; empty if there are no reports, or too few for this role.
    [[nodiscard]] std::optional<SummaryView> view() const;
    /// The summary of all rounds, unless one was asked for.
    [[nodiscard]] std::optional<SummaryView> view_of_all() const;
    [[nodiscard]] Dates dates();

    /// ", confidence => …, target => …", without arguments that are the defaults of SQL.
    [[nodiscard]] std::string options(bool targeted = true) const;

    using Each = std::function<void(const NamedRow&)>;
    using EachOf = std::function<void(const NamedRow&, std::size_t)>;
    using Find = std::function<std::unique_ptr<Results>(const Subject&)>;

    /// The arguments of a function with the confidence and the target of this run.
    [[nodiscard]] SummaryQuery query(const char* function) const;
    /// A question about one statistic, of all attributes or of one: its SQL about a summary, and its rows.
    struct Statistics {
        std::string sql;
        Find find;
    };
    [[nodiscard]] Statistics statistics(const char* summary, std::string_view statistic,
                                        std::optional<std::size_t> attribute = {}) const;

    /// Computes rows from the summary and passes them on. The part gets the SQL that returns them to other users: there
    /// {summary} stands for the summary, and {groups} for rows of a group's name and its summary, by this public column
    /// or by round. With `by`, `find` runs for each group, whose name is the column "name". If there is no
    /// result, the part contains the reason in plain words, and rejections() returns the error. Throws Error
    /// (environment) if the connection is lost.
    template <class AnyPart>
    void ask(AnyPart& part, const std::string& sql, const Find& find, const Each& each,
             const std::string& by = {}) {
        part.sql = spelled(sql, by);
        refuse(part, computed(
                         {&find, 1}, [&](const NamedRow& row, std::size_t) { each(row); }, by));
    }
    /// Computes rows with several functions, and passes each function's index with its rows.
    template <class AnyPart>
    void ask_all(AnyPart& part, const std::string& sql, std::span<const Find> finds, const EachOf& each) {
        part.sql = spelled(sql);
        refuse(part, computed(finds, each, {}));
    }
    /// Passes on rows that the server computes. The query that runs has the exact types of its functions
    /// (exact()); `sql` is the query that is shown to people. Returns whether it ran.
    template <class AnyPart>
    bool ask_server(AnyPart& part, const std::string& sql, const std::string& exact_sql, const Each& each,
                    const std::string& by) {
        part.sql = spelled(sql, by);
        const std::string rejection = run(exact(exact_sql, by), each);
        refuse(part, rejection);
        return rejection.empty();
    }
    /// The type of a public column, as SQL names it; a domain has that of its base type.
    [[nodiscard]] std::string type_of_column(const std::string& column);
    /// The errors of results that could not be computed, for the person who runs the command.
    [[nodiscard]] const std::vector<std::string>& rejections() const noexcept { return rejections_; }
    /// Replaces {summary}, {groups} and {name}, the name of the collection, in a query.
    [[nodiscard]] std::string spelled(const std::string& question, const std::string& by = {}) const;

  private:
    /// Replaces them in a query that runs, where {ldp} is the schema of the extension with a dot. All
    /// arguments are passed, and each has the type of its parameter, so that no function that another role
    /// creates in the schema is called.
    [[nodiscard]] std::string exact(const std::string& question, const std::string& by = {}) const;
    [[nodiscard]] std::string rendered(const std::string& question, const std::string& by, bool exact) const;
    /// Names and summaries of groups.
    struct SummaryGroups {
        std::vector<std::string> names = {};
        std::vector<std::vector<std::byte>> summaries = {};
        std::string refused = {};
    };

    template <class AnyPart>
    void refuse(AnyPart& part, const std::string& rejection) {
        if (rejection.empty()) return;
        part.refused =
            "The server cannot compute this result from these reports, or this role has no access to it.";
        rejections_.push_back(part.title + ": " + rejection);
    }
    /// The subject of a query of these bytes.
    [[nodiscard]] Subject subject(Bytes summary) const { return {.summary = summary, .labels = &labels_}; }
    /// Returns the error, if any.
    [[nodiscard]] std::string computed(std::span<const Find> finds, const EachOf& each,
                                       const std::string& by);
    [[nodiscard]] std::string answer(const std::string& sql, const Each& each);
    [[nodiscard]] std::string run(const std::string& sql, const Each& each);
    /// The values of a query in binary format, row after row.
    [[nodiscard]] std::vector<std::vector<std::optional<std::string>>> binary_rows(const std::string& sql);
    /// The summaries by this column, from one query: later queries reuse them.
    const SummaryGroups& groups(const std::string& by);
    /// The name of the collection of a rollup; empty if the name is that of a collection.
    [[nodiscard]] std::string collection_of_rollup();
    void find_columns();
    /// Throws Error (invalid_value) unless groups have the requested columns.
    void check_columns() const;
    /// The groups of a column in the table of summaries, of the rounds of the results.
    [[nodiscard]] SummaryGroups groups_of_table(const std::string& by) const;
    /// Limits the results to the last round with enough reports, unless rounds were selected, or the mechanism needs
    /// all rounds together.
    void select_last_round();
    /// Sets the titles of attributes. Equal titles are followed by the names of the attributes.
    void name_apart();
    void check_bytes(Bytes summary) const;
    /// Applies the settings that the queries assume to a transaction.
    void begin(pqxx::transaction_base& transaction) const;

    pqxx::connection* connection_;  ///< null without a server
    SummaryTable table_ = {};       ///< without a server: all summaries
    Asked asked_;
    std::string schema_;                     ///< of the extension, quoted for SQL; empty without a server
    std::string rollup_, collection_;        ///< no rollup: empty
    std::vector<std::string> columns_ = {};  ///< of groups
    std::vector<std::string> rejections_ = {};
    Spec spec_;
    bool texts_shown_ = true;
    std::vector<Attribute> displayed_;      ///< those of the spec with display texts as labels
    std::vector<std::string> titles_ = {};  ///< of all attributes
    Labels labels_;
    std::unique_ptr<const Mechanism> mechanism_;
    std::vector<std::byte> summary_ = {},
                           all_ = {};  ///< of the results, and of all rounds if it is another one
    std::optional<std::int32_t> last_ = {};
    std::vector<std::int32_t> earlier_ = {};
    std::map<std::int32_t, std::vector<RoundChange>> changes_ = {};
    std::map<std::string, SummaryGroups> groups_ = {};
    std::map<std::string, std::vector<GroupDifference>> differences_ = {};
};

/// A field as a number; NaN if it is NULL or the column does not exist.
[[nodiscard]] inline double number(const NamedRow& row, const char* column) {
    return row.number(column);
}
/// A field as text; empty if it is NULL or the column does not exist.
[[nodiscard]] inline std::string text(const NamedRow& row, const char* column) {
    return row.text(column);
}
/// The columns that the result rows of all estimates share.
[[nodiscard]] Row row_of(const NamedRow& row);

}  // namespace ldp::cli

// The reports of a collection, aggregated once by the server, and queries of the summary.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/answers/document.hpp"
#include "client/pqxx_compat.hpp"
#include "core/mechanism/capability.hpp"
#include "core/spec/spec.hpp"

namespace ldp::cli {

struct Asked {
    std::string collection;  ///< or a rollup
    double confidence = 0.95;
    std::string target = "sample";  ///< or "population"
    std::optional<std::int32_t> round = {};
    std::string by = {};  ///< the side column of groups that are compared; may be empty
    std::string date =
        {};  ///< the side column with the date of a report; empty for the only column with dates
    std::string title = {};  ///< of the document; empty for the collection's name
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

class Source {
  public:
    /// Fetches the spec and the summary in read-only transactions. A name that no collection has may be that of
    /// a rollup. Throws Error (environment) if the server cannot be reached, has neither, or denies this role
    /// access; Error (invalid_value) if there is no column for groups or dates with the name in `asked`.
    Source(pqxx::connection& connection, Asked asked);

    [[nodiscard]] const Asked& asked() const noexcept { return asked_; }
    [[nodiscard]] const Spec& spec() const noexcept { return spec_; }
    /// Returns whether reports can be grouped by round. A rollup may lack this column.
    [[nodiscard]] bool has_rounds() const;
    [[nodiscard]] const Mechanism& mechanism() const noexcept { return *mechanism_; }
    /// The mechanism that randomizes one attribute.
    [[nodiscard]] const Mechanism& reporter(std::size_t attribute) const;
    /// The parts of the spec in order, without derived attributes.
    [[nodiscard]] std::vector<QuestionPart> parts() const;
    /// The summary; empty if there are no reports, or too few for this role.
    [[nodiscard]] std::optional<SummaryView> view() const;
    [[nodiscard]] Dates dates();

    /// ", confidence => …, target => …", without arguments that are the defaults of SQL.
    [[nodiscard]] std::string options(bool targeted = true) const;

    using Each = std::function<void(const pq::Row&)>;
    /// Runs a query and passes its rows on. In the query, {summary} stands for the summary and {name} for the
    /// name of the collection. {groups} stands for rows of a group's name and its summary, by this side
    /// column or by round. The part gets the SQL for other users. If the server rejects the query, the part
    /// says so in plain words, and rejections() has the server's message. Throws Error (environment) if the
    /// connection is lost.
    template <class AnyPart>
    void ask(AnyPart& part, const std::string& question, const Each& each, const std::string& by = {}) {
        part.sql = spelled(question, by);
        const std::string rejection = answer(question, each, by);
        if (rejection.empty()) return;
        part.refused = "The server cannot compute this result from these reports, or this role may not.";
        rejections_.push_back(part.title + ": " + rejection);
    }
    /// Messages of the server about rejected queries, for the person who runs the command.
    [[nodiscard]] const std::vector<std::string>& rejections() const noexcept { return rejections_; }

  private:
    /// Summaries of groups, as arrays of SQL.
    struct Groups {
        std::string names, summaries;
        std::string refused = {};
    };

    [[nodiscard]] std::string spelled(const std::string& question, const std::string& by = {}) const;
    [[nodiscard]] std::string answer(const std::string& question, const Each& each,
                                     const std::string& by = {});
    template <class... Parameters>
    [[nodiscard]] std::string run(const std::string& sql, const Each& each, const Parameters&... parameters);
    /// The summaries by this column, from one query: later queries reuse them.
    const Groups& groups(const std::string& by);
    /// The name of the collection of a rollup; empty if the name is that of a collection.
    [[nodiscard]] std::string collection_of_rollup();
    void check_columns();
    /// Applies the settings that the queries assume to a transaction.
    void begin(pqxx::transaction_base& transaction) const;

    pqxx::connection& connection_;
    Asked asked_;
    std::string schema_;                     ///< of the extension, quoted for SQL
    std::string rollup_, collection_;        ///< no rollup: empty
    std::vector<std::string> columns_ = {};  ///< of groups
    std::vector<std::string> rejections_ = {};
    Spec spec_;
    std::unique_ptr<const Mechanism> mechanism_;
    std::string text_;  ///< the summary in hexadecimal
    std::vector<std::byte> summary_;
    std::map<std::string, Groups> groups_ = {};
};

/// A field as a number; NaN if it is NULL or the column does not exist.
[[nodiscard]] double number(const pq::Row& row, const char* column);
/// A field as text; empty if it is NULL or the column does not exist.
[[nodiscard]] std::string text(const pq::Row& row, const char* column);
/// The columns that the result rows of all estimates share.
[[nodiscard]] Row row_of(const pq::Row& row);

}  // namespace ldp::cli

// A collection's reports as the server counted them once, so that all questions are about the same reports
// and only the first one reads them.
#pragma once

#include <functional>
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
    std::string collection;
    double confidence = 0.95;
    std::string target = "sample";  ///< or "population"
    std::optional<std::int32_t> round = {};
};

class Source {
  public:
    /// Fetches the spec and the summary, in a session that it makes read-only. Throws Error (environment) if
    /// the server cannot be asked, has no such collection, or lets this role see nothing of it.
    Source(pqxx::connection& connection, Asked asked);

    [[nodiscard]] const Asked& asked() const noexcept { return asked_; }
    [[nodiscard]] const Spec& spec() const noexcept { return spec_; }
    [[nodiscard]] const Mechanism& mechanism() const noexcept { return *mechanism_; }
    /// The mechanism that reports about one attribute are made by.
    [[nodiscard]] const Mechanism& reporter(std::size_t attribute) const;
    /// What was counted; nothing where there is none, or it is of too few for this role to see.
    [[nodiscard]] std::optional<SummaryView> view() const;

    /// ", confidence => …, target => …", as far as they are not what functions take them to be.
    [[nodiscard]] std::string options(bool targeted = true) const;

    using Each = std::function<void(const pq::Row&)>;
    /// Runs a question, in which {summary} stands for the summary and {name} for the collection's name, and
    /// hands out its rows. The part, a figure or a table, is told how others may ask the same, and why there
    /// are no rows if the server refuses. Throws Error (environment) if the server is lost.
    template <class Part>
    void ask(Part& part, const std::string& question, const Each& each) {
        part.sql = spelled(question);
        part.refused = answer(question, each);
    }

  private:
    [[nodiscard]] std::string spelled(const std::string& question) const;
    [[nodiscard]] std::string answer(const std::string& question, const Each& each);

    pqxx::connection& connection_;
    Asked asked_;
    Spec spec_;
    std::unique_ptr<const Mechanism> mechanism_;
    std::string text_;  ///< of the summary, in hexadecimal
    std::vector<std::byte> summary_;
};

/// A field as a number; NaN if it is NULL or there is no such column.
[[nodiscard]] double number(const pq::Row& row, const char* column);
/// A field as text; nothing if it is NULL or there is no such column.
[[nodiscard]] std::string text(const pq::Row& row, const char* column);
/// What rows of answers of all types have in common.
[[nodiscard]] Row row_of(const pq::Row& row);

}  // namespace ldp::cli

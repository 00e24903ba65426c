#include "cli/answers/source.hpp"

#include <cstdlib>

#include "cli/answers/formatting.hpp"
#include "client/uploader.hpp"
#include "core/base/bytes.hpp"
#include "core/base/text.hpp"
#include "core/summary/summary.hpp"

namespace ldp::cli {

namespace {

std::string with(std::string text, const std::string& placeholder, const std::string& value) {
    for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += value.size())
        text.replace(at, placeholder.size(), value);
    return text;
}

/// The column's number, or nothing.
std::optional<pq::Row::size_type> column_of(const pq::Row& row, const char* column) {
    for (pq::Row::size_type i = 0; i < row.size(); ++i)
        if (std::string_view(row[i].name()) == column && !row[i].is_null()) return i;
    return {};
}

}  // namespace

Source::Source(pqxx::connection& connection, Asked asked)
    : connection_(connection),
      asked_(std::move(asked)),
      spec_(fetch_spec(connection, asked_.collection)),
      mechanism_(make_mechanism(spec_)) {
    pq::guarded("counting reports", [&] {
        pqxx::nontransaction session(connection_);
        session.exec("SET client_encoding = 'UTF8'");
        session.exec("SET default_transaction_read_only = on");
        session.exec("SET standard_conforming_strings = on");
        const auto found = session.exec("SELECT " + spelled("{summary}::text"));
        if (!found[0][0].is_null()) text_ = found[0][0].as<std::string>();
    });
    summary_.resize(text_.size() / 2);
    if (text_.empty()) return;
    if (!from_hex(text_, summary_.data())) raise(ErrorCode::malformed, "the server sent no summary");
    if (!is_summary_of(*mechanism_, summary_)) raise_incompatible(mechanism_->block(), summary_);
    check_summary(*mechanism_, summary_);
}

const Mechanism& Source::reporter(std::size_t attribute) const {
    const auto* const record = find_capability<Record>(*mechanism_);
    return record == nullptr ? *mechanism_ : record->reporter(attribute);
}

std::optional<SummaryView> Source::view() const {
    if (summary_.empty()) return {};
    return view_of(*mechanism_, summary_);
}

std::string Source::options(bool targeted) const {
    std::string arguments;
    if (asked_.confidence != 0.95) arguments += ", confidence => " + shortest(asked_.confidence);
    if (targeted && asked_.target != "sample") arguments += ", target => '" + asked_.target + "'";
    return arguments;
}

std::string Source::spelled(const std::string& question) const {
    const std::string collection = constant(asked_.collection);
    const std::string round = asked_.round ? ", " + std::to_string(*asked_.round) : "";
    return with(with(question, "{summary}", "ldp_summary_of({name}" + round + ")"), "{name}", collection);
}

std::string Source::answer(const std::string& question, const Each& each) {
    try {
        pq::guarded("asking", [&] {
            pqxx::nontransaction session(connection_);
            // Passed as it was counted, not counted again for every question.
            const bool about_summary = question.find("{summary}") != std::string::npos;
            const std::string sql = spelled(with(question, "{summary}", "$1::ldp_summary"));
            for (const pq::Row& row : about_summary ? pq::run(session, sql, text_) : session.exec(sql))
                each(row);
        });
        return {};
    } catch (const pq::Failure& failure) {
        if (failure.passing()) throw;
        std::string why = failure.what();
        why.erase(0, why.starts_with("asking: ") ? 8 : 0);
        if (!failure.detail().empty()) why += ". " + failure.detail();
        return why;
    }
}

double number(const pq::Row& row, const char* column) {
    const auto at = column_of(row, column);
    return at ? std::strtod(row[*at].c_str(), nullptr) : NAN;
}

std::string text(const pq::Row& row, const char* column) {
    const auto at = column_of(row, column);
    return at ? row[*at].as<std::string>() : std::string();
}

Row row_of(const pq::Row& row) {
    return {.label = text(row, "label"),
            .estimate = number(row, "estimate"),
            .error = number(row, "stderr"),
            .lower = number(row, "lower"),
            .upper = number(row, "upper"),
            .n = text(row, "n"),
            .note = text(row, "note")};
}

}  // namespace ldp::cli

#include "cli/submission/value_check.hpp"

#include <iostream>
#include <iterator>
#include <utility>

namespace ldp::cli::submit {

namespace {

/// The number of distinct values after which the server is asked. In a file with fewer values, all rows are checked before
/// the first value is sent.
constexpr std::size_t most_fresh = 100000;
/// Distinct values of a column that are not asked about again.
constexpr std::size_t most_asked = 200000;
/// Bytes of the values in one question.
constexpr std::size_t most_bytes = 200000;
constexpr std::size_t most_notices = 10;

}  // namespace

void ValueCheck::add(const PublicValues& values, std::uint64_t line) {
    for (const auto& [column, value] : values.values()) {
        Noted& noted = columns_[column];
        if (!noted.asked.contains(value) && noted.fresh.emplace(value, line).second) ++fresh_;
    }
}

void ValueCheck::ask(const CsvReader& csv, BadRow policy, bool all) {
    if (fresh_ == 0 || (!all && fresh_ < most_fresh)) return;
    std::map<std::uint64_t, Error> wrong;  // by line
    for (auto& [column, noted] : columns_) {
        if (noted.asked.size() > most_asked) noted.asked.clear();
        for (auto value = noted.fresh.begin(); value != noted.fresh.end();) {
            ColumnValues asked{column, {}};
            for (std::size_t bytes = 0;
                 value != noted.fresh.end() && asked.values.size() < ColumnValues::most && bytes < most_bytes;
                 ++value) {
                asked.values.push_back(value->first);
                bytes += value->first.size();
            }
            for (const auto& [found, reason] : destination_.invalid_values(asked)) {
                const auto first = noted.fresh.find(found);
                if (first == noted.fresh.end()) continue;  // not one of those that were asked about
                refused_[column].emplace(found, reason);
                wrong.emplace(first->second, refused_value(column, found, reason));
            }
        }
        for (auto& [value, line] : std::exchange(noted.fresh, {})) noted.asked.insert(value);
    }
    fresh_ = 0;
    for (const auto& [line, error] : wrong) {
        const std::string where = csv.name() + ", " + csv.record_name(line) + ": " + error.what();
        if (policy == BadRow::stop)
            throw Error(error.code(), where, error.detail(), "--on-bad-row skip omits such rows.");
        if (notices_++ < most_notices) std::cerr << "skipped: " << where << "\n";
    }
}

}  // namespace ldp::cli::submit

// A questionnaire on real data: several kinds of questions under one ε, by a public column.
#pragma once

#include <cstddef>
#include <pqxx/pqxx>

namespace demo {

/// The numbers of intervals that hold the truth, and of all intervals.
struct Coverage {
    std::size_t inside = 0, all = 0;
};

/// The name of the collection.
inline constexpr const char* questionnaire = "questionnaire";

/// Creates the collection, reports the people of the file, and prints the estimates beside the truth. Throws
/// Error (environment) if an estimate lies more than six standard errors off.
[[nodiscard]] Coverage ask_questionnaire(pqxx::connection& connection, const char* csv);

}  // namespace demo

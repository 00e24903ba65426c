// Queries of summaries in JSON, and their rows in JSON, for hosts without types of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"
#include "core/base/json.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// Parses a query, which has at most 8 levels. Throws Error (malformed).
[[nodiscard]] Json parsed_query(std::string_view text);

/// Returns the rows of a query of a summary: a JSON array with an object for each row. The query is a JSON object: "function"
/// is the name of a row function, the other keys are its arguments. A single value stands for an array of one. Further
/// summaries are texts in hexadecimal. Numbers are the shortest text of the same double; infinite numbers are the texts "Infinity" and "-Infinity". A function of groups
/// needs no summary. `mechanism` is the mechanism of the labels' spec, or null for
/// no_labels(). Throws Error: malformed, invalid_value, incompatible for a summary of another mechanism,
/// and the errors of the function.
[[nodiscard]] std::string rows_of_query(const Labels& labels, const Mechanism* mechanism,
                                        std::optional<Bytes> summary, const Json& query);
/// Returns these rows for a query that is not parsed. A query has at most 8 levels.
[[nodiscard]] std::string json_rows(const Labels& labels, const Mechanism* mechanism,
                                    std::optional<Bytes> summary, std::string_view query);

}  // namespace ldp

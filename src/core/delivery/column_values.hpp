// Values of one public column that a server checks before reports with these values are drawn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ldp {

/// A request to the server to check these values of a public column.
struct ColumnValues {
    std::string column;               ///< name of the public column
    std::vector<std::string> values;  ///< at most `most`, each at most as long as PublicValues::longest_value

    static constexpr std::size_t most = 500;  ///< maximum number of values in a request

    /// Returns a JSON object with the keys "column" and "values". All texts must be UTF-8.
    [[nodiscard]] std::string json() const;
    /// Reads such a JSON object. Throws Error (malformed).
    [[nodiscard]] static ColumnValues from_json(std::string_view text);
};

/// A value that the column cannot have.
struct InvalidValue {
    std::string value;   ///< value as sent by the client
    std::string reason;  ///< reason as sent by the server
};

/// Returns a JSON array of objects with the keys "value" and "reason", as an endpoint answers.
[[nodiscard]] std::string to_json(const std::vector<InvalidValue>& invalid);
/// Reads such an array. Throws Error (malformed).
[[nodiscard]] std::vector<InvalidValue> invalid_values(std::string_view json);

}  // namespace ldp

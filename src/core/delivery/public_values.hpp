// Values of public columns: columns of a collection's table in addition to the report, such as a country, a version or a time.
// The values are public: they are sent and stored unchanged, and no mechanism protects them.
#pragma once

#include <compare>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/sha256.hpp"

namespace ldp {

/// Values of public columns, by name, as text that the server converts to the type of each column. A column
/// without a value gets its default, or NULL. Batches, stores and requests carry them in one canonical form,
/// so that equal values have equal bytes.
class PublicValues {
  public:
    static constexpr std::size_t longest_name = 63;     ///< bytes of a column's name
    static constexpr std::size_t longest_value = 1024;  ///< bytes of a value
    static constexpr std::size_t most = 100;            ///< columns
    /// Bytes of a JSON text of values: the longest text with every byte escaped in six characters, and some
    /// spaces.
    static constexpr std::size_t longest_json = most * (6 * (longest_name + longest_value) + 16);

    PublicValues() = default;
    /// `{{"country", "de"}, {"version", "12"}}`. Throws as set() does.
    PublicValues(std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
        for (const auto& [column, value] : values) set(column, value);
    }
    /// Returns the values in a JSON object of strings. Throws Error (malformed) for any other text, such as
    /// one with equal keys, and as set() does.
    [[nodiscard]] static PublicValues from_json(std::string_view text);

    /// Sets the value of a column. Throws Error (invalid_value) if the name or the value is too long, is not
    /// UTF-8 or has a zero byte, if the name is empty, or if there are too many columns.
    void set(std::string_view column, std::string_view value);

    /// Removes a column, and returns its value; nothing if it has no value.
    std::optional<std::string> take(std::string_view column);

    /// Returns whether no column has a value.
    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
    /// Returns names and values, sorted by the bytes of the names.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& values() const noexcept {
        return values_;
    }
    /// Returns the canonical form: a JSON object of strings on one line, without spaces; "{}" if no column
    /// has a value.
    [[nodiscard]] std::string json() const;
    /// Adds the values to the digest of a batch: a line feed, and for each column `LENGTH:NAMELENGTH:VALUE`
    /// with lengths in bytes. Adds nothing if no column has a value. ldp_submit_batch computes the same
    /// digest.
    void add_to(Sha256& digest) const;

    friend bool operator==(const PublicValues&, const PublicValues&) = default;
    /// Orders by the bytes of names and values.
    friend auto operator<=>(const PublicValues&, const PublicValues&) = default;

  private:
    std::vector<std::pair<std::string, std::string>> values_;
};

/// The media type of a batch with public columns: their canonical form, a line feed, the batch. A batch without
/// public columns is application/octet-stream.
inline constexpr const char* columned_batch_type = "application/vnd.ldp.batch";

/// A public column of a collection.
struct PublicColumn {
    std::string name;  ///< its name
    std::string type;  ///< its SQL type
    bool required;     ///< whether the column has no default and cannot be NULL
    friend bool operator==(const PublicColumn&, const PublicColumn&) = default;
};

/// Returns a JSON array of objects with the keys "name", "type" and "required", as an endpoint publishes it.
[[nodiscard]] std::string to_json(const std::vector<PublicColumn>& columns);
/// Reads such an array. Throws Error (malformed).
[[nodiscard]] std::vector<PublicColumn> public_columns(std::string_view json);

}  // namespace ldp

// The fields of one record of CSV, or of the text format of PostgreSQL's COPY, decoded in place.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ldp::cli {

/// A field of a record. The text is valid as long as the bytes of the record.
struct RecordField {
    std::string_view text;
    bool null;  ///< an empty field of CSV without quotes, or \N
};

/// Returns the integer in the first bytes, in network byte order.
template <class T>
[[nodiscard]] T number_of_network(std::string_view bytes) noexcept {
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<std::make_unsigned_t<T>>(value << 8 | static_cast<unsigned char>(bytes[i]));
    return static_cast<T>(value);
}

/// Splits the CSV record at `at`, and returns the position behind its line end. Fields in quotes are decoded in place. Adds
/// the number of lines in fields to `lines`. Throws Error (malformed) if a quote is not closed, or text follows a closing
/// quote.
[[nodiscard]] char* split_csv(char* at, char* end, char delimiter, std::vector<RecordField>& fields,
                              std::uint64_t& lines);
/// Splits the record of COPY's text format at `at`, and returns the position behind its line end. Escapes are decoded in
/// place.
[[nodiscard]] char* split_copy(char* at, char* end, std::vector<RecordField>& fields);

}  // namespace ldp::cli

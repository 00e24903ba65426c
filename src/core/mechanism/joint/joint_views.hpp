// Sets of attributes among which users are divided, independent of the mechanism that reports them: options
// of a spec, and the encoding in a parameter block.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

inline constexpr std::uint64_t max_joint_attributes = 128;
inline constexpr std::uint64_t max_views = 8192;

/// A set of attributes, by index.
struct ViewAttributes {
    static constexpr std::size_t most = 3;

    std::uint8_t count = 0;
    std::array<std::uint8_t, most> numbers{};  ///< ascending; padded with 0

    [[nodiscard]] std::span<const std::uint8_t> all() const noexcept { return {numbers.data(), count}; }
    friend auto operator<=>(const ViewAttributes&, const ViewAttributes&) = default;
};

/// Throws Error (invalid_spec).
[[noreturn]] void refuse_spec(const std::string& what, const std::string& detail,
                              const std::string& hint = {});

/// Returns all sets of `count` of d attributes, in order.
[[nodiscard]] std::vector<ViewAttributes> all_views(std::uint64_t d, std::uint8_t count);
/// Returns the number of sets of two or three of d attributes.
[[nodiscard]] std::uint64_t count_all(std::uint64_t d, std::uint64_t count);
/// Returns the number of attributes of each view if the option is a word for all sets of that size.
[[nodiscard]] std::optional<std::uint8_t> order_of(const std::string& word);
/// Returns all sets of `count` of d attributes; with `singles`, preceded by each single attribute.
[[nodiscard]] std::vector<ViewAttributes> views_of(std::uint64_t d, std::uint8_t count, bool singles);
/// Returns the views of an option: a word or a list.
[[nodiscard]] std::vector<ViewAttributes> views_of(const OptionValue& choice, std::uint64_t d, bool singles);

[[nodiscard]] std::vector<std::uint64_t> sizes_of(const std::vector<Attribute>& attributes);
/// Error (invalid_spec) unless all attributes are categories, or binned numbers, without mechanisms of their
/// own.
void check_joint_attributes(const std::vector<Attribute>& attributes, const char* mechanism);
/// Sorts the views of a spec and replaces a complete list by its word. Error (invalid_spec) unless the views
/// are sets of 1 to `most` attributes, every attribute is in a view, and there are at most max_views.
void settle_views(OptionValue& choice, const std::vector<Attribute>& attributes, std::uint8_t most,
                  bool singles);

/// Writes the number of attributes (2 bytes), and their sizes in runs, as fields.hpp writes them, each a
/// length (2) and a number of values (4).
void write_sizes(Writer& writer, const std::vector<std::uint64_t>& sizes);
/// Reads the sizes. Error (malformed) unless there are 2 to max_joint_attributes of 2 to `most` values.
[[nodiscard]] std::vector<std::uint64_t> read_sizes(Reader& reader, std::uint64_t most);

/// Writes the views (1 byte): 2 or 3 for all sets of that size, plus 16 if single attributes are also views,
/// or 0 for a list. A list has a number of views (2) and, for each view, a number of attributes (1) and the
/// attributes (1 each), in ascending order.
void write_views(Writer& writer, const OptionValue& choice, std::uint64_t d, bool singles);
/// Reads views of at most `most` attributes. Error (malformed) if they are invalid.
[[nodiscard]] std::vector<ViewAttributes> read_views(Reader& reader, std::uint64_t d, std::uint8_t most,
                                                     bool singles);

}  // namespace ldp

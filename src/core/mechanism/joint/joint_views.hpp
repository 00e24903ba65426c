// Which sets of attributes people are divided among, whatever they report of theirs: what a spec says of it,
// and its bytes in a parameter block.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/mechanism/settings.hpp"

namespace ldp {

inline constexpr std::uint64_t max_joint_attributes = 128;
inline constexpr std::uint64_t max_views = 8192;

/// Some attributes, by number.
struct ViewAttributes {
    static constexpr std::size_t most = 3;

    std::uint8_t count = 0;
    std::array<std::uint8_t, most> numbers{};  ///< ascending; 0 behind the last

    [[nodiscard]] std::span<const std::uint8_t> all() const noexcept { return {numbers.data(), count}; }
    friend auto operator<=>(const ViewAttributes&, const ViewAttributes&) = default;
};

/// Throws Error (invalid_spec).
[[noreturn]] void refuse_spec(const std::string& what, const std::string& detail,
                              const std::string& hint = {});
/// Throws Error (malformed).
[[noreturn]] void refuse_block(const char* what);

/// All sets of so many of d attributes, in order.
[[nodiscard]] std::vector<ViewAttributes> all_views(std::uint64_t d, std::uint8_t count);
/// How many sets of two or three those are.
[[nodiscard]] std::uint64_t count_all(std::uint64_t d, std::uint64_t count);
/// The number of attributes of each view, if the word stands for all sets of so many.
[[nodiscard]] std::optional<std::uint8_t> order_of(const std::string& word);
/// All sets of so many of d attributes, and perhaps before them each attribute alone.
[[nodiscard]] std::vector<ViewAttributes> views_of(std::uint64_t d, std::uint8_t count, bool singles);
/// The same of what a spec says: a word or a list.
[[nodiscard]] std::vector<ViewAttributes> views_of(const OptionValue& told, std::uint64_t d, bool singles);

[[nodiscard]] std::vector<std::uint64_t> sizes_of(const std::vector<Attribute>& attributes);
/// Throws Error (invalid_spec) unless all are categories, or numbers in bins, with no mechanism of their own.
void check_joint_attributes(const std::vector<Attribute>& attributes, const char* mechanism);
/// Puts the views that a spec says into order, as a word if one stands for them, and throws Error
/// (invalid_spec) unless they are sets of 1 to `most` attributes, every attribute is in one, and they are no
/// more than max_views.
void settle_views(OptionValue& told, const std::vector<Attribute>& attributes, std::uint8_t most,
                  bool singles);

/// The number of attributes (2 bytes), and their sizes in runs, as fields.hpp writes them, each a length (2)
/// and a number of values (4).
void write_sizes(Writer& writer, const std::vector<std::uint64_t>& sizes);
/// Throws Error (malformed) unless there are 2 to max_joint_attributes of 2 to `most` values.
[[nodiscard]] std::vector<std::uint64_t> read_sizes(Reader& reader, std::uint64_t most);

/// How the views are told (1 byte): 2 or 3 for all sets of so many attributes, 16 more if each attribute
/// alone is one too, or 0 for a list, which is their number (2) and of each how many attributes (1) and these
/// (1 each), in ascending order.
void write_views(Writer& writer, const OptionValue& told, std::uint64_t d, bool singles);
/// Of at most so many attributes each, with single ones beside them or not. Throws Error (malformed).
[[nodiscard]] std::vector<ViewAttributes> read_views(Reader& reader, std::uint64_t d, std::uint8_t most,
                                                     bool singles);

}  // namespace ldp

// Fields of specs and parameter blocks that several mechanisms share: bounded numbers, ranges, missing numbers,
// and run-length encoded lists.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// Throws Error (malformed): bytes that no part of this library has written.
[[noreturn]] void refuse_block(const std::string& what, const std::string& detail = {});

/// Reads a parameter of 4 bytes. Error (malformed) outside least..most.
[[nodiscard]] std::uint64_t take_number(Reader& reader, const char* what, std::uint64_t least,
                                        std::uint64_t most);

/// Value of Attribute::none for a number with "missing": true. A category has a label there.
inline constexpr const char* missing_number = "no answer";

/// The option of mechanisms that take numbers with "missing": true: the expected response rate.
inline constexpr Option response_rate_option{.name = "response_rate", .real = true, .optional = true};

/// Returns whether people may have no value of a number.
[[nodiscard]] inline bool may_be_missing(const Attribute& attribute) noexcept {
    return attribute.numeric() && !attribute.none.empty();
}
/// Returns whether the mechanism takes numbers that may be missing, and no others.
[[nodiscard]] bool takes_missing_numbers(const MechanismEntry& entry) noexcept;
/// Returns whether the mechanism is for numbers on a circle, and takes no others.
[[nodiscard]] bool takes_circular_numbers(const MechanismEntry& entry) noexcept;
/// Returns whether the mechanism takes the attribute: a number that may be missing, a number on a circle, or any other.
[[nodiscard]] bool suits_number(const MechanismEntry& entry, const Attribute& attribute) noexcept;
/// Returns the number of grid steps of a number with this number of input codes. If it may be missing, the
/// last code stands for a missing value.
[[nodiscard]] inline std::uint64_t grid_steps(const Attribute& attribute, std::uint64_t cells) noexcept {
    return cells - (may_be_missing(attribute) ? 2 : 1);
}

/// Writes the domain size of the first attribute, 4 bytes.
void write_domain(const Settings& settings, Writer& writer);
/// Reads a domain size. Error (malformed) outside 2..most.
[[nodiscard]] std::uint64_t take_domain(Reader& reader, std::uint64_t most);
/// Reads a domain size that is the only parameter of the block.
[[nodiscard]] std::uint64_t read_domain(Reader& reader, std::uint64_t most);

/// The declared range of an attribute, two numbers in the block.
struct Range {
    double min;
    double max;

    /// The middle and half the width map [−1,1] to original units.
    [[nodiscard]] double middle() const noexcept { return min / 2 + max / 2; }
    [[nodiscard]] double half() const noexcept { return max / 2 - min / 2; }
    /// Returns an estimate on [0,1] in original units. Scaling is the last step. This keeps the precision on
    /// ranges far from 0 and on ranges whose squares overflow a double.
    [[nodiscard]] Estimate on(const Estimate& unit) const noexcept {
        return {min + 2 * half() * unit.value, 2 * half() * unit.standard_error};
    }
    friend bool operator==(const Range&, const Range&) = default;
};

/// Returns half the width of the widest range: the unit of squares of values from these ranges.
[[nodiscard]] double widest_half(std::span<const Range> ranges) noexcept;

void write_range(Writer& writer, const Range& range);
/// Reads a range. Error (malformed) if it is not a valid range.
[[nodiscard]] Range read_range(Reader& reader);

/// Writes the ranges of a vector's attributes: the number of runs (2 bytes), then each run of equal ranges as
/// length (4 bytes), min, max.
void write_ranges(Writer& writer, const std::vector<Attribute>& attributes);
/// Reads the ranges of `d` attributes. Error (malformed) if their number differs from d.
[[nodiscard]] std::vector<Range> read_ranges(Reader& reader, std::size_t d);

/// Writes a run-length encoded list: the number of runs (2 bytes), then each run as its length and the item,
/// which `put` writes. Neighbouring items of a block are usually equal.
template <class Length, class Item, class Put>
void write_runs(Writer& writer, const std::vector<Item>& items, Put put) {
    std::vector<std::pair<Length, Item>> runs;
    for (const Item& item : items) {
        if (runs.empty() || runs.back().second != item) runs.emplace_back(Length{0}, item);
        ++runs.back().first;
    }
    writer.put(static_cast<std::uint16_t>(runs.size()));
    for (const auto& [length, item] : runs) {
        writer.put(length);
        put(writer, item);
    }
}

/// Reads the list back with `take` for each item. Error (malformed) unless it holds `count` items in the form
/// that write_runs() writes.
template <class Length, class Take>
[[nodiscard]] auto read_runs(Reader& reader, std::size_t count, Take take) {
    std::vector<decltype(take(reader))> items;
    for (auto runs = reader.take<std::uint16_t>(); runs > 0; --runs) {
        const auto length = reader.take<Length>();
        const auto item = take(reader);
        if (length == 0 || length > count - items.size() || (!items.empty() && items.back() == item))
            refuse_block("the runs of equal ranges are inconsistent");
        items.insert(items.end(), length, item);
    }
    if (items.size() != count) refuse_block("some ranges are missing");
    return items;
}

}  // namespace ldp

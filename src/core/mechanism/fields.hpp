// Fields of parameter blocks that many mechanisms have: numbers within bounds, ranges, and ranges in runs.
#pragma once

#include <span>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/mechanism/estimate.hpp"
#include "core/mechanism/settings.hpp"

namespace ldp {

/// Takes a parameter of 4 bytes; Error (malformed) outside least..most.
[[nodiscard]] std::uint64_t take_number(Reader& reader, const char* what, std::uint64_t least,
                                        std::uint64_t most);

/// Writes the size of the first attribute's domain, 4 bytes.
void write_domain(const Settings& settings, Writer& writer);
/// Takes it; Error (malformed) outside 2..most.
[[nodiscard]] std::uint64_t take_domain(Reader& reader, std::uint64_t most);
/// The same as the only parameter.
[[nodiscard]] std::uint64_t read_domain(Reader& reader, std::uint64_t most);

/// An attribute's declared range, as two numbers in the block.
struct Range {
    double min;
    double max;

    /// Original units of a position on [−1,1]·half around the middle.
    [[nodiscard]] double middle() const noexcept { return min / 2 + max / 2; }
    [[nodiscard]] double half() const noexcept { return max / 2 - min / 2; }
    /// An estimate on [0,1] in original units. To compute there and scale at the end keeps errors what they
    /// are on ranges far from 0, and on those whose squares are no doubles.
    [[nodiscard]] Estimate on(const Estimate& unit) const noexcept {
        return {min + 2 * half() * unit.value, 2 * half() * unit.standard_error};
    }
    friend bool operator==(const Range&, const Range&) = default;
};

/// Half of the widest of some ranges: the unit in which to take squares of what is in theirs.
[[nodiscard]] double widest_half(std::span<const Range> ranges) noexcept;

void write_range(Writer& writer, const Range& range);
/// Throws Error (malformed) if what was read is out of range.
[[nodiscard]] Range read_range(Reader& reader);

/// The ranges of a vector's attributes: number of runs (2), then runs of attributes with equal ranges: length
/// (4), min, max.
void write_ranges(Writer& writer, const std::vector<Attribute>& attributes);
/// Throws Error (malformed) unless there are ranges for `d` attributes.
[[nodiscard]] std::vector<Range> read_ranges(Reader& reader, std::size_t d);

/// Writes the number of runs (2), then each run of equal items: its length, and what `put` writes of the
/// item. Most items of a block are like their neighbours.
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

/// Reads them back, `take` an item. Throws Error (malformed) unless they are `count` items in the form that
/// write_runs() gives them.
template <class Length, class Take>
[[nodiscard]] auto read_runs(Reader& reader, std::size_t count, Take take) {
    std::vector<decltype(take(reader))> items;
    for (auto runs = reader.take<std::uint16_t>(); runs > 0; --runs) {
        const auto length = reader.take<Length>();
        const auto item = take(reader);
        if (length == 0 || length > count - items.size() || (!items.empty() && items.back() == item))
            raise(ErrorCode::malformed, "the runs of equal ranges are inconsistent", {},
                  "The bytes were damaged or forged.");
        items.insert(items.end(), length, item);
    }
    if (items.size() != count)
        raise(ErrorCode::malformed, "some ranges are missing", {}, "The bytes were damaged or forged.");
    return items;
}

}  // namespace ldp

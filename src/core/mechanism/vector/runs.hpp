// Many ranges in a parameter block, where most are like their neighbours: each run of equal ones stands once.
#pragma once

#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"

namespace ldp {

/// Writes the number of runs (2), then each run: its length, and what `put` writes of the item.
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
            throw Error(ErrorCode::malformed, "the runs of equal ranges are inconsistent", {},
                        "The bytes were damaged or forged.");
        items.insert(items.end(), length, item);
    }
    if (items.size() != count)
        throw Error(ErrorCode::malformed, "some ranges are missing", {}, "The bytes were damaged or forged.");
    return items;
}

}  // namespace ldp

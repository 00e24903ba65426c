// What the values of a category have to do with each other: how far apart they are, or how useful one is that
// is reported for another.
//
// It stands in every block, so it is told by what it follows from. Grades on a scale and tiles of a map need
// two numbers, however many they are; places need their coordinates, and a table all its entries, each in as
// many bits as the largest has, which the room in a block bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/mechanism/settings.hpp"

namespace ldp {

/// block: kind (1), reach (4; 0 if there is none), then of tiles: columns (4) · of places: bits of either
/// coordinate (1 each), coordinates · of a table: bits of an entry (1), entries. Coordinates and entries are
/// packed, lowest bits first, and the least of them is 0.
class Utilities {
  public:
    static constexpr Option options[] = {
        {.name = "columns", .fallback = 0, .least = 1, .most = 1024, .optional = true},
        {.name = "places", .rows = true, .optional = true},
        {.name = "utilities", .rows = true, .optional = true},
        {.name = "reach", .fallback = 0, .least = 1, .most = 4000000, .optional = true}};

    /// Those of settings. Throws Error (invalid_spec) if they contradict each other, or do not fit in a
    /// block.
    Utilities(std::uint64_t k, const OptionValues& given);
    /// Those of a block. Throws Error (malformed).
    Utilities(std::uint64_t k, Reader& reader);
    void write(Writer& writer) const;

    /// Whether values have distances, which are what utilities fall with.
    [[nodiscard]] bool distances() const noexcept { return kind_ != UtilityKind::table; }
    /// How far apart two values are, as the crow flies; at most the reach.
    [[nodiscard]] double distance(std::uint64_t a, std::uint64_t b) const noexcept;
    /// What reporting `out` for `in` is worth.
    [[nodiscard]] double utility(std::uint64_t in, std::uint64_t out) const noexcept {
        return distances() ? -distance(in, out) : entries_[in * k_ + out];
    }

  private:
    enum class UtilityKind : std::uint8_t { tiles, places, table };

    /// Coordinates of a value.
    struct Coordinates {
        double across, down;
    };
    [[nodiscard]] Coordinates place(std::uint64_t value) const noexcept;

    std::uint64_t k_;
    UtilityKind kind_ = UtilityKind::tiles;
    std::uint32_t reach_ = 0, columns_ = 0;
    std::vector<std::uint32_t> entries_;  ///< of a table; of places the coordinates, one place after another
};

}  // namespace ldp

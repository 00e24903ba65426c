// Utilities of a category's values: distances between values, or the utility of reporting one value for
// another.
//
// Utilities are part of every parameter block and are therefore encoded compactly. Grades on a scale and
// tiles of a map need two numbers. Points need their coordinates, and a table all its entries. These numbers
// are packed with as many bits as the largest one requires, and the size of a block limits their number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// Block format: kind (1), reach (4; 0 without one), then:
///   tiles: columns (4);
///   places: bits of either coordinate (1 each), coordinates;
///   table: bits of an entry (1), entries.
/// Coordinates and entries are packed, lowest bits first. The smallest of them is 0.
class Utilities {
  public:
    static constexpr Option options[] = {
        {.name = "columns", .fallback = 0, .least = 1, .most = 1024, .optional = true},
        {.name = "coordinates", .rows = true, .optional = true},
        {.name = "utilities", .rows = true, .optional = true},
        {.name = "max_distance", .fallback = 0, .least = 1, .most = 4000000, .optional = true}};

    /// Reads utilities from settings. Error (invalid_spec) if they are inconsistent or do not fit in a block.
    Utilities(std::uint64_t k, const OptionValues& given);
    /// Reads utilities from a block. Error (malformed) if they are invalid.
    Utilities(std::uint64_t k, Reader& reader);
    void write(Writer& writer) const;

    /// Returns whether values have distances, from which utilities are derived.
    [[nodiscard]] bool distances() const noexcept { return kind_ != UtilityKind::table; }
    /// Returns the Euclidean distance of two values, at most the reach.
    [[nodiscard]] double distance(std::uint64_t a, std::uint64_t b) const noexcept;
    /// Returns the utility of reporting `out` for `in`.
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
    /// of a table; or the coordinates of places, one place after another
    std::vector<std::uint32_t> entries_;
};

}  // namespace ldp

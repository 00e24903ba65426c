// The rounds of the reports of a repeated collection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ldp {

/// A set of rounds, given by the first and the last one. If rounds were not recorded, it is the set of all
/// rounds, so that unions need no special case.
struct Rounds {
    std::int32_t first, last;

    /// Returns the empty set, for no reports.
    [[nodiscard]] static constexpr Rounds none() noexcept { return {highest, lowest}; }
    [[nodiscard]] static constexpr Rounds only(std::int32_t round) noexcept { return {round, round}; }
    [[nodiscard]] static constexpr Rounds unrecorded() noexcept { return {lowest, highest}; }

    [[nodiscard]] constexpr bool recorded() const noexcept { return *this != unrecorded(); }
    [[nodiscard]] constexpr bool empty() const noexcept { return first > last; }
    /// Returns an upper bound of the number of rounds: the number of reports that one person may have sent in
    /// them.
    [[nodiscard]] constexpr std::uint64_t most() const noexcept {
        return empty() ? 0 : static_cast<std::uint64_t>(std::int64_t{last} - first + 1);
    }
    [[nodiscard]] constexpr Rounds with(const Rounds& other) const noexcept {
        return {std::min(first, other.first), std::max(last, other.last)};
    }
    friend constexpr bool operator==(const Rounds&, const Rounds&) = default;

  private:
    static constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min(),
                                  highest = std::numeric_limits<std::int32_t>::max();
};

}  // namespace ldp

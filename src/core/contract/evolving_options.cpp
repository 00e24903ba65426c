#include "core/contract/evolving_options.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/channel/numeric.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

std::uint32_t RoundingLevels::count() const noexcept {
    return static_cast<std::uint32_t>(std::bit_width(levels_));
}

std::uint64_t RoundingLevels::ends() const {
    constexpr std::uint64_t most_counted = 4096;
    if (levels_ > most_counted) return grid_ + 1;
    std::vector<std::uint64_t> all;
    for (std::uint32_t level = 0; level < count(); ++level)
        for (std::uint64_t i = 0; i <= cells(level); ++i)
            all.push_back(static_cast<std::uint64_t>(Uint128{grid_} * i / cells(level)));
    std::ranges::sort(all);
    return static_cast<std::uint64_t>(std::unique(all.begin(), all.end()) - all.begin());
}

bool RoundingLevels::is_end(double position) const noexcept {
    if (!(position >= 0 && position <= static_cast<double>(grid_))) return false;
    return static_cast<double>(round(position, 0, std::numeric_limits<std::uint64_t>::max())) == position;
}

Cell RoundingLevels::round(double position, std::uint32_t level, std::uint64_t alpha) const noexcept {
    const std::uint64_t count = cells(level);
    const auto end = [&](std::uint64_t i) {
        // i ≤ grid. Division of 64 bits is several times as fast.
        return grid_ >> 32 == 0 ? Cell{grid_ * i / count} : static_cast<Cell>(Uint128{grid_} * i / count);
    };
    auto cell =
        static_cast<std::uint64_t>(position / static_cast<double>(grid_) * static_cast<double>(count));
    cell = std::min(cell, count - 1);
    // Ends are at most one grid point below their exact positions, and a quotient may be rounded across one.
    while (cell + 1 < count && position >= static_cast<double>(end(cell + 1))) ++cell;
    while (position < static_cast<double>(end(cell))) --cell;
    const Cell left = end(cell), right = end(cell + 1);
    const double above = (position - static_cast<double>(left)) / static_cast<double>(right - left);
    return grid_point(above, 1).at(alpha) == 0 ? left : right;
}

std::uint32_t RoundingLevels::next(std::uint32_t level, double wanted) const noexcept {
    if (wanted <= step(level) && wanted > step(level) / 4) return level;
    std::uint32_t found = 0;
    while (found + 1 < count() && step(found) < wanted) ++found;
    return found;
}

Rounding::Rounding(const Evolving& rounding, std::span<const Attribute> attributes,
                   const LocalRandomizer& mechanism)
    : evolving_(rounding) {
    const std::vector<std::uint64_t> cells = mechanism.cells();
    for (std::size_t j = 0; j < cells.size(); ++j) {
        const bool evolving = attributes[j].evolving;
        const std::uint64_t grid = grid_steps(attributes[j], cells[j]);
        const RoundingLevels levels(grid, evolving ? evolving_.base_levels : grid);
        tracks_.push_back({levels, evolving, alphas_});
        alphas_ += evolving ? levels.count() : 1;
        rounding_states_ += evolving ? 1 : 0;
    }
}

bool Rounding::possible(std::size_t i, const RoundingState& rounding_state) const noexcept {
    for (const Track& track : tracks_) {
        if (!track.evolving || i-- != 0) continue;
        return (rounding_state.last == -1 || track.levels.is_end(rounding_state.last)) &&
               rounding_state.moved >= 0 &&
               rounding_state.moved <= static_cast<double>(rounding_state.moves) &&
               rounding_state.moves < evolving_.window && rounding_state.level < track.levels.count();
    }
    return false;
}

void Rounding::move(const RoundingLevels& levels, RoundingState& rounding_state,
                    Cell rounded) const noexcept {
    const auto position = static_cast<double>(rounded);
    if (rounding_state.last >= 0) {
        rounding_state.moved += std::abs(position - rounding_state.last) / static_cast<double>(levels.grid());
        ++rounding_state.moves;
    }
    rounding_state.last = position;
    if (rounding_state.moves < evolving_.window) return;
    const double score = rounding_state.moved / static_cast<double>(evolving_.window);
    const double base = levels.step(0);
    const bool dynamic = score > evolving_.volatility;
    rounding_state.level = levels.next(rounding_state.level,
                                       dynamic ? std::max(base, score / evolving_.flip_probability) : base);
    rounding_state.moved = 0;
    rounding_state.moves = 0;
}

std::vector<Cell> Rounding::follow(std::span<const double> positions, std::span<const std::uint64_t> alphas,
                                   std::span<RoundingState> rounding_states) const {
    std::vector<Cell> cells;
    cells.reserve(tracks_.size());
    auto rounding_state = rounding_states.begin();
    for (std::size_t j = 0; j < tracks_.size(); ++j) {
        const auto& [levels, evolving, first_alpha] = tracks_[j];
        std::uint32_t level = 0;
        if (std::isnan(positions[j])) {
            if (evolving) ++rounding_state;
            cells.push_back(levels.grid() + 1);
            continue;
        }
        if (evolving) {
            move(levels, *rounding_state, levels.round(positions[j], 0, alphas[first_alpha]));
            level = rounding_state++->level;
        }
        cells.push_back(levels.round(positions[j], level, alphas[first_alpha + level]));
    }
    return cells;
}

}  // namespace ldp

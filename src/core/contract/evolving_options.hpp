// Rounding of values that change. A response costs ε once and may then be repeated without cost. Therefore, a
// number that changes often is rounded so coarsely that it changes rarely: α-point rounding (Ding, Kulkarni,
// Yekhanin 2017), with a step that depends on the number's volatility (Saatchi 2025).
//
// A new step is a new grid, whose points have no memoized responses. Therefore, steps double from level to
// level, and the level changes only at the end of a window of reports, independent of the randomized reports.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// The rounding levels of one attribute on its grid {0..grid}. Level r divides the range into max(1, levels /
/// 2^r) equal cells. Their ends are rounded down to grid points; the last cell ends at the upper end.
class RoundingLevels {
  public:
    /// 1 ≤ levels ≤ grid.
    RoundingLevels(std::uint64_t grid, std::uint64_t levels) noexcept : grid_(grid), levels_(levels) {}

    /// Returns the number of levels, the last of which has one cell.
    [[nodiscard]] std::uint32_t count() const noexcept;
    [[nodiscard]] std::uint64_t cells(std::uint32_t level) const noexcept { return levels_ >> level; }
    /// The length of a cell, as a share of the range.
    [[nodiscard]] double step(std::uint32_t level) const noexcept {
        return 1 / static_cast<double>(cells(level));
    }
    [[nodiscard]] std::uint64_t grid() const noexcept { return grid_; }
    /// Returns the number of different ends of the cells of all levels, or an upper bound of it.
    [[nodiscard]] std::uint64_t ends() const;
    /// Whether a position is an end of a cell of the first level.
    [[nodiscard]] bool is_end(double position) const noexcept;

    /// Rounds a position x in 0..grid to an end of its cell [L, R): to R if x exceeds L by more than α·(R−L).
    /// If α is uniform on 2^-64·{0..2^64−1}, the mean is x and the variance (R−x)(x−L). For a fixed α, a
    /// change by δ changes the result with probability δ/(R−L).
    [[nodiscard]] Cell round(double position, std::uint32_t level, std::uint64_t alpha) const noexcept;

    /// Returns the level after `level` if a step of `wanted` (a share of the range) is sufficient: the finest
    /// level whose step is at least this. A coarser level is retained until its step is four times as large
    /// as necessary.
    [[nodiscard]] std::uint32_t next(std::uint32_t level, double wanted) const noexcept;

  private:
    std::uint64_t grid_;
    std::uint64_t levels_;
};

/// The changes of an attribute, and its rounding level. Because it is saved in a store, its values are
/// rounded to the first level and never more precise. For two values and one uniform α, the expected distance
/// of the rounded values is the distance of the values, because rounding is monotone and unbiased.
struct RoundingState {
    double last = -1;         ///< the last rounded position, or −1 before the first report
    double moved = 0;         ///< Σ|difference| of rounded positions in this window, in shares of the range
    std::uint32_t moves = 0;  ///< number of differences
    std::uint32_t level = 0;
    friend bool operator==(const RoundingState&, const RoundingState&) = default;
};

/// The rounding of a person's records under a spec of values that change.
///
/// An evolving attribute's volatility score is Σ|v_t − v_{t−1}| / (window · range), over consecutive windows,
/// of values rounded to the base step. If the score is at most the spec's `volatility`, the attribute is
/// static and uses the base step, 1/base_levels of the range. If it is larger, the attribute is dynamic and
/// its step is score/flip_probability, but at least the base step. A typical change therefore changes the
/// rounded value with probability flip_probability. Other attributes are rounded to the points of their grid.
class Rounding {
  public:
    /// The spec must have evolving(), and `mechanism` must be its mechanism.
    Rounding(const Spec& spec, const LocalRandomizer& mechanism)
        : Rounding(spec.evolving().value(), spec.attributes(), mechanism) {}
    /// Prepares the rounding of only the attributes that `mechanism` reports.
    Rounding(const Evolving& evolving, std::span<const Attribute> attributes,
             const LocalRandomizer& mechanism);

    /// Returns the number of words α of a person, which are drawn once: one for each attribute and level.
    [[nodiscard]] std::size_t alphas() const noexcept { return alphas_; }
    /// Returns the first word α of an attribute. It also determines which labels of a set that is too large
    /// are reported.
    [[nodiscard]] std::uint64_t alpha_of(std::size_t attribute,
                                         std::span<const std::uint64_t> alphas) const noexcept {
        return alphas[tracks_[attribute].first_alpha];
    }
    /// Returns the number of evolving attributes. Each has a rounding state.
    [[nodiscard]] std::size_t rounding_states() const noexcept { return rounding_states_; }
    /// Whether this is a possible rounding state of the i-th evolving attribute.
    [[nodiscard]] bool possible(std::size_t i, const RoundingState& rounding_state) const noexcept;

    /// Adds a record's positions (0 to cells − 1 each) to the rounding states, and rounds the record to their levels.
    [[nodiscard]] std::vector<Cell> follow(std::span<const double> positions,
                                           std::span<const std::uint64_t> alphas,
                                           std::span<RoundingState> rounding_states) const;

  private:
    struct Track {
        RoundingLevels levels;
        bool evolving;
        std::size_t first_alpha;
    };
    /// Adds a position, rounded to the first level, to a rounding state. The rounding state may change its level at the end
    /// of a window.
    void move(const RoundingLevels& levels, RoundingState& rounding_state, Cell rounded) const noexcept;

    Evolving evolving_;
    std::vector<Track> tracks_;  ///< one for each attribute
    std::size_t alphas_ = 0, rounding_states_ = 0;
};

}  // namespace ldp

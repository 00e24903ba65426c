// Values that change, before they are randomized. An answer costs ε once and may then be repeated for
// nothing, so a number that moves all the time is rounded until it moves rarely: α-point rounding (Ding,
// Kulkarni, Yekhanin 2017), with a step that follows how much the number moves (Saatchi 2025).
//
// The step could follow at every report; but a new step is a new grid, whose points have no answers yet. So
// it stands on a ladder of doubling steps, and moves along it only when a window of reports is full, however
// the reports looked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/mechanism.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

/// The steps that one attribute may be rounded to, on its grid {0..grid}: rung r cuts the range into
/// max(1, levels / 2^r) equal cells, whose ends are moved down to grid points; the last cell ends at the top.
class RoundingLevels {
  public:
    /// 1 ≤ levels ≤ grid.
    RoundingLevels(std::uint64_t grid, std::uint64_t levels) noexcept : grid_(grid), levels_(levels) {}

    /// As many as it takes for the last one to have one cell.
    [[nodiscard]] std::uint32_t rungs() const noexcept;
    [[nodiscard]] std::uint64_t cells(std::uint32_t rung) const noexcept { return levels_ >> rung; }
    /// The length of a cell, as a share of the range.
    [[nodiscard]] double step(std::uint32_t rung) const noexcept {
        return 1 / static_cast<double>(cells(rung));
    }
    [[nodiscard]] std::uint64_t grid() const noexcept { return grid_; }
    /// Whether it is an end of one of the first rung's cells.
    [[nodiscard]] bool is_end(double position) const noexcept;

    /// The end of the cell [L, R) around a position in 0..grid that α decides for: R, if the position lies
    /// further than α·(R−L) above L. With α uniform on 2^-64·{0..2^64−1} the mean is the position and the
    /// variance (R−x)(x−L); with α kept, a move by δ changes the outcome with probability δ/(R−L).
    [[nodiscard]] Cell round(double position, std::uint32_t rung, std::uint64_t alpha) const noexcept;

    /// The rung to go on with from `rung` when a step of `wanted` (a share of the range) would do: the finest
    /// that is no finer than that. One that is coarser than it need be is kept until it is so by four times.
    [[nodiscard]] std::uint32_t next(std::uint32_t rung, double wanted) const noexcept;

  private:
    std::uint64_t grid_;
    std::uint64_t levels_;
};

/// How an attribute has moved, and what it is rounded to since. A store keeps it, so it holds the value as it
/// is rounded on the first rung and nothing finer. For two values and one uniform α the expected distance of
/// the rounded values is the distance of the values, since rounding is monotone and unbiased.
struct Course {
    double last = -1;         ///< the last rounded position, or −1 before the first report
    double moved = 0;         ///< Σ|difference| of these since the window began, in shares of the range
    std::uint32_t moves = 0;  ///< how many differences
    std::uint32_t rung = 0;
    friend bool operator==(const Course&, const Course&) = default;
};

/// The rounding of a person's records under a spec of values that change.
///
/// An evolving attribute's volatility score is Σ|v_t − v_{t−1}| / (window · range), over windows that follow
/// each other, of values rounded to the base step. Up to the spec's `volatility` it is static and keeps the
/// base step, 1/base_levels of the range; above, it is dynamic and its step becomes score/flip_probability,
/// if that is longer, so that a usual move changes the rounded value with flip_probability. Other attributes
/// are rounded to the points of their grid.
class Rounding {
  public:
    /// The spec has evolving(); `mechanism` is of this spec.
    Rounding(const Spec& spec, const LocalRandomizer& mechanism);

    /// The words α that a person draws once and keeps: one for each attribute and step that it may have.
    [[nodiscard]] std::size_t alphas() const noexcept { return alphas_; }
    /// How many attributes are evolving: each has a course.
    [[nodiscard]] std::size_t courses() const noexcept { return courses_; }
    /// Whether this can be the course of the i-th of them.
    [[nodiscard]] bool possible(std::size_t i, const Course& course) const noexcept;

    /// Takes a record's positions (0 to cells − 1 each) into the courses, and rounds it as they then say.
    [[nodiscard]] std::vector<Cell> follow(std::span<const double> positions,
                                           std::span<const std::uint64_t> alphas,
                                           std::span<Course> courses) const;

  private:
    struct Track {
        RoundingLevels ladder;
        bool evolving;
        std::size_t first_alpha;
    };
    /// Takes a position, as it is rounded on the first rung, into a course, which at the end of a window may
    /// change its rung.
    void move(const RoundingLevels& ladder, Course& course, Cell rounded) const noexcept;

    Evolving evolving_;
    std::vector<Track> tracks_;  ///< one for each attribute
    std::size_t alphas_ = 0, courses_ = 0;
};

}  // namespace ldp

#include "core/mechanism/circular/ring_design.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"

namespace ldp {

namespace {

/// Most variance of the direction, relative to the best window. If all such patterns hide a harmonic, it is a higher power.
constexpr double most_of_window = 1.1;
/// A step of the search must improve by this factor. Patterns that mirror each other have equal variances up to rounding, so
/// that all platforms choose the same one.
constexpr double improved = 1 - 1e-6;

/// A pattern under change, with its harmonics before they are scaled: the sums of e^(2πi·m·d/points) over its points d.
class Pattern {
  public:
    Pattern(std::uint64_t points, double epsilon)
        : points_(points), rise_(std::expm1(epsilon)), sums_(points / 2 + 1), importance_(points / 2 + 1) {
        const auto k = static_cast<double>(points);
        for (std::uint64_t j = 0; j < points; ++j)
            roots_.push_back(std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(j) / k));
        // The mean over all lengths of |coefficient m of the indicator of an arc|², for m and −m together.
        for (std::uint64_t m = 1; m <= points / 2; ++m)
            importance_[m] = (2 * m == points ? 0.5 : 1) /
                             (k * (k - 1) * square(std::sin(std::numbers::pi * static_cast<double>(m) / k)));
    }

    void flip(std::uint64_t at) noexcept {
        const double sign = (bits_ >> at & 1) == 0 ? 1 : -1;
        bits_ ^= std::uint64_t{1} << at;
        width_ += sign;
        for (std::uint64_t m = 1; m < sums_.size(); ++m) sums_[m] += sign * roots_[m * at % points_];
    }
    [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] bool has(std::uint64_t at) const noexcept { return (bits_ >> at & 1) != 0; }
    [[nodiscard]] bool usable() const noexcept {
        return width_ >= 1 && 2 * width_ <= static_cast<double>(points_);
    }

    /// Returns the mean square of the term of the direction.
    [[nodiscard]] double of_direction() const noexcept { return square_of_term(1); }
    /// Returns the mean square of the term of an arc, without its constant part.
    [[nodiscard]] double of_arcs() const noexcept {
        double sum = 0;
        for (std::uint64_t m = 1; m < sums_.size(); ++m) sum += importance_[m] * square_of_term(m);
        return sum;
    }

  private:
    [[nodiscard]] double square_of_term(std::uint64_t m) const noexcept {
        constexpr double least = 1e-12;  // less is 0 up to rounding
        const double tilt = rise_ / (width_ * rise_ + static_cast<double>(points_));
        const double harmonic = std::norm(sums_[m]);
        return harmonic < least ? HUGE_VAL : 1 / (tilt * tilt * harmonic);
    }

    std::uint64_t points_, bits_ = 0;
    double rise_, width_ = 0;
    std::vector<std::complex<double>> sums_, roots_;
    std::vector<double> importance_;
};

/// Improves the variance of arcs by single steps: a point is added, removed or moved.
double improve(Pattern& pattern, std::uint64_t points, double most_of_direction) {
    double least = pattern.of_arcs();
    for (;;) {
        check_interrupt();
        std::uint64_t one = points, other = points;
        const auto consider = [&](std::uint64_t i, std::uint64_t j) {
            if (!pattern.usable() || !(pattern.of_direction() <= most_of_direction)) return;
            const double found = pattern.of_arcs();
            if (!(found < least * improved)) return;
            least = found;
            one = i, other = j;
        };
        for (std::uint64_t i = 0; i < points; ++i) {
            pattern.flip(i);
            consider(i, points);
            for (std::uint64_t j = i + 1; j < points; ++j) {
                if (pattern.has(j) != pattern.has(i)) continue;  // i is flipped: both had different bits
                pattern.flip(j);
                consider(i, j);
                pattern.flip(j);
            }
            pattern.flip(i);
        }
        if (one == points) return least;
        pattern.flip(one);
        if (other != points) pattern.flip(other);
    }
}

}  // namespace

std::uint64_t design_ring(std::uint64_t points, double epsilon, RingUse use) {
    const auto window = [&](std::uint64_t width) {
        Pattern pattern(points, epsilon);
        for (std::uint64_t i = 0; i < width; ++i) pattern.flip(i);
        return pattern;
    };
    double least_direction = HUGE_VAL;
    for (std::uint64_t width = 1; width <= points / 2; ++width)
        least_direction = std::min(least_direction, window(width).of_direction());
    double most = use == RingUse::direction ? least_direction : HUGE_VAL, least = HUGE_VAL;
    std::uint64_t best = 0;
    while (best == 0) {  // one point alone hides no harmonic, so that the search ends
        most *= most_of_window;
        for (std::uint64_t width = 1; width <= points / 2; ++width) {
            Pattern pattern = window(width);
            if (!(pattern.of_direction() <= most)) continue;
            const double found = improve(pattern, points, most);
            if (!(found < least * improved)) continue;
            least = found;
            best = pattern.bits();
        }
    }
    return best;
}

}  // namespace ldp

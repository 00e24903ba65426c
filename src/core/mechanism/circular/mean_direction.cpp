#include "core/mechanism/circular/mean_direction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/math/monotone.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/circular/circle.hpp"
#include "core/mechanism/mean/response_rate.hpp"

namespace ldp {

namespace {

/// The law of the length of an estimated mean vector, for a true vector of length R. The part along the true vector is
/// normal with the mean R, the part across it with the mean 0. With equal variances, this is the law of Rice (1945).
class LengthLaw {
  public:
    LengthLaw(double along, double across, double length)
        : across_(std::sqrt(std::max(across, tiny))), along_(std::sqrt(std::max(along, tiny))) {
        constexpr double farthest = 7;  // errors
        const double most = std::min(length, farthest * across_);
        step_ = most / static_cast<double>(nodes_.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const double y = (static_cast<double>(i) + 0.5) * step_;
            nodes_[i] = {std::sqrt(std::max(0.0, square(length) - square(y))),
                         std::exp(-square(y / across_) / 2)};
        }
    }

    /// Returns the probability of an estimate of at most the length.
    [[nodiscard]] double at_most(double truth) const noexcept {
        double sum = 0;
        for (const auto& [reach, density] : nodes_)
            sum += density * (one_sided((-reach - truth) / along_) - one_sided((reach - truth) / along_));
        return sum * step_ / across_ * std::sqrt(2 / std::numbers::pi);
    }

  private:
    static constexpr double tiny = 1e-24;
    /// Half of a chord of the circle, and the density of its distance from the middle, up to a factor.
    struct Chord {
        double reach, density;
    };
    double across_, along_, step_;
    std::array<Chord, 96> nodes_;
};

/// The interval has the lengths R for which an estimate at least as long, and one at most as long, each have half of the
/// error probability. The upper end does not fall below that of a vector as long as its errors alone make it: a shorter one
/// says no more about R.
Interval interval_of_length(const MeanVector& found, double along, double across, double critical_value) {
    const double tail = one_sided(std::max(critical_value, 0.0)), length = std::abs(found.mean);
    const LengthLaw as_long(along, across, length),
        longer(along, across, std::max(length, std::sqrt(found.xx + found.yy)));
    return {last_without_excess(1, 0, tail - 1,
                                [&](double truth) { return as_long.at_most(truth) - (1 - tail); }),
            last_without_excess(0, 1, tail - 1, [&](double truth) { return tail - longer.at_most(truth); })};
}

}  // namespace

Direction direction_of(const MeanVector& found, const Interval& ends, double critical_value, double shift) {
    constexpr double pi = std::numbers::pi;
    const Circle circle(ends);
    const double unit = circle.unit(), length = std::abs(found.mean);
    const double angle = std::arg(found.mean), x = std::cos(angle), y = std::sin(angle);
    const double across = found.along(-y, x);
    Direction result{};
    const double value = circle.place_of(found.mean);
    // The ellipse has the coverage 1 − p of the interval: the squared distance from its middle is −2·ln p.
    const double determinant = found.xx * found.yy - square(found.xy);
    const double distance =  // of 0, squared, in errors
        (found.yy * square(found.mean.real()) - 2 * found.xy * found.mean.real() * found.mean.imag() +
         found.xx * square(found.mean.imag())) /
        determinant;
    const double left = std::max(0.0, 1 - shift / length);
    result.determined = length > 0 && determinant > 0 &&
                        distance * square(left) > -2 * std::log(two_sided(std::max(critical_value, 0.0)));
    if (!result.determined) {
        result.direction = {length > 0 ? value : unknown, unknown};
        result.interval = ends;
        return result;
    }
    result.direction = {value, unit * std::sqrt(across) / length};
    const auto end = [&](double sign) {
        return last_accepted(0, pi, [&](double turned) {
            if (turned >= pi / 2) return false;
            const double at = angle + sign * turned;
            return length * std::sin(turned) <=
                   critical_value * std::sqrt(found.along(-std::sin(at), std::cos(at))) + shift;
        });
    };
    result.interval = {value - unit * end(-1), value + unit * end(1)};
    return result;
}

ResultantLength length_of(const MeanVector& found, double critical_value, double shift) {
    const double angle = std::arg(found.mean), x = std::cos(angle), y = std::sin(angle);
    const double along = found.along(x, y), across = found.along(-y, x);
    const Estimate length{std::sqrt(std::max(0.0, square(std::abs(found.mean)) - found.xx - found.yy)),
                          std::sqrt(along)};
    const Interval lengths = interval_of_length(found, along, across, critical_value);
    return {length,
            {std::max(0.0, std::min(lengths.lower, length.value) - shift),
             std::max(length.value, std::min(1.0, lengths.upper + shift))}};
}

void check_has_quantiles(const Ordered& ordered) {
    if (ordered.circle() != nullptr)
        raise(ErrorCode::unsupported, "values on a circle have no quantiles", "No value is the first one.",
              "Use the mean direction, or the shares of arcs.");
}

}  // namespace ldp

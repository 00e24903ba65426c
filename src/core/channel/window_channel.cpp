#include "core/channel/window_channel.hpp"

#include <cmath>

#include "core/base/exact.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

WindowChannel::WindowChannel(std::uint64_t steps, std::uint64_t width, const Odds& odds)
    : MomentChannel(steps, steps + width, law(steps, width, odds)), width_(width), odds_(odds) {}

MomentChannel::Law WindowChannel::law(std::uint64_t steps, std::uint64_t width, const Odds& odds) {
    const auto w = static_cast<double>(width);
    const auto cells = static_cast<double>(steps + width);
    const auto total = static_cast<double>(width * odds.high + steps * odds.low);
    const double tilt = static_cast<double>(odds.high - odds.low) / total;
    // The outputs s .. s+w−1 of the window, measured from the middle, sum to w·(s + centre); all outputs sum
    // to 0.
    const double centre = (w - 1) / 2 - middle(steps + width);
    const double all = static_cast<double>(odds.low) / total * cells * (cells * cells - 1) / 12;
    return {tilt * w,
            tilt * w * centre,
            {tilt * w, 2 * tilt * w * centre, tilt * w * (centre * centre + (w * w - 1) / 12) + all}};
}

std::uint64_t WindowChannel::sample(std::uint64_t in, BitSource& bits) const {
    const std::uint64_t drawn = bits.pick({odds_.high, width_, odds_.low, steps()});
    if (drawn < width_) return in + drawn;
    const std::uint64_t other = drawn - width_;
    return other + (other >= in ? width_ : 0);
}

Exact WindowChannel::probability(std::uint64_t in, std::uint64_t out) const {
    return exact(weight(in, out), total());
}

Exact WindowChannel::worst_ratio() const {
    return exact(odds_.high, odds_.low);
}

ChannelLaw WindowChannel::channel_law() const {
    return levels_law(odds_, width_, steps());
}

double WindowChannel::mean_beyond(double excess, double n) const {
    return two_sided(excess * std::sqrt(n) / deviation_at_end());
}

// The variance of the squares is at most that of a variable on two points with the same range.
double WindowChannel::square_beyond(double excess, double n) const {
    const double from = middle(outputs());
    return two_sided(excess * std::sqrt(n) / (from * from / 2));
}

}  // namespace ldp

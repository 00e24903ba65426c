#include "core/channel/laplace_channel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/channel/coin.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

namespace {

// The outermost output on each side is at the largest magnitude from the opposite end of the grid.
std::uint64_t outputs_of(std::uint64_t steps, const Decay& coins) {
    return (std::uint64_t{2} << coins.digits.size()) - steps + 2;
}

// Moments of z = ±(m + 1/2), with geometric m. The rounding of the coins lowers the rate ε/steps by 2^-53.
// This changes the moments by a relative amount below 2^-20, and far less except on the finest grids.
struct LaplaceMoments {
    double square, fourth;
    explicit LaplaceMoments(double scale) {
        const double mean = 1 / std::expm1(1 / scale);  // of m
        const double u = mean * (mean + 1);
        square = 2 * u + 1.0 / 4;
        fourth = 24 * u * u + 5 * u + 1.0 / 16;
    }
};

}  // namespace

LaplaceChannel::LaplaceChannel(std::uint64_t steps, double epsilon, Decay coins)
    : MomentChannel(steps, outputs_of(steps, coins),
                    {1,
                     -static_cast<double>(steps) / 2,
                     {1, -static_cast<double>(steps),
                      static_cast<double>(steps) * static_cast<double>(steps) / 4 +
                          LaplaceMoments(static_cast<double>(steps) / epsilon).square}}),
      coins_(std::move(coins)),
      scale_(static_cast<double>(steps) / epsilon) {}

// Output y represents y − (reach − steps) − 1/2. Noise of magnitude m leads from `in` to in + reach − steps,
// either down by m or up by m + 1.
std::uint64_t LaplaceChannel::sample(std::uint64_t in, BitSource& bits) const {
    std::uint64_t magnitude = 0;
    for (std::size_t i = 0; i < coins_.digits.size(); ++i)
        magnitude |= static_cast<std::uint64_t>(bits.lands(coins_.digits[i], 128)) << i;
    if (bits.lands(coins_.beyond, 128)) magnitude = magnitudes();
    const std::uint64_t from = in + magnitudes() - steps();
    return bits.fair(1) == 0 ? from - std::min(magnitude, from)
                             : std::min(from + 1 + magnitude, outputs() - 1);
}

Exact LaplaceChannel::digit(std::size_t i, bool value) const {
    const Exact one = exact_dyadic(coins_.digits[i], 128);
    return value ? one : one.complement();
}

Exact LaplaceChannel::at(std::uint64_t m) const {
    Exact product = exact_dyadic(coins_.beyond, 128).complement();
    for (std::size_t i = 0; i < coins_.digits.size(); ++i) product = product * digit(i, (m >> i & 1) != 0);
    return product;
}

// Larger numbers have the same digits as m above some digit at which m has 0 and they have 1.
Exact LaplaceChannel::at_least(std::uint64_t m) const {
    Exact beyond = exact_dyadic(coins_.beyond, 128);
    if (m >= magnitudes()) return beyond;
    Exact sum = exact(0, 1), prefix = beyond.complement();
    for (std::size_t i = coins_.digits.size(); i-- > 0;) {
        const bool set = (m >> i & 1) != 0;
        if (!set) sum = sum + prefix * digit(i, true);
        prefix = prefix * digit(i, set);
    }
    return beyond + sum + prefix;
}

Exact LaplaceChannel::probability(std::uint64_t in, std::uint64_t out) const {
    const std::uint64_t from = in + magnitudes() - steps();
    const std::uint64_t magnitude = out <= from ? from - out : out - from - 1;
    const bool outermost = out == 0 || out == outputs() - 1;
    return exact(1, 2) * (outermost ? at_least(magnitude) : at(magnitude));
}

// The maximum is attained by the nearest input.
double LaplaceChannel::max_probability(std::uint64_t out) const {
    const std::uint64_t first = magnitudes() - steps();
    return static_cast<double>(probability(std::min(out - std::min(out, first), steps()), out));
}

// P does not increase with the magnitude. The worst pair of an output is the nearest input and the farthest
// one on the same side, `steps` apart. At the outermost outputs, the ratio is that of two tails. At the
// others, the largest P(m)/P(m + steps) is found digit by digit from the lowest, with the largest ratio so
// far for either carry.
Exact LaplaceChannel::worst_ratio() const {
    std::array<Exact, 2> worst{exact(1, 1), exact(0, 1)};  // 0: this carry is impossible
    for (std::size_t i = 0; i < coins_.digits.size(); ++i) {
        std::array<Exact, 2> next{exact(0, 1), exact(0, 1)};
        for (const unsigned carry : {0u, 1u})
            for (const unsigned bit : {0u, 1u}) {
                const auto sum = static_cast<unsigned>(bit + carry + (steps() >> i & 1));
                const Exact ratio = worst[carry] * digit(i, bit != 0) / digit(i, (sum & 1) != 0);
                if (ratio > next[sum >> 1]) next[sum >> 1] = ratio;
            }
        worst = next;
    }
    const Exact tails = at_least(magnitudes() - steps()) / at_least(magnitudes());
    return std::max(tails, worst[0]);
}

ChannelLaw LaplaceChannel::channel_law() const {
    DecayLaw law{steps(), {}, exact_dyadic(coins_.beyond, 128)};
    for (std::size_t i = 0; i < coins_.digits.size(); ++i) law.digits.push_back(digit(i, true));
    return {std::move(law)};
}

// Chernoff's bound. In units of the scale, κ is the best tilt for the continuous law. The moment generating
// function is that of the discrete law, so that this is a bound on any grid.
double LaplaceChannel::mean_beyond(double excess, double n) const {
    const double t = excess / scale_;
    const double k = t / (1 + std::sqrt(1 + t * t));
    const double generating = std::expm1(-1 / scale_) / 2 *
                              (std::exp(k / 2 / scale_) / std::expm1((k - 1) / scale_) +
                               std::exp(-k / 2 / scale_) / std::expm1(-(k + 1) / scale_));
    return std::min(1.0, 2 * std::exp(n * (std::log(generating) - k * t)));
}

// Cantelli's inequality, since the tail of squared noise is too heavy for the normal approximation.
double LaplaceChannel::square_beyond(double excess, double n) const {
    const LaplaceMoments noise(scale_);
    const auto top = static_cast<double>(steps());
    const double variance = top * top * noise.square + noise.fourth - noise.square * noise.square;
    return 1 / (1 + excess * excess * n / variance);
}

}  // namespace ldp

#include "core/channel/hybrid_channel.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/bytes.hpp"
#include "core/base/exact.hpp"
#include "core/base/unknown.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

HybridChannel::HybridChannel(std::uint64_t steps, std::uint64_t width, double epsilon)
    : HybridChannel(WindowChannel(steps, width, epsilon), BinaryChannel(steps, epsilon),
                    -std::expm1(-epsilon / 2)) {}

HybridChannel::HybridChannel(const WindowChannel& window, const BinaryChannel& binary, double share)
    : QuadraticChannel(window.steps(), window.outputs() + binary.outputs(),
                       sizeof(std::uint64_t) + window.tally_size() + binary.tally_size(),
                       mixture(window, binary, share)),
      window_(window),
      binary_(binary),
      share_(share),
      draw_below_(static_cast<std::uint64_t>(std::ldexp(share, 64))) {}

QuadraticChannel::Quadratic HybridChannel::mixture(const WindowChannel& window, const BinaryChannel& binary,
                                                   double share) noexcept {
    const Quadratic& w = window.noise();
    const Quadratic& b = binary.noise();
    return {share * w.a + (1 - share) * b.a, share * w.b + (1 - share) * b.b,
            share * w.c + (1 - share) * b.c};
}

std::vector<std::pair<std::string, double>> HybridChannel::parameters() const {
    auto all = window_.parameters();
    all.emplace_back("window_share", share_);
    for (const auto& parameter : binary_.parameters()) all.push_back(parameter);
    return all;
}

std::uint64_t HybridChannel::sample(std::uint64_t in, BitSource& bits) const {
    return bits.lands(draw_below_, 64) ? window_.sample(in, bits)
                                       : window_.outputs() + binary_.sample(in, bits);
}

NumericChannel::Reach HybridChannel::reach() const {
    const Reach window = window_.reach(), binary = binary_.reach();
    return {std::min(window.least, binary.least), std::max(window.most, binary.most)};
}

double HybridChannel::max_probability(std::uint64_t out) const {
    return out < window_.outputs() ? share_ * window_.max_probability(out)
                                   : (1 - share_) * binary_.max_probability(out - window_.outputs());
}

Exact HybridChannel::probability(std::uint64_t in, std::uint64_t out) const {
    const Exact through_window = exact_dyadic(draw_below_, 64);
    return out < window_.outputs()
               ? through_window * window_.probability(in, out)
               : through_window.complement() * binary_.probability(in, out - window_.outputs());
}

Exact HybridChannel::worst_ratio() const {
    return std::max(window_.worst_ratio(), binary_.worst_ratio());
}

ChannelLaw HybridChannel::channel_law() const {
    const Exact through_window = exact_dyadic(draw_below_, 64);
    return {ChoiceLaw{
        {{window_.channel_law(), through_window}, {binary_.channel_law(), through_window.complement()}}}};
}

void HybridChannel::accumulate(std::byte* tally, std::uint64_t out) const noexcept {
    if (out < window_.outputs()) {
        add<std::uint64_t>(tally, 1);
        window_.accumulate(window_part(tally), out);
    } else {
        binary_.accumulate(binary_part(tally), out - window_.outputs());
    }
}

void HybridChannel::accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept {
    std::uint64_t window[Payloads::most_cells], binary[Payloads::most_cells];
    std::size_t windows = 0, binaries = 0;
    for (const std::uint64_t out : outs) {
        const bool through_window = out < window_.outputs();
        window[windows] = out;
        binary[binaries] = out - window_.outputs();
        windows += through_window ? 1 : 0;
        binaries += through_window ? 0 : 1;
    }
    add<std::uint64_t>(tally, windows);
    window_.accumulate_all(window_part(tally), std::span<const std::uint64_t>(window, windows));
    binary_.accumulate_all(binary_part(tally), std::span<const std::uint64_t>(binary, binaries));
}

void HybridChannel::merge(std::byte* tally, const std::byte* other) const noexcept {
    add(tally, load<std::uint64_t>(other));
    window_.merge(window_part(tally), window_part(other));
    binary_.merge(binary_part(tally), binary_part(other));
}

bool HybridChannel::valid(std::uint64_t n, const std::byte* tally) const noexcept {
    const auto through_window = load<std::uint64_t>(tally);
    return through_window <= n && window_.valid(through_window, window_part(tally)) &&
           binary_.valid(n - through_window, binary_part(tally));
}

NumericChannel::Moments HybridChannel::invert(std::uint64_t n, const std::byte* tally) const noexcept {
    const auto windows = load<std::uint64_t>(tally);
    const std::uint64_t ones = n - windows;
    const double share = static_cast<double>(windows) / static_cast<double>(n);
    double mean = 0, mean_square = unknown;
    if (windows > 0) {
        const Moments part = window_.invert(windows, window_part(tally));
        mean += share * part.mean;
        mean_square = part.mean_square - static_cast<double>(steps()) * part.mean;
    }
    if (ones > 0) mean += (1 - share) * binary_.invert(ones, binary_part(tally)).mean;
    // The window estimates the mean square about the middle of the grid, which is the same from either end.
    mean_square += static_cast<double>(steps()) * mean;
    return moments(mean, mean_square, mixture(window_, binary_, share));
}

std::vector<Check> HybridChannel::health(std::uint64_t n, const std::byte* tally) const {
    const auto windows = load<std::uint64_t>(tally);
    std::vector<Check> checks{{"share of window reports",
                               static_cast<double>(windows) / static_cast<double>(n), share_,
                               binomial_between(n, share_, share_, windows)}};
    const auto join = [&](const char* part, std::uint64_t reports, const std::vector<Check>& found) {
        for (const Check& check : found)
            checks.push_back(reports > 0
                                 ? Check{part + check.name, check.observed, check.expected, check.p_value}
                                 : Check{part + check.name, 0, check.expected, 1});
    };
    join("window: ", windows, window_.health(windows, window_part(tally)));
    join("one bit: ", n - windows, binary_.health(n - windows, binary_part(tally)));
    return checks;
}

}  // namespace ldp

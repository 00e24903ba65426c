#include "core/mechanism/circular/ring_channel.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace ldp {

namespace {

std::vector<RingChannel::Harmonic> roots_of(std::uint64_t points) {
    std::vector<RingChannel::Harmonic> roots;
    for (std::uint64_t j = 0; j < points; ++j)
        roots.push_back(
            std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(points)));
    return roots;
}

/// The sum of e^(2πi·m·d/points) over the bits d of a pattern.
RingChannel::Harmonic sum_of(std::uint64_t pattern, std::uint64_t m,
                             std::span<const RingChannel::Harmonic> roots) {
    RingChannel::Harmonic sum = 0;
    for (std::uint64_t d = 0; d < roots.size(); ++d)
        if ((pattern >> d & 1) != 0) sum += roots[m * d % roots.size()];
    return sum;
}

}  // namespace

RingChannel::RingChannel(std::uint64_t points, std::uint64_t pattern, double epsilon)
    : points_(points),
      pattern_(pattern),
      width_(static_cast<std::uint64_t>(std::popcount(pattern))),
      odds_(odds(epsilon, width_, points - width_)),
      roots_(roots_of(points)),
      kernel_(points) {
    std::size_t favoured = 0, others = width_;
    for (std::uint64_t d = 0; d < points; ++d)
        order_[(pattern >> d & 1) != 0 ? favoured++ : others++] = static_cast<std::uint8_t>(d);
    const double tilt = static_cast<double>(odds_.high - odds_.low) / static_cast<double>(total());
    for (std::uint64_t m = 0; m < points; ++m)
        factors_.push_back(m == 0 ? 1 : tilt * sum_of(pattern, m, roots_));
    for (std::uint64_t d = 0; d < points; ++d) {
        double sum = 0;
        for (std::uint64_t m = 0; m < points; ++m) sum += (root(m * d) / factors_[m]).real();
        kernel_[d] = sum / static_cast<double>(points);
    }
}

std::vector<double> RingChannel::terms(std::span<const double> function) const {
    std::vector<double> all(points_);
    for (std::uint64_t out = 0; out < points_; ++out)
        for (std::uint64_t point = 0; point < points_; ++point)
            all[out] += function[point] * term(point, out);
    return all;
}

std::vector<double> RingChannel::law(std::span<const double> shares) const {
    std::vector<double> all(points_);
    for (std::uint64_t out = 0; out < points_; ++out)
        for (std::uint64_t in = 0; in < points_; ++in) all[out] += shares[in] * probability(in, out);
    return all;
}

bool RingChannel::valid(std::uint64_t points, std::uint64_t pattern) {
    const std::uint64_t all = points == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << points) - 1;
    if (pattern == 0 || (pattern & all) != pattern || pattern == all) return false;
    constexpr double least = 1e-6;
    const std::vector<Harmonic> roots = roots_of(points);
    for (std::uint64_t m = 1; m < points; ++m)
        if (std::abs(sum_of(pattern, m, roots)) < least) return false;
    return true;
}

}  // namespace ldp

#include "core/mechanism/vector/codeword_channel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/fixed_steps.hpp"

namespace ldp {

namespace {

using CodewordCounts = CodewordChannel::CodewordCounts;

Uint128 total(const CodewordCounts& design, const Odds& odds) noexcept {
    return Uint128{odds.high} * design.near + Uint128{odds.low} * (design.codewords - design.near);
}

/// The moments of the codeword drawn along x. The sum of all codewords has the expectation 0, that of their squares M, and
/// that of their fourth powers 3M.
LargestNormals moments(const CodewordCounts& design, double high, double low) noexcept {
    const auto all = static_cast<double>(design.codewords), near = static_cast<double>(design.near);
    const LargestNormals chosen = LargestNormals::of(design.codewords, design.near);
    const double sum = high * near + low * (all - near);
    const auto mean = [&](double of_near, double of_all) {
        return (high * of_near + low * (of_all - of_near)) / sum;
    };
    return {mean(chosen.sum, 0), mean(chosen.squares, all), mean(chosen.fourth_powers, 3 * all)};
}

/// n·Var of a coordinate, averaged over the coordinates, for a population of points of length 1 with the mean 0.
double variance(std::size_t dimensions, double epsilon, const CodewordCounts& design) noexcept {
    const LargestNormals drawn = moments(design, 1, std::exp(-epsilon));
    return (1 + (drawn.squares - 1) / static_cast<double>(dimensions)) / (drawn.sum * drawn.sum);
}

/// The best number of near codewords. The variance has a single minimum.
CodewordCounts best_of(std::size_t dimensions, double epsilon, std::uint64_t codewords) noexcept {
    std::uint64_t low = 1, high = codewords / 2;
    while (low < high) {
        const std::uint64_t middle = (low + high) / 2;
        if (variance(dimensions, epsilon, {codewords, middle}) <=
            variance(dimensions, epsilon, {codewords, middle + 1}))
            high = middle;
        else
            low = middle + 1;
    }
    return {codewords, low};
}

}  // namespace

CodewordCounts CodewordChannel::best(std::size_t dimensions, double epsilon) {
    constexpr double worthwhile = 0.96;
    CodewordCounts best = best_of(dimensions, epsilon, 256);
    for (std::uint64_t codewords = 1024; codewords <= most_codewords; codewords *= 4) {
        const CodewordCounts more = best_of(dimensions, epsilon, codewords);
        if (variance(dimensions, epsilon, more) > worthwhile * variance(dimensions, epsilon, best)) break;
        best = more;
    }
    return best;
}

CodewordChannel::CodewordChannel(std::size_t dimensions, const CodewordCounts& design, double epsilon)
    : codebook_(dimensions),
      design_(design),
      odds_(odds(epsilon, design.near, design.codewords - design.near)),
      moments_(moments(design, static_cast<double>(odds_.high), static_cast<double>(odds_.low))) {}

ChannelLaw CodewordChannel::channel_law() const {
    return levels_law(odds_, near(), codewords() - near());
}

double CodewordChannel::max_probability() const noexcept {
    return static_cast<double>(odds_.high) / static_cast<double>(total(design_, odds_));
}

// An inner product is below 2^45 in size: at most 4096 coordinates, each below 2^20, and entries below 2^12 give 2^44.
// Equal products are in the order of the codewords.
void CodewordChannel::order(std::uint64_t seed, const Point& point,
                            std::span<std::uint64_t> keys) const noexcept {
    std::array<std::int64_t, most_codewords> products;
    codebook_.products(seed, point.coordinates, std::span(products).first(keys.size()));
    constexpr std::int64_t offset = std::int64_t{1} << 45;
    const auto digits = std::bit_width(keys.size() - 1);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<std::uint64_t>(products[i] + offset) << digits | (keys.size() - 1 - i);
}

std::uint64_t CodewordChannel::reversal(const Point& point) noexcept {
    return static_cast<std::uint64_t>(std::ldexp(1 - std::min(point.length, 1.0), 63));
}

// The rank is drawn first. The codeword of this rank has the largest key that is not below rank + 1 of the keys; its bits are
// found one after another.
std::uint64_t CodewordChannel::sample(std::uint64_t seed, const Point& point, BitSource& bits) const {
    const std::uint64_t all = codewords();
    const bool reversed = bits.lands(reversal(point), 64);
    const std::uint64_t drawn = bits.pick({odds_.high, near(), odds_.low, all - near()});
    const std::uint64_t rank = chosen(reversed, all - 1 - drawn, drawn);
    std::array<std::uint64_t, most_codewords> storage;
    const auto keys = std::span(storage).first(all);
    order(seed, point, keys);
    std::uint64_t found = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 58; bit != 0; bit >>= 1) {
        std::uint64_t count = 0;
        for (const std::uint64_t key : keys) count += key >= (found | bit);
        found = chosen(count > rank, found | bit, found);
    }
    return all - 1 - (found & (std::bit_ceil(all) - 1));
}

Exact CodewordChannel::probability(std::uint64_t seed, const Point& point, std::uint64_t number) const {
    std::vector<std::uint64_t> keys(codewords());
    order(seed, point, keys);
    const auto rank = static_cast<std::uint64_t>(
        std::ranges::count_if(keys, [&](std::uint64_t key) { return key > keys[number]; }));
    const auto weight = [&](std::uint64_t place) {
        return exact(place < near() ? odds_.high : odds_.low, total(design_, odds_));
    };
    const Exact back = exact_dyadic(reversal(point), 64);
    return back.complement() * weight(rank) + back * weight(codewords() - 1 - rank);
}

}  // namespace ldp

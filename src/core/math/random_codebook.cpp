#include "core/math/random_codebook.hpp"

#include <cmath>
#include <numbers>

namespace ldp {

namespace {

constexpr double unit = 1024;  ///< of the table, for a standard deviation of 1

double density(double x) noexcept {
    return std::exp(-x * x / 2) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

/// P(X > x) of a standard normal variable.
double above(double x) noexcept {
    return std::erfc(x / std::numbers::sqrt2) / 2;
}

/// The mean of a part from a to b of the normal distribution, of probability p, is (φ(a) − φ(b))/p. The quantiles follow by
/// Newton's method, each from the one before it.
std::array<std::int16_t, Codebook::entries> normal_table() noexcept {
    constexpr std::size_t half = Codebook::entries / 2;
    constexpr double parts = Codebook::entries;
    std::array<std::int16_t, Codebook::entries> table{};
    double from = 0;
    for (std::size_t i = 0; i < half; ++i) {
        const double rest = static_cast<double>(half - i - 1) / parts;
        double to = from;
        for (int turn = 0; i + 1 < half && turn < 8; ++turn) to += (above(to) - rest) / density(to);
        const double mean = parts * (density(from) - (i + 1 < half ? density(to) : 0));
        const auto entry = static_cast<std::int16_t>(std::lround(unit * mean));
        table[half + i] = entry;
        table[half - 1 - i] = static_cast<std::int16_t>(-entry);
        from = to;
    }
    return table;
}

double mean_power(int exponent) noexcept {
    double sum = 0;
    for (const std::int16_t entry : Codebook::table()) {
        const double value = entry, square = value * value;
        sum += exponent == 2 ? square : square * square;
    }
    return sum / static_cast<double>(Codebook::entries);
}

/// Rounds a number to 40 significant bits. Hosts whose C libraries differ in the last bits then have the same estimates.
double in_40_bits(double number) noexcept {
    int exponent = 0;
    const double part = std::frexp(number, &exponent);
    return std::ldexp(std::round(std::ldexp(part, 40)), exponent - 40);
}

}  // namespace

const std::array<std::int16_t, Codebook::entries>& Codebook::table() noexcept {
    static const std::array<std::int16_t, entries> table = normal_table();
    return table;
}

const Codebook::Packed& Codebook::packed() noexcept {
    static const Packed entries_and_squares = [] {
        Packed all{};
        for (std::size_t i = 0; i < entries; ++i) {
            const std::int64_t entry = table()[i];
            all[i] = static_cast<std::uint64_t>(entry + offset) | static_cast<std::uint64_t>(entry * entry)
                                                                      << square_from;
        }
        return all;
    }();
    return entries_and_squares;
}

double Codebook::mean_square() noexcept {
    static const double mean = mean_power(2);
    return mean;
}

double Codebook::mean_fourth_power() noexcept {
    static const double mean = mean_power(4);
    return mean;
}

void Codebook::codeword(std::uint64_t seed, std::uint64_t index,
                        std::span<std::int16_t> coordinates) const noexcept {
    const std::uint64_t first = start(seed, index);
    for (std::size_t j = 0; j < dimensions_; ++j)
        coordinates[j] = entry(word(first, j / 4), static_cast<unsigned>(j % 4));
}

void Codebook::products(std::uint64_t seed, std::span<const std::int32_t> vector,
                        std::span<std::int64_t> products) const noexcept {
    for (std::size_t i = 0; i < products.size(); ++i) {
        const std::uint64_t first = start(seed, i);
        std::int64_t sum = 0;
        std::size_t j = 0;
        for (; j + 4 <= dimensions_; j += 4) {
            const std::uint64_t bits = word(first, j / 4);
            for (unsigned place = 0; place < 4; ++place)
                sum += std::int64_t{vector[j + place]} * entry(bits, place);
        }
        for (; j < dimensions_; ++j)
            sum += std::int64_t{vector[j]} * entry(word(first, j / 4), static_cast<unsigned>(j % 4));
        products[i] = sum;
    }
}

// 1024 entries plus offset are below 2^23, and their squares below 2^34.
void Codebook::add(std::span<const std::uint64_t> starts, std::size_t number,
                   std::span<CoordinateSums, 4> sums) const noexcept {
    std::array<std::uint64_t, 4> found{};
    for (const std::uint64_t each : starts) {
        const std::uint64_t bits = word(each, number);
        for (unsigned place = 0; place < 4; ++place)
            found[place] += packed_[bits >> 16 * place & (entries - 1)];
    }
    constexpr std::uint64_t below = (std::uint64_t{1} << square_from) - 1;
    for (unsigned place = 0; place < 4; ++place) {
        sums[place].sum += static_cast<std::int64_t>(found[place] & below) -
                           offset * static_cast<std::int64_t>(starts.size());
        sums[place].squares += found[place] >> square_from;
    }
}

// Let F(x) be the probability that fewer than k of the other variables exceed x. The expectation of the sum of g over the k
// largest variables is n∫gφF. For g = x, x² and x⁴, integration by parts gives n∫φF' = n∫xφF, k + n∫xφF' and 3·squares +
// n∫x³φF'. F' is the density of an order statistic, so that these are n times means of φ, xφ and x³φ over it. The density is
// smooth and has a single peak. Sums over equidistant points then converge faster than any power of their distance. Dividing by
// the sum of the density removes its factor, and the errors of the C library in it.
LargestNormals LargestNormals::of(std::uint64_t number, std::uint64_t k) noexcept {
    const auto n = static_cast<double>(number), chosen = static_cast<double>(k);
    const auto log_density = [&](double x) {
        return (n - chosen - 1) * std::log(above(-x)) + (chosen - 1) * std::log(above(x)) - x * x / 2;
    };
    double low = -8, high = 8;  // the peak, by ternary search
    for (int turn = 0; turn < 60; ++turn) {
        const double third = (high - low) / 3;
        if (log_density(low + third) < log_density(high - third))
            low += third;
        else
            high -= third;
    }
    constexpr double points = 256, negligible = 1e-18;  // points per unit
    const double peak = std::round(low * points), log_peak = log_density(peak / points);
    double mass = 0, zeroth = 0, first = 0, third = 0;
    for (const double side : {1.0, -1.0})
        for (double at = side > 0 ? peak : peak - 1; std::abs(at) < 12 * points; at += side) {
            const double x = at / points, weight = std::exp(log_density(x) - log_peak);
            if (weight < negligible) break;
            mass += weight;
            zeroth += density(x) * weight;
            first += x * density(x) * weight;
            third += x * x * x * density(x) * weight;
        }
    const double squares = chosen + n * first / mass;
    return {in_40_bits(n * zeroth / mass), in_40_bits(squares), in_40_bits(3 * squares + n * third / mass)};
}

}  // namespace ldp

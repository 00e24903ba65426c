#include "core/channel/channel_moments.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/bytes.hpp"

namespace ldp {

namespace {

// 2^40 outputs below 2^23 add up to less than 2^63.
std::size_t sum_size(std::uint64_t outputs) noexcept {
    return outputs <= std::uint64_t{1} << 23 ? sizeof(std::uint64_t) : sizeof(Uint128);
}

Uint128 load_sum(const std::byte* tally, std::size_t size) noexcept {
    return size == sizeof(Uint128) ? load<Uint128>(tally) : load<std::uint64_t>(tally);
}

void add_sum(std::byte* tally, std::size_t size, Uint128 amount) noexcept {
    if (size == sizeof(Uint128))
        add(tally, amount);
    else
        add(tally, static_cast<std::uint64_t>(amount));
}

}  // namespace

MomentChannel::MomentChannel(std::uint64_t steps, std::uint64_t outputs, const Law& law)
    : QuadraticChannel(steps, outputs, sum_size(outputs) + sizeof(Uint128),
                       {(law.square.a - law.slope * law.slope) / (law.slope * law.slope),
                        (law.square.b - 2 * law.slope * law.offset) / (law.slope * law.slope),
                        (law.square.c - law.offset * law.offset) / (law.slope * law.slope)}),
      law_(law),
      sum_size_(sum_size(outputs)) {}

void MomentChannel::accumulate(std::byte* tally, std::uint64_t out) const noexcept {
    add_sum(tally, sum_size_, out);
    add<Uint128>(tally + sum_size_, Uint128{out} * out);
}

void MomentChannel::accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept {
    // Products of smaller numbers fit into a word, and so do the sums of most_cells squares.
    static_assert(std::has_single_bit(Payloads::most_cells));
    constexpr std::uint64_t small = std::uint64_t{1} << (64 - std::bit_width(Payloads::most_cells)) / 2;
    std::uint64_t sum = 0;
    if (outputs() <= small) {
        std::uint64_t squares = 0;
        for (const std::uint64_t out : outs) {
            const auto narrow = static_cast<std::uint32_t>(out);
            sum += narrow;
            squares += std::uint64_t{narrow} * narrow;
        }
        add_sum(tally, sum_size_, sum);
        add<Uint128>(tally + sum_size_, squares);
        return;
    }
    for (const std::uint64_t out : outs) accumulate(tally, out);
}

void MomentChannel::merge(std::byte* tally, const std::byte* other) const noexcept {
    add_sum(tally, sum_size_, load_sum(other, sum_size_));
    add(tally + sum_size_, load<Uint128>(other + sum_size_));
}

// The sum of squares is largest if every output is 0 or the last one. It is smallest if all outputs are as
// equal as integers with this sum can be: n·q² + (2q+1)·rest.
bool MomentChannel::valid(std::uint64_t n, const std::byte* tally) const noexcept {
    const Uint128 sum = load_sum(tally, sum_size_);
    const auto squares = load<Uint128>(tally + sum_size_);
    if (sum > Uint128{n} * (outputs() - 1) || squares > sum * (outputs() - 1)) return false;
    if (n == 0) return true;
    const Uint128 q = sum / n, rest = sum % n;
    return squares >= q * (sum + rest) + rest;
}

double MomentChannel::deviation_at_end() const noexcept {
    return law_.slope * std::sqrt(noise_at(0));
}

MomentChannel::Sums MomentChannel::sums(std::uint64_t n, const std::byte* tally) const noexcept {
    return {static_cast<double>(n), static_cast<double>(load_sum(tally, sum_size_)),
            static_cast<double>(load<Uint128>(tally + sum_size_))};
}

MomentChannel::Averages MomentChannel::averages(const Sums& sums) const noexcept {
    const double from = middle(outputs());
    return {sums.outputs / sums.n - from, (sums.squares - 2 * from * sums.outputs) / sums.n + from * from};
}

NumericChannel::Moments MomentChannel::invert(const Sums& sums) const noexcept {
    const auto [output, output_square] = averages(sums);
    const double mean = (output - law_.offset) / law_.slope;
    const double mean_square = (output_square - law_.square.b * mean - law_.square.c) / law_.square.a;
    return moments(mean, mean_square, noise());
}

// The expectations of the outputs' mean and mean square, from the middle of their range, lie between those
// for an input in the middle and for an input at an end.
std::vector<Check> MomentChannel::health(const Sums& sums) const {
    const auto [output, output_square] = averages(sums);
    const auto top = static_cast<double>(steps());
    const double end = law_.slope * top + law_.offset;  // and −end at the other one
    const double most = law_.square.c;                  // at either end
    const double least = law_.square(top / 2, top * top / 4);
    const auto beyond = [](double found, double low, double high) {
        return std::max({0.0, low - found, found - high});
    };
    const double mean_off = beyond(output, -end, end);
    const double square_off = beyond(output_square, least, most);
    return {{"mean within its range", output / end, 1, mean_off > 0 ? mean_beyond(mean_off, sums.n) : 1},
            {"mean square within its range", output_square / most, 1,
             square_off > 0 ? square_beyond(square_off, sums.n) : 1}};
}

}  // namespace ldp

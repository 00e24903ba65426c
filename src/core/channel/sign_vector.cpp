#include "core/channel/sign_vector.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

namespace {

// Returns E|S|/d for the sum S of d uniform signs. The error of the product is below d·2^-53.
double agreement(std::size_t d) noexcept {
    double product = 1;
    for (std::size_t i = 1; i <= d / 2; ++i)
        product *= (2 * static_cast<double>(i) - 1) / (2 * static_cast<double>(i));
    return product;
}

bool bit(Bytes string, std::size_t i) noexcept {
    return (std::to_integer<unsigned>(string[i / 8]) >> i % 8 & 1) != 0;
}

}  // namespace

SignVectorChannel::SignVectorChannel(std::size_t d, double epsilon)
    : counters_(d), rare_(rare_heads(epsilon)) {
    // 2p − 1 is computed from the coin: 2^64 − 2·rare is exact in 64 bits, its quotient is not.
    const double tilt = std::ldexp(static_cast<double>(0 - 2 * rare_), -64);
    magnitude_ = 1 / (agreement(d) * tilt);
}

void SignVectorChannel::sample(std::span<const std::uint64_t> cells, std::uint64_t steps, BitSource& bits,
                               MutableBytes sign_vector) const {
    const std::uint64_t turned = bits.lands(rare_, 64) ? ~std::uint64_t{0} : 0;
    std::size_t against = 0;  // number of coordinates in which t differs from v
    for (std::size_t from = 0; from < size(); from += 64) {
        const std::size_t owner_queues = std::min<std::size_t>(64, size() - from);
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - owner_queues);
        std::uint64_t t = bits.fair(static_cast<unsigned>(owner_queues)), v = 0;
        for (std::size_t i = 0; i < owner_queues; ++i)
            v |= std::uint64_t{bits.chance(cells[from + i], steps)} << i;
        against += static_cast<std::size_t>(std::popcount((t ^ v ^ turned) & mask));
        for (std::size_t at = from / 8; at < std::min(from / 8 + 8, width()); ++at, t >>= 8)
            sign_vector[at] = static_cast<std::byte>(t);
    }
    if (2 * against <= size()) return;
    for (std::byte& byte : sign_vector) byte = ~byte;
    sign_vector[width() - 1] &= ~counters_.spare_bits();
}

// The number of coordinates in which v agrees with t is a sum of independent bits. The probability of a sign
// vector is a mean over its law, which follows from the sum's generating function.
double SignVectorChannel::max_probability() const {
    return std::ldexp(1 - std::ldexp(static_cast<double>(rare_), -64), 1 - static_cast<int>(size()));
}

Exact SignVectorChannel::probability(std::span<const Exact> plus, Bytes sign_vector) const {
    std::vector<Exact> law{exact(1, 1)};  // of the number of coordinates that agree
    for (std::size_t j = 0; j < size(); ++j) {
        const Exact agrees = bit(sign_vector, j) ? plus[j] : plus[j].complement();
        const Exact differs = agrees.complement();
        law.push_back(law.back() * agrees);
        for (std::size_t i = law.size() - 2; i > 0; --i) law[i] = law[i] * differs + law[i - 1] * agrees;
        law[0] = law[0] * differs;
    }
    const Exact far = exact_dyadic(rare_, 64);
    Exact mean = exact(0, 1);
    for (std::size_t i = 0; i < law.size(); ++i)
        mean = mean + law[i] * (2 * i > size()   ? exact(2, 1) * far.complement()
                                : 2 * i < size() ? exact(2, 1) * far
                                                 : exact(1, 1));
    return mean * power(exact_dyadic(1, 1), static_cast<unsigned>(size()));
}

Exact SignVectorChannel::worst_ratio() const {
    const Exact far = exact_dyadic(rare_, 64);
    return far.complement() / far;
}

// The sign vectors that agree with the input in more than half of the coordinates, in fewer, and in half of them.
ChannelLaw SignVectorChannel::channel_law() const {
    const auto d = static_cast<unsigned>(size());
    const Exact far = exact_dyadic(rare_, 64), all = power(exact(2, 1), d);
    const Exact ties = d % 2 == 0 ? subsets(d, d / 2) : exact(0, 1);
    const Exact majority = (all - ties) / exact(2, 1), untied = (all - ties) / all;
    LevelsLaw law{{{far.complement() * untied, {majority}}, {far * untied, {majority}}}};
    if (d % 2 == 0) law.levels.push_back({ties / all, OutputCount::choose(d, d / 2)});
    return {std::move(law)};
}

void SignVectorChannel::accumulate(std::byte* tally, Bytes sign_vector) const noexcept {
    counters_.add(tally, sign_vector.data());
    const std::uint64_t ones = BitCounters::ones(sign_vector);
    add<Uint128>(tally + counters_.size(), ones * ones);
}

bool SignVectorChannel::accumulate_all(std::byte* tally, const Payloads& sign_vectors) const noexcept {
    const BitCounters::Ones ones = counters_.count_all(tally, sign_vectors);
    add(tally + counters_.size(), ones.squares);
    return counters_.tidy(ones);
}

void SignVectorChannel::merge(std::byte* tally, const std::byte* other) const noexcept {
    counters_.merge(tally, other);
    add(tally + counters_.size(), load<Uint128>(other + counters_.size()));
}

// The sum of squares is largest if every sign vector has all ones or none, and smallest if all have the same
// number of ones.
bool SignVectorChannel::valid(std::uint64_t n, const std::byte* tally) const noexcept {
    if (!counters_.at_most(tally, n)) return false;
    const Uint128 ones = counters_.total(tally);
    const auto squares = load<Uint128>(tally + counters_.size());
    return squares <= ones * size() && ones * ones <= squares * n;
}

std::vector<double> SignVectorChannel::means(std::uint64_t n, const std::byte* tally) const {
    std::vector<double> means;
    for (const std::uint64_t ones : counters_.counts(tally))
        means.push_back(magnitude_ * (2 * static_cast<double>(ones) / static_cast<double>(n) - 1));
    return means;
}

std::vector<Check> SignVectorChannel::health(std::uint64_t n, const std::byte* tally) const {
    const double most = (1 + 1 / magnitude_) / 2;
    Check worst{"mean within its range", 0, 1, 2};
    double sum = 0;
    for (const std::uint64_t ones : counters_.counts(tally)) {
        sum += static_cast<double>(ones);
        const double mean = magnitude_ * (2 * static_cast<double>(ones) / static_cast<double>(n) - 1);
        const double p_value = binomial_between(n, 1 - most, most, ones);
        if (p_value < worst.p_value) worst = {worst.name, mean, 1, p_value};
    }
    worst.p_value = std::min(1.0, worst.p_value * static_cast<double>(size()));
    if (size() == 1) return {worst};  // the variance of one coin carries no information
    const BitGroup coins[] = {{static_cast<double>(size()), 0.5}};
    const auto squares = static_cast<double>(load<Uint128>(tally + counters_.size()));
    return {worst, variance_of_ones(n, sum, squares, coins)};
}

}  // namespace ldp

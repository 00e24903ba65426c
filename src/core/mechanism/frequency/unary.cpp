#include "core/mechanism/frequency/unary.hpp"

#include <cmath>

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

UnaryCoins symmetric_coins(double epsilon) {
    const std::uint64_t flips = rare_heads(epsilon / 2);
    return {Coin(-flips), Coin(flips), 2};
}

UnaryCoins optimised_coins(double epsilon) {
    return {Coin(1, 1), Coin(rare_heads(epsilon)), 1};
}

// All bits are drawn as false ones, then the true one once more, so that neither the number nor the order of
// random words depends on the value.
void Unary::permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const {
    coins_.false_bit.fill(bits, domain(), permanent);
    const std::uint64_t value = input[0];
    const auto mask = static_cast<std::byte>(1u << value % 8);
    const std::byte truth = coins_.true_bit.land(bits) ? mask : std::byte{0};
    permanent[value / 8] = (permanent[value / 8] & ~mask) | truth;
}

bool Unary::accumulate(MutableBytes state, Bytes payload) const noexcept {
    if (!valid_payload(payload)) return false;
    counters_.add(state.data(), payload.data());
    const std::uint64_t ones = BitCounters::ones(payload);
    add<Uint128>(state.data() + counters_.size(), ones * ones);
    return true;
}

bool Unary::accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
    const BitCounters::Ones ones = counters_.count_all(state.data(), payloads);
    add(state.data() + counters_.size(), ones.squares);
    return counters_.tidy(ones);
}

void Unary::merge(MutableBytes state, Bytes other) const noexcept {
    counters_.merge(state.data(), other.data());
    add<Uint128>(state.data() + counters_.size(), load<Uint128>(other.data() + counters_.size()));
}

bool Unary::valid_payload(Bytes payload) const noexcept {
    return counters_.tidy(payload.data());
}

bool Unary::valid_state(const Counts& counts) const noexcept {
    return counters_.at_most(counts.state.data(), counts.n) &&
           load<Uint128>(counts.state.data() + counters_.size()) <= Uint128{counts.n} * domain() * domain();
}

std::vector<std::uint64_t> Unary::supports(Bytes state) const {
    return counters_.counts(state.data());
}

std::uint64_t Unary::support(Bytes state, Cell value) const {
    return counters_.count(state.data(), value);
}

PureProtocol Unary::memoized_protocol() const noexcept {
    return {coins_.true_bit.probability(), coins_.false_bit.probability()};
}

// The bits are independent. The most probable value is one whose bit is 1, if there is one.
double Unary::max_probability(Bytes payload) const {
    const auto [p, q] = protocol();
    const auto k = static_cast<double>(domain());
    const auto ones = static_cast<double>(BitCounters::ones(payload));
    const double truth = ones > 0 ? std::log(p / q) : std::log((1 - p) / (1 - q));
    return std::exp(truth + ones * std::log(q) + (k - ones) * std::log1p(-q));
}

// About ten bit planes, 32 bytes per step.
Cost Unary::cost() const noexcept {
    const auto k = static_cast<double>(domain());
    return {5 + 10 * k / 256, 41 * k};
}

std::optional<SupportSums> Unary::spread(const Counts& counts) const {
    return SupportSums{static_cast<double>(counters_.total(counts.state.data())),
                       static_cast<double>(load<Uint128>(counts.state.data() + counters_.size())), true};
}

// The bits of a report are independent, so that the variance of the number of ones is known. Forged reports
// that match its mean, for example by a constant number of ones, differ in the variance.
std::vector<Check> Unary::own_checks(const Counts& counts) const {
    const auto [p, q] = protocol();
    const SupportSums sums = *spread(counts);
    const BitGroup groups[] = {{1, p}, {static_cast<double>(domain()) - 1, q}};
    return {variance_of_ones(counts.n, sums.sum, sums.sum_of_squares, groups)};
}

Exact Unary::true_one() const {
    return exact_dyadic(coins_.true_bit.heads(), coins_.true_bit.bits());
}
Exact Unary::false_one() const {
    return exact_dyadic(coins_.false_bit.heads(), coins_.false_bit.bits());
}

Exact Unary::probability(Input input, Bytes, Bytes permanent) const {
    Exact product = exact(1, 1);
    for (std::size_t v = 0; v < domain(); ++v) {
        const Exact one = v == input[0] ? true_one() : false_one();
        const bool set = (std::to_integer<unsigned>(permanent[v / 8]) >> v % 8 & 1) != 0;
        product = product * (set ? one : one.complement());
    }
    return product;
}

Exact Unary::worst_ratio_of(const Exact& false_one) const {
    return power(false_one.complement() / false_one, coins_.differing);
}

Exact Unary::worst_ratio() const {
    return worst_ratio_of(false_one());
}

ChannelLaw Unary::channel_law() const {
    return {BitsLaw{{{true_one().complement(), true_one()}, {false_one().complement(), false_one()}},
                    {{{0, 1, 1}, {1, 0, 1}}}}};
}

UnaryChain::UnaryChain(const Header& header, Bytes block, std::uint64_t k, double report_epsilon,
                       const UnaryCoins& kept, const UnaryCoins& sent)
    : Unary(header, block, k, kept),
      report_epsilon_(report_epsilon),
      flip_(second_flips(kept.false_bit.heads(), sent.false_bit.heads())) {}

std::vector<std::pair<std::string, double>> UnaryChain::parameters() const {
    auto all = Unary::parameters();
    all.emplace_back("report_epsilon", report_epsilon_);
    all.emplace_back("second_flip", flip_.probability());
    all.emplace_back("possible_responses", static_cast<double>(most_keys()));
    return all;
}

void UnaryChain::instantaneous_response(Bytes, Bytes permanent, BitSource& bits, MutableBytes payload) const {
    flip_.fill(bits, domain(), payload);
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] ^= permanent[i];
}

PureProtocol UnaryChain::protocol() const noexcept {
    const auto [p, q] = memoized_protocol();
    const double flip = flip_.probability();
    return {p + flip * (1 - 2 * p), q + flip * (1 - 2 * q)};
}

Exact UnaryChain::instantaneous_probability(Bytes, Bytes permanent, Bytes payload) const {
    const Exact flip = exact_dyadic(flip_.heads(), flip_.bits());
    unsigned flips = 0;
    for (std::size_t i = 0; i < payload.size(); ++i)
        flips += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(payload[i] ^ permanent[i])));
    return power(flip, flips) * power(flip.complement(), static_cast<unsigned>(domain()) - flips);
}

// The bits of either layer differ as those of one.
Exact UnaryChain::first_report_ratio() const {
    const Exact flip = exact_dyadic(flip_.heads(), flip_.bits());
    return worst_ratio_of(false_one() * flip.complement() + false_one().complement() * flip);
}

ChannelLaw UnaryChain::channel_law() const {
    const Exact flip = exact_dyadic(flip_.heads(), flip_.bits());
    ChannelLaw law = Unary::channel_law();
    law.second = SecondLayer{flip.complement(), flip};
    return law;
}

}  // namespace ldp

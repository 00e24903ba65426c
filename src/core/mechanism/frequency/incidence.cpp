#include "core/mechanism/frequency/incidence.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"

namespace ldp {

Incidence::Incidence(const Header& header, Bytes block, std::uint64_t k, const Design& design)
    : CountingOracle(header, block, k, design.outputs),
      design_(design),
      common_(std::gcd(design.owned, design.outputs - design.owned)),
      odds_(odds(header.epsilon, design.owned / common_, (design.outputs - design.owned) / common_)),
      inside_(design.owned / common_ * odds_.high),
      total_(inside_ + (design.outputs - design.owned) / common_ * odds_.low) {}

// A side by its exact weight, then one of its outputs, all alike: high or low parts of total · common each.
void Incidence::permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const {
    const bool inside = bits.chance(inside_, total_);
    store_output(permanent, draw(input[0], inside, bits));
}

double Incidence::likely() const noexcept {
    return static_cast<double>(odds_.high) / static_cast<double>(total_) / static_cast<double>(common_);
}

double Incidence::unlikely() const noexcept {
    return static_cast<double>(odds_.low) / static_cast<double>(total_) / static_cast<double>(common_);
}

// Another value's set is hit in the outputs that the two share or in the others. A long double holds the
// weights as they are.
PureProtocol Incidence::protocol() const noexcept {
    const auto high = static_cast<long double>(odds_.high), low = static_cast<long double>(odds_.low);
    const auto whole = static_cast<long double>(total_) * static_cast<long double>(common_);
    const auto shared = static_cast<long double>(design_.shared);
    const auto alone = static_cast<long double>(design_.owned - design_.shared);
    return {static_cast<double>((shared + alone) * high / whole),
            static_cast<double>((shared * high + alone * low) / whole)};
}

std::vector<std::uint64_t> Incidence::supports(Bytes state) const {
    std::vector<std::uint64_t> sums = tally(state);
    sums.resize(domain());
    return sums;
}

std::uint64_t Incidence::support(Bytes state, Cell value) const {
    std::uint64_t sum = 0;
    for_each_index(outputs(), [&](std::size_t y) { sum += owns(value, y) ? counter(state, y) : 0; });
    return sum;
}

// The base's check of the sum would lean on a normal law that these reports do not follow: how many values an
// output supports is nearly the same for almost all outputs, and what is missing to the expectation is made
// up by a handful of outputs in K that support far more. Few reports have none of those. Three exact
// statements stand in for it, true of each report by itself whatever its value.
std::vector<Check> Incidence::own_checks(const Counts& counts) const {
    const auto reports = static_cast<double>(counts.n);
    const auto any_of = [](std::size_t many, double p_value) {
        return std::min(1.0, static_cast<double>(many) * p_value);
    };
    std::vector<Check> checks;

    // A set that belongs to nobody is hit with probability q.
    const std::vector<std::uint64_t> sums = tally(counts.state);
    if (const auto spare = std::span(sums).subspan(domain()); !spare.empty()) {
        const auto [p, q] = protocol();
        const auto [least, most] = std::ranges::minmax(spare);
        const double low = binomial_at_most(counts.n, q, least);
        const double high = binomial_at_least(counts.n, q, most);
        const auto extreme = static_cast<double>(low < high ? least : most);
        checks.push_back({"frequency of a value outside the domain", (extreme / reports - q) / (p - q), 0,
                          any_of(2 * spare.size(), std::min(low, high))});
    }

    // An output is never likelier than to those who own it, nor rarer than to the others. Where each value
    // owns one output, the frequencies have said so already.
    if (design_.owned > 1) {
        std::uint64_t least = counts.n, most = 0;
        for (std::size_t y = 0; y < outputs(); ++y) {
            least = std::min(least, counter(counts.state, y));
            most = std::max(most, counter(counts.state, y));
        }
        checks.push_back({"share of the rarest output", static_cast<double>(least) / reports, unlikely(),
                          any_of(outputs(), binomial_at_most(counts.n, unlikely(), least))});
        checks.push_back({"share of the commonest output", static_cast<double>(most) / reports, likely(),
                          any_of(outputs(), binomial_at_least(counts.n, likely(), most))});
    }
    return checks;
}

Exact Incidence::probability(Input input, Bytes, Bytes permanent) const {
    const bool inside = owns(input[0], load_output(permanent));
    return exact(inside ? odds_.high : odds_.low, total_) * exact(1, common_);
}

// Two sets differ, as c₂ < c, so that some output has the high weight under one value and the low one under
// another; there are no other weights, and all values have the same total.
Exact Incidence::worst_ratio() const {
    return exact(odds_.high, odds_.low);
}

}  // namespace ldp

#include "core/mechanism/frequency/incidence.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

// Channel --------------------------------------------------------------------------------------------------

IncidenceChannel::IncidenceChannel(double epsilon, std::uint64_t outputs, std::uint64_t owned)
    : common_(std::gcd(owned, outputs - owned)),
      odds_(odds(epsilon, owned / common_, (outputs - owned) / common_)),
      inside_(owned / common_ * odds_.high),
      total_(inside_ + (outputs - owned) / common_ * odds_.low) {}

double IncidenceChannel::chance(std::uint64_t own, std::uint64_t others) const noexcept {
    const auto high = static_cast<long double>(odds_.high), low = static_cast<long double>(odds_.low);
    const auto whole = static_cast<long double>(total_) * static_cast<long double>(common_);
    return static_cast<double>(
        (static_cast<long double>(own) * high + static_cast<long double>(others) * low) / whole);
}

Exact IncidenceChannel::probability(bool own) const {
    return exact(own ? odds_.high : odds_.low, total_) * exact(1, common_);
}

Exact IncidenceChannel::worst_ratio() const {
    return exact(odds_.high, odds_.low);
}

ChannelLaw IncidenceChannel::channel_law() const {
    return levels_law(odds_, inside_ / odds_.high * common_, (total_ - inside_) / odds_.low * common_);
}

std::vector<Check> checks_of_outputs(const Counts& counts, const IncidenceChannel& channel,
                                     std::uint64_t outputs) {
    const auto reports = static_cast<double>(counts.n);
    const double likely = channel.chance(1, 0), unlikely = channel.chance(0, 1);
    std::uint64_t least = counts.n, most = 0;
    for_each_index(outputs, [&](std::size_t y) {
        least = std::min(least, counter(counts.state, y));
        most = std::max(most, counter(counts.state, y));
    });
    const auto any = [&](double p_value) { return std::min(1.0, static_cast<double>(outputs) * p_value); };
    return {{"share of the rarest output", static_cast<double>(least) / reports, unlikely,
             any(binomial_at_most(counts.n, unlikely, least))},
            {"share of the commonest output", static_cast<double>(most) / reports, likely,
             any(binomial_at_least(counts.n, likely, most))}};
}

// Oracle ---------------------------------------------------------------------------------------------------

Incidence::Incidence(const Header& header, Bytes block, std::uint64_t k, const Design& design)
    : CountingOracle(design.outputs, header, block, k),
      design_(design),
      channel_(header.epsilon, design.outputs, design.owned) {}

void Incidence::permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const {
    const bool inside = channel_.draw_side(bits);
    store_output(permanent, draw(input[0], inside, bits));
}

// The report of another value supports this one through common outputs or through others.
PureProtocol Incidence::protocol() const noexcept {
    return {channel_.chance(design_.owned, 0),
            channel_.chance(design_.shared, design_.owned - design_.shared)};
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

// The default test of the sum assumes a normal law, which these reports do not follow. Nearly all outputs
// support about the same number of values, and a few of the K outputs support far more. A small sample
// contains none of those. Three exact tests replace it, which hold for each report and any value.
std::vector<Check> Incidence::own_checks(const Counts& counts) const {
    const auto reports = static_cast<double>(counts.n);
    const auto any_of = [](std::size_t many, double p_value) {
        return std::min(1.0, static_cast<double>(many) * p_value);
    };
    std::vector<Check> checks;

    // The number of reports in a set that belongs to no value is binomial with probability q.
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

    // If each value owns one output, the test of the frequencies covers this.
    if (design_.owned > 1)
        for (Check& check : checks_of_outputs(counts, channel_, outputs()))
            checks.push_back(std::move(check));
    return checks;
}

ChannelLaw Incidence::channel_law() const {
    return channel_.channel_law();
}

Exact Incidence::probability(Input input, Bytes, Bytes permanent) const {
    return channel_.probability(owns(input[0], load_output(permanent)));
}

}  // namespace ldp

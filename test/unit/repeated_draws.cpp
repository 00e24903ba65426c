#include "repeated_draws.hpp"

#include "core/mechanism/longitudinal/series.hpp"

#include <cmath>
#include <numeric>

namespace ldp::test {

void Simulation::add(const std::vector<Estimate>& estimates, const std::vector<double>& truth) {
    std::vector<Interval> intervals;
    for (const Estimate& one : estimates) intervals.push_back(interval(one, 0.95));
    add(estimates, intervals, truth);
}

void Simulation::add(const std::vector<Estimate>& estimates, const std::vector<Interval>& intervals,
                     const std::vector<double>& truth) {
    sum.resize(truth.size());
    square.resize(truth.size());
    covered.resize(truth.size());
    ++repetitions;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const double error = estimates[i].value - truth[i];
        sum[i] += error;
        square[i] += error * error;
        covered[i] += intervals[i].lower <= truth[i] && truth[i] <= intervals[i].upper ? 1 : 0;
    }
}

void Simulation::check_unbiased() const {
    for (std::size_t i = 0; i < sum.size(); ++i)
        BOOST_CHECK_LT(std::abs(bias(i)), 6 * std::sqrt(variance(i) / static_cast<double>(repetitions)));
}

void Simulation::check_variance(std::size_t i, double expected) const {
    BOOST_CHECK_LT(std::abs(variance(i) / expected - 1), 6 * std::sqrt(2 / static_cast<double>(repetitions)));
}

void Simulation::check_coverage(double most) const {
    for (const double hits : covered) {
        BOOST_CHECK_GE(hits / static_cast<double>(repetitions), 0.93);
        BOOST_CHECK_LE(hits / static_cast<double>(repetitions), most);
    }
}

Simulation simulate(const Mechanism& m, const std::vector<std::vector<Cell>>& people,
                    const std::vector<double>& truth, Quantity quantity, std::size_t repetitions,
                    std::uint64_t seed) {
    SeededBits bits(seed);
    Simulation simulation;
    for (std::size_t r = 0; r < repetitions; ++r) {
        OwnedSummary summary(m);
        for (const auto& person : people) summary.draw(person, bits);
        const bool series = find_capability<SeriesRandomizer>(m) != nullptr;
        simulation.add(summary.estimate(quantity, Target::sample, series ? 0 : only_attribute), truth);
    }
    return simulation;
}

Device::Device(const Mechanism& m, BitSource& bits) : m_(m), bits_(bits), public_(m.public_size()) {
    m.draw_public(bits, public_);
}

const std::byte* Device::report(Input input, MutableBytes payload) {
    const auto [permanent, fresh] =
        permanents_.try_emplace(m_.response_key(input, public_), m_.permanent_size());
    if (fresh) m_.permanent_response(input, public_, bits_, permanent->second);
    m_.instantaneous_response(public_, permanent->second, bits_, payload);
    return permanent->second.data();
}

std::vector<double> cumulated(std::span<const double> shares) {
    std::vector<double> below(shares.size());
    std::partial_sum(shares.begin(), shares.end(), below.begin());
    return below;
}

std::vector<Cell> people_of(const std::vector<double>& shares, std::size_t n) {
    const std::vector<double> below = cumulated(shares);
    std::vector<Cell> people;
    for (std::size_t i = 0; i < n; ++i) {
        const double rank = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
        const auto cell = std::ranges::lower_bound(below, rank) - below.begin();
        people.push_back(std::min<Cell>(static_cast<Cell>(cell), shares.size() - 1));
    }
    return people;
}

std::vector<double> shares_among(const std::vector<Cell>& people, std::size_t cells) {
    std::vector<double> shares(cells);
    for (const Cell cell : people) shares[cell] += 1 / static_cast<double>(people.size());
    return shares;
}

OwnedSummary reported(const Mechanism& m, const std::vector<Cell>& people, BitSource& bits) {
    OwnedSummary summary(m);
    for (const Cell cell : people) summary.draw(cell, bits);
    return summary;
}

void check_oracle(const std::string& name, double epsilon, std::uint64_t seed, const std::string& rest) {
    const std::vector<double> shares{0.6, 0.3, 0.1, 0};
    std::vector<std::vector<Cell>> people;
    for (Cell v = 0; v < shares.size(); ++v)
        people.insert(people.end(), static_cast<std::size_t>(300 * shares[v]), {v});
    const auto m = mechanism(name, epsilon, "\"domain\": 4" + rest);
    const auto simulation = simulate(*m, people, shares, Quantity::frequencies, 20000, seed);
    simulation.check_unbiased();
    simulation.check_coverage();
    for (std::size_t v = 0; v < shares.size(); ++v)
        simulation.check_variance(v, m->n_variance(shares[v]) / static_cast<double>(people.size()));
}

void check_golden_oracle(const std::string& name) {
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"})
        for (const char* domain : {"2", "16", "360", "1024"}) {
            const std::string key = std::string("epsilon=") + epsilon + ";domain=" + domain;
            const auto m = mechanism(name, std::stod(epsilon), std::string("\"domain\": ") + domain);
            for (const auto& [parameter, value] : m->parameters())
                if (parameter == "p" || parameter == "q")
                    BOOST_CHECK_CLOSE_FRACTION(value, golden(name, key, parameter), 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), golden(name, key, "n_var_at_0"), 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0.3), golden(name, key, "n_var_at_0.3"), 1e-9);
        }
}

}  // namespace ldp::test

#include "ranges.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "../shared/population.hpp"
#include "core/base/text.hpp"
#include "core/choice/first_look.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

constexpr std::size_t values = 256, count = 50000;

std::vector<double> shares_of(std::span<const std::uint32_t> people, std::size_t k) {
    std::vector<double> shares(k);
    for (const std::uint32_t value : people) shares[value] += 1 / static_cast<double>(people.size());
    return shares;
}

/// The mean of the squared difference over all ranges: with cuts c and differences d of the curves there,
/// Σ over pairs (dᵢ − dⱼ)² = cuts·Σd² − (Σd)².
double range_distance(const std::vector<double>& shares, const std::vector<double>& truth) {
    double squares = 0, sum = 0, difference = 0;
    for (std::size_t v = 0; v + 1 < truth.size(); ++v) {
        difference += shares[v] - truth[v];
        squares += difference * difference;
        sum += difference;
    }
    const double cuts = static_cast<double>(truth.size()) + 1;
    return (cuts * squares - sum * sum) / (cuts * (cuts - 1) / 2);
}

std::unique_ptr<const ldp::Mechanism> number(const std::string& name, std::size_t k, double epsilon) {
    const std::string top = std::to_string(k - 1);
    return ldp::make_mechanism(ldp::resolve("{\"mechanism\": \"" + name + "\", \"min\": 0, \"max\": " + top +
                                            ", \"grid\": " + top +
                                            ", \"epsilon\": " + ldp::shortest(epsilon) + "}"));
}

std::vector<std::byte> reported(const ldp::Mechanism& mechanism, std::span<const std::uint32_t> people,
                                ldp::BitSource& bits) {
    ldp::Perturber perturber(mechanism);
    std::vector<std::byte> summary(ldp::summary_size(mechanism));
    ldp::start_summary(mechanism, summary);
    for (const ldp::Cell value : people)
        if (ldp::accumulate(mechanism, summary, perturber.perturb({&value, 1}, bits)) != ldp::Outcome::ok)
            throw std::logic_error("a report was refused");
    return summary;
}

std::vector<double> fitted(const ldp::Mechanism& mechanism, std::span<const std::byte> summary) {
    return ldp::decode(ldp::view_of(mechanism, summary), ldp::Smoothing::binomial).shares;
}

/// A tenth of the people, or as many as given, report to each half of a first round; the others go through
/// the mechanism that it chooses. The result is its fit alone if that is the smooth one, since its error is
/// mostly bias; else the fit of all reports.
std::vector<double> looked(double part, const Held& people, std::size_t k, double epsilon,
                           ldp::BitSource& bits) {
    const auto half = static_cast<std::size_t>(part / 2 * static_cast<double>(people.size()));
    const auto all = std::span(people);
    const auto sharp = number("tree", k, epsilon);
    const auto one = reported(*sharp, all.first(half), bits),
               other = reported(*sharp, all.subspan(half, half), bits);
    const auto rest = all.subspan(2 * half);
    const ldp::FirstLook look =
        ldp::first_look(ldp::view_of(*sharp, one), ldp::view_of(*sharp, other), rest.size());
    if (look.chosen != look.sharp) {
        const auto smooth = number("square_wave", k, epsilon);
        return fitted(*smooth, reported(*smooth, rest, bits));
    }
    std::vector<std::byte> summary = reported(*sharp, rest, bits);
    for (const auto* each : {&one, &other})
        if (ldp::merge(*sharp, summary, *each) != ldp::Outcome::ok)
            throw std::logic_error("summaries were not merged");
    return fitted(*sharp, summary);
}

}  // namespace

std::vector<RangePeople> range_people() {
    std::vector<RangePeople> all{
        {"Beta(5, 2)", values, {}}, {"wages, CPS 1988", values, {}}, {"spikes", values, {}}};
    // F(x) = x^5·(6 − 5x).
    for (std::size_t i = 0; i < count; ++i) {
        const double share = (static_cast<double>(i) + 0.5) / count;
        double low = 0, high = 1;
        for (int step = 0; step < 40; ++step) {
            const double middle = (low + high) / 2;
            (std::pow(middle, 5) * (6 - 5 * middle) < share ? low : high) = middle;
        }
        all[0].held.push_back(static_cast<std::uint32_t>(low * (values - 1) + 0.5));
    }
    const People employed = employees();
    for (std::size_t i = 0; i < count; ++i)
        all[1].held.push_back(
            static_cast<std::uint32_t>((employed[i % employed.size()][0] + 1) / 2 * (values - 1) + 0.5));
    constexpr std::uint32_t spikes = 11, apart = 23, offset = 7;
    for (std::size_t i = 0; i < count; ++i) {
        const auto spike = static_cast<std::uint32_t>(i % (spikes * (spikes + 1) / 2));
        std::uint32_t which = 0;
        for (std::uint32_t left = spike; left > which; ++which) left -= which + 1;
        all[2].held.push_back(offset + apart * which);
    }
    return all;
}

const std::vector<std::string>& range_methods() {
    static const std::vector<std::string> all{
        "tree, unbiased",   "haar_ordered, unbiased", "tree, fit", "haar_ordered, fit",
        "square_wave, fit", "first look, 1 in 5",     "AHEAD",     "PriPL-Tree"};
    return all;
}

RangeError range_error(const std::string& method, const RangePeople& people, double epsilon,
                       std::uint64_t seed) {
    ldp::simulation::SeededBits bits(seed);
    std::mt19937_64 random(seed);
    Held held = people.held;
    std::ranges::shuffle(held, random);
    const std::vector<double> truth = shares_of(held, people.k);
    RangeError error{0, std::nan("")};
    std::vector<double> shares;
    if (method == "AHEAD") {
        shares = ahead(held, people.k, epsilon, random);
    } else if (method == "PriPL-Tree") {
        shares = pripl_tree(held, people.k, epsilon, random);
    } else if (method == "first look, 1 in 5") {
        shares = looked(0.2, held, people.k, epsilon, bits);
    } else {
        const std::size_t comma = method.find(',');
        const auto mechanism = number(method.substr(0, comma), people.k, epsilon);
        const std::vector<std::byte> summary = reported(*mechanism, held, bits);
        if (method.ends_with("unbiased")) {
            const ldp::SummaryView view = ldp::view_of(*mechanism, summary);
            shares = ldp::capability<ldp::Ordered>(*mechanism).cumulative(view);
            std::adjacent_difference(shares.begin(), shares.end(), shares.begin());
            error.expected =
                ldp::mean_variance(*mechanism, ldp::OrderedUse::ranges, truth, ldp::Target::sample);
        } else {
            shares = fitted(*mechanism, summary);
        }
    }
    error.found = static_cast<double>(held.size()) * range_distance(shares, truth);
    return error;
}

}  // namespace evaluation

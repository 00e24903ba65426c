#include "core/mechanism/forgery.hpp"

#include <algorithm>
#include <cmath>

#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// A part that forgers pull at: how far its terms reach beyond what honest people's mean is at worst.
struct Lever {
    double chance;
    double length;
};

std::vector<Lever> levers(std::span<const Contribution> contributions, bool up) {
    std::vector<Lever> all;
    for (const auto& [chance, terms, truths] : contributions)
        all.push_back({chance, up ? terms.upper - truths.lower : truths.upper - terms.lower});
    return all;
}

// x forged reports among h honest ones make a part's mean (hθ + xF)/(h + x): it moves by length·x/(h + x),
// which is concave in x. So the share is best laid out where the next report gets furthest, until
// length·h/(h + x)² is the same, 1/s², in all parts that get any: x = s·√(length·h) − h.
double furthest(std::vector<Lever> levers, double share) {
    for (Lever& lever : levers) lever.chance *= 1 - share;
    std::erase_if(levers, [](const Lever& lever) { return lever.length <= 0; });
    std::ranges::sort(levers, {}, [](const Lever& lever) { return lever.chance / lever.length; });
    double honest = 0, roots = 0, s = 0;
    std::size_t pulled = 0;
    while (pulled < levers.size()) {
        const auto [chance, length] = levers[pulled];
        if (pulled > 0 && s * s * length <= chance) break;
        honest += chance;
        roots += std::sqrt(length * chance);
        s = (share + honest) / roots;
        ++pulled;
    }
    double moved = 0;
    for (const auto& [chance, length] : std::span(levers).first(pulled))
        moved += length - std::sqrt(length * chance) / s;
    return moved;
}

}  // namespace

double influence(std::span<const Contribution> contributions) {
    double most = 0;
    for (const bool up : {true, false})
        for (const auto& [chance, length] : levers(contributions, up)) most = std::max(most, length / chance);
    return most;
}

Interval bias(std::span<const Contribution> contributions, double share) {
    return {-furthest(levers(contributions, false), share), furthest(levers(contributions, true), share)};
}

// The estimate is E = θ + noise + what forgers moved it by. Where it has one part, that is b(F − θ), b the
// share of forgers in it and F what they say, so that θ = (E − bF)/(1 − b) but for the noise of the honest
// ones; of several parts only the sum is known, and θ is taken where each is worst.
Interval robust_interval(const Estimate& estimate, double errors, std::span<const Contribution> contributions,
                         double share) {
    const auto [value, error] = estimate;
    Interval moved;
    double forged = share;
    if (contributions.size() == 1) {
        const auto& [chance, terms, truths] = contributions[0];
        if (chance <= 0) return truths;  // every report about it may be forged
        forged = share / (share + (1 - share) * chance);
        const double odds = forged / (1 - forged);
        moved = {odds * (terms.lower - value), odds * (terms.upper - value)};
    } else {
        moved = bias(contributions, share);
    }
    const double noise = errors * error / std::sqrt(1 - forged);
    double least = 0, most = 0;
    for (const Contribution& contribution : contributions)
        least += contribution.truths.lower, most += contribution.truths.upper;
    return {std::clamp(value - moved.upper - noise, least, most),
            std::clamp(value - moved.lower + noise, least, most)};
}

// How often a value y comes is a sum of independent events whose mean probability p_y people's values decide.
// At most n·p_y being expected, its tail at c > n·p_y + 1 is no more than the binomial one (Hoeffding 1956),
// whose ratio to p_y rises up to there. With p ≥ p_y for all y that are counted as this likely, and Σ p_y ≤
// 1, the chance that any has a tail of t·p or less is at most Σ p_y·t ≤ t: the bound holds for all y at once,
// each judged by its own p, however many there are.
double chance_of_copies(double max_probability, std::uint64_t copies, std::uint64_t reports) {
    const double p =
        std::max(max_probability, 1e-100);  // of very long reports, what has vanished by rounding
    if (copies < 2 || p >= 1 || static_cast<double>(copies) - 1 <= static_cast<double>(reports) * p) return 1;
    return std::min(1.0, binomial_at_least(reports, p, copies) / p);
}

}  // namespace ldp

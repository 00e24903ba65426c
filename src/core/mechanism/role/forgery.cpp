#include "core/mechanism/role/forgery.hpp"

#include <algorithm>
#include <cmath>

#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// A component that forged reports can bias. Its length is the distance between its extreme terms and the
/// nearest honest expectation.
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

// x forged reports among h honest ones change the mean of a component to (hθ + xF)/(h + x). The change
// length·x/(h + x) is concave in x. The worst allocation therefore equalizes the derivative length·h/(h + x)²
// = 1/s² over all components with forged reports: x = s·√(length·h) − h.
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

// The estimate is E = θ + noise + bias. With one component, the bias is b(F − θ), with b the share of forged
// reports in it and F their mean term, so that θ = (E − bF)/(1 − b) up to the noise of honest reports. With
// several components only the sum is known, and each component takes its worst case.
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

// The count of a payload y is a sum of independent events with a mean probability p_y that depends on the
// users' values. If c > n·p_y + 1, its upper tail at c is at most the binomial tail (Hoeffding 1956). The
// ratio of this tail to p_y increases up to that point. Let p ≥ p_y bound the probability of each counted
// payload y. Since Σ p_y ≤ 1, the probability that any y has a tail of at most t·p is at most Σ p_y·t ≤ t.
// The bound therefore holds for all y at once, each with its own p, whatever their number.
double chance_of_copies(double max_probability, std::uint64_t copies, std::uint64_t reports) {
    const double p =
        std::max(max_probability, 1e-100);  // the probability of very long reports can round to 0
    if (copies < 2 || p >= 1 || static_cast<double>(copies) - 1 <= static_cast<double>(reports) * p) return 1;
    return std::min(1.0, binomial_at_least(reports, p, copies) / p);
}

}  // namespace ldp

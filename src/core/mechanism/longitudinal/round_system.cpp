#include "core/mechanism/longitudinal/round_system.hpp"

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/longitudinal/series.hpp"

namespace ldp {

template <class Visit>
void RoundSystem::eliminate(Visit visit) const {
    for (std::size_t height = 0; height < first_.size(); ++height)
        for (std::uint32_t end = 1; end <= nodes(height); end += 2)
            visit(height, end << height, (end - 1) << height,
                  end < nodes(height) ? (end + 1) << height : std::uint32_t{0});
}

template <class Visit>
void RoundSystem::substitute(Visit visit) const {
    for (std::size_t height = first_.size(); height-- > 0;)
        for (std::uint32_t end = 1; end <= nodes(height); end += 2)
            visit(height, end << height, (end - 1) << height,
                  end < nodes(height) ? (end + 1) << height : std::uint32_t{0});
}

RoundSystem::RoundSystem(std::uint32_t length, std::span<const double> nodes, std::span<const double> rounds)
    : length_(length),
      steps_(length + 1),
      edges_(nodes.begin(), nodes.end()),
      grounds_(length + 1),
      known_(length + 1) {
    std::size_t first = 0;
    for (std::size_t height = 0; length >> height != 0; first += length >> height++) first_.push_back(first);
    std::ranges::copy(rounds, grounds_.begin() + 1);
    eliminate([&](std::size_t height, std::uint32_t round, std::uint32_t left, std::uint32_t next) {
        const std::size_t edge = first_[height] + (left >> height);
        const double before = edges_[edge], after = next != 0 ? edges_[edge + 1] : 0;
        const double all = before + after + grounds_[round];
        if (all == 0) return;
        steps_[round] = {1 / all, before / all, after / all};
        grounds_[left] += grounds_[round] * before / all;
        if (next == 0) return;
        grounds_[next] += grounds_[round] * after / all;
        edges_[first_[height + 1] + (left >> (height + 1))] += before * after / all;
    });
    known_[0] = true;
    substitute([&](std::size_t, std::uint32_t round, std::uint32_t left, std::uint32_t next) {
        const Elimination& step = steps_[round];
        known_[round] =
            grounds_[round] > 0 || (step.left > 0 && known_[left]) || (step.next > 0 && known_[next]);
    });
}

void RoundSystem::solve(std::span<double> right, std::size_t columns) const {
    const auto at = [&](std::uint32_t vertex) { return right.subspan(vertex * columns, columns); };
    Work work;
    eliminate([&](std::size_t, std::uint32_t round, std::uint32_t left, std::uint32_t next) {
        const Elimination& step = steps_[round];
        const auto own = at(round), before = at(left), after = at(next);
        for (std::size_t c = 0; c < columns; ++c) before[c] += step.left * own[c];
        if (next != 0)
            for (std::size_t c = 0; c < columns; ++c) after[c] += step.next * own[c];
        work.done(columns);
    });
    std::ranges::fill(at(0), 0.0);
    substitute([&](std::size_t, std::uint32_t round, std::uint32_t left, std::uint32_t next) {
        const Elimination& step = steps_[round];
        const auto own = at(round), before = at(left), after = at(next);
        for (std::size_t c = 0; c < columns; ++c)
            own[c] = known_[round] ? step.inverse * own[c] + step.left * before[c] + step.next * after[c] : 0;
        work.done(columns);
    });
}

std::vector<double> RoundSystem::covariances(std::span<const RoundWeight> weights) const {
    std::vector<double> right(length_ + 1);
    for (const RoundWeight& each : weights) right[each.round] += each.weight;
    solve(right);
    return right;
}

// Let M be the matrix of the normal equations. The sum of the variances is tr M⁻¹. Its derivative by the
// precision of an observation x is −xᵀM⁻²x, and M⁻² is the derivative of (M − s)⁻¹ by s at s = 0. Both
// matrices are needed at vertices and along edges only. Numbers below carry their derivative by s.
namespace {

struct Dual {
    double value, slope;

    friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
    friend Dual operator*(Dual a, Dual b) {
        return {a.value * b.value, a.value * b.slope + a.slope * b.value};
    }
    friend Dual operator/(Dual a, Dual b) {
        const double value = a.value / b.value;
        return {value, (a.slope - value * b.slope) / b.value};
    }
};

}  // namespace

RoundSystem::Variances RoundSystem::variances() const {
    // The precisions before elimination differ from those after it by what the elimination adds; it is
    // repeated with the derivatives, which are −1 for the precision of each round.
    struct Step {
        Dual inverse, left, next;
    };
    std::vector<Dual> added_grounds(length_ + 1, {0, -1}), added_edges(edges_.size(), {0, 0});
    std::vector<Step> steps(length_ + 1);
    eliminate([&](std::size_t height, std::uint32_t round, std::uint32_t left, std::uint32_t next) {
        const std::size_t edge = first_[height] + (left >> height);
        const Dual before{edges_[edge], added_edges[edge].slope};
        const Dual after = next != 0 ? Dual{edges_[edge + 1], added_edges[edge + 1].slope} : Dual{0, 0};
        const Dual ground{grounds_[round], added_grounds[round].slope}, all = before + after + ground;
        if (all.value == 0) return;
        steps[round] = {Dual{1, 0} / all, before / all, after / all};
        added_grounds[left].slope += (ground * steps[round].left).slope;
        if (next == 0) return;
        added_grounds[next].slope += (ground * steps[round].next).slope;
        added_edges[first_[height + 1] + (left >> (height + 1))].slope += (before * steps[round].next).slope;
    });
    // Variances at vertices and covariances along edges.
    std::vector<Dual> vertices(length_ + 1, {0, 0}), edges(edges_.size(), {0, 0});
    substitute([&](std::size_t height, std::uint32_t round, std::uint32_t left, std::uint32_t next) {
        const Step& step = steps[round];
        const std::size_t edge = first_[height] + (left >> height);
        const Dual across = next != 0 ? edges[first_[height + 1] + (left >> (height + 1))] : Dual{0, 0};
        edges[edge] = step.left * vertices[left] + step.next * across;
        if (next != 0) edges[edge + 1] = step.left * across + step.next * vertices[next];
        vertices[round] =
            step.inverse + step.left * edges[edge] + (next != 0 ? step.next * edges[edge + 1] : Dual{0, 0});
    });
    Variances found{{}, std::vector<double>(edges.size()), {}};
    for (const Dual& vertex : vertices) {
        found.of_rounds.push_back(vertex.value);
        found.gains_of_rounds.push_back(vertex.slope);
    }
    for (std::size_t height = 0; height < first_.size(); ++height)
        for (std::uint32_t node = 0; node < nodes(height); ++node)
            found.gains_of_nodes[first_[height] + node] = vertices[node << height].slope +
                                                          vertices[(node + 1) << height].slope -
                                                          2 * edges[first_[height] + node].slope;
    return found;
}

}  // namespace ldp

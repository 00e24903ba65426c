// Generalized least squares for the signs in the rounds of a series (Hay, Rastogi, Miklau, Suciu 2010;
// Honaker 2015).
//
// Rounds 1..T are vertices 0..T of a graph; vertex 0 has the known sign 0. The i-th node of height h observes
// the sign at vertex (i+1)·2^h minus the sign at vertex i·2^h. A report about the sign in one round observes
// its vertex minus vertex 0. Each observation is an edge, and its precision is the weight of the edge. The
// normal equations are those of an electrical network.
//
// The odd multiples of 2^h are eliminated first for h = 0, then for h = 1, and so on. Each of them has at most
// three neighbours: the multiples of 2^(h+1) on both sides, which an edge of height h+1 already connects, and
// vertex 0. Elimination therefore adds no edges, and takes O(T) steps. All terms are sums of products of
// positive numbers, so that nothing cancels. Back substitution takes O(T) steps as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ldp {

struct RoundWeight;

class RoundSystem {
  public:
    /// `nodes` has the precision of each node, level by level from the single rounds up; `rounds` has the
    /// precision of the sign in each round, or is empty.
    RoundSystem(std::uint32_t length, std::span<const double> nodes, std::span<const double> rounds);

    /// Returns whether the reports determine the sign in a round.
    [[nodiscard]] bool known(std::uint32_t round) const { return known_[round]; }
    /// Returns the covariances of the estimate of a weighted sum of known rounds with the signs at vertices
    /// 0..T. The weight of an observation in the sum is its precision times the difference between its two
    /// ends. The estimate for vertex 0 is 0.
    [[nodiscard]] std::vector<double> covariances(std::span<const RoundWeight> weights) const;
    /// Solves the normal equations in place: `right` has the right-hand side at vertices 0..T, each of
    /// `columns` numbers. Rounds that are not known become 0.
    void solve(std::span<double> right, std::size_t columns = 1) const;

    /// The variances of the estimated signs at vertices 0..T, and derivatives of their sum.
    struct Variances {
        std::vector<double> of_rounds;
        /// The decrease of the sum of variances per unit of precision of each node and of each round.
        std::vector<double> gains_of_nodes, gains_of_rounds;
    };
    /// Only those of known rounds have a meaning, and gains only if all rounds are known.
    [[nodiscard]] Variances variances() const;

  private:
    /// The elimination of a vertex: its equation is z = inverse·right + left·z_left + next·z_next.
    struct Elimination {
        double inverse = 0, left = 0, next = 0;
    };
    std::uint32_t nodes(std::size_t height) const noexcept { return length_ >> height; }
    /// Calls visit(height, round, left, next) for all vertices in the order of their elimination, or in the
    /// reverse order. The neighbour `next` is 0 if the series ends before it.
    template <class Visit>
    void eliminate(Visit visit) const;
    template <class Visit>
    void substitute(Visit visit) const;

    std::uint32_t length_;
    std::vector<std::size_t> first_;  ///< index of the first node of each level
    std::vector<Elimination> steps_;
    std::vector<double> edges_, grounds_;  ///< precisions when they are eliminated
    std::vector<bool> known_;
};

}  // namespace ldp

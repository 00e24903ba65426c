// A model of how all attributes hang together: which pairs do beyond chance, as a graph; its cliques, whose
// tables together make one distribution of whole records.
#pragma once

#include <vector>

#include "core/tables/measured.hpp"
#include "core/tables/model/association.hpp"

namespace ldp {

struct ModelOptions {
    /// Pairs are edges that are less likely than this if independent. Each is tested for itself: an edge too
    /// many costs little, since its fitted table is what is not noise in it; one too few loses what was
    /// known.
    double significance = 0.05;
    /// Of the table of any clique. A weaker edge is left out where it would make one too large.
    std::int64_t most_cells = 1 << 16;
};

struct Clique {
    /// No share is negative, they sum to 1, and neighbours agree; variance is NaN.
    Table table;
    std::size_t parent;                  ///< an earlier clique; none for the first
    std::vector<std::size_t> separator;  ///< the attributes that it shares with its parent; may be none

    static constexpr std::size_t none = std::size_t{0} - 1;
};

/// The distribution in which a clique's other attributes depend on earlier cliques through its separator
/// alone (Lauritzen, Spiegelhalter 1988). Its tables are, of those with the graph's independences, the ones
/// of most entropy that have the fitted tables of the edges.
struct Model {
    std::vector<Association> edges;  ///< the strongest first
    std::vector<Clique> cliques;     ///< a tree, parents first; every measured attribute is in one
};

/// The model of what was measured. Edges are added from the one with most information on, as long as the
/// graph, made triangular where a clique stays smallest, has no clique above the limit; after 256 edges that
/// do not fit, weaker ones are not tried. Throws Error (invalid_value) unless the significance is between 0
/// and 1, and for a limit outside 2 to 2^20.
[[nodiscard]] Model model_of(const Measured& measured, const ModelOptions& options = {});

}  // namespace ldp

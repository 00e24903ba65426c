// A graphical model of all attributes: a graph of significant associations, and the tables of its cliques,
// which define a distribution of whole records.
#pragma once

#include <vector>

#include "core/models/association.hpp"
#include "core/tables/measured.hpp"

namespace ldp {

struct ModelOptions {
    /// Pairs with a p-value below this become edges. The p-values are not adjusted: an unnecessary edge costs
    /// little, since its fitted table is denoised, while a missing edge loses information.
    double significance = 0.05;
    /// Maximum number of cells of a clique's table. A weaker edge is omitted if it would exceed the limit.
    std::int64_t most_cells = 1 << 16;
};

struct Clique {
    /// Non-negative, sums to 1, consistent with neighbours; variance is NaN.
    Table table;
    std::size_t parent;                  ///< an earlier clique; none for the first
    std::vector<std::size_t> separator;  ///< the attributes that it shares with its parent; may be empty

    static constexpr std::size_t none = std::size_t{0} - 1;
};

/// The distribution in which a clique's other attributes depend on earlier cliques only through its separator
/// (Lauritzen, Spiegelhalter 1988). Among the distributions with the graph's independences and the fitted
/// tables of the edges, it has maximum entropy.
struct Model {
    std::vector<Association> edges;  ///< strongest first
    std::vector<Clique> cliques;     ///< a tree, parents first; every measured attribute is in a clique
};

/// Returns the model of measured tables. Edges are added in descending order of information while the
/// triangulated graph has no clique above the limit. After 256 rejected edges, the remaining ones are not
/// tried. Error (invalid_value) unless the significance is between 0 and 1 and the limit between 2 and 2^20.
[[nodiscard]] Model model_of(const Measured& measured, const ModelOptions& options = {});

}  // namespace ldp

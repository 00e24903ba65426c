// Graphs of attributes that are made triangular, and trees of their cliques.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ldp {

/// Which nodes are neighbours of which.
using Graph = std::vector<std::vector<bool>>;

/// The cliques of a graph once it is made triangular, each with its nodes in ascending order, and none within
/// another. Nodes are taken out one by one, first the one that with its neighbours has the smallest table,
/// and those neighbours are joined. Nodes of size 0 are left out.
[[nodiscard]] std::vector<std::vector<std::size_t>> cliques_of(Graph graph,
                                                               std::span<const std::uint64_t> sizes);

/// A tree of such cliques in which those that hold a node hang together, as numbers of parents; the first
/// clique of the returned order is the root.
struct CliqueTree {
    std::vector<std::size_t> order;   ///< parents first
    std::vector<std::size_t> parent;  ///< of each clique in this order, a place in it; its own for the first
};
[[nodiscard]] CliqueTree tree_of(std::span<const std::vector<std::size_t>> cliques);

/// Cells of the table of some nodes; no more than 2^40 are counted.
[[nodiscard]] std::uint64_t cells_of_nodes(std::span<const std::size_t> nodes,
                                           std::span<const std::uint64_t> sizes);

}  // namespace ldp

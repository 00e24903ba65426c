// Triangulation of graphs of attributes, and clique trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ldp {

/// Adjacency matrix.
using Graph = std::vector<std::vector<bool>>;

/// Returns the cliques of the triangulated graph, each with its nodes in ascending order, and none within
/// another. Nodes are eliminated in the order of the smallest table of a node and its neighbours, which are
/// then connected. Nodes of size 0 are omitted.
[[nodiscard]] std::vector<std::vector<std::size_t>> cliques_of(Graph graph,
                                                               std::span<const std::uint64_t> sizes);

/// A clique tree in which the cliques of each node are connected. Parents are given as indexes; the first
/// clique of the order is the root.
struct CliqueTree {
    std::vector<std::size_t> order;  ///< parents first
    /// of each clique in this order, an index in the order; the root is its own parent
    std::vector<std::size_t> parent;
};
[[nodiscard]] CliqueTree tree_of(std::span<const std::vector<std::size_t>> cliques);

/// Returns the number of cells of the table of some nodes, at most 2^40.
[[nodiscard]] std::uint64_t cells_of_nodes(std::span<const std::size_t> nodes,
                                           std::span<const std::uint64_t> sizes);

}  // namespace ldp

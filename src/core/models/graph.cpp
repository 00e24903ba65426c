#include "core/models/graph.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

std::size_t shared(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    return static_cast<std::size_t>(
        std::ranges::count_if(a, [&](std::size_t node) { return std::ranges::binary_search(b, node); }));
}

}  // namespace

std::uint64_t cells_of_nodes(std::span<const std::size_t> nodes, std::span<const std::uint64_t> sizes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    std::uint64_t cells = 1;
    for (const std::size_t node : nodes) cells = cells > most / sizes[node] ? most : cells * sizes[node];
    return cells;
}

std::vector<std::vector<std::size_t>> cliques_of(Graph graph, std::span<const std::uint64_t> sizes) {
    Work work;
    std::vector<std::size_t> left;
    for (std::size_t node = 0; node < sizes.size(); ++node)
        if (sizes[node] > 0) left.push_back(node);
    std::vector<std::vector<std::size_t>> cliques;
    while (!left.empty()) {
        std::vector<std::size_t> smallest;
        std::uint64_t cells = 0;
        std::size_t first = 0;
        for (const std::size_t node : left) {
            work.done(left.size());
            std::vector<std::size_t> clique;
            for (const std::size_t other : left)
                if (other == node || graph[node][other]) clique.push_back(other);
            const std::uint64_t size = cells_of_nodes(clique, sizes);
            if (!smallest.empty() && size >= cells) continue;
            smallest = std::move(clique);
            cells = size;
            first = node;
        }
        for (const std::size_t a : smallest)
            for (const std::size_t b : smallest)
                if (a != b) graph[a][b] = true;
        std::erase(left, first);
        if (std::ranges::none_of(cliques,
                                 [&](const auto& other) { return std::ranges::includes(other, smallest); }))
            cliques.push_back(std::move(smallest));
    }
    return cliques;
}

// Returns a maximum spanning tree by the number of shared nodes (Prim 1957), which is a clique tree (Jensen,
// Jensen 1994).
CliqueTree tree_of(std::span<const std::vector<std::size_t>> cliques) {
    CliqueTree tree;
    std::vector<std::size_t> nearest(cliques.size()), common(cliques.size());
    std::vector<bool> taken(cliques.size());
    while (tree.order.size() < cliques.size()) {
        std::size_t next = cliques.size();
        for (std::size_t c = 0; c < cliques.size(); ++c)
            if (!taken[c] && (next == cliques.size() || common[c] > common[next])) next = c;
        const std::size_t place = tree.order.size();
        taken[next] = true;
        tree.order.push_back(next);
        tree.parent.push_back(nearest[next]);
        for (std::size_t c = 0; c < cliques.size(); ++c)
            if (const std::size_t both = shared(cliques[c], cliques[next]); !taken[c] && both > common[c]) {
                common[c] = both;
                nearest[c] = place;
            }
    }
    return tree;
}

}  // namespace ldp

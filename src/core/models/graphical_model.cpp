#include "core/models/graphical_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/models/graph.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/pooled.hpp"
#include "core/tables/scaling.hpp"

namespace ldp {

namespace {

using Cliques = std::vector<std::vector<std::size_t>>;

/// Cliques with their target tables, as a tree. During the traversal, each table is the distribution of its
/// attributes given the margins scaled so far (Jiroušek, Přeučil 1995).
class TreeScaling {
  public:
    TreeScaling(std::vector<Clique>& cliques, const Model& model, const Fit& fit)
        : cliques_(cliques), children_(cliques.size()) {
        std::vector<std::vector<std::size_t>> taken;
        for (std::size_t c = 0; c < cliques.size(); ++c) {
            if (c > 0) children_[cliques[c].parent].push_back(c);
            Table& table = cliques[c].table;
            // A table that several cliques contain is assigned to the first one.
            std::vector<Table> own;
            for (Table& candidate : edges_within(model, fit, table.attributes))
                if (std::ranges::find(taken, candidate.attributes) == taken.end()) {
                    taken.push_back(candidate.attributes);
                    own.push_back(std::move(candidate));
                }
            scalings_.emplace_back(table.attributes, table.sizes, std::move(own));
            links_.push_back({cells_of(table.attributes, table.sizes, cliques[c].separator), {}});
            if (c > 0) {
                const Table& parent = cliques[cliques[c].parent].table;
                links_[c].outside = cells_of(parent.attributes, parent.sizes, cliques[c].separator);
            }
        }
    }

    /// Scales every clique once, and returns the largest deviation of a table.
    double round(double step) { return visit(0, step); }
    /// Makes the tables of all cliques marginals of one distribution.
    void end() {
        visit(0, 0);
        // Partial steps do not preserve the total.
        for (Clique& clique : cliques_) {
            const double sum = std::accumulate(clique.table.shares.begin(), clique.table.shares.end(), 0.0);
            for (double& share : clique.table.shares) share /= sum;
        }
    }

  private:
    struct Link {
        std::vector<std::uint32_t> inside, outside;  // cells of the separator, by cells of child and parent
    };

    /// Returns the fitted tables of a clique, except for pairs that are not edges, which follow from the
    /// others.
    static std::vector<Table> edges_within(const Model& model, const Fit& fit,
                                           const std::vector<std::size_t>& attributes) {
        std::vector<Table> found;
        const auto edge = [&](std::size_t a, std::size_t b) {
            return std::ranges::any_of(
                model.edges, [&](const Association& one) { return one.first == a && one.second == b; });
        };
        for (auto table = fit.tables().rbegin(); table != fit.tables().rend(); ++table) {
            const std::vector<std::size_t>& set = table->attributes;
            if (!std::ranges::includes(attributes, set)) continue;
            bool linked = true;
            for (std::size_t i = 0; i < set.size(); ++i)
                for (std::size_t j = i + 1; j < set.size(); ++j) linked = linked && edge(set[i], set[j]);
            if (linked && std::ranges::none_of(found, [&](const Table& other) {
                    return std::ranges::includes(other.attributes, set);
                }))
                found.push_back(*table);
        }
        return found;
    }

    double visit(std::size_t c, double step) {
        double worst = step > 0 ? scalings_[c].sweep(cliques_[c].table.shares, step) : 0;
        for (const std::size_t child : children_[c]) {
            pass(cliques_[c].table, links_[child].outside, cliques_[child].table, links_[child].inside);
            worst = std::max(worst, visit(child, step));
            if (step > 0)
                pass(cliques_[child].table, links_[child].inside, cliques_[c].table, links_[child].outside);
        }
        return worst;
    }

    /// Scales a neighbour to the shares of the separator.
    static void pass(const Table& from, const std::vector<std::uint32_t>& of_from, Table& to,
                     const std::vector<std::uint32_t>& of_to) {
        const std::size_t cells =
            1 + std::max(*std::ranges::max_element(of_from), *std::ranges::max_element(of_to));
        std::vector<double> wanted(cells), found(cells);
        for_each_index(of_from.size(), [&](std::size_t cell) { wanted[of_from[cell]] += from.shares[cell]; });
        for_each_index(of_to.size(), [&](std::size_t cell) { found[of_to[cell]] += to.shares[cell]; });
        for (std::size_t cell = 0; cell < cells; ++cell)
            wanted[cell] = found[cell] > 0 ? wanted[cell] / found[cell] : 0;
        for_each_index(of_to.size(), [&](std::size_t cell) {
            to.shares[cell] = scaled(to.shares[cell], wanted[of_to[cell]]);
        });
    }

    std::vector<Clique>& cliques_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<Scaling> scalings_;
    std::vector<Link> links_;
};

/// Number of rejected edges after which weaker ones are not tried; with a hundred attributes, each takes
/// milliseconds.
constexpr std::size_t most_refused = 256;

/// Returns the cliques of the strongest edges within the limit, and these edges.
Cliques chosen(std::vector<Association> candidates, std::span<const std::uint64_t> sizes,
               std::uint64_t most_cells, std::vector<Association>& edges) {
    std::ranges::stable_sort(candidates, std::ranges::greater(),
                             [](const Association& one) { return one.information.value; });
    Graph graph(sizes.size(), std::vector<bool>(sizes.size()));
    Cliques cliques = cliques_of(graph, sizes);
    std::size_t refused = 0;
    for (const Association& one : candidates) {
        check_interrupt();
        graph[one.first][one.second] = graph[one.second][one.first] = true;
        const std::size_t both[] = {one.first, one.second};
        if (std::ranges::any_of(cliques,
                                [&](const auto& clique) { return std::ranges::includes(clique, both); })) {
            edges.push_back(one);
            continue;
        }
        Cliques larger = cliques_of(graph, sizes);
        if (std::ranges::all_of(
                larger, [&](const auto& clique) { return cells_of_nodes(clique, sizes) <= most_cells; })) {
            cliques = std::move(larger);
            edges.push_back(one);
        } else {
            graph[one.first][one.second] = graph[one.second][one.first] = false;
            if (++refused == most_refused) break;
        }
    }
    return cliques;
}

}  // namespace

Model model_of(const Measured& measured, const ModelOptions& options) {
    if (!(options.significance >= 0 && options.significance <= 1))
        raise(ErrorCode::invalid_value, "the significance of a model's edges must be between 0 and 1",
              "Found " + shortest(options.significance) + ".",
              "At 0.05, one in twenty independent pairs becomes an edge.");
    if (options.most_cells < 2 || options.most_cells > std::int64_t{Fit::most_cells})
        raise(ErrorCode::invalid_value,
              "the maximum number of cells in a clique must be between 2 and " +
                  std::to_string(Fit::most_cells),
              "Found " + std::to_string(options.most_cells) + ".",
              "With more cells, the model has more edges and takes longer.");
    constexpr double any = 0.95;
    std::vector<Association> candidates;
    for (Association& one : associations(measured, any))
        if (one.p_value < options.significance) candidates.push_back(one);
    const Fit fit = fitted(measured);
    const std::vector<std::uint64_t> sizes = sizes_in(fit.tables());

    Model model;
    const Cliques cliques =
        chosen(std::move(candidates), sizes, static_cast<std::uint64_t>(options.most_cells), model.edges);
    const CliqueTree tree = tree_of(cliques);
    for (std::size_t place = 0; place < tree.order.size(); ++place) {
        const std::vector<std::size_t>& nodes = cliques[tree.order[place]];
        Clique clique{{nodes, {}, {}, unknown, 0}, Clique::none, {}};
        for (const std::size_t node : nodes) clique.table.sizes.push_back(sizes[node]);
        const std::uint64_t cells = cells_of_nodes(nodes, sizes);
        clique.table.shares.assign(cells, 1 / static_cast<double>(cells));
        if (place > 0) {
            clique.parent = tree.parent[place];
            std::ranges::set_intersection(nodes, model.cliques[clique.parent].table.attributes,
                                          std::back_inserter(clique.separator));
        }
        model.cliques.push_back(std::move(clique));
    }
    if (model.cliques.empty()) return model;
    TreeScaling walk(model.cliques, model, fit);
    constexpr std::size_t most_rounds = 200;
    for (std::size_t i = 0; i < most_rounds && walk.round(scaling_step(i)) > 1e-7; ++i) {
    }
    walk.end();
    return model;
}

}  // namespace ldp

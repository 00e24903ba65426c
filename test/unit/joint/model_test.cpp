// Models against the distributions that they are of, and rows against their models.

#include "core/models/graphical_model.hpp"

#include <boost/test/unit_test.hpp>

#include "core/base/error.hpp"
#include "core/models/graph.hpp"
#include "core/models/synthesis.hpp"
#include "core/tables/table_fit.hpp"
#include "tables.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(model)

namespace {

using Values = std::vector<std::size_t>;
using Sizes = std::vector<std::uint64_t>;

std::vector<Table> exactly(const Table& all) {
    std::vector<Table> tables;
    for (const Values& pair : all_pairs(all.sizes.size())) {
        tables.push_back(summed(all, pair));
        tables.back().variance = 1e-12;
        tables.back().people = 1e12;
    }
    return tables;
}

/// A model's distribution of all attributes.
std::vector<double> whole(const Model& model, const Table& shape) {
    std::vector<double> shares(shape.shares.size(), 1);
    for (const Clique& clique : model.cliques) {
        const auto cells = cells_of(shape.attributes, shape.sizes, clique.table.attributes);
        const auto edges = cells_of(shape.attributes, shape.sizes, clique.separator);
        const Table separator = summed(clique.table, clique.separator);
        for (std::size_t cell = 0; cell < shares.size(); ++cell)
            shares[cell] *= clique.table.shares[cells[cell]] / separator.shares[edges[cell]];
    }
    return shares;
}

/// What every model keeps to.
void check_tree(const Model& model, std::size_t attributes) {
    std::vector<bool> seen(attributes);
    for (std::size_t c = 0; c < model.cliques.size(); ++c) {
        const Clique& clique = model.cliques[c];
        double sum = 0;
        for (const double share : clique.table.shares) {
            BOOST_REQUIRE_GE(share, 0);
            sum += share;
        }
        BOOST_CHECK_CLOSE_FRACTION(sum, 1, 1e-9);
        BOOST_CHECK(c == 0 ? clique.parent == Clique::none : clique.parent < c);
        // What was there before is shared with the parent.
        for (const std::size_t attribute : clique.table.attributes) {
            BOOST_CHECK_EQUAL(std::ranges::count(clique.separator, attribute), seen[attribute]);
            seen[attribute] = true;
        }
        if (c == 0) continue;
        const Table& parent = model.cliques[clique.parent].table;
        BOOST_REQUIRE(std::ranges::includes(parent.attributes, clique.separator));
        BOOST_CHECK_SMALL(
            variation(summed(parent, clique.separator).shares, summed(clique.table, clique.separator).shares),
            1e-9);
    }
    BOOST_CHECK_EQUAL(std::ranges::count(seen, true), attributes);
    for (const Association& edge : model.edges)
        BOOST_CHECK(std::ranges::any_of(model.cliques, [&](const Clique& clique) {
            return std::ranges::includes(clique.table.attributes, Values{edge.first, edge.second});
        }));
}

std::vector<std::uint32_t> rows_of(const Synthesis& synthesis, std::size_t count, BitSource& bits) {
    std::vector<std::uint32_t> values(count * synthesis.attributes());
    synthesis.draw(count, bits, values);
    return values;
}

/// The shares of rows, of some attributes.
std::vector<double> shares_of(const std::vector<std::uint32_t>& rows, const Table& shape,
                              const Values& attributes) {
    Table part = summed(shape, attributes);
    std::ranges::fill(part.shares, 0);
    const std::size_t width = shape.sizes.size(), count = rows.size() / width;
    for (std::size_t row = 0; row < count; ++row) {
        std::size_t cell = 0;
        for (std::size_t i = 0; i < attributes.size(); ++i)
            cell = cell * part.sizes[i] + rows[row * width + attributes[i]];
        part.shares[cell] += 1 / static_cast<double>(count);
    }
    return part.shares;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_cycle_is_made_triangular) {
    Graph graph(5, std::vector<bool>(5));
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 3}, {3, 0}}) graph[a][b] = graph[b][a] = true;
    // Node 4 stands alone; node 1 is the widest, so that 0, 2 and 3 make the first clique.
    const auto cliques = cliques_of(graph, Sizes{2, 9, 2, 2, 3});
    BOOST_REQUIRE_EQUAL(cliques.size(), 3);
    BOOST_CHECK(cliques[0] == Values{4});
    BOOST_CHECK((cliques[1] == Values{0, 2, 3}));
    BOOST_CHECK((cliques[2] == Values{0, 1, 2}));
    const CliqueTree tree = tree_of(cliques);
    BOOST_CHECK_EQUAL(tree.order.size(), 3);
}

BOOST_AUTO_TEST_CASE(a_chain_is_found) {
    const Table all = chain({3, 2, 4, 2}, 1.5);
    const Model found = model_of(exactly(all), {.most_cells = 8});
    BOOST_REQUIRE_EQUAL(found.edges.size(), 3);
    for (const Association& edge : found.edges) BOOST_CHECK_EQUAL(edge.second, edge.first + 1);
    check_tree(found, 4);
    BOOST_CHECK_SMALL(variation(whole(found, all), all.shares), 1e-5);
    // With room for everything it is one clique, and the same distribution.
    const Model one = model_of(exactly(all));
    BOOST_CHECK_EQUAL(one.cliques.size(), 1);
    BOOST_CHECK_SMALL(variation(one.cliques[0].table.shares, all.shares), 1e-4);
}

// Each neighbour in a circle of four agrees with the next, except the last with the first. Opposite
// attributes are independent. A clique of three is associated with the other pairs through the two
// attributes that it shares.
BOOST_AUTO_TEST_CASE(cliques_learn_from_each_other) {
    const Table all = population({2, 2, 2, 2}, [](const Values& v) {
        const auto agrees = [&](std::size_t i, std::size_t j) { return v[i] == v[j] ? 1.0 : 0.0; };
        return std::exp(1.5 * (agrees(0, 1) + agrees(1, 2) + agrees(2, 3) - agrees(3, 0)));
    });
    const Model found = model_of(exactly(all), {.most_cells = 8});
    BOOST_CHECK_EQUAL(found.edges.size(), 4);
    BOOST_CHECK_EQUAL(found.cliques.size(), 2);
    check_tree(found, 4);
    BOOST_CHECK_SMALL(variation(whole(found, all), all.shares), 1e-4);
}

BOOST_AUTO_TEST_CASE(models_of_noise_are_distributions) {
    SeededBits bits(101);
    const Table all = chain({3, 2, 4, 2, 3}, 1);
    for (const double noise : {1e-5, 1e-3, 0.05})
        for (const std::int64_t cells : {6, 24, 200})
            check_tree(model_of(measured(all, all_pairs(5), 2000, noise, bits),
                                {.significance = 0.5, .most_cells = cells}),
                       5);
    const std::vector<std::vector<std::size_t>> triples{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}};
    check_tree(model_of(measured(all, triples, 2000, 1e-4, bits)), 5);
}

// Attributes that are all the same, of few people: each triple scales the others' cells towards 0.
BOOST_AUTO_TEST_CASE(tables_that_hardly_agree_make_distributions) {
    const Table all = population({5, 5, 16, 5}, [](const Values& v) {
        return v[0] == v[1] && v[1] == v[2] && v[2] == v[3] ? 1.0 : 0.0;
    });
    const std::vector<Values> triples{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    for (const std::uint64_t seed : {1, 9, 11, 17}) {
        SeededBits bits(seed);
        check_tree(model_of(measured(all, triples, 100, 4e-6, bits)), 4);
    }
}

BOOST_AUTO_TEST_CASE(independent_attributes_have_as_many_edges_as_stated) {
    SeededBits bits(102);
    const Table all = chain({3, 3, 3, 3}, 0);
    std::size_t edges = 0;
    for (int run = 0; run < 60; ++run)
        edges += model_of(measured(all, all_pairs(4), 2000, 1e-4, bits), {.significance = 0.1}).edges.size();
    // 360 pairs, of which a tenth is 36.
    BOOST_CHECK_GT(edges, 8);
    BOOST_CHECK_LT(edges, 72);
    BOOST_CHECK(model_of(measured(all, all_pairs(4), 2000, 1e-4, bits), {.significance = 0}).edges.empty());
}

BOOST_AUTO_TEST_CASE(options_out_of_range) {
    const auto refused = [](const ModelOptions& options) {
        try {
            static_cast<void>(model_of(std::vector<Table>{}, options));
        } catch (const Error& error) {
            return error.code() == ErrorCode::invalid_value;
        }
        return false;
    };
    BOOST_CHECK(refused({.significance = -0.1}));
    BOOST_CHECK(refused({.significance = std::nan("")}));
    BOOST_CHECK(refused({.most_cells = 1}));
    BOOST_CHECK(refused({.most_cells = Fit::most_cells + 1}));
    BOOST_CHECK(!refused({}));
}

BOOST_AUTO_TEST_CASE(rows_are_spread_as_the_model_says) {
    SeededBits bits(103);
    const Table all = chain({3, 4, 3, 2}, 1.5);
    const Model found = model_of(exactly(all), {.most_cells = 12});
    const Synthesis synthesis(found, 4);
    BOOST_REQUIRE_EQUAL(synthesis.attributes(), 4);
    constexpr std::size_t count = 20000;
    const auto rows = rows_of(synthesis, count, bits);
    double worst = 0;
    for (const Clique& clique : found.cliques) {
        const auto shares = shares_of(rows, all, clique.table.attributes);
        for (std::size_t cell = 0; cell < shares.size(); ++cell)
            worst = std::max(worst, std::abs(shares[cell] - clique.table.shares[cell]) * count);
    }
    // A rounding in each clique on the way, where rows drawn one by one would be some 40 off.
    BOOST_CHECK_LT(worst, 4);
    // Attributes without a common clique are associated only through others.
    for (const Values& pair : all_pairs(4))
        BOOST_CHECK_SMALL(variation(shares_of(rows, all, pair), summed(all, pair).shares), 0.01);
    BOOST_CHECK_SMALL(variation(shares_of(rows, all, {0, 1, 2, 3}), all.shares), 0.02);
    // In random order: every segment is like the whole.
    const std::vector<std::uint32_t> some(rows.begin(), rows.begin() + 4 * 2000);
    BOOST_CHECK_SMALL(variation(shares_of(some, all, {0}), summed(all, Values{0}).shares), 0.04);
}

BOOST_AUTO_TEST_CASE(a_few_rows_are_right_on_average) {
    SeededBits bits(104);
    const Table all = chain({3, 4, 3}, 1);
    const Model found = model_of(exactly(all), {.most_cells = 12});
    const Synthesis synthesis(found, 3);
    std::vector<std::uint32_t> rows;
    constexpr std::size_t draws = 4000, each = 3;
    for (std::size_t i = 0; i < draws; ++i) {
        const auto more = rows_of(synthesis, each, bits);
        rows.insert(rows.end(), more.begin(), more.end());
    }
    const auto shares = shares_of(rows, all, {0, 1, 2});
    for (std::size_t cell = 0; cell < shares.size(); ++cell) {
        const double error = std::sqrt(all.shares[cell] / (draws * each));
        BOOST_CHECK_SMALL(shares[cell] - all.shares[cell], 5.5 * error);
    }
    BOOST_CHECK(rows_of(synthesis, 0, bits).empty());
}

// Of the first three of five attributes, or the last.
BOOST_AUTO_TEST_CASE(what_a_model_does_not_know_is_not_made_up) {
    const Table all = chain({3, 4, 3, 2, 2}, 1);
    for (const Values& told : {Values{0, 1, 2}, {2, 3, 4}, {0, 2, 4}}) {
        const std::vector<Table> some = {summed(all, told)};
        const Model found = model_of(some);
        const auto refused = [](const Error& error) { return error.code() == ErrorCode::unsupported; };
        BOOST_CHECK_EXCEPTION(Synthesis(found, 5), Error, refused);
    }
}

BOOST_AUTO_TEST_CASE(numbers_stay_below_the_end_of_their_bin) {
    constexpr double last = 1 - 0x1p-24;
    BOOST_CHECK_EQUAL(number_in_bin(1e9, 1e9 + 1, 0), 1e9);
    for (const auto& [low, high] :
         {std::pair(1e9, 1e9 + 1), {1e15, 1e15 + 0.25}, {-1e300, -1e299}, {0.1, 0.2}}) {
        const double number = number_in_bin(low, high, last);
        BOOST_CHECK(low <= number && number < high);
    }
}

BOOST_AUTO_TEST_CASE(equal_seeds_make_equal_rows) {
    const Model found = model_of(exactly(chain({3, 4, 3}, 1)));
    const Synthesis synthesis(found, 3);
    SeededBits one(105), same(105), other(106);
    const auto rows = rows_of(synthesis, 500, one);
    BOOST_CHECK(rows == rows_of(synthesis, 500, same));
    BOOST_CHECK(rows != rows_of(synthesis, 500, other));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

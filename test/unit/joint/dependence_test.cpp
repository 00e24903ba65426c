// Significance of dependence among all pairs, and estimates of single attributes from pairs.

#include "core/tables/pairs.hpp"

#include <boost/test/unit_test.hpp>

#include "core/tables/pooled.hpp"
#include "core/tables/table_fit.hpp"
#include "tables.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(dependence)

namespace {

using Values = std::vector<std::size_t>;

/// Attributes that have nothing to do with each other, and of each of which the first value is frequent.
Table independent(const std::vector<std::uint64_t>& sizes) {
    return population(sizes, [](const Values& values) {
        double share = 1;
        for (const std::size_t value : values) share *= value == 0 ? 20 : 1;
        return share;
    });
}

std::vector<double> product(const Fit& fit, const Values& pair) {
    std::vector<double> cells;
    for (const double p : fit.table({pair.data(), 1}).shares)
        for (const double q : fit.table({pair.data() + 1, 1}).shares) cells.push_back(p * q);
    return cells;
}

/// Errors of the shares of single attributes, fitted and as unbiased sums of pairs.
struct DependenceErrors {
    double fitted = 0, pooled = 0;
};
DependenceErrors errors_of_singles(const Table& all, std::size_t runs, double noise, SeededBits& bits) {
    DependenceErrors errors;
    for (std::size_t run = 0; run < runs; ++run) {
        const auto tables = measured(all, all_pairs(all.sizes.size()), 20000, noise, bits);
        const Fit fit(tables);
        for (std::size_t a = 0; a < all.sizes.size(); ++a) {
            const Values one{a};
            const std::vector<double> truth = summed(all, one).shares;
            errors.fitted += variation(fit.table(one).shares, truth);
            errors.pooled += variation(pooled(tables, one).table.shares, truth);
        }
    }
    return errors;
}

}  // namespace

// Noise of one cell as large as a third of all people, and as 3 %: nothing is to be seen, and nothing is made
// of it. Of what is beyond the edge of each table's noise by chance, two thirds or more are known for noise
// by all tables together; without that they would be 0.007 and 0.004.
BOOST_AUTO_TEST_CASE(what_cannot_be_told_from_independence_is_independent) {
    const Table all = independent({2, 3, 5, 4});
    for (const double noise : {1e-1, 1e-3}) {
        SeededBits bits(97);
        double off = 0;
        constexpr int runs = 20;
        for (int run = 0; run < runs; ++run) {
            const Fit fit(measured(all, all_pairs(4), 20000, noise, bits));
            for (const Values& pair : all_pairs(4))
                off += variation(fit.table(pair).shares, product(fit, pair)) / 6 / runs;
        }
        BOOST_CHECK_LT(off, 0.003);
    }
}

// Ten pairs of yes/no answers whose interactions are as large as noise is on average, and as large again ten
// times: of those less than half is clear, of these nearly all.
BOOST_AUTO_TEST_CASE(how_clear_is_told_by_the_size_of_noise) {
    const Shares shares(5, {0.5, 0.5});
    for (const double size : {1.0, 10.0}) {
        std::vector<Pair> pairs;
        std::vector<Interaction> interactions;
        for (const Values& both : all_pairs(5)) {
            pairs.push_back({{both, {2, 2}, {0.25, 0.25, 0.25, 0.25}, 1e-4, 1e6}, 1});
            Eigen::MatrixXd cells(2, 2);
            cells << 1, -1, -1, 1;
            interactions.push_back({both[0], both[1], cells * (size * 0.01 / 2), 2e-4, 2e-4});
        }
        for (const Dependence& one : dependences(pairs, interactions, shares))
            BOOST_CHECK(size > 1 ? one.clear > 0.9 : one.clear < 0.5);
    }
}

// Two couples of equal attributes among eight; all other pairs are independent. Their fits stay near the product,
// although the couples give the matrix of all pairs large eigenvalues, and most people have the first value.
BOOST_AUTO_TEST_CASE(couples_leave_other_pairs_independent) {
    const Table all = population({4, 4, 4, 4, 4}, [](const Values& values) {
        const auto one = [](std::size_t value) { return value == 0 ? 6.0 : 1.0; };
        double share = one(values[0]) * one(values[2]) * one(values[4]);
        for (const std::size_t couple : {0, 2})
            share *= values[couple] == values[couple + 1] ? 12 : one(values[couple + 1]);
        return share;
    });
    SeededBits bits(100);
    double off = 0;
    constexpr int runs = 20;
    for (int run = 0; run < runs; ++run) {
        const Fit fit(measured(all, all_pairs(5), 4000, 1e-6, bits));
        for (const Values& pair : all_pairs(5)) {
            const double apart = variation(fit.table(pair).shares, product(fit, pair));
            if (pair[0] % 2 == 0 && pair[1] == pair[0] + 1 && pair[0] < 4)
                BOOST_CHECK_GT(apart, 0.1);
            else
                off += apart / 8 / runs;
        }
    }
    BOOST_CHECK_LT(off, 0.004);
}

BOOST_AUTO_TEST_CASE(clear_dependence_stays) {
    SeededBits bits(98);
    const Table all = chain({4, 4, 4, 4}, 1);
    const auto tables = measured(all, all_pairs(4), 20000, 1e-6, bits);
    const Fit fit(tables);
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const Table truth = summed(all, tables[i].attributes);
        BOOST_CHECK_LT(variation(fit.table(tables[i].attributes).shares, truth.shares), 0.02);
    }
}

// If most people have one value of the other attribute, that column is nearly as informative as the sum of
// all five, with the noise of one. Errors are about √(1.43/5) = 0.53 as large, where 1.43 is 1/Σq².
BOOST_AUTO_TEST_CASE(pairs_of_independent_attributes_tell_more_of_each) {
    SeededBits bits(99);
    const Table all = independent({5, 5, 5, 5});
    const Shares truth(4, summed(all, Values{0}).shares);
    const std::vector<Dependence> none(6, {0, 0});
    const std::vector<Eigen::MatrixXd> common(6, Eigen::MatrixXd::Zero(5, 5));
    double weighted = 0, even = 0, promised = 0;
    for (int run = 0; run < 20; ++run) {
        const auto tables = measured(all, all_pairs(4), 1000000, 1e-4, bits);
        for (std::size_t a = 0; a < 4; ++a) {
            const Table found = single(a, tables, pairs_in(tables), none, common, truth);
            const Table sums = pooled(tables, {&a, 1}).table;
            weighted += variation(found.shares, truth[a]);
            even += variation(sums.shares, truth[a]);
            promised = std::sqrt(found.variance / sums.variance);
        }
    }
    BOOST_CHECK_LT(weighted, 0.65 * even);
    BOOST_CHECK_CLOSE_FRACTION(weighted / even, promised, 0.15);
}

BOOST_AUTO_TEST_CASE(dependence_does_not_bias_single_attributes) {
    SeededBits bits(100);
    for (const double noise : {1e-6, 1e-4, 1e-3}) {
        const DependenceErrors errors = errors_of_singles(chain({5, 5, 5, 5}, 1), 20, noise, bits);
        BOOST_CHECK_LT(errors.fitted, 1.05 * errors.pooled);
    }
}

BOOST_AUTO_TEST_CASE(people_of_three_attributes_count_half_in_each_pair) {
    SeededBits bits(101);
    const Table all = independent({2, 2, 2});
    const auto pairs = pairs_in(measured(all, {{0, 1}, {0, 1, 2}}, 1000, 1e-4, bits));
    BOOST_REQUIRE_EQUAL(pairs.size(), 3);
    BOOST_CHECK_GT(pairs[0].own, 0.5);
    BOOST_CHECK_LT(pairs[0].own, 1);
    BOOST_CHECK_EQUAL(pairs[1].own, 0.5);
    BOOST_CHECK_EQUAL(pairs[2].own, 0.5);
}

BOOST_AUTO_TEST_CASE(equal_tables_have_equal_fits) {
    SeededBits bits(102);
    const auto tables = measured(chain({3, 4, 5}, 1), all_pairs(3), 500, 1e-3, bits);
    const Fit one(tables), other(tables);
    for (std::size_t t = 0; t < one.tables().size(); ++t)
        BOOST_CHECK(one.tables()[t].shares == other.tables()[t].shares);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

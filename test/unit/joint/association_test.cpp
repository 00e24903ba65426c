// Associations against closed forms, and as often right as they say.

#include "core/models/association.hpp"
#include "core/models/contingency.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/test/unit_test.hpp>

#include "core/base/error.hpp"
#include "core/math/statistics.hpp"
#include "tables.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(association)

namespace {

using Values = std::vector<std::size_t>;

/// A share that falls with the value.
double falling(std::size_t value) {
    return 1 / (1.0 + static_cast<double>(value));
}

/// Attributes 1 and 2 agree in this share of the people; everything else is independent.
Table agreeing(double share) {
    return population({3, 4, 4}, [=](const Values& v) {
        return falling(v[0]) * falling(v[1]) *
               ((1 - share) * falling(v[2]) + (v[1] == v[2]) * share * (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0));
    });
}

/// The table without any noise to speak of.
Table known(Table table) {
    table.variance = 1e-12;
    table.people = 1e12;
    return table;
}

void check_rate(std::uint64_t tests, std::uint64_t hits, double rate) {
    BOOST_CHECK_GT(binomial_at_most(tests, rate, hits), 1e-8);
    BOOST_CHECK_GT(binomial_at_least(tests, rate, hits), 1e-8);
}

}  // namespace

BOOST_AUTO_TEST_CASE(sizes_are_those_of_the_table) {
    const Table all = agreeing(0.3);
    const std::vector<Table> tables{known(all)};
    const auto found = associations(tables, 0.95);
    BOOST_REQUIRE_EQUAL(found.size(), 3);
    for (const Association& one : found) {
        const Values both{one.first, one.second};
        const Table pair = summed(all, both);
        const Table p = summed(all, {both.data(), 1}), q = summed(all, {both.data() + 1, 1});
        double contingency = 0, information = 0;
        for (std::size_t cell = 0; cell < pair.shares.size(); ++cell) {
            const double even = p.shares[cell / q.shares.size()] * q.shares[cell % q.shares.size()];
            contingency += std::pow(pair.shares[cell] - even, 2) / even;
            information += pair.shares[cell] * std::log2(pair.shares[cell] / even);
        }
        const double v =
            std::sqrt(contingency / static_cast<double>(std::min(p.shares.size(), q.shares.size()) - 1));
        BOOST_CHECK_SMALL(one.cramers_v - v, 1e-5);
        BOOST_CHECK_SMALL(one.information.value - information, 1e-5);
        BOOST_CHECK_LE(one.v_interval.lower, one.cramers_v);
        BOOST_CHECK_GE(one.v_interval.upper, one.cramers_v);
    }
    BOOST_CHECK_SMALL(found[2].cramers_v - 0.3, 1e-5);
    BOOST_CHECK_LT(found[2].p_value, 1e-12);
    BOOST_CHECK_GT(found[0].p_value, 1e-3);
}

BOOST_AUTO_TEST_CASE(noise_alone_gives_a_chi_square) {
    // Even margins have no contrast, and this number of people has no sampling error: only the noise
    // of the cells remains.
    SeededBits bits(81);
    const Table even = population({4, 5}, [](const Values&) { return 1.0; });
    Table table = measured(even, {0, 1}, 1, 1e-4, bits);
    table.people = 1e15;
    table.variance = 1e-4;
    // Margins are made even, which leaves the interaction as it is.
    std::vector<double> rows(4), columns(5);
    for (std::size_t cell = 0; cell < 20; ++cell) {
        rows[cell / 5] += table.shares[cell] / 5;
        columns[cell % 5] += table.shares[cell] / 4;
    }
    const double mean = std::accumulate(table.shares.begin(), table.shares.end(), 0.0) / 20;
    double sum = 0;
    for (std::size_t cell = 0; cell < 20; ++cell) {
        const double left = table.shares[cell] - rows[cell / 5] - columns[cell % 5] + mean;
        table.shares[cell] = 1.0 / 20 + left;
        sum += left * left;
    }
    const auto found = associations(std::vector{table}, 0.95);
    // The product of the margins' errors is a part of the noise, of one in thousands.
    const double noise = table.variance * (1 - 20 * table.variance);
    BOOST_CHECK_CLOSE_FRACTION(found.at(0).p_value,
                               cdf(complement(boost::math::chi_squared(12), sum / noise)), 1e-6);
}

// At level 0.05 and 0.01, with margins pooled over all tables, noise above and below that of sampling.
BOOST_AUTO_TEST_CASE(false_alarms_are_as_many_as_stated, *boost::unit_test::label("slow")) {
    SeededBits bits(82);
    const Table all = agreeing(0);
    for (const double noise : {1e-5, 1e-4, 1.5e-3}) {
        std::uint64_t tests = 0, alarms = 0, rare = 0, family = 0;
        for (int run = 0; run < 700; ++run) {
            const auto found = associations(measured(all, all_pairs(3), 2000, noise, bits), 0.95);
            bool any = false;
            for (const Association& one : found) {
                tests += 1;
                alarms += one.p_value < 0.05;
                rare += one.p_value < 0.01;
                any = any || one.adjusted < 0.05;
            }
            family += any;
        }
        BOOST_TEST_CONTEXT("noise " << noise) {
            check_rate(tests, alarms, 0.05);
            check_rate(tests, rare, 0.01);
            BOOST_CHECK_GT(binomial_at_least(700, 0.05, family), 1e-8);
        }
    }
}

// Steep margins of one table alone: their errors are as large as those of the cells.
BOOST_AUTO_TEST_CASE(margins_err_as_well, *boost::unit_test::label("slow")) {
    SeededBits bits(86);
    const Table all =
        population({4, 4}, [](const Values& v) { return std::pow(falling(v[0]) * falling(v[1]), 3); });
    for (const double noise : {1e-5, 1e-4}) {
        std::uint64_t alarms = 0;
        constexpr std::uint64_t runs = 700;
        for (std::uint64_t run = 0; run < runs; ++run)
            alarms += associations(measured(all, all_pairs(2), 2000, noise, bits), 0.95).at(0).p_value < 0.05;
        BOOST_TEST_CONTEXT("noise " << noise << ", alarms " << alarms) check_rate(runs, alarms, 0.05);
    }
}

BOOST_AUTO_TEST_CASE(intervals_of_v_hold, *boost::unit_test::label("slow")) {
    SeededBits bits(83);
    for (const double share : {0.1, 0.3, 0.8}) {
        const Table all = agreeing(share);
        for (const double noise : {1e-5, 3e-4, 1e-3}) {
            std::uint64_t held = 0;
            constexpr std::uint64_t runs = 400;
            double sum = 0;
            for (std::uint64_t run = 0; run < runs; ++run) {
                const auto found = associations(measured(all, all_pairs(3), 2000, noise, bits), 0.95).at(2);
                held += found.v_interval.lower <= share && share <= found.v_interval.upper;
                sum += found.cramers_v;
            }
            BOOST_TEST_CONTEXT("V " << share << ", noise " << noise << ", held " << held) {
                BOOST_CHECK_GE(held, runs * 91 / 100);
                BOOST_CHECK_LE(held, runs * 99 / 100);
                // Where V is hardly distinguishable from 0, its root is biased.
                if (noise < 1e-3) BOOST_CHECK_SMALL(sum / runs - share, 0.02);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(rare_values_count_as_one) {
    // Two of four values are frequent; noise of 0.01 in each share leaves the others untold.
    const Table all = population(
        {4, 2}, [](const Values& v) { return (v[0] < 2 ? 0.5 : 1e-4) * (v[0] % 2 == v[1] ? 0.8 : 0.2); });
    Table table = all;
    table.variance = 1e-4;
    table.people = 1e12;
    const auto found = associations(std::vector{table}, 0.95).at(0);
    BOOST_CHECK_SMALL(found.cramers_v - 0.6, 0.02);

    // An attribute with one value has no associations.
    Table single = population({3, 2}, [](const Values& v) { return v[0] == 0 ? 1.0 : 1e-6; });
    single.variance = 1e-4;
    single.people = 1e12;
    const auto nothing = associations(std::vector{single}, 0.95).at(0);
    BOOST_CHECK(std::isnan(nothing.cramers_v) && std::isnan(nothing.p_value) && std::isnan(nothing.adjusted));
}

BOOST_AUTO_TEST_CASE(tables_of_more_attributes_count_for_their_pairs) {
    SeededBits bits(84);
    const Table all = agreeing(0.3);
    Table triple = measured(all, {0, 1, 2}, 100000, 1e-6, bits);
    Table pair = measured(all, {1, 2}, 100000, 4e-6, bits);
    triple.variance = 1e-6;
    pair.variance = 4e-6;
    const auto found = associations(std::vector{triple, pair}, 0.95);
    BOOST_REQUIRE_EQUAL(found.size(), 3);
    BOOST_CHECK_EQUAL(found[2].first, 1);
    BOOST_CHECK_EQUAL(found[2].second, 2);
    BOOST_CHECK_CLOSE_FRACTION(found[2].people, 2e5, 1e-9);
    BOOST_CHECK_CLOSE_FRACTION(found[0].people, 1e5, 1e-9);
}

BOOST_AUTO_TEST_CASE(pairs_beyond_chance_are_learnt_and_the_others_stay_alone) {
    const std::vector<Table> tables{known(agreeing(0.3))};
    const auto found = associations(tables, 0.95);
    using Views = std::vector<Values>;
    BOOST_CHECK((learnt_views(found, 4, 0.05) == Views{{0}, {3}, {1, 2}}));
    BOOST_CHECK((learnt_views(found, 3, 0) == Views{{0}, {1}, {2}}));
    for (const double wrong : {-0.1, 1.1, std::nan("")})
        BOOST_CHECK_THROW(static_cast<void>(learnt_views(found, 3, wrong)), Error);
}

BOOST_AUTO_TEST_CASE(sums_of_squares_have_a_law_however_many) {
    // One χ² is its own law.
    for (const double degrees_of_freedom : {1.0, 7.0, 1e4})
        for (const double x : {degrees_of_freedom / 2, degrees_of_freedom, 2 * degrees_of_freedom})
            BOOST_CHECK_CLOSE_FRACTION(
                chance_above(x, {degrees_of_freedom, 2 * degrees_of_freedom, 8 * degrees_of_freedom}),
                chi_square_above(degrees_of_freedom, x), 1e-9);
    // Many become normal, without a step; covariances that are estimated may look like very many.
    const double normal = std::erfc(2 / std::sqrt(2)) / 2;
    for (const double third : {2.9e-4, 2.8e-4, 1e-6, 1e-20, 0.0, -1e-6})
        BOOST_CHECK_CLOSE_FRACTION(chance_above(5, {3, 1, third}), normal, 5e-4);
    BOOST_CHECK_EQUAL(chance_above(5, {3, 0, 0}), 1);
}

BOOST_AUTO_TEST_CASE(holm_steps_down) {
    SeededBits bits(85);
    const auto found = associations(measured(agreeing(0.2), all_pairs(3), 2000, 1e-3, bits), 0.95);
    std::vector<const Association*> order;
    for (const Association& one : found) order.push_back(&one);
    std::ranges::sort(order, {}, &Association::p_value);
    double least = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        least = std::max(least, std::min(1.0, order[i]->p_value * static_cast<double>(3 - i)));
        BOOST_CHECK_EQUAL(order[i]->adjusted, least);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Fitted tables: that they are tables of people, that they agree, and that they are nearer to the truth.

#include "core/tables/table_fit.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/scaling.hpp"
#include "tables.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(fitted_tables)

namespace {

using Values = std::vector<std::size_t>;
using Views = std::vector<Values>;

/// Three bits of which any two are independent and all three add up to an even number more often than not.
Table parity(double share) {
    return population({2, 2, 2},
                      [=](const Values& v) { return (v[0] + v[1] + v[2]) % 2 == 0 ? share : 1 - share; });
}

std::vector<Table> exactly(const Table& all, const Views& views) {
    std::vector<Table> tables;
    for (const Values& view : views) {
        tables.push_back(summed(all, view));
        tables.back().variance = 1e-12;
        tables.back().people = 1e12;
    }
    return tables;
}

/// Whether tables of one fit could be of the same people.
void check_people(const Fit& fit) {
    for (const Table& table : fit.tables()) {
        double sum = 0;
        for (const double share : table.shares) {
            BOOST_REQUIRE_GE(share, 0);
            sum += share;
        }
        BOOST_CHECK_CLOSE_FRACTION(sum, 1, 1e-7);
        for (const Table& part : fit.within(table.attributes))
            BOOST_CHECK_SMALL(variation(summed(table, part.attributes).shares, part.shares), 1e-6);
    }
}

double error(const Fit& fit, const Table& all, const Views& questions) {
    double sum = 0;
    for (const Values& question : questions)
        sum += variation(fit.table(question).shares, summed(all, question).shares) /
               static_cast<double>(questions.size());
    return sum;
}

}  // namespace

namespace {

/// The distribution nearest to the shares of a table.
std::vector<double> projected(const Table& table) {
    std::vector<double> found(table.shares.size());
    double low = -2, high = 2;
    for (int halving = 0; halving < 60; ++halving) {
        const double less = std::midpoint(low, high);
        double sum = 0;
        for (std::size_t v = 0; v < found.size(); ++v)
            sum += found[v] = std::max(0.0, table.shares[v] - less);
        (sum > 1 ? low : high) = less;
    }
    return found;
}

}  // namespace

// Reports of single attributes, 40 runs each. With a standard error of 0.7 mean shares, empirical Bayes saves
// a tenth of the error at least; with little noise, and with few values, the fit is the nearest distribution.
BOOST_AUTO_TEST_CASE(noisy_attributes_are_shrunk) {
    for (const auto& [size, deviation, shrunk] : {std::tuple{16, 0.7, true}, std::tuple{8, 0.7, true},
                                                  std::tuple{16, 0.1, false}, std::tuple{3, 0.7, false}}) {
        const auto values = static_cast<std::uint64_t>(size);
        const Table all = population({values}, [](const Values& v) { return v[0] < 2 ? 30.0 : 1.0; });
        const double error = deviation / size;
        SeededBits bits(98);
        double fitted = 0, nearest = 0, apart = 0;
        for (int run = 0; run < 40; ++run) {
            const auto tables = measured(all, Views{{0}}, 100'000, error * error, bits);
            const std::vector<double> found = Fit(tables).table(Values{0}).shares,
                                      plain = projected(tables[0]);
            fitted += variation(found, all.shares);
            nearest += variation(plain, all.shares);
            apart += variation(found, plain);
        }
        BOOST_TEST_CONTEXT(size << " values, deviation " << deviation)
        if (shrunk)
            BOOST_TEST(fitted < 0.9 * nearest);
        else
            BOOST_TEST(apart < 1e-6);
    }
}

// The shares of two attributes are known. 40 runs with a standard error of half the mean share of a cell: without the
// errors of the margins, the error of their table falls by a tenth at least.
BOOST_AUTO_TEST_CASE(known_margins_reduce_errors) {
    const Table all = chain({3, 4, 3}, 1);
    const std::vector<Table> margins{summed(all, Values{0}), summed(all, Values{2})};
    SeededBits bits(93);
    double free = 0, fixed = 0;
    for (int run = 0; run < 40; ++run) {
        const Fit fit(measured(all, all_pairs(3), 2000, 0.04 * 0.04, bits));
        const Table plain = fit.table(Values{0, 2}), known = with_margins(fit, Values{0, 2}, margins);
        for (const Table& margin : margins)
            BOOST_REQUIRE_SMALL(variation(summed(known, margin.attributes).shares, margin.shares), 1e-8);
        free += variation(plain.shares, summed(all, Values{0, 2}).shares);
        fixed += variation(known.shares, summed(all, Values{0, 2}).shares);
    }
    BOOST_TEST_MESSAGE(fixed / free);
    BOOST_TEST(fixed < 0.9 * free);
}

// People with the first value of an attribute report five times as often. The known margin corrects the other attribute,
// which depends on it.
BOOST_AUTO_TEST_CASE(known_margins_correct_unequal_response) {
    const Table all = chain({2, 3}, 2);
    Table reporting = all;
    for (std::size_t cell = 0; cell < 3; ++cell) reporting.shares[cell] *= 5;
    const double sum = std::accumulate(reporting.shares.begin(), reporting.shares.end(), 0.0);
    for (double& share : reporting.shares) share /= sum;
    const Fit fit(exactly(reporting, {{0, 1}}));
    const Table known = with_margins(fit, Values{1}, {summed(all, Values{0})});
    BOOST_TEST(variation(fit.table(Values{1}).shares, summed(all, Values{1}).shares) > 0.1);
    BOOST_TEST(variation(known.shares, summed(all, Values{1}).shares) < 1e-4);
    // A value that nobody reported gets its known share.
    Table none = all;
    for (std::size_t cell = 0; cell < 3; ++cell) none.shares[cell] = 0;
    const Fit without(exactly(none, {{0, 1}}));
    BOOST_REQUIRE_SMALL(
        variation(summed(with_margins(without, Values{0, 1}, {summed(all, Values{0})}), Values{0}).shares,
                  summed(all, Values{0}).shares),
        1e-8);
}

BOOST_AUTO_TEST_CASE(tables_are_of_people_and_agree) {
    SeededBits bits(91);
    const Table all = chain({3, 2, 4, 2}, 1);
    const std::vector<Views> designs{all_pairs(4),
                                     {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}},
                                     {{0, 1, 2}, {2, 3}},
                                     {{0}, {1, 2, 3}},
                                     {{0, 1, 2, 3}}};
    for (const Views& views : designs)
        for (const double noise : {1e-6, 1e-3, 0.1})
            check_people(Fit(measured(all, views, 500, noise, bits)));
}

BOOST_AUTO_TEST_CASE(without_noise_they_are_the_truth) {
    const Table all = chain({3, 2, 4}, 1);
    const Fit pairs(exactly(all, all_pairs(3)));
    for (const Table& table : pairs.tables())
        BOOST_CHECK_SMALL(variation(table.shares, summed(all, table.attributes).shares), 1e-6);
    // Pairs determine a table without an interaction of three.
    BOOST_CHECK(!pairs.holds(Values{0, 1, 2}));
    BOOST_CHECK_SMALL(variation(pairs.table(Values{0, 1, 2}).shares, all.shares), 1e-5);
    const Fit odd(exactly(parity(0.8), {{0, 1, 2}}));
    BOOST_CHECK_SMALL(variation(odd.table(Values{0, 1, 2}).shares, parity(0.8).shares), 1e-6);
    // Pairs have no information on an interaction of three.
    const Fit even(exactly(parity(0.8), all_pairs(3)));
    BOOST_CHECK_SMALL(variation(even.table(Values{0, 1, 2}).shares, std::vector<double>(8, 1 / 8.0)), 1e-6);
}

BOOST_AUTO_TEST_CASE(what_no_view_holds_follows_by_most_entropy) {
    const Table all = chain({2, 3, 2}, 1.5);
    const Fit fit(exactly(all, {{0, 1}, {2}}));
    const Table pair = summed(all, Values{0, 1}), single = summed(all, Values{2});
    const Table found = fit.table(Values{0, 1, 2});
    for (std::size_t cell = 0; cell < found.shares.size(); ++cell)
        BOOST_CHECK_SMALL(found.shares[cell] - pair.shares[cell / 2] * single.shares[cell % 2], 1e-6);
    BOOST_CHECK(std::isnan(found.variance));
}

BOOST_AUTO_TEST_CASE(fits_are_nearer_than_what_was_measured) {
    SeededBits bits(92);
    const Table all = chain({6, 6, 6}, 1);
    const auto questions = all_pairs(3);
    double fitted = 0, independent = 0, raw = 0;
    constexpr int runs = 20;
    for (int run = 0; run < runs; ++run) {
        const auto tables = measured(all, questions, 4000, 4e-4, bits);
        fitted += error(Fit(tables), all, questions) / runs;
        for (std::size_t i = 0; i < questions.size(); ++i) {
            const Table truth = summed(all, questions[i]);
            raw += variation(tables[i].shares, truth.shares) / 3 / runs;
            const Table p = summed(all, {questions[i].data(), 1}),
                        q = summed(all, {questions[i].data() + 1, 1});
            for (std::size_t cell = 0; cell < 36; ++cell)
                independent +=
                    std::abs(p.shares[cell / 6] * q.shares[cell % 6] - truth.shares[cell]) / 2 / 3 / runs;
        }
    }
    BOOST_CHECK_LT(fitted, 0.6 * raw);
    BOOST_CHECK_LT(fitted, 0.75 * independent);
}

BOOST_AUTO_TEST_CASE(noise_is_no_interaction) {
    SeededBits bits(93);
    const Table all = chain({5, 5}, 0);
    int independent = 0;
    for (int run = 0; run < 100; ++run) {
        const Fit fit(measured(all, all_pairs(2), 5000, 1e-3, bits));
        const auto &p = fit.tables()[0].shares, &q = fit.tables()[1].shares, &both = fit.tables()[2].shares;
        double apart = 0;
        for (std::size_t cell = 0; cell < 25; ++cell)
            apart += std::abs(p[cell / 5] * q[cell % 5] - both[cell]);
        independent += apart < 1e-9;
    }
    BOOST_CHECK_GE(independent, 60);
}

BOOST_AUTO_TEST_CASE(margins_that_cannot_be_are_met_half_way) {
    // Each pair of three bits is said to differ, which no three bits do.
    Views pairs = all_pairs(3);
    std::vector<Table> margins;
    for (const Values& pair : pairs) margins.push_back({pair, {2, 2}, {0.01, 0.49, 0.49, 0.01}, 0, 1});
    std::vector<double> shares(8, 1 / 8.0);
    Scaling(Values{0, 1, 2}, std::vector<std::uint64_t>{2, 2, 2}, margins).settle(shares);
    const Table found{{0, 1, 2}, {2, 2, 2}, shares, 0, 1};
    for (const Values& pair : pairs) {
        const auto cells = summed(found, pair).shares;
        BOOST_CHECK_CLOSE_FRACTION(cells[1], 1 / 3.0, 0.05);
        BOOST_CHECK_CLOSE_FRACTION(cells[0], 1 / 6.0, 0.1);
    }
}

BOOST_AUTO_TEST_CASE(questions_that_cannot_be_answered) {
    const Fit fit(std::span<const Table>{});
    const auto code = [](const Fit& of, const Values& attributes) {
        try {
            static_cast<void>(of.table(attributes));
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::full;
    };
    BOOST_CHECK(code(fit, {0}) == ErrorCode::unsupported);
    std::vector<Table> singles;
    for (std::size_t a = 0; a < 4; ++a)
        singles.push_back({{a}, {64}, std::vector<double>(64, 1 / 64.0), 1e-6, 1000});
    const Fit wide(singles);
    BOOST_CHECK(code(wide, {0, 1, 2, 3}) == ErrorCode::invalid_value);
    BOOST_CHECK(code(wide, {1, 7}) == ErrorCode::unsupported);
    BOOST_CHECK_EQUAL(wide.table(Values{0, 1}).shares.size(), 4096);
}

/// One amount less of each share, none below 0, so that they sum to 1: by bisection.
std::vector<double> nearest(std::vector<double> shares) {
    double low = -1, high = 1;
    for (int step = 0; step < 60; ++step) {
        const double less = (low + high) / 2;
        double sum = 0;
        for (const double share : shares) sum += std::max(0.0, share - less);
        (sum > 1 ? low : high) = less;
    }
    for (double& share : shares) share = std::max(0.0, share - low);
    return shares;
}

// Of many values the frequent ones are estimated, and the total of the rare ones. For every noise the
// result is a distribution.
BOOST_AUTO_TEST_CASE(shares_of_many_values_lend_to_each_other) {
    const Table truth =
        population({64}, [](const Values& v) { return std::pow(1.0 + static_cast<double>(v[0]), -1.5); });
    double fitted = 0, plain = 0;
    SeededBits bits(94);
    for (int run = 0; run < 20; ++run) {
        const std::vector<Table> tables{measured(truth, Values{0}, 10000, 4e-4, bits)};
        const Fit fit(tables);
        check_people(fit);
        fitted += variation(fit.table(Values{0}).shares, truth.shares);
        plain += variation(nearest(tables[0].shares), truth.shares);
    }
    BOOST_CHECK_LT(fitted, 0.95 * plain);
    for (const double noise : {1e-18, 1.0, 1e10})
        for (const std::uint64_t people : {1, 20, 1000}) {
            const std::vector<Table> tables{measured(truth, Values{0}, people, noise, bits)};
            check_people(Fit(tables));
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// What several answers cost together, what shuffling gives, and what ε means: against constants of an
// independent program, against sums over all outcomes, and against one another.

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "accounting/binomial_window.hpp"
#include "accounting/bound_texts.hpp"
#include "accounting/composition.hpp"
#include "accounting/shuffling.hpp"
#include "core/base/error.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(accounting)

namespace {

/// δ of these answers at ε′, from the law of the product of randomized responses: every sequence of outcomes.
double delta_of(const std::vector<EqualReleases>& answers, double epsilon) {
    std::vector<double> each;
    for (const auto& [one, count, delta] : answers) each.insert(each.end(), count, one);
    double delta = 0;
    for (std::size_t outcome = 0; outcome >> each.size() == 0; ++outcome) {
        double loss = 0, probability = 1;
        for (std::size_t i = 0; i < each.size(); ++i) {
            const bool truth = (outcome >> i & 1) != 0;
            loss += truth ? each[i] : -each[i];
            probability /= 1 + std::exp(truth ? -each[i] : each[i]);
        }
        delta += probability * std::max(0.0, -std::expm1(epsilon - loss));
    }
    return delta;
}

/// δ at ε of the clones' two counts, from their laws, cell by cell (Feldman, McMillan, Talwar 2021,
/// theorem 3.1).
double delta_of_clones(double local, std::uint64_t n, double epsilon) {
    const double p = 1 / (1 + std::exp(-local));
    const auto chance = [](std::uint64_t trials, double success, std::uint64_t count) {
        return count > trials ? 0
                              : boost::math::pdf(boost::math::binomial(static_cast<double>(trials), success),
                                                 static_cast<double>(count));
    };
    double delta = 0;
    for (std::uint64_t clones = 0; clones < n; ++clones)
        for (std::uint64_t zeros = 0; zeros <= clones + 1; ++zeros) {
            const double with = zeros == 0 ? 0 : chance(clones, 0.5, zeros - 1);
            const double without = chance(clones, 0.5, zeros);
            const double here = p * with + (1 - p) * without, there = (1 - p) * with + p * without;
            delta +=
                chance(n - 1, std::exp(-local), clones) * std::max(0.0, here - std::exp(epsilon) * there);
        }
    return delta;
}

/// The same for responses with a δ of their own: the value itself with this probability, else a randomized response.
/// Sums over all outcomes, of which each has its probabilities under both values.
double delta_of_approximate(const std::vector<EqualReleases>& answers, double epsilon) {
    std::vector<std::pair<double, double>> outcomes = {{1, 1}};
    for (const auto& [one, count, delta] : answers)
        for (std::uint64_t i = 0; i < count; ++i) {
            const double truth = (1 - delta) / (1 + std::exp(-one)), lie = (1 - delta) / (1 + std::exp(one));
            std::vector<std::pair<double, double>> next;
            for (const auto& [here, there] : outcomes)
                for (const auto& [p, q] : {std::pair{delta, 0.0}, {truth, lie}, {lie, truth}, {0.0, delta}})
                    if (here * p > 0) next.emplace_back(here * p, there * q);
            outcomes = std::move(next);
        }
    double delta = 0;
    for (const auto& [here, there] : outcomes) delta += std::max(0.0, here - std::exp(epsilon) * there);
    return delta;
}

const std::vector<std::vector<EqualReleases>> mixtures = {
    {{1, 1}},
    {{0.7, 1}, {0.3, 1}},
    {{0.1, 5}, {0.25, 4}, {1, 2}},
    {{0.3, 3}, {std::sqrt(0.5), 5}, {2, 1}},
    {{1e-3, 4}, {3, 4}},
    {{0.5, 12}},
};

}  // namespace

BOOST_AUTO_TEST_CASE(windows_are_binomial_laws) {
    for (const auto& [n, odds] :
         {std::pair{0ul, 1.0}, {1ul, 3.0}, {50ul, 0.01}, {1000ul, 1.0}, {100000ul, 2.5}}) {
        const BinomialWindow window = binomial_window(n, odds, 1e-30);
        const boost::math::binomial law(static_cast<double>(n), odds / (1 + odds));
        double sum = 0;
        for (std::size_t i = 0; i < window.probabilities.size(); ++i) {
            const double expected = pdf(law, static_cast<double>(window.first + i));
            if (expected > 1e-25) BOOST_CHECK_CLOSE(window.probabilities[i], expected, 1e-7);
            sum += window.probabilities[i];
        }
        BOOST_CHECK_CLOSE(sum, 1, 1e-10);
        if (window.first > 0) BOOST_CHECK_LE(cdf(law, static_cast<double>(window.first - 1)), 1e-30);
        const auto last = static_cast<double>(window.first + window.probabilities.size() - 1);
        BOOST_CHECK_LE(cdf(complement(law, last)), 1e-30);
    }
}

BOOST_AUTO_TEST_CASE(composition_agrees_with_golden_constants) {
    const std::tuple<std::uint64_t, double, double, const char*> cases[] = {
        {10, 0.1, 1e-6, "k=10;epsilon=0.1;delta=1e-06"},
        {30, 0.1, 1e-6, "k=30;epsilon=0.1;delta=1e-06"},
        {30, 1, 1e-6, "k=30;epsilon=1;delta=1e-06"},
        {100, 0.5, 1e-9, "k=100;epsilon=0.5;delta=1e-09"},
        {365, 0.05, 1e-6, "k=365;epsilon=0.05;delta=1e-06"}};
    for (const auto& [count, epsilon, delta, parameters] : cases) {
        const Spent all = spent(count, epsilon, delta);
        BOOST_CHECK_CLOSE(all.sum, golden("compose_basic", parameters, "epsilon"), 1e-7);
        BOOST_CHECK_CLOSE(all.advanced, golden("compose_advanced", parameters, "epsilon"), 1e-7);
        BOOST_CHECK_CLOSE(all.optimal, golden("compose_optimal", parameters, "epsilon"), 1e-7);
        BOOST_CHECK(all.by() == Composition::optimal);
        BOOST_CHECK_EQUAL(all.least(), all.optimal);
        BOOST_CHECK_EQUAL(all.least_delta(), delta);
    }
}

BOOST_AUTO_TEST_CASE(the_optimum_is_that_of_all_outcomes) {
    for (const auto& answers : mixtures)
        for (const double delta : {1e-9, 1e-4, 0.05, 0.5}) {
            const double found = compose(answers, delta).optimal;
            BOOST_CHECK_LE(delta_of(answers, found), delta * (1 + 1e-9));
            if (found > 0) BOOST_CHECK_GT(delta_of(answers, found * (1 - 1e-4)), delta * (1 - 1e-9));
        }
}

BOOST_AUTO_TEST_CASE(the_least_that_holds_is_told) {
    for (const auto& answers : mixtures)
        for (const double delta : {1e-200, 1e-9, 0.1}) {
            const Composed all = compose(answers, delta);
            BOOST_CHECK_LE(all.optimal, all.sum);
            BOOST_CHECK_LE(all.optimal, all.advanced);
            BOOST_CHECK_EQUAL(all.least(), std::min({all.sum, all.advanced, all.optimal}));
            BOOST_CHECK_EQUAL(all.least_delta(), all.least() == all.sum ? 0 : delta);
        }
    BOOST_CHECK(spent(3, 1, 1e-200).by() == Composition::basic);
    const Spent nothing = spent(0, 1, 1e-6);
    BOOST_CHECK_EQUAL(nothing.least(), 0);
    BOOST_CHECK_EQUAL(nothing.least_delta(), 0);
    BOOST_CHECK_EQUAL(name(Composition::optimal), std::string("optimal"));
}

BOOST_AUTO_TEST_CASE(answers_with_a_delta_are_composed_as_all_outcomes_are) {
    const std::vector<std::vector<EqualReleases>> approximate = {
        {{1, 1, 1e-3}},   {{0.7, 1, 1e-4}, {0.3, 1}},     {{0.1, 4, 1e-5}, {0.25, 3}, {1, 2, 0.01}},
        {{0.5, 8, 1e-3}}, {{2, 3, 1e-9}, {0.5, 4, 1e-6}},
    };
    for (const auto& answers : approximate) {
        double sum = 0, deltas = 0;
        for (const auto& [epsilon, count, delta] : answers)
            sum += epsilon * static_cast<double>(count), deltas += delta * static_cast<double>(count);
        for (const double spare : {1e-9, 1e-4, 0.05, 0.5}) {
            const Composed found = compose(answers, deltas + spare);
            BOOST_CHECK_CLOSE(found.sum_delta, deltas, 1e-9);
            BOOST_CHECK_CLOSE(found.sum, sum, 1e-9);
            BOOST_CHECK_LE(found.optimal, found.sum);
            BOOST_CHECK_LE(found.optimal, found.advanced);
            BOOST_CHECK_LE(delta_of_approximate(answers, found.optimal), (deltas + spare) * (1 + 1e-9));
            if (found.optimal > 0 && found.optimal < sum * (1 - 1e-3))
                BOOST_CHECK_GT(delta_of_approximate(answers, found.optimal * (1 - 1e-4)),
                               (deltas + spare) * (1 - 1e-9));
        }
        // At the sum of all δ's, no δ' is left for the advanced bound; the sum of all ε's holds.
        const Composed exhausted = compose(answers, deltas);
        BOOST_CHECK(std::isnan(exhausted.advanced));
        BOOST_CHECK_LE(exhausted.optimal, sum);
        BOOST_CHECK_LE(delta_of_approximate(answers, exhausted.least()), deltas * (1 + 1e-9));
        BOOST_CHECK_THROW(static_cast<void>(compose(answers, deltas * 0.9)), Error);
    }
    const EqualReleases single[] = {{1, 1, 1e-6}};
    BOOST_CHECK_EQUAL(compose(single, 1e-6).optimal, 1);
    BOOST_CHECK(compose(single, 1e-6).by() == Composition::basic);
    BOOST_CHECK_EQUAL(compose(single, 1e-6).least_delta(), 1e-6);
    for (const double delta : {-1e-9, 1.0, std::nan("")}) {
        const EqualReleases wrong[] = {{1, 1, delta}};
        BOOST_CHECK_THROW(static_cast<void>(compose(wrong, 0.5)), Error);
    }
}

// A sum of doubles would lose each of these δ's and ε's beside the first one.
BOOST_AUTO_TEST_CASE(small_responses_beside_a_large_one_are_counted) {
    constexpr std::size_t many = 40'000;
    std::vector<EqualReleases> revealing = {{1, 1, 0.5}}, small = {{64, 1}};
    for (std::size_t i = 0; i < many; ++i) {
        revealing.push_back({1, 1, 5e-17});
        if (i < 2000) small.push_back({5e-15, 1});
    }
    const double revealed = 0.5 + 0.5 * 5e-17 * many, spare = 1e-13;
    BOOST_CHECK_THROW(static_cast<void>(compose(revealing, 0.5)), Error);
    const Composed found = compose(revealing, revealed + spare);
    BOOST_CHECK_EQUAL(found.sum_delta, revealed + spare);
    // The randomized responses alone have the δ' that is left.
    const EqualReleases alone[] = {{1, many + 1}};
    BOOST_CHECK_GE(found.optimal, compose(alone, spare / (1 - revealed) * 1.01).optimal);
    BOOST_CHECK_GE(compose(small, 1e-6).sum, 64 + 9e-12);
}

// Computed by privacy-loss distributions with dp_accounting (google/differential-privacy, commit b5b0286e),
// from_privacy_parameters with value_discretization_interval 1e-4, which rounds upwards. The last case is
// test_epsilon_delta_basic of its tests.
BOOST_AUTO_TEST_CASE(composition_agrees_with_published_privacy_loss) {
    const std::tuple<std::vector<EqualReleases>, double, double> cases[] = {
        {{{0.1, 30, 1e-7}}, 1e-5, 2.148137613166151},
        {{{0.5, 20, 1e-8}, {0.1, 50}}, 1e-6, 11.474269912925317},
        {{{1, 5, 1e-6}, {0.3, 10, 1e-7}, {0.05, 100}}, 1e-4, 8.423918997250837},
        {{{0.05, 365}}, 1e-6, 4.613448344755835},
        {{{0.05, 365, 1e-9}}, 1e-6, 4.70257827309144},
        {{{1, 1, 0.1}, {2, 1, 0.2}}, 0.28, 3.0},
    };
    for (const auto& [answers, delta, published] : cases) {
        const double found = compose(answers, delta).optimal;
        BOOST_CHECK_CLOSE(found, published, 1e-3);
        BOOST_CHECK_LE(found, published * (1 + 1e-8));
    }
}

BOOST_AUTO_TEST_CASE(advanced_composition_with_a_delta_is_the_theorem) {
    // Theorem 3.20 of Dwork, Roth 2014: k responses that are (ε, δ) are (ε', kδ + δ').
    const EqualReleases answers[] = {{0.1, 50, 1e-8}};
    const Composed found = compose(answers, 50 * 1e-8 + 1e-6);
    BOOST_CHECK_CLOSE(found.advanced, std::sqrt(2 * 50 * std::log(1e6)) * 0.1 + 50 * 0.1 * std::expm1(0.1),
                      1e-7);
}

// A thousand different ε's between two equal ones: rounding them upwards must not leave that by more than 1
// %.
BOOST_AUTO_TEST_CASE(different_answers_are_rounded_upwards_by_little) {
    std::vector<EqualReleases> different;
    for (int i = 0; i < 1000; ++i) different.push_back({0.06 * (1 + 1e-3 * std::sqrt(i / 1000.0)), 1});
    const double found = compose(different, 1e-6).optimal;
    BOOST_CHECK_GE(found, spent(1000, 0.06, 1e-6).optimal);
    BOOST_CHECK_LE(found, spent(1000, 0.06 * 1.001, 1e-6).optimal * 1.01);
}

BOOST_AUTO_TEST_CASE(many_answers_are_composed_and_wrong_ones_refused) {
    const Spent many = spent(1'000'000'000, 1e-5, 1e-9);
    // The central limit: a loss of mean kε²/2 and variance kε² (Dong, Roth, Su 2022).
    const double mu = std::sqrt(1e9) * 1e-5;
    const auto normal = [](double x) { return std::erfc(-x / std::sqrt(2)) / 2; };
    const double reached =
        normal(mu / 2 - many.optimal / mu) - std::exp(many.optimal) * normal(-mu / 2 - many.optimal / mu);
    BOOST_CHECK_CLOSE(reached, 1e-9, 1);
    for (const double delta : {0.0, 1.0, -1.0, 1e-201, std::nan("")})
        BOOST_CHECK_THROW(static_cast<void>(spent(1, 1, delta)), Error);
    for (const double epsilon : {0.0, -1.0, 701.0, std::nan("")})
        BOOST_CHECK_THROW(static_cast<void>(spent(1, epsilon, 1e-6)), Error);
    BOOST_CHECK_THROW(static_cast<void>(spent(10'000'000'001, 1e-5, 1e-9)), Error);
}

BOOST_AUTO_TEST_CASE(epsilon_in_odds) {
    BOOST_CHECK_CLOSE(PrivacyLoss{1}.factor(), 2.718281828459045, 1e-12);
    BOOST_CHECK_CLOSE(PrivacyLoss{std::log(3)}.right_guess(), 0.75, 1e-12);
    BOOST_CHECK_CLOSE((PrivacyLoss{std::log(3), 0.1}.right_guess()), 3.1 / 4, 1e-12);
    BOOST_CHECK_CLOSE(PrivacyLoss{std::log(9)}.posterior(0.01), 0.09 / (0.09 + 0.99), 1e-12);
    BOOST_CHECK_CLOSE(PrivacyLoss{2}.posterior(0.5), PrivacyLoss{2}.right_guess(), 1e-12);
    BOOST_CHECK_EQUAL(PrivacyLoss{0}.posterior(0.3), 0.3);
    BOOST_CHECK((PrivacyLoss{0.5, 1e-6}.times(4) == PrivacyLoss{2, 4e-6}));
}

BOOST_AUTO_TEST_CASE(shuffling_agrees_with_golden_constants) {
    const std::tuple<std::uint64_t, double, double, const char*> cases[] = {
        {1000, 1, 1e-6, "n=1000;epsilon=1;delta=1e-06"},
        {10000, 1, 1e-6, "n=10000;epsilon=1;delta=1e-06"},
        {100000, 4, 1e-6, "n=100000;epsilon=4;delta=1e-06"}};
    for (const auto& [n, epsilon, delta, parameters] : cases) {
        const Shuffled found = shuffled(epsilon, n, delta);
        BOOST_CHECK_CLOSE(found.closed_form, golden("shuffle_closed", parameters, "epsilon"), 1e-3);
        BOOST_CHECK_CLOSE(found.epsilon, golden("shuffle_clones_2021", parameters, "epsilon"), 0.05);
    }
    BOOST_CHECK_CLOSE(shuffled(2, 1000000, 1e-8).closed_form,
                      golden("shuffle_closed", "n=1000000;epsilon=2;delta=1e-08", "epsilon"), 1e-3);
}

BOOST_AUTO_TEST_CASE(shuffling_is_that_of_the_clones_cell_by_cell) {
    for (const std::uint64_t n : {1ul, 2ul, 7ul, 60ul})
        for (const double epsilon : {0.1, 1.0, 4.0})
            for (const double delta : {1e-9, 1e-4, 0.02}) {
                const double found = shuffled(epsilon, n, delta).epsilon;
                BOOST_CHECK_LE(found, epsilon);
                BOOST_CHECK_LE(delta_of_clones(epsilon, n, found), delta * (1 + 1e-9));
                if (found > 0)
                    BOOST_CHECK_GT(delta_of_clones(epsilon, n, found * (1 - 1e-5)), delta * (1 - 1e-9));
            }
}

BOOST_AUTO_TEST_CASE(shuffling_lies_between_its_bounds) {
    for (const std::uint64_t n : {1ul, 30ul, 1000ul, 100000ul, 100000000ul})
        for (const double epsilon : {1e-9, 0.01, 0.1, 1.0, 3.0, 8.0}) {
            const Shuffled found = shuffled(epsilon, n, 1e-9);
            BOOST_TEST_CONTEXT("n = " << n << ", epsilon = " << epsilon) {
                BOOST_CHECK_LE(found.lower_bound, found.epsilon);
                BOOST_CHECK_LE(found.epsilon, epsilon);
                BOOST_CHECK_EQUAL(std::isnan(found.closed_form),
                                  epsilon > std::log(static_cast<double>(n) / (16 * std::log(4e9))));
                if (!std::isnan(found.closed_form)) BOOST_CHECK_LE(found.epsilon, found.closed_form);
                if (n > 100 && found.epsilon < 0.9 * epsilon)
                    BOOST_CHECK_GE(found.lower_bound, found.epsilon / 2);
            }
        }
    for (const double epsilon : {0.0, 5e-324, 9e-10, 301.0, std::nan("")})
        BOOST_CHECK_THROW(static_cast<void>(shuffled(epsilon, 10, 1e-6)), Error);
    for (const double delta : {0.0, 1.0, 1e-101, std::nan("")})
        BOOST_CHECK_THROW(static_cast<void>(shuffled(1, 10, delta)), Error);
    for (const std::uint64_t n : {0ul, 1'000'000'001ul})
        BOOST_CHECK_THROW(static_cast<void>(shuffled(1, n, 1e-6)), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Logistic regression of a private outcome: closed forms, coverage of intervals, extreme reports, and rows of results.

#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/regression/outcome_tables.hpp"
#include "core/results/row_functions.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(logistic)

namespace {

constexpr double usual = 1.959963984540054;
const std::vector<LogisticTerm> line{{.intercept = true}, {.number = true}},
    odds_ratio{{.intercept = true}, {}};

/// The table of reports of one of k cells, of which `shares` is an unbiased estimate.
OutcomeTable table_of(double epsilon, double people, std::vector<double> shares) {
    const double e = std::exp(epsilon), q = 1 / (e + static_cast<double>(shares.size()) - 1),
                 gap = q * (e - 1);
    OutcomeTable table{.reports = static_cast<std::uint64_t>(people), .people = people};
    table.even = q / (gap * gap);
    table.held = 1 / gap;
    table.exact = true;
    table.cells.assign(shares.size(), 1);
    table.shares = std::move(shares);
    return table;
}

/// Draws the counts of randomized reports about cells with these shares.
OutcomeTable drawn(double epsilon, int people, const std::vector<double>& truth, std::mt19937_64& random) {
    const double e = std::exp(epsilon), q = 1 / (e + static_cast<double>(truth.size()) - 1),
                 gap = q * (e - 1);
    std::vector<double> shares;
    int left = people;
    double rest = 1;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const double chance = q + gap * truth[i];
        const int count = i + 1 == truth.size()
                              ? left
                              : std::binomial_distribution<int>(left, std::min(1.0, chance / rest))(random);
        left -= count;
        rest -= chance;
        shares.push_back((static_cast<double>(count) / people - q) / gap);
    }
    return table_of(epsilon, people, shares);
}

std::vector<double> cells_of(const std::vector<double>& spread, const std::vector<double>& numbers, double at,
                             double slope) {
    std::vector<double> all;
    for (std::size_t x = 0; x < spread.size(); ++x) {
        const double chance = 1 / (1 + std::exp(-at - slope * numbers[x]));
        all.push_back(spread[x] * (1 - chance));
        all.push_back(spread[x] * chance);
    }
    return all;
}

std::vector<double> design_of(const std::vector<double>& numbers) {
    std::vector<double> all;
    for (const double x : numbers) all.insert(all.end(), {1, x});
    return all;
}

}  // namespace

// The model of two by two cells has no constraint. The coefficient is the log odds ratio of the corrected table. Its error is
// the error of the delta method with the covariance of the corrected shares.
BOOST_AUTO_TEST_CASE(two_by_two_tables_have_closed_forms) {
    const std::vector<double> shares{0.4, 0.2, 0.15, 0.25}, sign{1, -1, -1, 1};
    for (const double epsilon : {0.5, 1.0, 3.0})
        for (const bool exact : {true, false}) {
            OutcomeTable table = table_of(epsilon, 30000, shares);
            table.exact = exact;
            const std::vector<Coefficient> found =
                logistic_fit(std::vector<OutcomeGroup>{{{table}, {1, 0, 1, 1}}}, odds_ratio, usual);
            // The weights of a contrast add up to 0. The shares add up to 1, so that a constant has no effect.
            double value = 0, middle = 0, squares = 0, mean = 0;
            for (std::size_t c = 0; c < 4; ++c) {
                value += sign[c] * std::log(shares[c]);
                middle += sign[c] / shares[c] / 4;
            }
            for (std::size_t c = 0; c < 4; ++c) {
                const double weight = sign[c] / shares[c] - middle;
                squares += weight * weight * (table.even + table.held * shares[c]);
                mean += weight * shares[c];
            }
            BOOST_CHECK_SMALL(found[1].estimate.value - value, 1e-4);
            BOOST_CHECK_CLOSE_FRACTION(found[1].estimate.standard_error,
                                       std::sqrt((squares - mean * mean) / 30000), 1e-4);
            BOOST_CHECK_SMALL(found[0].estimate.value - std::log(shares[1] / shares[0]), 1e-4);
            BOOST_CHECK_SMALL(
                found[1].interval.upper - found[1].estimate.value - usual * found[1].estimate.standard_error,
                1e-9);
        }
}

// Two groups with a public predictor of two values: the same closed form, with a binomial share in each group.
BOOST_AUTO_TEST_CASE(public_predictors_have_closed_forms) {
    const OutcomeTable first = table_of(1, 4000, {0.7, 0.3}), second = table_of(1, 9000, {0.45, 0.55});
    const std::vector<Coefficient> found =
        logistic_fit(std::vector<OutcomeGroup>{{{first}, {1, 2}}, {{second}, {1, 4}}}, line, usual);
    const auto logit = [](double share) { return std::log(share / (1 - share)); };
    const auto variance = [](const OutcomeTable& table) {
        const double gap = 1 / table.held, q = table.even * gap * gap, m = q + gap * table.shares[1];
        const double slope = table.shares[0] * table.shares[1];
        return m * (1 - m) / (gap * gap) / table.people / (slope * slope);
    };
    BOOST_CHECK_SMALL(found[1].estimate.value - (logit(0.55) - logit(0.3)) / 2, 1e-4);
    BOOST_CHECK_CLOSE_FRACTION(found[1].estimate.standard_error,
                               std::sqrt(variance(first) + variance(second)) / 2, 1e-4);
}

// A false alarm outside of 93 to 97 % has a probability below 1e-9 with 5000 repetitions of a coverage of 95 %.
BOOST_AUTO_TEST_CASE(intervals_cover, *boost::unit_test::label("slow")) {
    const std::vector<double> spread{0.1, 0.2, 0.4, 0.2, 0.1}, numbers{-2, -1, 0, 1, 2}, one{1};
    constexpr int repetitions = 5000;
    for (const double epsilon : {1.0, 2.0}) {
        int of_private = 0, of_public = 0;
        std::mt19937_64 random(17);
        for (int r = 0; r < repetitions; ++r) {
            const OutcomeTable table = drawn(epsilon, 20000, cells_of(spread, numbers, -0.5, 0.6), random);
            const Coefficient slope =
                logistic_fit(std::vector<OutcomeGroup>{{{table}, design_of(numbers)}}, line, usual)[1];
            of_private += slope.interval.lower <= 0.6 && 0.6 <= slope.interval.upper;
            std::vector<OutcomeGroup> groups;
            for (const double z : numbers)
                groups.push_back(
                    {{drawn(epsilon, 1000, cells_of(one, {z}, -0.5, 0.6), random)}, design_of({z})});
            const Coefficient trend = logistic_fit(groups, line, usual)[1];
            of_public += trend.interval.lower <= 0.6 && 0.6 <= trend.interval.upper;
        }
        for (const int covered : {of_private, of_public}) {
            BOOST_TEST(covered > 0.93 * repetitions);
            BOOST_TEST(covered < 0.97 * repetitions);
        }
    }
}

// Few reports, and an outcome without people: every interval is unbounded or contains the truth, and no number is NaN.
BOOST_AUTO_TEST_CASE(extreme_reports_have_wide_intervals) {
    std::mt19937_64 random(5);
    for (int r = 0; r < 200; ++r) {
        const OutcomeTable table = drawn(1, 50, {0.6, 0, 0.4, 0}, random);
        for (const Coefficient& one :
             logistic_fit(std::vector<OutcomeGroup>{{{table}, {1, 0, 1, 1}}}, odds_ratio, usual)) {
            BOOST_TEST(one.interval.lower < one.interval.upper);
            BOOST_TEST(one.note.empty() == std::isfinite(one.interval.upper));
            BOOST_TEST(one.note.empty() == !std::isnan(one.estimate.value));
        }
    }
    // Predictors that separate the outcomes without noise, and equal predictors.
    const Coefficient separated =
        logistic_fit(std::vector<OutcomeGroup>{{{table_of(8, 1000, {0.5, 0, 0, 0.5})}, {1, 0, 1, 1}}},
                     odds_ratio, usual)[1];
    BOOST_TEST(!std::isfinite(separated.interval.upper));
    BOOST_TEST(separated.note.find("do not bound") != std::string::npos);
    const Coefficient constant =
        logistic_fit(std::vector<OutcomeGroup>{{{table_of(1, 10000, {0.3, 0.2, 0.3, 0.2})}, {1, 3, 1, 3}}},
                     line, usual)[1];
    BOOST_TEST(!std::isfinite(constant.interval.lower));
}

namespace {

std::string text_in(Results& rows, std::size_t row, const char* column) {
    return rows.cell(row, column).text;
}

}  // namespace

// From reports to rows. The view has 24 cells, and a report at ε = 2 is a set of three of them.
BOOST_AUTO_TEST_CASE(rows_have_names_of_values) {
    const Spec spec = resolve(
        R"({"mechanism": "joint", "epsilon": 2, "marginals": [["smokes", "town", "age"]], "attributes": [
        {"name": "smokes", "domain": ["no", "yes"]}, {"name": "town", "domain": ["a", "b", "c"]},
        {"name": "age", "min": 0, "max": 8, "edges": [2, 4, 6]}]})");
    const auto m = make_mechanism(spec);
    const Labels labels(spec.attributes());
    OwnedSummary summary(*m);
    SeededBits bits(3);
    std::mt19937_64 random(4);
    for (int i = 0; i < 60000; ++i) {
        const std::uint64_t town = random() % 3, age = random() % 4;
        const double odds = -1 + (town == 1 ? 1 : 0) + 0.25 * (2 * static_cast<double>(age) + 1);
        const bool smokes = std::uniform_real_distribution<double>()(random) < 1 / (1 + std::exp(-odds));
        summary.draw(std::vector<Cell>{smokes ? 1u : 0u, town, age}, bits);
    }
    const std::string_view predictors[] = {"town", "age"};
    SummaryQuery query;
    query.of = "smokes";
    query.link = "logit";
    query.predictors = predictors;
    const auto rows = accessors::regression({.summary = summary.bytes(), .labels = &labels}, query);
    BOOST_REQUIRE_EQUAL(rows->count(), 4u);
    BOOST_TEST(text_in(*rows, 0, "term") == "(intercept)");
    BOOST_TEST(text_in(*rows, 1, "label") == "b");
    BOOST_TEST(text_in(*rows, 3, "term") == "age");
    BOOST_TEST(text_in(*rows, 3, "attribute") == "smokes=yes");
    const double truths[] = {-1, 1, 0, 0.25};
    for (std::size_t row = 0; row < 4; ++row) {
        const double value = rows->cell(row, "estimate").number, error = rows->cell(row, "stderr").number;
        BOOST_TEST(error < 0.5);
        BOOST_CHECK_SMALL(value - truths[row], 6 * error);
    }
    // The other value of the outcome has the opposite coefficients.
    query.of = "smokes=no";
    const auto opposite = accessors::regression({.summary = summary.bytes(), .labels = &labels}, query);
    BOOST_CHECK_SMALL(opposite->cell(3, "estimate").number + rows->cell(3, "estimate").number, 1e-6);

    const auto refused = [&](const char* of, const char* link, const char* part) {
        SummaryQuery other = query;
        other.of = of;
        other.link = link;
        BOOST_CHECK_EXCEPTION(
            accessors::regression({.summary = summary.bytes(), .labels = &labels}, other), Error,
            [&](const Error& error) { return std::string(error.what()).find(part) != std::string::npos; });
    };
    refused("town", "logit", "the outcome has no value");
    refused("town=b", "logit", "does not predict itself");
    refused("smokes", "probit", "link must be identity or logit");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

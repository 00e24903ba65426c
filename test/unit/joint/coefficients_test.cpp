// Associations from Haar coefficients: against closed forms, with the stated coverage. Models and
// synthetic records.

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

#include "core/math/haar_tree.hpp"
#include "core/math/statistics.hpp"
#include "core/models/association.hpp"
#include "core/models/synthesis.hpp"
#include "core/tables/fitted.hpp"
#include "support.hpp"
#include "tables.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(details)

namespace {

using Values = std::vector<std::size_t>;

/// The coefficients of some attributes of a population, as if this number of people had reported each.
Details coefficients_of(const Table& all, const Values& attributes, double reports) {
    const Table table = summed(all, attributes);
    Details found{attributes, table.sizes, table.shares, {}, {}, {}, reports};
    const std::size_t rows = table.sizes[0], columns = table.shares.size() / rows;
    const auto transform = [&](std::size_t first, std::size_t step, std::size_t size) {
        std::vector<double> line(size), told(size);
        for (std::size_t i = 0; i < size; ++i) line[i] = found.values[first + i * step];
        HaarTree(size).transpose(line, told);
        for (std::size_t i = 0; i < size; ++i) found.values[first + i * step] = told[i];
    };
    for (std::size_t column = 0; column < columns; ++column) transform(column, columns, rows);
    if (columns > 1)
        for (std::size_t row = 0; row < rows; ++row) transform(row * columns, 1, columns);
    found.variances.assign(found.values.size(), 1 / reports);
    found.squares.assign(found.values.size(), 1);
    found.reports.assign(found.values.size(), reports);
    return found;
}

/// Those of two attributes and of both.
std::vector<Details> two(const Table& all, double reports) {
    return {coefficients_of(all, {0}, reports), coefficients_of(all, {1}, reports),
            coefficients_of(all, {0, 1}, reports)};
}

/// A share that falls with the value.
double falling(std::size_t value) {
    return 1 / (1.0 + static_cast<double>(value));
}

/// Two attributes of this number of values that agree in this share of the people.
Table agreeing(std::uint64_t values, double share) {
    double all = 0;
    for (std::size_t v = 0; v < values; ++v) all += falling(v);
    return population({values, values}, [=](const Values& v) {
        return falling(v[0]) * ((1 - share) * falling(v[1]) + (v[0] == v[1]) * share * all);
    });
}

/// The reports of this number of people drawn from it, about attributes named a, b, c and so on.
class Collected {
  public:
    Collected(const Table& all, double epsilon, const std::string& more = "")
        : sizes_(all.sizes), population_(all.shares.begin(), all.shares.end()) {
        std::string attributes;
        for (std::size_t j = 0; j < sizes_.size(); ++j)
            attributes += std::string(j == 0 ? "" : ", ") + R"({"name": ")" + static_cast<char>('a' + j) +
                          R"(", "domain": )" + std::to_string(sizes_[j]) + "}";
        mechanism_ = mechanism("joint_haar", epsilon, "\"attributes\": [" + attributes + "]" + more);
    }

    [[nodiscard]] Measured draw(int people, BitSource& bits) {
        OwnedSummary summary(*mechanism_);
        for (int person = 0; person < people; ++person) {
            std::size_t cell = population_(random_);
            std::vector<Cell> record(sizes_.size());
            for (std::size_t j = sizes_.size(); j-- > 0; cell /= sizes_[j]) record[j] = cell % sizes_[j];
            summary.draw(record, bits);
        }
        return measured(summary.view());
    }

  private:
    std::vector<std::uint64_t> sizes_;
    std::discrete_distribution<std::size_t> population_;
    std::mt19937_64 random_{7};
    std::unique_ptr<const Mechanism> mechanism_;
};

void check_rate(std::uint64_t tests, std::uint64_t hits, double rate) {
    BOOST_CHECK_GT(binomial_at_most(tests, rate, hits), 1e-8);
    BOOST_CHECK_GT(binomial_at_least(tests, rate, hits), 1e-8);
}

}  // namespace

BOOST_AUTO_TEST_CASE(sizes_are_those_of_the_table) {
    // Of 40 values each four form a range, and the last range is a single one of them.
    for (const auto& [values, segment] : {std::pair(4UL, 1UL), {5, 1}, {37, 4}}) {
        const Table all = agreeing(values, 0.3);
        const std::uint64_t groups = (values + segment - 1) / segment;
        std::vector<double> cells(groups * groups), rows(groups), columns(groups);
        for (std::size_t i = 0; i < all.shares.size(); ++i) {
            const std::size_t row = i / values / segment, column = i % values / segment;
            cells[row * groups + column] += all.shares[i];
            rows[row] += all.shares[i];
            columns[column] += all.shares[i];
        }
        double contingency = 0, information = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const double even = rows[i / groups] * columns[i % groups];
            contingency += std::pow(cells[i] - even, 2) / even;
            information += cells[i] * std::log2(cells[i] / even);
        }
        const auto found = associations(two(all, 1e12), 0.95);
        BOOST_TEST_CONTEXT(values << " values") {
            BOOST_REQUIRE_EQUAL(found.size(), 1u);
            BOOST_CHECK_SMALL(found[0].cramers_v - std::sqrt(contingency / static_cast<double>(groups - 1)),
                              1e-5);
            BOOST_CHECK_SMALL(found[0].information.value - information, 1e-5);
            BOOST_CHECK_LE(found[0].v_interval.lower, found[0].cramers_v);
            BOOST_CHECK_GE(found[0].v_interval.upper, found[0].cramers_v);
            BOOST_CHECK_LT(found[0].p_value, 1e-12);
        }
        BOOST_CHECK_GT(associations(two(agreeing(values, 0), 1e12), 0.95).at(0).p_value, 0.9);
    }
}

BOOST_AUTO_TEST_CASE(one_detail_errs_as_its_parts_do) {
    const Table all = population({2, 2}, [](const Values& v) { return falling(v[0]) * falling(v[1] + 1); });
    const double people[] = {3000, 5000, 20000};
    std::vector<Details> told = two(all, 0);
    for (std::size_t i = 0; i < 3; ++i) {
        told[i].reports.assign(told[i].reports.size(), people[i]);
        told[i].variances.assign(told[i].reports.size(), 1 / people[i]);
    }
    const double alpha = told[0].values[1], beta = told[1].values[1];
    const double of_alpha = (1 - alpha * alpha) / 2999, of_beta = (1 - beta * beta) / 4999;
    const double rows = alpha * alpha - of_alpha, columns = beta * beta - of_beta;
    const double variance =
        of_alpha * columns + rows * of_beta + of_alpha * of_beta + (1 - rows * columns) / 19999;
    told[2].values[3] += 0.02;
    BOOST_CHECK_CLOSE_FRACTION(associations(told, 0.95).at(0).p_value,
                               cdf(complement(boost::math::chi_squared(1), 0.0004 / variance)), 1e-6);
}

BOOST_AUTO_TEST_CASE(coarse_dependence_is_found_among_fine_values) {
    std::vector<Details> all = two(population({64, 64}, [](const Values&) { return 1.0; }), 1e4);
    std::mt19937_64 random(5);
    std::normal_distribution<double> noise(0, 0.01);
    for (double& detail : all[2].values) detail += noise(random);
    all[2].values[64 + 1] = 0.05;
    BOOST_CHECK_LT(associations(all, 0.95).at(0).p_value, 1e-4);
}

BOOST_AUTO_TEST_CASE(false_alarms_are_as_many_as_stated, *boost::unit_test::label("slow")) {
    SeededBits bits(61);
    const Table all = population({2, 5, 8}, [](const Values& v) {
        return std::pow(falling(v[0]) * falling(v[1]) * falling(v[2]), 1.5);
    });
    for (const double epsilon : {1.0, 6.0}) {
        Collected people(all, epsilon);
        std::uint64_t tests = 0, alarms = 0, family = 0;
        constexpr std::uint64_t runs = 250;
        for (std::uint64_t run = 0; run < runs; ++run) {
            bool any = false;
            for (const Association& one : associations(people.draw(3000, bits), 0.95)) {
                tests += 1;
                alarms += one.p_value < 0.05;
                any = any || one.adjusted < 0.05;
            }
            family += any;
        }
        BOOST_TEST_CONTEXT("epsilon " << epsilon << ", alarms " << alarms << " of " << tests) {
            BOOST_CHECK_EQUAL(tests, 3 * runs);
            check_rate(tests, alarms, 0.05);
            BOOST_CHECK_GT(binomial_at_least(runs, 0.05, family), 1e-8);
        }
    }
}

// Two or three who say the same by chance would seem to say it without error.
BOOST_AUTO_TEST_CASE(few_reports_raise_no_more_alarms) {
    SeededBits bits(66);
    Collected people(
        population({4, 4}, [](const Values& v) { return std::sqrt(falling(v[0]) * falling(v[1])); }), 20);
    for (const int n : {15, 60}) {
        std::uint64_t tests = 0, alarms = 0;
        for (int run = 0; run < 2000; ++run)
            for (const Association& one : associations(people.draw(n, bits), 0.95)) {
                tests += !std::isnan(one.p_value);
                alarms += one.p_value < 0.001;
            }
        BOOST_CHECK_MESSAGE(binomial_at_least(tests, 0.001, alarms) > 1e-8,
                            alarms << " alarms in " << tests << " tests of " << n << " people");
        BOOST_CHECK(n < 20 || tests > 1000);
    }
}

BOOST_AUTO_TEST_CASE(intervals_of_v_hold, *boost::unit_test::label("slow")) {
    SeededBits bits(62);
    for (const auto& [share, epsilon] : {std::pair(0.3, 2.0), {0.3, 6.0}, {0.8, 6.0}}) {
        Collected people(agreeing(4, share), epsilon);
        constexpr std::uint64_t runs = 250;
        std::uint64_t held = 0;
        double sum = 0;
        for (std::uint64_t run = 0; run < runs; ++run) {
            const auto found = associations(people.draw(4000, bits), 0.95).at(0);
            held += found.v_interval.lower <= share && share <= found.v_interval.upper;
            sum += found.cramers_v;
        }
        BOOST_TEST_CONTEXT("V " << share << ", epsilon " << epsilon << ", held " << held) {
            BOOST_CHECK_GE(held, runs * 90 / 100);
            BOOST_CHECK_LE(held, runs * 99 / 100);
            BOOST_CHECK_SMALL(sum / runs - share, 0.03);
        }
    }
}

BOOST_AUTO_TEST_CASE(what_nobody_was_asked_is_left_out) {
    SeededBits bits(63);
    // Of so few people only coarse levels of pairs are asked about.
    const Table all = population({64, 48}, [](const Values& v) {
        return std::exp(-std::abs(static_cast<double>(v[0]) / 64 - static_cast<double>(v[1]) / 48) * 8);
    });
    const auto found = associations(Collected(all, 2, R"(, "people": 20000)").draw(20000, bits), 0.95);
    BOOST_REQUIRE_EQUAL(found.size(), 1u);
    BOOST_CHECK_LT(found[0].p_value, 1e-6);
    BOOST_CHECK_GT(found[0].v_interval.lower, 0.05);
    // Without reports, or for an attribute with one value, there are no estimates.
    std::vector<Details> unasked = two(all, 1e6);
    unasked[2].reports.assign(unasked[2].reports.size(), 0);
    const auto unknown = associations(unasked, 0.95).at(0);
    BOOST_CHECK(std::isnan(unknown.p_value) && std::isnan(unknown.cramers_v));
    const Table alike = population({4, 4}, [](const Values& v) { return v[0] == 2 ? 1.0 : 0.0; });
    BOOST_CHECK(std::isnan(associations(two(alike, 1e6), 0.95).at(0).cramers_v));
    // Identical people have estimates without any error, and no association.
    const auto same =
        associations(two(population({4, 4}, [](const Values& v) { return v[0] + v[1] == 0; }), 1e6), 0.95);
    BOOST_CHECK(std::isnan(same.at(0).cramers_v) && same[0].p_value == 1);
    BOOST_CHECK(associations(std::vector<Details>{coefficients_of(all, {0}, 1e6)}, 0.95).empty());
}

BOOST_AUTO_TEST_CASE(rows_are_like_the_people) {
    SeededBits bits(64);
    const Table all = chain({8, 8, 5}, 1);
    const Measured told = Collected(all, 6).draw(60000, bits);
    const Model model = model_of(told, {.significance = 1e-6});
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (const Association& edge : model.edges) edges.emplace_back(edge.first, edge.second);
    BOOST_CHECK(std::ranges::find(edges, std::pair<std::size_t, std::size_t>(0, 1)) != edges.end());
    BOOST_CHECK(std::ranges::find(edges, std::pair<std::size_t, std::size_t>(1, 2)) != edges.end());

    const Synthesis synthesis(model, 3);
    std::vector<double> counts(all.shares.size());
    std::vector<std::uint32_t> rows(Synthesis::block * 3);
    constexpr int blocks = 20;
    for (int block = 0; block < blocks; ++block) {
        synthesis.draw(Synthesis::block, bits, rows);
        for (std::size_t row = 0; row < Synthesis::block; ++row)
            counts[(rows[3 * row] * 8 + rows[3 * row + 1]) * 5 + rows[3 * row + 2]] += 1;
    }
    double distance = 0, independent = 0;
    std::vector<Table> alone;
    for (std::size_t j = 0; j < 3; ++j) alone.push_back(summed(all, std::vector{j}));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        distance += std::abs(counts[i] / static_cast<double>(blocks * Synthesis::block) - all.shares[i]) / 2;
        independent +=
            std::abs(alone[0].shares[i / 40] * alone[1].shares[i / 5 % 8] * alone[2].shares[i % 5] -
                     all.shares[i]) /
            2;
    }
    BOOST_TEST_MESSAGE(distance << ", independent " << independent);
    BOOST_CHECK_LT(distance, independent / 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

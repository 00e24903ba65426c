// The exponential mechanism: ε and its share for each unit of distance, estimates, what cannot be asked.

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/mechanism/graded/inverse.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(graded)

namespace {

/// Specs of each kind, behind "epsilon".
const std::string scores = R"("domain": 7)", map = R"("domain": 11, "columns": 4)",
                  near = R"("domain": 20, "columns": 5, "max_distance": 2)",
                  places = R"("domain": 5, "coordinates": [[0, 0], [30, 1], [-2, 50], [40, 44], [12, 9]])",
                  table = R"("domain": 3, "utilities": [[4, 1, 0], [2, 9, 2], [-3, 0, 1]])";

double parameter(const Mechanism& m, const std::string& name) {
    for (const auto& [key, value] : m.parameters())
        if (key == name) return value;
    return NAN;
}

/// P(y | x), a double.
double probability(const Mechanism& m, Cell x, Cell y) {
    std::vector<std::byte> permanent(m.permanent_size());
    store_cell(permanent.data(), permanent.size(), y);
    return static_cast<double>(m.probability({&x, 1}, {}, permanent));
}

/// The log of the worst ratio between two values.
double told_apart(const Mechanism& m, Cell a, Cell b) {
    double worst = 0;
    for (Cell y = 0; y < m.cells()[0]; ++y)
        worst = std::max(worst, std::log(probability(m, a, y) / probability(m, b, y)));
    return worst;
}

/// The detail of the Error (invalid_spec) that a spec meets.
std::string refusal(double epsilon, const std::string& rest) {
    try {
        mechanism("exponential", epsilon, rest)->check_estimates();
    } catch (const Error& error) {
        BOOST_CHECK(error.code() == ErrorCode::invalid_spec);
        return error.what() + std::string(" / ") + error.detail();
    }
    return "";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : {0.01, 0.5, 1.0, 2.0, 4.0, 10.0})
        for (const std::string& spec : {scores, map, near, places, table})
            if (epsilon >= 0.5) prove(*mechanism("exponential", epsilon, spec));
    prove(*mechanism("exponential", 0.01, R"("domain": 3)"));
    // Weights are whole numbers: where the rarest output is rare, the last of ε cannot be spent.
    const auto wide = mechanism("exponential", 20, R"("domain": 300)");  // two bytes a report
    BOOST_CHECK(worst_of_all(*wide) == wide->worst_ratio());
    check_worst_ratio(*wide, 1e-7);
}

BOOST_AUTO_TEST_CASE(the_largest_keep_epsilon, *boost::unit_test::label("slow")) {
    check_worst_ratio(*mechanism("exponential", 8, R"("domain": 1024, "columns": 32, "max_distance": 3)"),
                      1e-6);
}

// With the scale ε/2Δ that is right for any utilities, half of ε and more would be left.
BOOST_AUTO_TEST_CASE(all_of_epsilon_is_spent) {
    for (const double epsilon : {0.5, 2.0, 8.0})
        for (const std::string& spec : {scores, map, near, places, table}) {
            const auto m = mechanism("exponential", epsilon, spec);
            check_worst_ratio(*m);
            double worst = 0;
            for (Cell a = 0; a < m->cells()[0]; ++a)
                for (Cell b = 0; b < m->cells()[0]; ++b) worst = std::max(worst, told_apart(*m, a, b));
            BOOST_CHECK_CLOSE_FRACTION(worst, epsilon, 1e-9);
        }
}

// The distinguishability of values is proportional to their distance, and some pairs reach the stated
// bound.
BOOST_AUTO_TEST_CASE(privacy_is_in_proportion_to_distance) {
    const auto check = [](const Mechanism& m, auto distance) {
        const double unit = parameter(m, "epsilon_per_unit");
        double most = 0;
        for (Cell a = 0; a < m.cells()[0]; ++a)
            for (Cell b = 0; b < m.cells()[0]; ++b) {
                if (a == b) continue;
                const double each = told_apart(m, a, b) / distance(a, b);
                BOOST_CHECK_LE(each, unit);
                most = std::max(most, each);
            }
        BOOST_CHECK_CLOSE_FRACTION(most, unit, 1e-5);
        BOOST_CHECK_LT(unit, m.epsilon());
    };
    for (const double epsilon : {1.0, 6.0}) {
        check(*mechanism("exponential", epsilon, scores),
              [](Cell a, Cell b) { return std::abs(static_cast<double>(a) - static_cast<double>(b)); });
        const auto tiles = [](double columns, double reach) {
            return [=](Cell a, Cell b) {
                const auto from = static_cast<double>(a), to = static_cast<double>(b);
                return std::min(reach, std::hypot(std::fmod(from, columns) - std::fmod(to, columns),
                                                  std::floor(from / columns) - std::floor(to / columns)));
            };
        };
        check(*mechanism("exponential", epsilon, map), tiles(4, INFINITY));
        check(*mechanism("exponential", epsilon, near), tiles(5, 2));
    }
}

// Where every other value is equally far, no value is preferred: the response is the symmetric one.
BOOST_AUTO_TEST_CASE(with_a_reach_of_one_it_is_randomized_response) {
    for (const double epsilon : {0.5, 3.0}) {
        const auto m = mechanism("exponential", epsilon, R"("domain": 6, "max_distance": 1)"),
                   grr = mechanism("grr", epsilon, R"("domain": 6)");
        for (Cell x = 0; x < 6; ++x)
            for (Cell y = 0; y < 6; ++y)
                BOOST_CHECK_CLOSE_FRACTION(probability(*m, x, y), probability(*grr, x, y), 1e-9);
        for (const double f : {0.0, 0.3, 1.0})
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(f), grr->n_variance(f), 1e-8);
        BOOST_CHECK_CLOSE_FRACTION(m->expected_variance(0), grr->expected_variance(0), 1e-8);
    }
}

// Utilities are what they are up to a factor and a constant for each value.
BOOST_AUTO_TEST_CASE(only_differences_of_utilities_count) {
    const auto a = mechanism("exponential", 2, table),
               b = mechanism("exponential", 2,
                             R"("domain": 3, "utilities": [[8, 2, 0], [104, 118, 104], [-46, -40, -38]])"),
               c = mechanism("exponential", 2, places), d = mechanism("exponential", 2, R"("domain": 5,
                   "coordinates": [[100, 7], [160, 9], [96, 107], [180, 95], [124, 25]])");
    for (Cell x = 0; x < 3; ++x)
        for (Cell y = 0; y < 3; ++y)
            BOOST_CHECK_CLOSE_FRACTION(probability(*a, x, y), probability(*b, x, y), 1e-9);
    for (Cell x = 0; x < 5; ++x)
        for (Cell y = 0; y < 5; ++y)
            BOOST_CHECK_CLOSE_FRACTION(probability(*c, x, y), probability(*d, x, y), 1e-9);
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_stated, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 1401;
    for (const std::string& spec : {scores, map, places, table}) {
        const Cell input = 2;
        check_frequencies_of_reports(*mechanism("exponential", 1, spec), {&input, 1}, seed++);
    }
}

BOOST_AUTO_TEST_CASE(exponential_estimates, *boost::unit_test::label("slow")) {
    const std::vector<double> shares{0.6, 0.3, 0.1, 0};
    std::uint64_t seed = 1411;
    for (const double epsilon : {1.0, 3.0})
        for (const char* rest : {"", R"(, "columns": 2)", R"(, "max_distance": 2)"}) {
            const auto m = mechanism("exponential", epsilon, R"("domain": 4)" + std::string(rest));
            std::vector<std::vector<Cell>> people;
            for (const Cell cell : people_of(shares, 1000)) people.push_back({cell});
            const Simulation found = simulate(*m, people, shares, Quantity::frequencies, 5000, seed++);
            found.check_unbiased();
            found.check_coverage();
        }
}

// For each estimate, over every report with its probability: the mean equals the share, and the variance
// equals the squared standard error for reports with average frequencies.
BOOST_AUTO_TEST_CASE(errors_are_those_of_the_enumerated_reports) {
    for (const std::string& spec : {scores, map, near, places, table}) {
        const auto m = mechanism("exponential", 2, spec);
        const std::size_t k = m->cells()[0];
        // What one report adds to each estimate.
        std::vector<std::vector<double>> terms;
        for (Cell y = 0; y < k; ++y) {
            std::vector<std::byte> payload(m->payload_size()), state(m->state_size());
            store_cell(payload.data(), payload.size(), y);
            BOOST_REQUIRE(m->accumulate(state, payload));
            std::vector<double>& row = terms.emplace_back();
            for (const Estimate& each : m->estimate({1, state}, {Quantity::frequencies}))
                row.push_back(each.value);
        }
        std::vector<double> shares(k);
        double sum = 0;
        for (std::size_t v = 0; v < k; ++v) sum += shares[v] = static_cast<double>(1 + v * v % 5);
        for (double& share : shares) share /= sum;
        // Counts in proportion to the law of the reports.
        constexpr double n = 0x1p38;
        std::vector<std::byte> state(m->state_size());
        std::uint64_t total = 0;
        std::vector<double> noise(k), other(k), own(k);
        for (Cell y = 0; y < k; ++y) {
            double law = 0;
            for (Cell x = 0; x < k; ++x) law += shares[x] * probability(*m, x, y);
            const auto count = static_cast<std::uint64_t>(n * law);
            store<std::uint64_t>(state.data() + y * 8, count);
            total += count;
        }
        double worst_at_0 = 0, worst_at_1 = 0, mean = 0;
        for (Cell v = 0; v < k; ++v)
            for (Cell x = 0; x < k; ++x) {
                double first = 0, second = 0;
                for (Cell y = 0; y < k; ++y) {
                    first += probability(*m, x, y) * terms[y][v];
                    second += probability(*m, x, y) * terms[y][v] * terms[y][v];
                }
                BOOST_CHECK_SMALL(first - (x == v ? 1 : 0), 1e-9);
                const double variance = second - first * first;
                noise[v] += shares[x] * variance;
                mean += variance / static_cast<double>(k * k);
                double& worst = x == v ? worst_at_1 : worst_at_0;
                worst = std::max(worst, variance);
            }
        BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), worst_at_0, 1e-9);
        BOOST_CHECK_CLOSE_FRACTION(m->n_variance(1), worst_at_1, 1e-9);
        BOOST_CHECK_CLOSE_FRACTION(m->expected_variance(0), mean, 1e-9);
        const auto sample = m->estimate({total, state}, {Quantity::frequencies}),
                   population = m->estimate({total, state}, {Quantity::frequencies, Target::population});
        for (std::size_t v = 0; v < k; ++v) {
            const auto square = [&](double x) { return x * x * static_cast<double>(total); };
            BOOST_CHECK_CLOSE_FRACTION(sample[v].value, shares[v], 1e-6);
            BOOST_CHECK_CLOSE_FRACTION(square(sample[v].standard_error), noise[v], 1e-6);
            BOOST_CHECK_CLOSE_FRACTION(square(population[v].standard_error),
                                       noise[v] + shares[v] * (1 - shares[v]), 1e-6);
        }
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_estimated_is_refused) {
    // Two values that are alike.
    BOOST_CHECK(
        contains(refusal(1, R"("domain": 3, "coordinates": [[0, 0], [5, 5], [0, 0]])"), "condition number"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 3, "utilities": [[1, 0, 0], [0, 1, 1], [0, 2, 2]])"),
                         "condition number"));
    // Such a small ε per step that neighbours are indistinguishable.
    BOOST_CHECK(contains(refusal(0.001, R"("domain": 3, "coordinates": [[0, 0], [1, 0], [1000000, 0]])"),
                         "condition number"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "utilities": [[1, 1], [3, 3]])"), "All are equal"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "utilities": [[5, 1], [5, 1]])"), "too small"));
    BOOST_CHECK(contains(refusal(2, R"("domain": 3,
        "utilities": [[10, 0, -1000], [0, 10, -1000], [0, 0, -1000]])"),
                         "epsilon cannot be spent"));
}

// That takes a matrix's inverse, which a device does not wait for.
BOOST_AUTO_TEST_CASE(only_who_publishes_a_spec_looks_whether_reports_can_be_estimated) {
    const auto m = mechanism("exponential", 1, R"("domain": 3, "coordinates": [[0, 0], [5, 5], [0, 0]])");
    SeededBits bits(3);
    const Cell value = 1;
    BOOST_CHECK(!m->perturb({&value, 1}, bits).empty());
    BOOST_CHECK_THROW(m->check_estimates(), Error);
    BOOST_CHECK_NO_THROW(mechanism("exponential", 1, R"("domain": 3)")->check_estimates());
    BOOST_CHECK_NO_THROW(mechanism("grr", 1, R"("domain": 3)")->check_estimates());
}

BOOST_AUTO_TEST_CASE(contradictions_are_refused) {
    BOOST_CHECK(
        contains(refusal(1, R"("domain": 2, "columns": 2, "coordinates": [[0, 0], [1, 1]])"), "exclude"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "max_distance": 2, "utilities": [[1, 0], [0, 1]])"),
                         "max_distance"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "columns": 3)"), "there are 2 values"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 3, "coordinates": [[0, 0], [1, 1]])"), "must have 3 pairs"));
    BOOST_CHECK(
        contains(refusal(1, R"("domain": 2, "coordinates": [[0, 0], [1]])"), "Number 1 has 1 numbers"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "coordinates": [[0, 0], [1, 1000001]])"), "has 1000001"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "coordinates": [[0, 0], [1, 0.5]])"), "arrays of whole"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "coordinates": 7)"), "arrays of whole"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 2, "utilities": [[1, 0]])"), "must have 2 rows"));
    BOOST_CHECK(contains(refusal(1, R"("domain": 1025)"), "at most 1024 values"));
}

// 1024 places on a grid of 128 by 128 fit in a block; finer ones do not.
BOOST_AUTO_TEST_CASE(large_places_fit_or_are_refused, *boost::unit_test::label("slow")) {
    const auto spread = [](unsigned step) {
        std::string all =
            R"("domain": 1024, "max_distance": )" + std::to_string(4 * step) + R"(, "coordinates": [)";
        for (unsigned i = 0; i < 1024; ++i)
            all += (i == 0 ? "[" : ", [") + std::to_string(i % 32 * step) + ", " +
                   std::to_string(i / 32 * step) + "]";
        return all + "]";
    };
    BOOST_CHECK(contains(refusal(8, spread(9)), "bytes; there are 1972"));
    std::string json = R"({"mechanism": "exponential", "epsilon": 8, )" + spread(4) + "}";
    BOOST_CHECK_LE(mechanism(json)->block().size(), max_block_size);
}

BOOST_AUTO_TEST_CASE(specs_come_back_as_they_are) {
    for (const std::string& rest : {scores, map, near, places, table}) {
        const Spec spec = Spec::from_json(R"({"mechanism": "exponential", "epsilon": 1, )" + rest + "}");
        const Spec again = Spec::from_json(spec.to_json());
        BOOST_CHECK_EQUAL(again.to_json(), spec.to_json());
        BOOST_CHECK(std::ranges::equal(make_mechanism(again)->block(), make_mechanism(spec)->block()));
    }
}

BOOST_AUTO_TEST_CASE(forged_blocks_are_refused) {
    const auto good = mechanism("exponential", 1, places);
    const std::vector<std::byte> block(good->block().begin(), good->block().end());
    const auto refused = [&](std::size_t at, int value) {
        std::vector<std::byte> bad = block;
        bad.at(header_size + at) = static_cast<std::byte>(value);
        return malformed([&] { static_cast<void>(load_mechanism(bad, Kind::report)); });
    };
    static_cast<void>(load_mechanism(block, Kind::report));
    BOOST_CHECK(refused(0, 1));     // one value
    BOOST_CHECK(refused(1, 8));     // 2053 values
    BOOST_CHECK(refused(4, 0));     // tiles, and then places
    BOOST_CHECK(refused(4, 3));     // an unknown kind
    BOOST_CHECK(refused(8, 0xFF));  // a reach beyond all places
    BOOST_CHECK(refused(9, 0));     // a number without bits
    BOOST_CHECK(refused(9, 7));     // one with more than it needs
    BOOST_CHECK(refused(block.size() - header_size - 1, 0xFF));
}

// Reports of values far apart from most others stand out under no value; a flood of one output does.
BOOST_AUTO_TEST_CASE(honest_reports_look_honest_and_floods_do_not) {
    const auto m = mechanism("exponential", 2, R"("domain": 12, "columns": 4)");
    SeededBits bits(1421);
    OwnedSummary summary(*m);
    for (int i = 0; i < 19000; ++i) summary.draw(static_cast<Cell>(i % 3), bits);
    BOOST_CHECK_GT(summary.health(), 1e-7);
    for (int i = 0; i < 4000; ++i) {
        Report forged = m->perturb(std::vector<Cell>{0}, bits);
        forged.back() = std::byte{11};
        summary.add(forged);
    }
    BOOST_CHECK_LT(summary.health(), 1e-6);
}

// An attribute of a record, reported by half of the people: the estimates of its part equal those of the
// record.
BOOST_AUTO_TEST_CASE(records_have_graded_attributes) {
    const auto m = mechanism(R"({"mechanism": "sampled", "epsilon": 3, "attributes": [
        {"name": "mood", "domain": 5, "mechanism": "exponential"}, {"name": "town", "domain": 3, "mechanism": "grr"}]})");
    SeededBits bits(1441);
    OwnedSummary summary(*m);
    for (int i = 0; i < 40000; ++i) summary.draw(std::vector<Cell>{i % 4 == 0 ? 4u : 1u, 0}, bits);
    const SummaryView one = part(summary.view(), 0);
    const auto shares = summary.estimate(Quantity::frequencies, Target::population, 0),
               alone = estimate(one, {Quantity::frequencies, Target::population});
    const double truth[] = {0, 0.75, 0, 0, 0.25};
    for (std::size_t v = 0; v < 5; ++v) {
        BOOST_CHECK_CLOSE_FRACTION(shares[v].value, alone[v].value, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(shares[v].standard_error, alone[v].standard_error, 1e-12);
        BOOST_CHECK_LT(std::abs(shares[v].value - truth[v]), 6 * shares[v].standard_error);
    }
}

BOOST_AUTO_TEST_CASE(inverses_are_inverse) {
    SeededBits bits(1431);
    for (const std::size_t size : {1, 2, 31, 32, 33, 100}) {
        std::vector<double> matrix(size * size);
        for (double& entry : matrix) entry = static_cast<double>(bits.below(2001)) / 1000 - 1;
        if (size > 1) matrix[0] = 0;  // rows must be swapped
        const auto [inverse, condition] = inverse_of(matrix, size);
        double most = 0, most_inverse = 0;
        for (std::size_t i = 0; i < size; ++i) {
            double row = 0, row_inverse = 0;
            for (std::size_t j = 0; j < size; ++j) {
                double product = 0;
                for (std::size_t l = 0; l < size; ++l)
                    product += matrix[i * size + l] * inverse[l * size + j];
                BOOST_CHECK_SMALL(product - (i == j ? 1 : 0), 1e-9);
                row += std::abs(matrix[i * size + j]), row_inverse += std::abs(inverse[i * size + j]);
            }
            most = std::max(most, row), most_inverse = std::max(most_inverse, row_inverse);
        }
        BOOST_CHECK_CLOSE_FRACTION(condition, most * most_inverse, 1e-12);
    }
    BOOST_CHECK(std::isinf(inverse_of({1, 2, 2, 4}, 2).condition));
    BOOST_CHECK_CLOSE_FRACTION(inverse_of({2, 0, 0, 0.5}, 2).condition, 4, 1e-15);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

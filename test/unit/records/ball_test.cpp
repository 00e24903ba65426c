// Vectors of bounded length: the codebook to its integers, the limit of the variance, epsilon by enumeration, estimates and
// intervals.

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "core/choice/resolve.hpp"
#include "core/math/random_codebook.hpp"
#include "core/mechanism/vector/codeword_channel.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(ball)

namespace {

double square(double number) {
    return number * number;
}

std::unique_ptr<const Mechanism> ball(double epsilon, std::size_t d,
                                      const std::string& rest = R"(, "norm": 1)") {
    return mechanism("ball", epsilon, unit_attributes(d) + rest);
}

double parameter(const Mechanism& m, const std::string& name) {
    for (const auto& [key, value] : m.parameters())
        if (key == name) return value;
    BOOST_FAIL("no parameter " << name);
    return 0;
}

/// A vector of coordinates in [−1, 1] on the mechanism's grid.
std::vector<Cell> on_grid(const Mechanism& m, const std::vector<double>& coordinates) {
    const auto half = static_cast<double>(m.cells()[0] - 1) / 2;
    std::vector<Cell> cells;
    for (const double each : coordinates) cells.push_back(static_cast<Cell>(std::lround(half + half * each)));
    return cells;
}
/// The numbers of a person, which are on [−1, 1].
std::vector<double> truth_of(const Mechanism& m, Input person) {
    std::vector<double> truth;
    for (const Cell cell : person)
        truth.push_back(2 * static_cast<double>(cell) / static_cast<double>(m.cells()[0] - 1) - 1);
    return truth;
}

/// Vectors of length 1: along an axis, of equal coordinates, and of coordinates that decrease.
std::vector<std::vector<double>> directions(std::size_t d) {
    std::vector<double> axis(d, 0), equal(d), falling(d);
    axis[0] = 1;
    double squares = 0;
    for (std::size_t j = 0; j < d; ++j) {
        equal[j] = (j % 2 == 0 ? 1 : -1) / std::sqrt(static_cast<double>(d));
        falling[j] = std::pow(0.8, static_cast<double>(j));
        squares += square(falling[j]);
    }
    for (double& each : falling) each /= std::sqrt(squares);
    return {axis, equal, falling};
}

}  // namespace

// Each entry is the mean of its part of the normal distribution in 1/1024, with no doubt about the rounding: other programs
// make the same table from the formula.
BOOST_AUTO_TEST_CASE(the_table_has_the_means_of_the_normal_parts) {
    const auto& table = Codebook::table();
    const auto quantile = [](double p) {
        return boost::math::constants::root_two<double>() * boost::math::erf_inv(2 * p - 1);
    };
    const auto density = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); };
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < Codebook::entries; ++i) {
        const double a = i == 0 ? 0 : density(quantile(static_cast<double>(i) / 4096)),
                     b = i + 1 == Codebook::entries ? 0
                                                    : density(quantile(static_cast<double>(i + 1) / 4096));
        const double entry = 1024 * 4096 * (a - b);
        BOOST_REQUIRE_EQUAL(std::lround(entry), table[i]);
        BOOST_REQUIRE_GT(std::abs(entry - std::floor(entry) - 0.5), 1e-5);
        sum += table[i];
    }
    BOOST_CHECK_EQUAL(sum, 0);
    BOOST_CHECK_EQUAL(table.back(), Codebook::most);
    BOOST_CHECK_CLOSE_FRACTION(Codebook::mean_square(), 1024 * 1024, 5e-5);
}

// The first outputs of SplitMix64 for the seed 1234567, as they are published.
BOOST_AUTO_TEST_CASE(codewords_are_the_output_of_splitmix64) {
    constexpr std::uint64_t published[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                           4593380528125082431u};
    const Codebook codebook(6);  // two words for each codeword
    for (std::uint64_t index = 0; index < 2; ++index) {
        std::vector<std::int16_t> codeword(6);
        codebook.codeword(1234567, index, codeword);
        for (std::size_t j = 0; j < 6; ++j)
            BOOST_CHECK_EQUAL(codeword[j],
                              Codebook::table()[published[2 * index + j / 4] >> 16 * (j % 4) & 4095]);
    }
}

// CoordinateSums and products are those of the codewords, for numbers of coordinates that do not fill a word.
BOOST_AUTO_TEST_CASE(sums_and_products_are_those_of_the_codewords) {
    SeededBits bits(4101);
    for (const std::size_t d : {2, 3, 4, 5, 16, 67}) {
        const Codebook codebook(d);
        std::vector<std::int32_t> vector;
        for (std::size_t j = 0; j < d; ++j)
            vector.push_back(static_cast<std::int32_t>(bits.below(1 << 20)) - (1 << 19));
        std::vector<std::int64_t> products(256);
        codebook.products(7, vector, products);
        std::vector<std::uint64_t> starts;
        std::vector<Codebook::CoordinateSums> expected(4 * codebook.words()), found(4 * codebook.words());
        for (std::uint64_t i = 0; i < 256; ++i) {
            std::vector<std::int16_t> codeword(d);
            codebook.codeword(7, i, codeword);
            std::int64_t product = 0;
            for (std::size_t j = 0; j < d; ++j) {
                product += std::int64_t{vector[j]} * codeword[j];
                expected[j].sum += codeword[j];
                expected[j].squares += static_cast<std::uint64_t>(codeword[j] * codeword[j]);
            }
            BOOST_REQUIRE_EQUAL(products[i], product);
            starts.push_back(codebook.start(7, i));
        }
        for (std::size_t word = 0; word < codebook.words(); ++word)
            codebook.add(starts, word, std::span<Codebook::CoordinateSums, 4>(found.data() + 4 * word, 4));
        for (std::size_t j = 0; j < d; ++j) {
            BOOST_CHECK_EQUAL(found[j].sum, expected[j].sum);
            BOOST_CHECK_EQUAL(found[j].squares, expected[j].squares);
        }
    }
}

// Against closed forms: the largest of two and of three variables; and the k largest with the n − k smallest are all.
BOOST_AUTO_TEST_CASE(expectations_of_the_largest_variables) {
    const double root_pi = std::sqrt(std::acos(-1.0));
    BOOST_CHECK_CLOSE_FRACTION(LargestNormals::of(2, 1).sum, 1 / root_pi, 2e-12);
    BOOST_CHECK_CLOSE_FRACTION(LargestNormals::of(3, 1).sum, 1.5 / root_pi, 2e-12);
    BOOST_CHECK_CLOSE_FRACTION(LargestNormals::of(3, 1).squares, 1 + std::sqrt(3.0) / (2 * square(root_pi)),
                               2e-12);
    for (const auto& [n, k] : {std::pair<std::uint64_t, std::uint64_t>{2, 1}, {5, 2}, {256, 89}, {4096, 3}}) {
        const LargestNormals largest = LargestNormals::of(n, k), rest = LargestNormals::of(n, n - k);
        const auto all = static_cast<double>(n);
        BOOST_CHECK_CLOSE_FRACTION(largest.sum, rest.sum, 2e-12);
        BOOST_CHECK_CLOSE_FRACTION(largest.squares + rest.squares, all, 2e-12);
        BOOST_CHECK_CLOSE_FRACTION(largest.fourth_powers + rest.fourth_powers, 3 * all, 2e-12);
    }
}

// The limit is the variance of PrivUnit with a normal codeword: the least (f(e − 1) + 1)²/(φ(z_f)(e − 1))², e = exp(ε), over
// the share f of near codewords.
BOOST_AUTO_TEST_CASE(the_variance_is_near_the_limit) {
    for (const double epsilon : {0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0}) {
        double limit = INFINITY;
        for (double z = 0; z < 4; z += 1e-3) {
            const double f = std::erfc(z / std::sqrt(2.0)) / 2, e = std::exp(epsilon) - 1,
                         density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
            limit = std::min(limit, square((f * e + 1) / (density * e)));
        }
        for (const std::size_t d : {16, 64, 256, 1024}) {
            const auto m = ball(epsilon, d);
            BOOST_TEST_CONTEXT(epsilon << " " << d) {
                const double variance = m->n_variance(1 / std::sqrt(static_cast<double>(d)));
                BOOST_CHECK_LT(variance, 1.05 * limit);
                BOOST_CHECK_GT(variance, 0.999 * limit);
                BOOST_CHECK_LE(m->payload_size(), 10u);
            }
        }
    }
}

// Besides the small specs of privacy_test.cpp: vectors that are longer than the norm, and more codewords.
BOOST_AUTO_TEST_CASE(it_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : {0.01, 1.0, 4.0}) {
        prove(*ball(epsilon, 2, R"(, "norm": 0.5, "grid": 4)"), 3);
        prove(*ball(epsilon, 3, R"(, "grid": 2)"), 2);
    }
    BOOST_REQUIRE_EQUAL(parameter(*ball(10, 5, R"(, "grid": 2)"), "codewords"), 1024);
    prove(*ball(10, 5, R"(, "grid": 2)"), 1);
    for (const double epsilon : epsilons)
        for (const std::size_t d : {2, 4096}) check_worst_ratio(*ball(epsilon, d));
}

// The variance of each coordinate is the stated one. A coordinate along a person's direction has the larger mean square.
BOOST_AUTO_TEST_CASE(it_estimates_means, *boost::unit_test::label("slow")) {
    constexpr std::size_t n = 200, repetitions = 6000;
    for (const auto& [epsilon, d] : {std::pair<double, std::size_t>{1, 5}, {4, 16}}) {
        const auto m = ball(epsilon, d);
        for (const auto& direction : directions(d)) {
            const std::vector<Cell> person = on_grid(*m, direction);
            const auto found = simulate(*m, std::vector(n, person), truth_of(*m, person), Quantity::means,
                                        repetitions, 4102 + d);
            BOOST_TEST_CONTEXT(epsilon << " " << d << " " << direction[0]) {
                found.check_unbiased();
                found.check_coverage();
            }
        }
    }
    const auto m = ball(1, 4);
    const std::vector<Cell> person = on_grid(*m, directions(4)[1]);
    const auto equal =
        simulate(*m, std::vector(n, person), truth_of(*m, person), Quantity::means, repetitions, 4103);
    for (std::size_t j = 0; j < 4; ++j) equal.check_variance(j, m->n_variance(0.5) / n);
}

// Few people, short vectors, and people of different lengths.
BOOST_AUTO_TEST_CASE(its_intervals_cover, *boost::unit_test::label("slow")) {
    for (const double epsilon : {0.5, 2.0}) {
        const auto m = ball(epsilon, 3);
        std::vector<std::vector<Cell>> people;
        std::vector<double> truth(3, 0);
        for (std::size_t i = 0; i < 50; ++i) {
            const auto length = static_cast<double>(i % 5) / 4;
            people.push_back(on_grid(*m, {length * 0.6, i % 2 == 0 ? length * 0.8 : -length * 0.8, 0}));
            const std::vector<double> own = truth_of(*m, people.back());
            for (std::size_t j = 0; j < 3; ++j) truth[j] += own[j] / 50;
        }
        const auto found = simulate(*m, people, truth, Quantity::means, 8000, 4104);
        found.check_unbiased();
        found.check_coverage();
    }
}

// A vector that is too long has its direction and the length of the norm.
BOOST_AUTO_TEST_CASE(long_vectors_are_shortened) {
    const auto m = ball(2, 2, R"(, "norm": 0.5)");
    const std::vector<Cell> far = on_grid(*m, {0.6, -0.8}), within = on_grid(*m, {0.3, -0.4});
    BOOST_CHECK_EQUAL(m->clamped(far), 2u);
    BOOST_CHECK_EQUAL(m->clamped(on_grid(*m, {0.6, 0})), 1u);
    BOOST_CHECK_EQUAL(m->clamped(within), 0u);
    std::vector<std::byte> seed(8), permanent(1);
    SeededBits bits(4105);
    for (int user = 0; user < 20; ++user) {
        m->draw_public(bits, seed);
        for (unsigned number = 0; number < 256; ++number) {
            permanent[0] = static_cast<std::byte>(number);
            const auto difference = static_cast<double>(m->probability(far, seed, permanent)) -
                                    static_cast<double>(m->probability(within, seed, permanent));
            BOOST_REQUIRE_SMALL(difference, 2e-5);  // by rounding to the grid, the shorter one is mixed
        }
    }
}

BOOST_AUTO_TEST_CASE(honest_reports_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(4106);
    for (const double epsilon : {0.5, 4.0, 8.0})
        for (const std::size_t d : {2, 16}) {
            const auto m = ball(epsilon, d);
            for (const std::size_t people : {1, 2, 3, 10, 100})
                for (int r = 0; r < 200; ++r) {
                    const std::vector<Cell> person =
                        on_grid(*m, directions(d)[static_cast<std::size_t>(r) % 3]);
                    OwnedSummary summary(*m);
                    for (std::size_t i = 0; i < people; ++i) summary.draw(person, bits);
                    BOOST_REQUIRE_GT(summary.health(), 1e-6);
                }
        }
}

// Forgers who search for long codewords, and forgers who all send the codeword nearest to one vector.
BOOST_AUTO_TEST_CASE(floods_are_seen) {
    const auto m = ball(1, 8);
    const Codebook codebook(8);
    SeededBits bits(4107);
    const auto flood = [&](const std::function<double(std::span<const std::int16_t>)>& gain) {
        OwnedSummary summary(*m);
        for (int i = 0; i < 2000; ++i) {
            Report report = m->perturb(std::vector<Cell>(8, m->cells()[0] / 2), bits);
            if (i < 400) {
                const auto payload = std::span(report).last(m->payload_size());
                const auto seed = load<std::uint64_t>(payload.data());
                double best = -INFINITY;
                for (std::uint64_t number = 0; number < 256; ++number) {
                    std::vector<std::int16_t> codeword(8);
                    codebook.codeword(seed, number, codeword);
                    if (gain(codeword) <= best) continue;
                    best = gain(codeword);
                    payload[8] = static_cast<std::byte>(number);
                }
            }
            summary.add(report);
        }
        return summary.health();
    };
    BOOST_CHECK_LT(flood([](std::span<const std::int16_t> codeword) {
                       double squares = 0;
                       for (const double each : codeword) squares += each * each;
                       return squares;
                   }),
                   1e-6);
    BOOST_CHECK_LT(
        flood([](std::span<const std::int16_t> codeword) { return codeword[0] + 2.0 * codeword[3]; }), 1e-6);
}

BOOST_AUTO_TEST_CASE(impossible_states_are_refused) {
    const auto m = ball(1, 3);
    SeededBits bits(4108);
    OwnedSummary summary(*m);
    for (int i = 0; i < 9; ++i) summary.draw(on_grid(*m, {0.5, 0, 0.5}), bits);
    std::vector<std::byte> state(summary.state().begin(), summary.state().end());
    BOOST_CHECK(m->valid_state({9, state}));
    BOOST_CHECK(!m->valid_state({0, state}));
    const auto with = [&](std::size_t at, std::uint64_t number) {
        std::vector<std::byte> changed = state;
        store<std::uint64_t>(changed.data() + at, number);
        return m->valid_state({9, changed});
    };
    const auto sum = load<std::uint64_t>(state.data()), squares = load<std::uint64_t>(state.data() + 8);
    BOOST_CHECK(!with(0, sum + 1));                      // another parity
    BOOST_CHECK(!with(0, 9 * Codebook::most + 1));       // too large
    BOOST_CHECK(!with(0, std::uint64_t{0} - 9 * 3830));  // too small
    BOOST_CHECK(!with(8, sum % 2));                      // smaller than the square of the sum over n
    BOOST_CHECK(!with(8, squares + (std::uint64_t{1} << 40)));
}

BOOST_AUTO_TEST_CASE(bounds_out_of_range_are_refused) {
    const auto why = [](const std::string& rest) {
        try {
            static_cast<void>(
                resolve(R"({"mechanism": "ball", "epsilon": 1, )" + unit_attributes(2) + rest + "}"));
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    BOOST_CHECK_EQUAL(why(R"(, "norm": 1.5)"),
                      "\"norm\" must be a number above 0 and at most 1.4142135623730951");
    BOOST_CHECK_EQUAL(why(R"(, "norm": -1)"),
                      "\"norm\" must be a number above 0 and at most 1.4142135623730951");
    BOOST_CHECK_EQUAL(why(R"(, "grid": 3)"), "\"grid\" must be even");
    BOOST_CHECK_EQUAL(why(R"(, "delta": 1e-9)").empty(), false);
    BOOST_CHECK_EQUAL(why(""), "");
}

// "auto" compares the bound of the length with bounds of each number, for numbers, for a vector, and within a record.
BOOST_AUTO_TEST_CASE(auto_takes_it_where_its_variance_is_the_smallest) {
    const auto chosen = [](const std::string& keys) {
        return resolve(R"({"mechanism": "auto", "epsilon": 1, )" + keys + "}");
    };
    const auto vector = [](const std::string& more) {
        return R"({"name": "v", "vector": 16, "min": -1, "max": 1)" + more + "}";
    };
    const Spec bounded = chosen(unit_attributes(16) + R"(, "norm": 1)");
    BOOST_CHECK_EQUAL(bounded.mechanism().name, "ball");
    BOOST_CHECK_EQUAL(bounded.real("norm"), 1);
    BOOST_CHECK_EQUAL(chosen(unit_attributes(16) + R"(, "norm": 4)").mechanism().name, "sampled");
    BOOST_CHECK_EQUAL(chosen(unit_attributes(16)).mechanism().name, "sampled");
    const std::string alone = R"("attributes": [)" + vector("") + "]";
    BOOST_CHECK_EQUAL(chosen(alone + R"(, "norm": 0.5)").mechanism().name, "ball");
    BOOST_CHECK_EQUAL(chosen(alone + R"(, "norm": 0.5)").real("norm"), 0.5);
    BOOST_CHECK_EQUAL(chosen(R"("attributes": [)" + vector(R"(, "norm": 0.5)") + "]").real("norm"), 0.5);
    const auto in_record = [&](const std::string& more) {
        const Spec record = chosen(R"("attributes": [{"name": "n", "domain": 5}, )" + vector(more) + "]");
        return record.attributes()[1].mechanism;
    };
    BOOST_CHECK_EQUAL(in_record(R"(, "norm": 1)"), "ball");
    BOOST_CHECK_NE(in_record(R"(, "norm": 1, "estimate": "ranges")"), "ball");
    for (const std::string& wrong : std::vector<std::string>{
             unit_attributes(16) + R"(, "norm": 5)", R"("domain": 5, "norm": 1)", alone + R"(, "norm": "1")",
             R"("attributes": [{"name": "n", "domain": 5}, )" + vector(R"(, "norm": 0)") + "]",
             R"("norm": 1, "attributes": [{"name": "n", "domain": 5}, )" + vector("") + "]"})
        BOOST_CHECK_EXCEPTION(static_cast<void>(chosen(wrong)), Error,
                              [](const Error& error) { return error.code() == ErrorCode::invalid_spec; });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Vectors with normal noise: (ε, δ) by enumeration, the law to its last digits, lengths, estimates, health.

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "core/proof/attack.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(gaussian_noise)

namespace {

std::unique_ptr<const Mechanism> gaussian(double epsilon, double delta, std::size_t d,
                                          const std::string& rest = {}) {
    return mechanism("gaussian", epsilon, unit_attributes(d) + ", \"delta\": " + text(delta) + rest);
}

double parameter(const Mechanism& m, const std::string& name) {
    for (const auto& [key, value] : m.parameters())
        if (key == name) return value;
    BOOST_FAIL("no parameter " << name);
    return 0;
}

double half(const Mechanism& m) {
    return parameter(m, "grid") / 2;
}
/// In grid steps, exactly: a float times a power of two.
double sigma(const Mechanism& m) {
    return parameter(m, "sigma") * half(m);
}
double square(double number) {
    return number * number;
}

/// Outputs, as steps from the middle of their range.
std::vector<double> outputs(const Mechanism& m, Bytes payload) {
    const std::size_t d = m.cells().size(), width = payload.size() / d;
    std::vector<double> all;
    for (std::size_t j = 0; j < d; ++j)
        all.push_back(static_cast<double>(load_cell(payload.data() + j * width, width)) - half(m) -
                      std::ceil(12 * sigma(m)) - 1);
    return all;
}

/// What an input is made to before noise comes on top: the noise is 0 where every coin shows tails.
std::vector<double> noiseless(const Mechanism& m, Input input) {
    struct Tails final : BitSource {
        std::uint64_t word() override { throw std::logic_error("a word was asked for"); }
        std::uint64_t fair(unsigned) override { return 0; }
        bool lands(Uint128, unsigned) override { return false; }
    } bits;
    std::vector<std::byte> payload(m.payload_size());
    m.permanent_response(input, {}, bits, payload);
    return outputs(m, payload);
}

double length(std::span<const double> vector) {
    double squares = 0;
    for (const double number : vector) squares += square(number);
    return std::sqrt(squares);
}

std::string why(const std::string& rest) {
    try {
        static_cast<void>(
            resolve(R"({"mechanism": "gaussian", "epsilon": 1, )" + unit_attributes(2) + rest + "}"));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

// All inputs of small grids, all outputs, and for each pair the exact δ that ε needs. Where the grid is fine
// beside the noise, it is nearly what is declared: a little less noise would need more.
BOOST_AUTO_TEST_CASE(it_keeps_epsilon_but_for_delta, *boost::unit_test::label("slow")) {
    BOOST_CHECK_GT(prove_but_for_delta(*gaussian(1, 1e-3, 2, R"(, "grid": 2)")), 0.97e-3);
    BOOST_CHECK_GT(prove_but_for_delta(*gaussian(2, 1e-3, 2, R"(, "grid": 2)")), 0.9e-3);
    static_cast<void>(prove_but_for_delta(*gaussian(8, 1e-3, 2, R"(, "grid": 4, "norm": 0.5)")));
    static_cast<void>(prove_but_for_delta(*gaussian(4, 1e-6, 2, R"(, "grid": 2)")));
    static_cast<void>(prove_but_for_delta(*gaussian(20, 1e-3, 3, R"(, "grid": 2)")));
}

// What δ is declared is what the stated law needs, by its own formula, and no noise is wasted; also where
// outputs are too many to follow.
BOOST_AUTO_TEST_CASE(noise_is_the_least_that_delta_allows, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const double delta : {1e-15, 1e-9, 1e-3})
            for (const std::size_t d : {std::size_t{2}, std::size_t{4096}})
                for (const char* norm : {"", R"(, "norm": 0.5)"}) {
                    const auto m = gaussian(epsilon, delta, d, norm);
                    BOOST_TEST_CONTEXT(epsilon << " " << delta << " " << d << norm) {
                        BOOST_CHECK_EQUAL(m->delta(), delta);
                        BOOST_CHECK_LE(m->worst_delta(), delta);
                        BOOST_CHECK_GT(m->worst_delta(), delta * (1 - 1e-4));
                        BOOST_CHECK_THROW(static_cast<void>(m->worst_ratio()), Error);
                    }
                }
}

BOOST_AUTO_TEST_CASE(it_promises_no_ratio) {
    BOOST_CHECK_EXCEPTION(static_cast<void>(gaussian(1, 1e-9, 4)->worst_ratio()), Error,
                          [](const Error& error) { return error.code() == ErrorCode::unsupported; });
}

// The distance of two inputs in standard deviations at which normal noise needs δ, worked out in 40 digits
// from Balle and Wang's theorem 8. With the whole cube the distance is 2√d, and nothing is added to it.
BOOST_AUTO_TEST_CASE(noise_is_that_of_the_literature) {
    const struct {
        double epsilon, delta, distance;
    } known[] = {{0.5, 1e-6, 0.12410614903052813}, {1, 1e-6, 0.23670438066343571},
                 {1, 1e-9, 0.18197480729533226},   {2, 1e-9, 0.35154981589778069},
                 {4, 1e-6, 0.83785875708999806},   {8, 1e-9, 1.2622484649604332}};
    for (const auto& [epsilon, delta, distance] : known)
        for (const std::size_t d : {std::size_t{2}, std::size_t{9}, std::size_t{256}})
            BOOST_CHECK_CLOSE_FRACTION(parameter(*gaussian(epsilon, delta, d), "sigma"),
                                       2 * std::sqrt(static_cast<double>(d)) / distance, 1e-6);
}

// Against the integral of the normal density over each whole number, in 50 digits: the drawn probability is
// within the relative error that δ pays for, out to 11.9 standard deviations.
BOOST_AUTO_TEST_CASE(the_law_is_normal_to_its_last_digits) {
    using Wide = boost::multiprecision::cpp_bin_float_50;
    for (const char* rest : {R"(, "grid": 2)", R"(, "grid": 64)", R"(, "norm": 1)", R"(, "grid": 1048576)"}) {
        const auto m = gaussian(1, 1e-6, 2, rest);
        const double s = sigma(*m), allowed = (s + 2) * 0x1p-52;
        const std::vector<Cell> middle(2, m->cells()[0] / 2);
        const std::size_t width = m->payload_size() / 2;
        const auto at_least = [&](std::uint64_t number) {
            return Wide(boost::math::erfc(Wide(number) / (sqrt(Wide(2)) * Wide(s))));
        };
        const auto law = [&](std::uint64_t number) { return (at_least(number) - at_least(number + 1)) / 2; };
        const auto first = static_cast<std::uint64_t>(std::ceil(12 * s)) + 1 + m->cells()[0] / 2;
        for (int i = 0; i < 120; ++i) {
            const auto a = static_cast<std::uint64_t>(11.9 * s * i / 120),
                       b = static_cast<std::uint64_t>(11.9 * s * (119 - i) / 120);
            std::vector<std::byte> payload(m->payload_size());
            store_cell(payload.data(), width, first + a);
            store_cell(payload.data() + width, width, first - 1 - b);
            const Wide ratio =
                Wide(static_cast<long double>(m->probability(middle, {}, payload))) / (law(a) * law(b));
            BOOST_CHECK_LT(std::abs(static_cast<double>(log(ratio))), 2 * allowed + 1e-18);
        }
    }
}

BOOST_AUTO_TEST_CASE(vectors_are_shortened_to_the_norm_and_no_further) {
    for (const auto& [d, steps, norm] : {std::tuple<std::size_t, int, double>{2, 40, 0.5},
                                         {2, 40, 1},
                                         {2, 40, 1.3},
                                         {3, 12, 0.75},
                                         {4, 6, 1}}) {
        const auto m =
            gaussian(1, 1e-6, d, ", \"grid\": " + std::to_string(steps) + ", \"norm\": " + text(norm));
        const double sign_vector = std::sqrt(static_cast<double>(d)),
                     radius = std::min(norm * half(*m) + sign_vector, sign_vector * half(*m));
        std::size_t shortened = 0;
        for_each_input(*m, [&](Input input) {
            std::vector<double> given;
            for (const Cell cell : input) given.push_back(static_cast<double>(cell) - half(*m));
            const std::vector<double> made = noiseless(*m, input);
            BOOST_REQUIRE_LE(length(made), radius * (1 + 1e-12));
            if (length(given) <= radius) {
                BOOST_REQUIRE(made == given);
                return;
            }
            ++shortened;
            for (std::size_t j = 0; j < d; ++j) {
                const double wanted = given[j] * radius / length(given);
                BOOST_REQUIRE_LE(std::abs(made[j]), std::abs(wanted) + 1e-9);
                BOOST_REQUIRE_GT(std::abs(made[j]), std::abs(wanted) - 1 - 1e-9);
            }
        });
        BOOST_CHECK_GT(shortened, 0);
    }
}

// Rounding to the grid moves no vector of at most the norm so far that it would be shortened.
BOOST_AUTO_TEST_CASE(vectors_of_the_norm_are_not_shortened) {
    SeededBits bits(2207);
    const auto m = gaussian(1, 1e-6, 16, R"(, "norm": 1)");
    for (int i = 0; i < 200; ++i) {
        std::vector<double> direction;
        for (int j = 0; j < 16; ++j) direction.push_back(static_cast<double>(bits.below(2001)) - 1000);
        std::vector<Cell> input;
        std::vector<double> given;
        for (const double number : direction) {  // to the grid point further from 0
            const double at = number / length(direction) * half(*m);
            given.push_back(at < 0 ? std::floor(at) : std::ceil(at));
            input.push_back(static_cast<Cell>(given.back() + half(*m)));
        }
        BOOST_REQUIRE(noiseless(*m, input) == given);
    }
}

BOOST_AUTO_TEST_CASE(estimates_of_vectors, *boost::unit_test::label("slow")) {
    // People who are all alike: the sample is the population.
    const auto m = mechanism("gaussian", 4,
                             R"("delta": 1e-6, "norm": 0.75, "grid": 64, "attributes": [
        {"name": "a", "min": 0, "max": 10}, {"name": "b", "min": -1, "max": 1}, {"name": "c", "min": -1, "max": 1}])");
    const std::vector<Cell> person{48, 24, 32};  // 7.5, -0.25, 0
    constexpr std::size_t n = 40;
    const auto means = simulate(*m, std::vector(n, person), {7.5, -0.25, 0}, Quantity::means, 8000, 2201);
    means.check_unbiased();
    means.check_coverage();
    for (std::size_t j = 0; j < 3; ++j) means.check_variance(j, m->n_variance(0) * (j == 0 ? 25 : 1) / n);
    BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), square(parameter(*m, "sigma")) + 1.0 / 12 / 1024, 1e-9);

    // Half of them at one end: all the spread there can be.
    SeededBits bits(2202);
    Simulation means_of_all, groups;
    for (int r = 0; r < 6000; ++r) {
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < n; ++i)
            summary.draw(bits.fair(1) == 0 ? std::vector<Cell>{32, 32, 48} : std::vector<Cell>{32, 48, 48},
                         bits);
        means_of_all.add(summary.estimate(Quantity::means, Target::population), {5, 0.25, 0.5});
        groups.add({group_mean(summary.view(), 1, 2, Target::population)}, {0.375});
    }
    means_of_all.check_unbiased();
    means_of_all.check_coverage();
    groups.check_unbiased();
    groups.check_coverage();
    means_of_all.check_variance(1, (m->n_variance(0) + 0.0625) / n);
    groups.check_variance(0, (m->n_variance(0) / 2 + 0.0625 / 4) / n);
}

// The variance of a whole part, by summing over its law, also where the noise is of the grid's order.
BOOST_AUTO_TEST_CASE(variances_are_exact) {
    for (const double epsilon : {1.0, 8.0, 20.0}) {
        const auto m = gaussian(epsilon, 1e-3, 2, R"(, "grid": 2)");
        const double s = sigma(*m);
        double variance = 0;
        for (double number = 0; number < 12 * s; ++number)
            variance += square(number + 0.5) *
                        (std::erfc(number / std::sqrt(2) / s) - std::erfc((number + 1) / std::sqrt(2) / s));
        BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), variance / square(half(*m)), 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(honest_vectors_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(2203);
    for (const auto& m : {gaussian(2, 1e-6, 2), gaussian(8, 1e-3, 2, R"(, "grid": 2)"),
                          gaussian(4, 1e-9, 20, R"(, "norm": 1)")})
        for (const std::size_t people : {1, 3, 10, 100})
            for (int r = 0; r < 300; ++r) {
                OwnedSummary summary(*m);
                for (std::size_t i = 0; i < people; ++i) {
                    std::vector<Cell> person(m->cells());
                    for (std::size_t j = 0; j < person.size(); ++j)
                        person[j] =
                            (r % 3 == 2 ? i + j : static_cast<std::size_t>(r % 3)) % 2 * (person[j] - 1);
                    summary.draw(person, bits);
                }
                BOOST_REQUIRE_GT(summary.health(), 1e-6);
            }
}

// One attribute pushed, or every attribute a little, which only the length of the whole shows.
BOOST_AUTO_TEST_CASE(floods_of_vectors_are_seen) {
    SeededBits bits(2204);
    const auto m = gaussian(4, 1e-9, 16, R"(, "norm": 1)");
    const std::vector<Cell> middle(16, m->cells()[0] / 2);
    const std::size_t width = m->payload_size() / 16;
    OwnedSummary pushed(*m), longer(*m);
    for (int i = 0; i < 4000; ++i) {
        Report report = m->perturb(middle, bits);
        std::byte* const payload = report.data() + m->block().size();
        const auto push = [&](std::size_t j, double steps) {
            std::byte* const at = payload + j * width;
            store_cell(at, width, load_cell(at, width) + static_cast<std::uint64_t>(steps));
        };
        Report whole = report;
        push(3, 1.5 * half(*m));
        pushed.add(report);
        report = whole;
        for (std::size_t j = 0; j < 16; ++j) push(j, 0.8 * half(*m));
        longer.add(report);
    }
    BOOST_CHECK_LT(pushed.health(), 1e-9);
    const auto checks = health(longer.view());
    BOOST_REQUIRE_EQUAL(checks.size(), 3);
    BOOST_CHECK_EQUAL(checks[0].p_value, 1);
    BOOST_CHECK_EQUAL(checks[1].p_value, 1);
    BOOST_CHECK_LT(checks[2].p_value, 1e-9);
}

BOOST_AUTO_TEST_CASE(attacks_show_no_more_than_was_promised) {
    const auto m = gaussian(4, 1e-3, 2, R"(, "grid": 2)");
    std::vector<Cell> first(2, 0), second;
    for (const std::uint64_t each : m->cells()) second.push_back(each - 1);
    Series series;
    series.first = first;
    series.second = second;
    series.rounds = 3;
    series.fresh = true;
    BOOST_CHECK_EQUAL(series.promised(*m), 12);
    BOOST_CHECK_EQUAL(series.promised_delta(*m), 3e-3);
    SeededBits bits(2205);
    const LowerBound found = attack(*m, series, 4000, 1 - 1e-9, bits);
    BOOST_CHECK_LE(found.epsilon, 12);
    BOOST_CHECK_GT(found.epsilon, 1);
}

// An event with probability at most δ in one kind of report has no information on ε.
BOOST_AUTO_TEST_CASE(attacks_leave_delta_out) {
    std::vector<double> first(20000), second(20000);
    for (std::size_t i = 0; i < 20000; i += 100) second[i] = 1;
    BOOST_CHECK_GT(attack(first, second, 0.99).epsilon, 2);
    BOOST_CHECK_EQUAL(attack(first, second, 0.99, 0.02).epsilon, 0);
}

BOOST_AUTO_TEST_CASE(specs_that_cannot_be_are_refused) {
    BOOST_TEST(why(R"(, "delta": 1e-9)") == "");
    for (const char* delta :
         {"", R"(, "delta": 0)", R"(, "delta": 0.01)", R"(, "delta": 1e-16)", R"(, "delta": -1)"})
        BOOST_TEST(why(delta) == "\"delta\" must be a number from 1e-15 to 0.001");
    BOOST_TEST(why(R"(, "delta": 1e-9, "norm": 1.5)") ==
               "\"norm\" must be a number above 0 and at most 1.4142135623730951");
    BOOST_TEST(why(R"(, "delta": 1e-9, "norm": -1)") ==
               "\"norm\" must be a number above 0 and at most 1.4142135623730951");
    BOOST_TEST(why(R"(, "delta": 1e-9, "grid": 5)") == "\"grid\" must be even");
    BOOST_TEST(why(R"(, "delta": 1e-9, "evolving": {}, "budget": {"epsilon": 5})") ==
               "responses with a delta cannot be memoized");
    const Spec spec =
        resolve(R"({"mechanism": "gaussian", "epsilon": 1, "delta": 1e-9, )" + unit_attributes(2) + "}");
    BOOST_CHECK_EQUAL(spec.delta(), 1e-9);
    BOOST_CHECK_EQUAL(Spec::from_json(spec.to_json()).to_json(), spec.to_json());
    BOOST_CHECK_THROW(static_cast<void>(mechanism(R"({"mechanism": "sampled", "epsilon": 1, "attributes": [
        {"name": "a", "min": 0, "max": 1, "mechanism": "gaussian"}, {"name": "b", "domain": 2}]})")),
                      Error);
}

BOOST_AUTO_TEST_CASE(forged_parameters_of_gaussian_are_refused) {
    const auto m = gaussian(1, 1e-9, 3, R"(, "norm": 1)");
    const auto with = [&](std::size_t at, auto value) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size + at, value);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    const auto sigma_at = load<float>(m->block().data() + header_size + 24);
    BOOST_CHECK(!with(24, sigma_at));
    for (const float less : {sigma_at * (1 - 1e-6f), 0.0f, -1.0f, NAN, INFINITY, 1e30f})
        BOOST_CHECK(with(24, less));
    for (const std::uint32_t d : {1u, 2u, 4u, 5000u}) BOOST_CHECK(with(0, d));
    for (const std::uint32_t steps : {0u, 1u, 1023u, 1u << 21}) BOOST_CHECK(with(4, steps));
    for (const double delta : {0.0, 0.9e-9, 0.5, -1.0, double{NAN}}) BOOST_CHECK(with(8, delta));
    for (const double norm : {0.0, 1.01, 2.0, -1.0, double{NAN}}) BOOST_CHECK(with(16, norm));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Vectors: duchi_vector, haar with ranges, aims and global details, and the shrinkage of its details.
//
// Length: haar and duchi_vector are tested by the same small vectors.

#include <cmath>
#include <map>
#include <numeric>
#include <ranges>

#include "core/base/error.hpp"
#include "core/channel/binary.hpp"
#include "core/channel/sign_vector.hpp"
#include "core/mechanism/vector/haar_vector.hpp"
#include "core/summary/queries/shrink.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

namespace {

double square(double number) {
    return number * number;
}

std::unique_ptr<const Mechanism> vector_of(const std::string& name, double epsilon, std::size_t d,
                                           const std::string& rest = {}) {
    return mechanism(name, epsilon, unit_attributes(d) + rest);
}

/// "coefficients": the first few as given, the others on [−1,1].
std::string coefficients(std::size_t d, const std::vector<std::string>& first) {
    std::string list;
    for (std::size_t c = 0; c < d; ++c)
        list += (c == 0 ? "" : ", ") + (c < first.size() ? first[c] : std::string("[-1, 1]"));
    return ", \"coefficients\": [" + list + "]";
}

double parameter(const Mechanism& m, const std::string& name) {
    for (const auto& [key, value] : m.parameters())
        if (key == name) return value;
    BOOST_FAIL("no parameter " << name);
    return 0;
}

/// The leaves of an input, on [−1,1].
std::vector<double> leaves_of(const Mechanism& m, Input input) {
    std::vector<double> leaves;
    for (const Cell cell : input)
        leaves.push_back(2 * static_cast<double>(cell) / static_cast<double>(m.cells()[0] - 1) - 1);
    return leaves;
}

/// A report's payload as the only one of a summary.
OwnedSummary one_report(const Mechanism& m, Bytes permanent) {
    OwnedSummary summary(m);
    Report report(m.block().begin(), m.block().end());
    report.insert(report.end(), permanent.begin(), permanent.end());
    summary.add(report);
    return summary;
}

/// Mean and variance of what one report leads to, over its exact law.
struct Law {
    double mean = 0, square = 0;
    void add(double p, double value) {
        mean += p * value;
        square += p * value * value;
    }
    [[nodiscard]] double variance() const { return square - mean * mean; }
};

/// Repetitions of a collection whose answer is read off by `ask`.
template <class Ask>
Simulation repeat(const Mechanism& m, const std::function<std::vector<Cell>(std::size_t, BitSource&)>& person,
                  std::size_t people, const std::vector<double>& truth, std::size_t repetitions,
                  std::uint64_t seed, Ask ask) {
    SeededBits bits(seed);
    Simulation simulation;
    for (std::size_t r = 0; r < repetitions; ++r) {
        OwnedSummary summary(m);
        for (std::size_t i = 0; i < people; ++i) summary.draw(person(i, bits), bits);
        simulation.add(ask(summary), truth);
    }
    return simulation;
}

std::vector<Estimate> groups(const OwnedSummary& summary, Target target,
                             const std::vector<std::pair<std::size_t, std::size_t>>& wanted) {
    std::vector<Estimate> found;
    for (const auto& [first, last] : wanted) found.push_back(group_mean(summary.view(), first, last, target));
    return found;
}

/// How likely each coefficient is drawn: a user's one draw gives a greater number a later coefficient, so
/// that halving finds the numbers of each.
std::vector<double> draw_probabilities(const Mechanism& m) {
    struct Drawn final : BitSource {
        std::uint64_t word() override { throw std::logic_error("a word was asked for"); }
        std::uint64_t below(std::uint64_t all) override { return bound = all, number; }
        std::uint64_t number = 0, bound = 0;
    } bits;
    std::vector<std::byte> public_randomness(m.public_size());
    const auto coefficient = [&](std::uint64_t number) {
        bits.number = number;
        m.draw_public(bits, public_randomness);
        return std::to_integer<std::size_t>(public_randomness[0]);
    };
    static_cast<void>(coefficient(0));  // returns the number of values
    std::vector<double> drawn;
    for (std::uint64_t first = 0, next = 0; first < bits.bound; first = next) {
        const auto rest = std::views::iota(first, bits.bound);
        next = *std::ranges::partition_point(
            rest, [&](std::uint64_t number) { return coefficient(number) <= drawn.size(); });
        drawn.push_back(static_cast<double>(next - first) / static_cast<double>(bits.bound));
    }
    return drawn;
}

/// Weight of each coefficient in the sum of leaves from..to, by the inverse of unit vectors.
std::vector<double> weights_of_sum(std::size_t d, std::size_t from, std::size_t to) {
    const HaarTree tree(d);
    std::vector<double> weights(d);
    for (std::size_t c = 0; c < d; ++c) {
        std::vector<double> unit(d), leaves(d);
        unit[c] = 1;
        tree.inverse(unit, leaves);
        for (std::size_t j = from; j <= to; ++j) weights[c] += leaves[j];
    }
    return weights;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sign_vectors)

BOOST_AUTO_TEST_CASE(duchi_vector_keeps_epsilon) {
    for (const double epsilon : epsilons) {
        for (const std::size_t d : {2, 3, 4}) prove(*vector_of("duchi_vector", epsilon, d, ", \"grid\": 2"));
        prove(*vector_of("duchi_vector", epsilon, 3, ", \"grid\": 3"));
    }
}

BOOST_AUTO_TEST_CASE(sampler_does_what_its_probabilities_say) {
    // Every word: the coin on its rare side or not, each t, each draw of v.
    struct ScriptedSampler final : BitSource {
        std::vector<std::uint64_t> words, draws;
        std::size_t word_at = 0, draw_at = 0;
        std::uint64_t word() override { return words.at(word_at++); }
        std::uint64_t below(std::uint64_t bound) override {
            BOOST_REQUIRE_LT(draws.at(draw_at), bound);
            return draws[draw_at++];
        }
    };
    constexpr std::uint64_t steps = 3;
    for (const std::size_t d : {1, 2, 3, 4})
        for (const double epsilon : {0.5, 3.0}) {
            const SignVectorChannel channel(d, epsilon);
            const Exact far = exact(1, 1) / (exact(1, 1) + channel.worst_ratio());
            std::vector<std::uint64_t> cells(d);
            for (std::size_t j = 0; j < d; ++j) cells[j] = (2 * j + 1) % (steps + 1);
            std::map<unsigned, Exact> found;
            for (const bool rare : {true, false})
                for (std::uint64_t t = 0; t < 1u << d; ++t)
                    for (std::uint64_t number = 0; number < std::pow(steps, d); ++number) {
                        ScriptedSampler bits;
                        bits.words = {rare ? 0 : ~std::uint64_t{0}, t | ~std::uint64_t{0} << d};
                        for (std::uint64_t left = number, j = 0; j < d; ++j, left /= steps)
                            bits.draws.push_back(left % steps);
                        std::byte sign_vector[1];
                        channel.sample(cells, steps, bits, sign_vector);
                        const Exact p = (rare ? far : far.complement()) *
                                        exact(1, static_cast<std::uint64_t>(std::pow(2 * steps, d)));
                        Exact& sum = found.try_emplace(std::to_integer<unsigned>(sign_vector[0]), exact(0, 1))
                                         .first->second;
                        sum = sum + p;
                    }
            std::vector<Exact> plus;
            for (const std::uint64_t cell : cells) plus.push_back(exact(cell, steps));
            BOOST_CHECK_EQUAL(found.size(), std::size_t{1} << d);
            for (const auto& [sign_vector, p] : found) {
                const std::byte bytes[] = {static_cast<std::byte>(sign_vector)};
                BOOST_CHECK(p == channel.probability(plus, bytes));
            }
        }
}

BOOST_AUTO_TEST_CASE(words_drawn_do_not_tell_the_values) {
    for (const auto& m :
         {vector_of("duchi_vector", 1, 70), vector_of("haar", 1, 70, R"(, "details": "global")")}) {
        std::vector<unsigned> words;
        for (const Cell cell : {0, 1, 16384, 32768}) {
            CountedBits bits(5);
            static_cast<void>(m->perturb(std::vector<Cell>(70, cell), bits));
            words.push_back(bits.words);
        }
        BOOST_CHECK_EQUAL(std::ranges::count(words, words[0]), 4);
    }
}

BOOST_AUTO_TEST_CASE(magnitude_agrees_with_golden_constants) {
    // The constants for even d are those of the published mechanism, where ties cost (1 + C(d,d/2)/2^d).
    const std::map<std::size_t, double> ties{{2, 1.5}, {15, 1}, {16, 1 + 12870.0 / 65536}};
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"})
        for (const auto& [d, factor] : ties)
            BOOST_CHECK_CLOSE_FRACTION(
                parameter(*vector_of("duchi_vector", std::stod(epsilon), d), "magnitude"),
                golden("duchi_vector", std::string("epsilon=") + epsilon + ";d=" + std::to_string(d), "B") /
                    factor,
                1e-9);
}

BOOST_AUTO_TEST_CASE(magnitude_is_exact_for_all_sizes) {
    // C(d−1, ⌊(d−1)/2⌋)/2^{d−1} in whole numbers, divided once.
    for (std::size_t d = 1; d <= 4096; ++d) {
        const std::size_t m = d - 1, k = m / 2;
        if (d > 40 && d % 97 != 0 && d < 4095) continue;
        const Exact c = power(exact(2, 1), static_cast<unsigned>(m)) / subsets(m, k), one = exact(1, 1);
        const Exact odds = SignVectorChannel(d, 0.01).worst_ratio();
        const Exact expected = c * (odds + one) / (odds - one);
        BOOST_CHECK_CLOSE_FRACTION(SignVectorChannel(d, 0.01).magnitude(), static_cast<double>(expected),
                                   1e-12);
    }
}

BOOST_AUTO_TEST_CASE(reports_have_the_stated_moments) {
    // At every input: E[B·t] = x, E[(B·t_j)²] = B² and E[t_j t_k] = 0, so that a·(B·t) has variance
    // B²|a|² − (a·x)².
    for (const std::size_t d : {2, 3, 4}) {
        const auto m = vector_of("duchi_vector", 1.5, d, ", \"grid\": 2");
        const double b = parameter(*m, "magnitude");
        for_each_input(*m, [&](Input input) {
            const auto x = leaves_of(*m, input);
            std::vector<double> mean(d);
            std::vector<double> products(d * d);
            Law sum;  // of Σ j·y_j
            for_each_permanent(*m, {}, [&](Bytes permanent) {
                const auto p = static_cast<double>(m->probability(input, {}, permanent));
                const auto y = one_report(*m, permanent).estimate(Quantity::means);
                double all = 0;
                for (std::size_t j = 0; j < d; ++j) {
                    mean[j] += p * y[j].value;
                    all += static_cast<double>(j + 1) * y[j].value;
                    for (std::size_t k = 0; k < d; ++k) products[j * d + k] += p * y[j].value * y[k].value;
                }
                sum.add(p, all);
            });
            double squares = 0, combination = 0;
            for (std::size_t j = 0; j < d; ++j) {
                BOOST_CHECK_SMALL(mean[j] - x[j], 1e-12);
                for (std::size_t k = 0; k < d; ++k)
                    BOOST_CHECK_SMALL(products[j * d + k] - (j == k ? b * b : 0), 1e-11);
                squares += square(static_cast<double>(j + 1));
                combination += static_cast<double>(j + 1) * x[j];
            }
            BOOST_CHECK_CLOSE_FRACTION(sum.variance(), b * b * squares - square(combination), 1e-10);
        });
    }
}

BOOST_AUTO_TEST_CASE(duchi_vector_estimates, *boost::unit_test::label("slow")) {
    // Five attributes on two ranges, people who are all alike: the sample is the population.
    const auto m = mechanism("duchi_vector", 1.5,
                             R"("grid": 1000, "attributes": [{"name": "a", "min": 0, "max": 10},
        {"name": "b", "min": 0, "max": 10}, {"name": "c", "min": -1, "max": 1}, {"name": "d", "min": -1, "max": 1},
        {"name": "e", "min": -1, "max": 1}])");
    const std::vector<double> x{0, -1, 0.5, 1, 1};
    const std::vector<Cell> person{500, 0, 750, 1000, 1000};
    constexpr std::size_t n = 300;
    const auto means = simulate(*m, std::vector(n, person), {5, 0, 0.5, 1, 1}, Quantity::means, 8000, 901);
    means.check_unbiased();
    means.check_coverage();
    for (std::size_t j = 0; j < 5; ++j) means.check_variance(j, m->n_variance(x[j]) * (j < 2 ? 25 : 1) / n);

    const auto alike = [&](std::size_t, BitSource&) { return person; };
    const auto all = repeat(*m, alike, n, {2.5, 2.5 / 3, 1}, 8000, 902, [&](const OwnedSummary& summary) {
        const auto found = groups(summary, Target::sample, {{0, 1}, {2, 4}, {4, 4}});
        const auto fifth = summary.estimate(Quantity::means)[4];
        BOOST_REQUIRE_SMALL(found[2].value - fifth.value, 1e-12);
        BOOST_REQUIRE_SMALL(found[2].standard_error - fifth.standard_error, 1e-12);
        return found;
    });
    all.check_unbiased();
    all.check_coverage();
    const double b = parameter(*m, "magnitude");
    all.check_variance(0, (b * b * 2 * square(2.5) - square(2.5)) / n);
    all.check_variance(1, (b * b * 3 / 9 - square(2.5 / 3)) / n);
}

BOOST_AUTO_TEST_CASE(duchi_vector_covers_populations, *boost::unit_test::label("slow")) {
    // People at opposite corners: all sampling error there can be.
    const auto m = vector_of("duchi_vector", 4, 3, ", \"grid\": 10");
    const auto person = [](std::size_t, BitSource& bits) {
        return std::vector<Cell>(3, bits.below(10) < 7 ? 0 : 10);
    };
    const auto means = repeat(
        *m, person, 300, {-0.4, -0.4, -0.4}, 6000, 903,
        [](const OwnedSummary& summary) { return summary.estimate(Quantity::means, Target::population); });
    means.check_unbiased();
    means.check_coverage();
    means.check_variance(0, m->n_variance(-0.4) / 300);
    const auto all = repeat(*m, person, 300, {-0.4}, 6000, 904, [&](const OwnedSummary& summary) {
        return groups(summary, Target::population, {{0, 2}});
    });
    all.check_unbiased();
    all.check_coverage();
}

BOOST_AUTO_TEST_CASE(honest_corners_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(905);
    for (const auto& m :
         {vector_of("duchi_vector", 2, 2, ", \"grid\": 10"),
          vector_of("duchi_vector", 2, 65, ", \"grid\": 10"),
          vector_of("haar", 2, 2, R"(, "grid": 10, "details": "global")"),
          vector_of("haar", 2, 33, R"(, "grid": 10, "details": "global", "randomizer": "hybrid")")})
        for (const std::size_t people : {1, 3, 10, 100})
            for (int r = 0; r < 300; ++r) {
                OwnedSummary summary(*m);
                for (std::size_t i = 0; i < people; ++i) {
                    std::vector<Cell> person(m->cells().size());
                    for (std::size_t j = 0; j < person.size(); ++j)
                        person[j] = (r % 3 == 2 ? i + j : static_cast<std::size_t>(r % 3)) % 2 * 10;
                    summary.draw(person, bits);
                }
                BOOST_REQUIRE_GT(summary.health(), 1e-6);
            }
}

BOOST_AUTO_TEST_CASE(floods_of_corners_are_seen) {
    const auto check = [](const Mechanism& m, const std::function<unsigned(int)>& flood, double share,
                          const std::string& name) {
        SeededBits bits(906);
        const std::vector<Cell> person(m.cells().size(), 5);
        OwnedSummary summary(m);
        for (int i = 0; i < 4000; ++i) {
            Report report = m.perturb(person, bits);
            if (i < 4000 * share)
                for (std::size_t at = 1; at <= 2; ++at)
                    report[report.size() - at] = static_cast<std::byte>(flood(i) >> (at == 1 ? 8 : 0));
            summary.add(report);
        }
        double least = 1;
        for (const Check& each : m.health({4000, summary.state()}))
            if (each.name == name) least = each.p_value;
        BOOST_CHECK_LT(least, 1e-6);
    };
    const auto m = vector_of("duchi_vector", 1, 16, ", \"grid\": 10");
    check(
        *m, [](int) { return 0xFFFFu; }, 0.02, "variance of ones per report");
    check(
        *m, [](int i) { return i % 2 == 0 ? 0x5555u : 0xAAAAu; }, 0.7, "variance of ones per report");
    check(
        *m, [](int) { return 0x0F0Fu; }, 0.5, "mean within its range");
    const auto haar = vector_of("haar", 1, 17, R"(, "grid": 10, "details": "global")");
    check(
        *haar, [](int) { return 0xFFFFu; }, 0.05, "details: variance of ones per report");
}

BOOST_AUTO_TEST_CASE(forged_corners_are_refused) {
    const auto m = vector_of("duchi_vector", 1, 11);
    SeededBits bits(907);
    Report report = m->perturb(std::vector<Cell>(11, 3), bits);
    OwnedSummary summary(*m);
    summary.add(report);
    BOOST_CHECK(m->valid_state({1, summary.state()}));
    report.back() |= std::byte{0x08};
    auto bytes = summary.bytes();
    BOOST_CHECK(accumulate(*m, bytes, report) == Outcome::malformed);
    BOOST_CHECK(bytes == summary.bytes());
    // Squares that no sign vectors with this number of ones have.
    for (const std::uint64_t forged : {std::uint64_t{0}, std::uint64_t{122}, ~std::uint64_t{0}}) {
        auto state = std::vector<std::byte>(summary.state().begin(), summary.state().end());
        store(state.data() + state.size() - sizeof(Uint128), forged);
        BOOST_CHECK(!m->valid_state({1, state}));
        // Merging it is nonsense, but safe.
        m->merge(state, state);
        BOOST_CHECK_EQUAL(m->estimate({2, state}, {Quantity::means}).size(), 11u);
    }
}

BOOST_AUTO_TEST_CASE(forged_parameters_of_duchi_vector_are_refused) {
    const auto m = vector_of("duchi_vector", 1, 5);
    const auto with = [&](std::size_t at, std::uint32_t value) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size + at, value);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    for (const std::uint32_t d : {0u, 1u, 4u, 6u, 4097u, 0xFFFFFFFFu}) BOOST_CHECK(with(0, d));
    for (const std::uint32_t steps : {0u, 1u, 1048577u, 0xFFFFFFFFu}) BOOST_CHECK(with(4, steps));
    BOOST_CHECK(!with(4, 7));
    for (const std::uint32_t length : {0u, 4u, 6u, 0xFFFFFFFFu}) BOOST_CHECK(with(10, length));
}

BOOST_AUTO_TEST_CASE(the_largest_vectors_work) {
    SeededBits bits(908);
    for (const auto& m :
         {vector_of("duchi_vector", 4, 4096), vector_of("haar", 4, 4096, R"(, "details": "global")"),
          vector_of("haar", 4, 4096, R"(, "optimize_for": "ranges")")}) {
        OwnedSummary summary(*m);
        std::vector<Cell> person(4096);
        for (std::size_t j = 0; j < person.size(); ++j) person[j] = 8 * j;
        for (int i = 0; i < 40; ++i) summary.draw(person, bits);
        BOOST_CHECK(m->valid_state({40, summary.state()}));
        BOOST_CHECK_EQUAL(summary.estimate(Quantity::means).size(), 4096u);
        BOOST_CHECK_GT(summary.health(), 1e-6);
    }
    for (const std::string rest : {"", R"(, "details": "global")"}) {
        const Cost small = vector_of("haar", 4, 1024, rest)->cost(),
                   large = vector_of("haar", 4, 4096, rest)->cost();
        BOOST_CHECK_LE(large.per_report, 4 * small.per_report);
        BOOST_CHECK_LE(large.per_answer, 4 * small.per_answer);
    }
    const auto m = vector_of("duchi_vector", 4, 4096);
    BOOST_CHECK_EQUAL(m->payload_size(), 512u);
    // The overall mean of a vector whose attributes are nearly alike is known far better than any of them.
    OwnedSummary summary(*m);
    for (int i = 0; i < 400; ++i) summary.add(m->perturb(std::vector<Cell>(4096, 20000), bits));
    const Estimate mean =
        capability<GroupMean>(*m).group_mean({400, summary.state()}, 0, 4095, Target::population);
    BOOST_CHECK_SMALL(mean.value - (2 * 20000.0 / 32768 - 1), 6 * mean.standard_error);
    BOOST_CHECK_LT(mean.standard_error, 0.08);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(haar_mechanism)

BOOST_AUTO_TEST_CASE(ranges_and_aims_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : {0.01, 1.0, 10.0})
        for (const char* aim : {"attributes", "mean", "ranges"})
            for (const std::size_t d : {2, 3, 4})
                for (const std::string& ranges :
                     {std::string(), coefficients(d, {"[-0.5, 1]", "[-0.1, 0.2]", "[0.25, 0.5]"})})
                    prove(
                        *vector_of("haar", epsilon, d,
                                   ", \"grid\": 3, \"optimize_for\": \"" + std::string(aim) + "\"" + ranges));
}

BOOST_AUTO_TEST_CASE(global_details_keep_epsilon, *boost::unit_test::label("slow")) {
    const auto with = [](double epsilon, std::size_t d, const std::string& candidate,
                         const std::string& rest) {
        return vector_of("haar", epsilon, d,
                         ", \"details\": \"global\", \"randomizer\": \"" + candidate + "\"" + rest);
    };
    for (const double epsilon : {0.01, 1.0, 10.0, 20.0}) {
        // The mean and the details at the ends of narrow ranges, all at once: the product is attained.
        for (const char* aim : {"attributes", "mean", "ranges"})
            for (const char* candidate : {"pdp", "hybrid"})
                prove(*with(epsilon, 2, candidate,
                            ", \"grid\": 4, \"optimize_for\": \"" + std::string(aim) + "\"" +
                                coefficients(2, {"[-0.3, 0.3]", "[-0.3, 0.3]"})));
        prove(*with(epsilon, 3, "duchi",
                    ", \"grid\": 2" + coefficients(3, {"[-0.1, 0.1]", "[-0.1, 0.1]", "[-0.1, 0.1]"})));
        prove(*with(
            epsilon, 4, "duchi",
            ", \"grid\": 2" + coefficients(4, {"[-0.1, 0.1]", "[-0.1, 0.1]", "[-0.1, 0.1]", "[-0.1, 0.1]"})));
        // Wide ranges cannot be used to the full at once: the claim is a bound.
        for (const std::size_t d : {2, 3, 4}) {
            const auto m = with(epsilon, d, "duchi", ", \"grid\": 2");
            BOOST_CHECK(worst_of_all(*m) < m->worst_ratio());
            check_worst_ratio(*m);
        }
    }
    // A spec may state another split of epsilon than the best one; the total is kept.
    for (const char* split : {"0.001", "0.1", "0.5", "0.99"}) {
        const auto m = with(1, 2, "pdp",
                            std::string(", \"grid\": 4, \"mean_epsilon\": ") + split +
                                coefficients(2, {"[-0.3, 0.3]", "[-0.3, 0.3]"}));
        BOOST_CHECK_EQUAL(text(parameter(*m, "mean_epsilon")), split);
        prove(*m);
    }
    for (const double epsilon : epsilons)
        if (epsilon > 0.002) check_worst_ratio(*with(epsilon, 4096, "pdp", ""));
    BOOST_CHECK_THROW(static_cast<void>(with(0.001, 4, "pdp", "")), Error);
    // Epsilons whose parts are rounded.
    for (double epsilon = 2.01; epsilon < 8; epsilon += 0.07)
        check_worst_ratio(*with(epsilon, 9, "duchi", ""));
}

// Format ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(canonical_specs_show_what_blocks_carry) {
    const Spec plain = resolve(R"({"mechanism":"haar","epsilon":1,)" + unit_attributes(3) + "}");
    BOOST_CHECK_NE(plain.to_json().find(R"("optimize_for":"attributes")"), std::string::npos);
    BOOST_CHECK_EQUAL(plain.to_json().find("coefficients"), std::string::npos);
    const Spec spec = resolve(R"({"mechanism":"haar","epsilon":1,"details":"global","optimize_for":"mean",
        "coefficients":[[-1,1],[-0.3,0.003],[0,0.1]],)" +
                              unit_attributes(3) + "}");
    const std::vector<UnitRange> outward{{-127, 127}, {-39, 1}, {0, 13}};
    BOOST_CHECK(spec.ranges("coefficients") == outward);
    const Spec again = Spec::from_json(spec.to_json());
    BOOST_CHECK(again.ranges("coefficients") == outward);
    BOOST_CHECK_EQUAL(again.to_json(), spec.to_json());
    BOOST_CHECK(again.fingerprint() == spec.fingerprint());
    BOOST_CHECK(std::ranges::equal(make_mechanism(again)->block(), make_mechanism(spec)->block()));
    BOOST_CHECK_NE(spec.to_json().find("mean_epsilon"), std::string::npos);
    // Every range of whole steps is its own canonical form.
    for (int lo = -127; lo < 127; ++lo) {
        const std::string pair = "[" + text(lo / 127.0) + ", " + text((lo + 1) / 127.0) + "]";
        const Spec one = resolve(R"({"mechanism":"haar","epsilon":1,)" + unit_attributes(2) +
                                 coefficients(2, {"[-1, 1]", pair}) + "}");
        BOOST_CHECK(one.ranges("coefficients")[1] ==
                    (UnitRange{static_cast<std::int8_t>(lo), static_cast<std::int8_t>(lo + 1)}));
    }
}

// A device builds the mechanism from the canonical form, which has all that would take a search.
BOOST_AUTO_TEST_CASE(a_canonical_spec_needs_no_search_for_the_split_of_epsilon) {
    const std::string all = R"({"mechanism":"haar","epsilon":1,"details":"global",)" + unit_attributes(3);
    const Spec best = resolve(all + "}");
    const double chosen = best.real("mean_epsilon");
    BOOST_CHECK_EQUAL(parameter(*make_mechanism(best), "mean_epsilon"), chosen);
    const std::string canonical = best.to_json();
    BOOST_CHECK_NE(canonical.find("\"mean_epsilon\":" + text(chosen)), std::string::npos);
    BOOST_CHECK_EQUAL(canonical.find("mean_epsilon"),
                      canonical.rfind("mean_epsilon"));  // not derived as well
    BOOST_CHECK_EQUAL(Spec::from_json(canonical).to_json(), canonical);
    BOOST_CHECK(resolve(all + ",\"mean_epsilon\":" + text(chosen) + "}").fingerprint() == best.fingerprint());
    // Another split is taken as it stands, and is another spec.
    const Spec other = Spec::from_json(all + ",\"randomizer\":\"optimal\",\"mean_epsilon\":0.125}");
    BOOST_CHECK_NE(chosen, 0.125);
    BOOST_CHECK_EQUAL(parameter(*make_mechanism(other), "mean_epsilon"), 0.125);
    BOOST_CHECK(other.fingerprint() != best.fingerprint());
    const auto refused = [](const std::string& json) {
        BOOST_CHECK_EXCEPTION(static_cast<void>(resolve(json)), Error, [](const Error& error) {
            return error.code() == ErrorCode::invalid_spec &&
                   std::string(error.what()).find("mean_epsilon") != std::string::npos;
        });
    };
    for (const char* bad : {"-0.5", "1", "1.5", "0.9997", "0.9991", "0.0009", "0.0001", "1e308"})
        refused(all + ",\"mean_epsilon\":" + bad + "}");
    refused(R"({"mechanism":"haar","epsilon":1,"mean_epsilon":0.5,)" + unit_attributes(3) + "}");
}

BOOST_AUTO_TEST_CASE(unusable_coefficients_are_refused) {
    for (const std::string& bad : {std::string("1"), std::string("[[-1, 1]]"), std::string("[[-1, 1], [0]]"),
                                   std::string("[[-1, 1], [0, 0]]"), std::string("[[-1, 1], [0.0001, 0]]"),
                                   std::string("[[-1, 1], [0, 1.1]]"), std::string("[[-1, 1], [-2, 1]]"),
                                   std::string("[[-1, 1], [\"0\", 1]]"),
                                   std::string("[[-1, 1], [-1, 1], [-1, 1]]"), std::string("[[-1, 1], 1]")})
        BOOST_CHECK_EXCEPTION(static_cast<void>(vector_of("haar", 1, 2, ", \"coefficients\": " + bad)), Error,
                              [](const Error& error) { return error.code() == ErrorCode::invalid_spec; });
    BOOST_CHECK_THROW(static_cast<void>(vector_of("duchi_vector", 1, 2, coefficients(2, {}))), Error);
    // Runs of equal ranges are what a block has room for.
    std::vector<std::string> pairs;
    for (int c = 0; c < 2048; ++c)
        pairs.push_back("[-" + text((1 + c / 8) / 300.0) + ", " + text((1 + c / 8) / 300.0) + "]");
    BOOST_CHECK_NO_THROW(static_cast<void>(vector_of("haar", 1, 2048, coefficients(2048, pairs))));
    for (int c = 0; c < 2048; ++c) pairs[static_cast<std::size_t>(c)] = c % 2 == 0 ? "[-1, 1]" : "[-0.5, 1]";
    BOOST_CHECK_EXCEPTION(
        static_cast<void>(vector_of("haar", 1, 2048, coefficients(2048, pairs))), Error,
        [](const Error& error) { return error.hint().find("coefficients") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(forged_parameters_of_haar_are_refused) {
    const auto block_of = [](const std::string& rest) {
        const auto m = vector_of("haar", 1, 5, rest);
        return std::vector<std::byte>(m->block().begin(), m->block().end());
    };
    const auto refuses = [](std::vector<std::byte> block, std::size_t at, auto value) {
        store(block.data() + at, value);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    const std::string ranges = coefficients(5, {"[-1, 1]", "[-0.5, 0.5]", "[-0.5, 0.5]"});
    const auto plain = block_of("");
    constexpr std::size_t form = header_size + 12, aim = header_size + 45, run = aim + 3;
    for (const std::uint8_t other : {1, 2, 255}) BOOST_CHECK(refuses(plain, form, other));
    for (const std::string details : {"sampled", "global"}) {
        const auto block = block_of(R"(, "randomizer": "optimal", "details": ")" + details + "\"" + ranges);
        BOOST_CHECK(!refuses(block, form, block[form]));
        for (const std::uint8_t other : {2, 3}) BOOST_CHECK(refuses(block, form, other));
        // Where the global form has the ε of the mean, the sampled form in two layers has ε₁.
        const auto other_form = static_cast<std::uint8_t>(details == "global" ? 0 : 1);
        BOOST_CHECK_EQUAL(refuses(block, form, other_form), details == "sampled");
        BOOST_CHECK(!refuses(block, aim, std::uint8_t{2}));
        BOOST_CHECK(refuses(block, aim, std::uint8_t{3}));
        for (const std::uint16_t runs : {0, 2, 4, 0xFFFF}) BOOST_CHECK(refuses(block, aim + 1, runs));
        for (const std::uint16_t length : {0, 2, 0xFFFF}) BOOST_CHECK(refuses(block, run, length));
        BOOST_CHECK(refuses(block, run + 2, std::int8_t{-128}));
        BOOST_CHECK(refuses(block, run + 2, std::int8_t{127}));
    }
    const auto global = block_of(R"(, "details": "global", "randomizer": "duchi")");
    for (const double share : {0.0, -1.0, 0.0009, 0.9991, 1.0, 2.0, std::nan(""), HUGE_VAL})
        BOOST_CHECK(refuses(global, global.size() - 8, share));
    BOOST_CHECK(!refuses(global, global.size() - 8, 0.25));
    const auto layered = block_of(R"(, "report_epsilon": 0.5)");
    for (const double first : {0.0, -1.0, 0.0004, 1.0, 2.0, std::nan(""), HUGE_VAL})
        BOOST_CHECK(refuses(layered, layered.size() - 8, first));
    BOOST_CHECK(!refuses(layered, layered.size() - 8, 0.25));
    // A window has no second layer.
    for (const std::string randomizer : {"optimal", "duchi", "pdp", "laplace"}) {
        auto longer = block_of(R"(, "randomizer": ")" + randomizer + "\"");
        longer.resize(longer.size() + 8);
        store(longer.data() + 4, static_cast<std::uint16_t>(longer.size()));
        BOOST_CHECK_EQUAL(refuses(longer, longer.size() - 8, 0.25),
                          randomizer == "pdp" || randomizer == "laplace");
    }
}

// Estimates ------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(one_global_report_has_the_stated_law) {
    // Exactly, over every report, at every input: mean and variance of leaves, coefficients and groups.
    // Details beyond their range are at its end.
    for (const char* candidate : {"duchi", "pdp"})
        for (const std::size_t d : {2, 3})
            for (const double low : {-1.0, -32 / 127.0}) {
                const double half = (1 - low) / 2, middle = (1 + low) / 2;
                const std::string range = "[" + text(low) + ", 1]";
                const auto m =
                    vector_of("haar", 3, d,
                              R"(, "grid": 2, "details": "global", "randomizer": ")" +
                                  std::string(candidate) + "\"" + coefficients(d, {"[-1, 1]", range, range}));
                const HaarTree tree(d);
                const double b = parameter(*m, "magnitude");
                for_each_input(*m, [&](Input input) {
                    std::vector<double> leaves = leaves_of(*m, input), truths(d);
                    const bool equal =
                        std::ranges::count(leaves, leaves[0]) == static_cast<std::ptrdiff_t>(d);
                    tree.forward(leaves, truths);
                    for (std::size_t c = 1; c < d; ++c) truths[c] = std::max(truths[c], low);
                    tree.inverse(truths, leaves);
                    std::vector<Law> values(d), parts(d);
                    Law group;
                    for_each_permanent(*m, {}, [&](Bytes permanent) {
                        const auto p = static_cast<double>(m->probability(input, {}, permanent));
                        const OwnedSummary summary = one_report(*m, permanent);
                        const auto means = summary.estimate(Quantity::means);
                        const auto found = summary.estimate(Quantity::coefficients);
                        for (std::size_t j = 0; j < d; ++j) {
                            values[j].add(p, means[j].value);
                            parts[j].add(p, found[j].value);
                        }
                        group.add(p, groups(summary, Target::sample, {{0, 1}})[0].value);
                    });
                    double bias = 0;  // of the first leaf's details, which are all there are
                    for (std::size_t c = 1; c < d; ++c) bias += truths[c] - middle;
                    for (std::size_t c = 0; c < d; ++c) {
                        BOOST_CHECK_SMALL(values[c].mean - leaves[c], 1e-11);
                        BOOST_CHECK_SMALL(parts[c].mean - truths[c], 1e-11);
                        if (c > 0)
                            BOOST_CHECK_CLOSE_FRACTION(parts[c].variance(),
                                                       square(b * half) - square(truths[c] - middle), 1e-9);
                    }
                    const double path = static_cast<double>(d - 1) * square(b * half) - square(bias);
                    BOOST_CHECK_CLOSE_FRACTION(values[0].variance(), parts[0].variance() + path, 1e-9);
                    BOOST_CHECK_SMALL(group.mean - (leaves[0] + leaves[1]) / 2, 1e-11);
                    if (!equal) return;
                    double worst = 0;
                    for (const Law& law : values) worst = std::max(worst, law.variance());
                    BOOST_CHECK_CLOSE_FRACTION(worst, m->n_variance(leaves_of(*m, input)[0]), 1e-9);
                });
            }
}

BOOST_AUTO_TEST_CASE(errors_are_those_of_the_closed_form) {
    // Corners whose mean is nearly certain, so that what is subtracted from B²|a|² is much of it.
    SeededBits bits(909);
    constexpr int n = 20000;
    const std::vector<Cell> person{30000, 4000, 31000};
    for (const char* name : {"duchi_vector", "haar"}) {
        const bool haar = name == std::string("haar");
        const auto m = vector_of(name, 12, 3, haar ? R"(, "details": "global")" : "");
        const double b = parameter(*m, "magnitude");
        OwnedSummary summary(*m);
        for (int i = 0; i < n; ++i) summary.draw(person, bits);
        const auto x = leaves_of(*m, person);
        const auto close = [&](const Estimate& found, double n_variance) {
            BOOST_CHECK_CLOSE_FRACTION(n * square(found.standard_error), n_variance, 0.06);
        };
        const auto means = summary.estimate(Quantity::means);
        if (!haar) {
            for (std::size_t j = 0; j < 3; ++j) close(means[j], b * b - square(x[j]));
            close(groups(summary, Target::sample, {{0, 2}})[0], b * b / 3 - square((x[0] + x[1] + x[2]) / 3));
            continue;
        }
        std::vector<double> truths(3);
        HaarTree(3).forward(x, truths);
        const auto parts = summary.estimate(Quantity::coefficients);
        const double mean = n * square(parts[0].standard_error);
        for (std::size_t c = 1; c < 3; ++c) close(parts[c], b * b - square(truths[c]));
        close(means[0], mean + 2 * b * b - square(truths[1] + truths[2]));
        close(means[1], mean + 2 * b * b - square(truths[1] - truths[2]));
        close(means[2], mean + b * b - square(truths[1]));
        close(groups(summary, Target::sample, {{0, 1}})[0], mean + b * b - square(truths[1]));
        close(groups(summary, Target::sample, {{1, 2}})[0], mean + b * b / 4 - square(truths[2] / 2));
    }
}

BOOST_AUTO_TEST_CASE(vectors_are_estimated, *boost::unit_test::label("slow")) {
    // Six attributes on two ranges, people who differ, coefficients on ranges that hold them all.
    const std::string rest = R"("grid": 1024, "attributes": [{"name": "a", "min": 0, "max": 10},
        {"name": "b", "min": 0, "max": 10}, {"name": "c", "min": 0, "max": 10}, {"name": "d", "min": -1, "max": 1},
        {"name": "e", "min": -1, "max": 1}, {"name": "f", "min": -1, "max": 1}])" +
                             coefficients(6, {"[-0.6, 0.6]", "[-0.5, 0.25]", "[-0.4, 0.4]"});
    std::vector<std::vector<Cell>> people;
    for (Cell i = 0; i < 600; ++i)
        people.push_back({300 + i % 100, 450 + i % 2, 500 + i / 4, 600 - i % 30, 610 + i % 7, 700});
    std::vector<double> leaves(6), means(6), truths(6);
    for (const auto& person : people)
        for (std::size_t j = 0; j < 6; ++j)
            leaves[j] += (2 * static_cast<double>(person[j]) / 1024 - 1) / 600;
    for (std::size_t j = 0; j < 6; ++j) means[j] = j < 3 ? 5 + 5 * leaves[j] : leaves[j];
    HaarTree(6).forward(leaves, truths);
    const auto mean_of = [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t j = first; j <= last; ++j) sum += means[j];
        return sum / static_cast<double>(last - first + 1);
    };
    const std::vector<std::pair<std::size_t, std::size_t>> wanted{{0, 5}, {0, 2}, {2, 4}, {5, 5}};
    std::uint64_t seed = 911;
    for (const char* details : {"sampled", "global"})
        for (const char* aim : {"attributes", "ranges"}) {
            const auto m = mechanism(
                "haar", 2, rest + R"(, "details": ")" + details + R"(", "optimize_for": ")" + aim + "\"");
            for (const auto& person : people) BOOST_REQUIRE_EQUAL(m->clamped(person), 0u);
            std::vector<double> expected(means);
            expected.insert(expected.end(), truths.begin(), truths.end());
            for (const auto& [first, last] : wanted) expected.push_back(mean_of(first, last));
            const auto simulation = repeat(
                *m, [&](std::size_t i, BitSource&) { return people[i]; }, people.size(), expected, 2500,
                seed++,
                [&](const OwnedSummary& summary) {
                    auto all = summary.estimate(Quantity::means);
                    for (const auto& more :
                         {summary.estimate(Quantity::coefficients), groups(summary, Target::sample, wanted)})
                        all.insert(all.end(), more.begin(), more.end());
                    // A group of one is the attribute.
                    BOOST_REQUIRE_CLOSE_FRACTION(all.back().value, all[5].value, 1e-9);
                    BOOST_REQUIRE_CLOSE_FRACTION(all.back().standard_error, all[5].standard_error, 1e-9);
                    return all;
                });
            simulation.check_unbiased();
            // 2500 repetitions: six standard deviations of a coverage of 95 % are 2.6 %.
            for (const double hits : simulation.covered) {
                BOOST_CHECK_GE(hits / 2500, 0.925);
                BOOST_CHECK_LE(hits / 2500, 0.976);
            }
        }
}

BOOST_AUTO_TEST_CASE(vector_populations_are_covered, *boost::unit_test::label("slow")) {
    // The mean and the detail vary together: seven of ten people hold (1, 0), the others (−1, 0).
    std::uint64_t seed = 921;
    for (const char* candidate : {"pdp", "duchi"}) {
        const auto m = vector_of(
            "haar", 12, 2,
            R"(, "grid": 10, "details": "global", "randomizer": ")" + std::string(candidate) + "\"");
        const auto person = [](std::size_t, BitSource& bits) {
            return bits.below(10) < 7 ? std::vector<Cell>{10, 5} : std::vector<Cell>{0, 5};
        };
        const auto simulation =
            repeat(*m, person, 300, {0.4, 0, 0.2, 0.2, 0.2}, 5000, seed++, [&](const OwnedSummary& summary) {
                auto all = summary.estimate(Quantity::means, Target::population);
                for (const auto& more : {summary.estimate(Quantity::coefficients, Target::population),
                                         groups(summary, Target::population, {{0, 1}})})
                    all.insert(all.end(), more.begin(), more.end());
                return all;
            });
        simulation.check_unbiased();
        // The first leaf has all the correlation, the second the opposite one. The bound knows neither, and
        // with one bit for the mean not even how much the mean varies.
        const std::vector<double> most = candidate == std::string("pdp")
                                             ? std::vector<double>{0.985, 1, 0.97, 0.97, 0.97}
                                             : std::vector<double>{0.995, 1, 0.97, 0.97, 0.97};
        for (std::size_t i = 0; i < most.size(); ++i) {
            BOOST_CHECK_GE(simulation.covered[i] / 5000, 0.93);
            BOOST_CHECK_LE(simulation.covered[i] / 5000, most[i]);
        }
    }
}

BOOST_AUTO_TEST_CASE(variance_is_its_closed_form_with_ranges, *boost::unit_test::label("slow")) {
    const std::vector<std::vector<Cell>> people(1000, {640, 640, 640, 640});
    std::uint64_t seed = 931;
    for (const char* details : {"sampled", "global"}) {
        const auto m =
            vector_of("haar", 1, 4,
                      R"(, "grid": 1024, "details": ")" + std::string(details) + "\"" +
                          coefficients(4, {"[-0.5, 0.5]", "[-0.1, 0.3]", "[-0.1, 0.3]", "[-0.1, 0.3]"}));
        const auto simulation = simulate(*m, people, {0.25, 0.25, 0.25, 0.25}, Quantity::means, 4000, seed++);
        simulation.check_unbiased();
        std::vector<double> variances;
        for (std::size_t j = 0; j < 4; ++j) variances.push_back(simulation.variance(j));
        BOOST_CHECK_LT(std::abs(std::ranges::max(variances) / (m->n_variance(0.25) / 1000) - 1),
                       6 * std::sqrt(2 / 4000.0));
    }
    // Noise goes with the range: a tenth of it for all coefficients is a tenth of the noise.
    for (const char* details : {"sampled", "global"}) {
        const std::string rest = R"(, "details": ")" + std::string(details) + "\"";
        const std::string tenth = "[-0.0944, 0.0944]";  // 12/127 when widened
        const double wide = vector_of("haar", 1, 8, rest)->n_variance(0);
        const double narrow =
            vector_of("haar", 1, 8, rest + coefficients(8, std::vector<std::string>(8, tenth)))
                ->n_variance(0);
        BOOST_CHECK_CLOSE_FRACTION(narrow / wide, square(12.0 / 127), 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(coefficients_outside_are_counted) {
    const auto m = vector_of("haar", 1, 4,
                             ", \"grid\": 4" + coefficients(4, {"[-0.5, 0.5]", "[-0.25, 0.25]", "[0, 1]"}));
    BOOST_CHECK_EQUAL(m->clamped(std::vector<Cell>{2, 2, 2, 2}), 0u);
    BOOST_CHECK_EQUAL(m->clamped(std::vector<Cell>{4, 4, 4, 4}), 1u);
    BOOST_CHECK_EQUAL(m->clamped(std::vector<Cell>{4, 4, 0, 0}), 1u);
    BOOST_CHECK_EQUAL(m->clamped(std::vector<Cell>{3, 4, 4, 0}),
                      2u);  // mean 3/8, details 3/8, −1/4, 1
    BOOST_CHECK_EQUAL(vector_of("haar", 1, 4, ", \"grid\": 4")->clamped(std::vector<Cell>{0, 4, 0, 4}), 0u);
    // They are moved to the end: everybody's mean of 1 is reported as 64/127.
    const std::vector<std::vector<Cell>> people(3000, {4, 4, 4, 4});
    const auto simulation = simulate(*m, people, {64 / 127.0, 0, 0, 0}, Quantity::coefficients, 30, 941);
    for (std::size_t c = 0; c < 4; ++c)
        BOOST_CHECK_LT(std::abs(simulation.bias(c)), 6 * std::sqrt(simulation.variance(c) / 30));
}

// Draws ----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(draws_are_as_the_aim_wants) {
    for (const std::size_t d : {5, 8}) {
        const std::string ranges = coefficients(d, {"[-0.5, 0.5]", "[-1, 1]", "[0, 0.25]"});
        std::vector<double> halves(d, 1);
        halves[0] = 64 / 127.0;
        halves[2] = 32 / 254.0;
        std::map<std::string, std::vector<double>> needs;  // squared
        for (const char* aim : {"attributes", "mean", "ranges"}) needs[aim].resize(d);
        for (std::size_t from = 0; from < d; ++from)
            for (std::size_t to = from; to < d; ++to) {
                const auto weights = weights_of_sum(d, from, to);
                for (std::size_t c = 0; c < d; ++c) {
                    needs["ranges"][c] += square(weights[c]);
                    if (from == to) needs["attributes"][c] += square(weights[c]);
                    if (from == 0 && to == d - 1) needs["mean"][c] += square(weights[c]);
                }
            }
        const auto shares = [&](const std::string& aim) {
            std::vector<double> all(d);
            for (std::size_t c = 0; c < d; ++c) all[c] = halves[c] * std::sqrt(needs[aim][c]);
            const double sum = std::accumulate(all.begin(), all.end(), 0.0);
            for (double& each : all) each /= sum;
            return all;
        };
        for (const std::string aim : {"attributes", "mean", "ranges"}) {
            const auto m =
                vector_of("haar", 1, d,
                          R"(, "grid": 2, "randomizer": "duchi", "optimize_for": ")" + aim + "\"" + ranges);
            auto expected = shares(aim);
            if (aim == "mean")
                for (std::size_t c = 0; c < d; ++c)
                    expected[c] = 7 * expected[c] / 8 + shares("attributes")[c] / 8;
            const auto drawn = draw_probabilities(*m);
            double variance = 0, uniform = 0;
            for (std::size_t c = 0; c < d; ++c) {
                BOOST_CHECK_CLOSE_FRACTION(drawn[c], expected[c], 1e-7);
                variance += needs[aim][c] * square(halves[c]) / drawn[c];
                uniform += needs[aim][c] * square(halves[c]) * static_cast<double>(d);
            }
            BOOST_CHECK_LT(variance, 0.95 * uniform);
            // And better than what is best for leaves.
            double other = 0;
            for (std::size_t c = 0; c < d; ++c)
                other += needs[aim][c] * square(halves[c]) / shares("attributes")[c];
            if (aim != "attributes") BOOST_CHECK_LT(variance, other);
        }
    }
}

BOOST_AUTO_TEST_CASE(needs_are_sums_of_squared_weights) {
    for (const std::size_t d : {1, 2, 3, 7, 16, 21}) {
        std::vector<double> leaves(d), mean(d), ranges(d);
        for (std::size_t from = 0; from < d; ++from)
            for (std::size_t to = from; to < d; ++to) {
                const auto weights = weights_of_sum(d, from, to);
                for (std::size_t c = 0; c < d; ++c) {
                    ranges[c] += square(weights[c]) / (static_cast<double>(d * (d + 1)) / 2);
                    if (from == to) leaves[c] += square(weights[c]);
                    if (to - from == d - 1) mean[c] += square(weights[c] / static_cast<double>(d));
                }
            }
        const HaarTree tree(d);
        for (std::size_t c = 0; c < d; ++c) {
            BOOST_CHECK_SMALL(squared_needs(tree, Aim::leaves)[c] - leaves[c], 1e-12);
            BOOST_CHECK_SMALL(squared_needs(tree, Aim::mean)[c] - mean[c], 1e-12);
            BOOST_CHECK_SMALL(squared_needs(tree, Aim::ranges)[c] - ranges[c], 1e-9);
        }
    }
}

BOOST_AUTO_TEST_CASE(epsilon_is_split_where_the_variance_is_least) {
    const std::size_t d = 8;
    const std::string narrow = coefficients(d, {"[-1, 1]", "[-0.5, 0.5]"});
    const HaarTree tree(d);
    for (const char* aim : {"attributes", "mean", "ranges"})
        for (const double epsilon : {0.01, 1.0, 8.0}) {
            const auto m = vector_of("haar", epsilon, d,
                                     R"(, "details": "global", "randomizer": "duchi", "optimize_for": ")" +
                                         std::string(aim) + "\"" + narrow);
            const double chosen = parameter(*m, "mean_epsilon");
            const auto needs = squared_needs(tree, aim == std::string("attributes") ? Aim::leaves
                                                   : aim == std::string("mean")     ? Aim::mean
                                                                                    : Aim::ranges);
            const auto variance = [&](double mean_epsilon) {
                double all = needs[0] / square(std::tanh(mean_epsilon / 2));
                for (std::size_t c = 1; c < d; ++c)
                    all += needs[c] * square(c == 1 ? 64 / 127.0 : 1) *
                           square(SignVectorChannel(d - 1, epsilon - mean_epsilon).magnitude());
                return all;
            };
            for (int part = 1; part < 32; ++part) {
                const double other = epsilon * part / 32;
                if (other < 0.001 || epsilon - other < 0.001 || (aim == std::string("mean") && part > 28))
                    continue;
                BOOST_CHECK_LE(variance(chosen), variance(other) * (1 + 1e-9));
            }
        }
}

// Shrinkage ------------------------------------------------------------------------------------------------

namespace {

/// Actual and reported mean squared error over the leaves, without shrinkage and with.
struct ShrinkErrors {
    double plain = 0, actual = 0, reported = 0;
};

ShrinkErrors shrink_errors(const Mechanism& m, const std::vector<Cell>& person, Shrinkage shrinkage,
                           std::size_t people, int repetitions, std::uint64_t seed) {
    SeededBits bits(seed);
    const auto truth = leaves_of(m, person);
    ShrinkErrors errors;
    for (int r = 0; r < repetitions; ++r) {
        OwnedSummary summary(m);
        for (std::size_t i = 0; i < people; ++i) summary.draw(person, bits);
        const auto plain = summary.estimate(Quantity::means);
        const auto moved = shrunk(summary.view(), shrinkage, Target::population);
        for (std::size_t j = 0; j < truth.size(); ++j) {
            errors.plain += square(plain[j].value - truth[j]);
            errors.actual += square(moved[j].value - truth[j]);
            errors.reported += square(moved[j].standard_error);
        }
    }
    return errors;
}

}  // namespace

BOOST_AUTO_TEST_CASE(shrinkage_by_hand) {
    // Two attributes, one detail: soft moves it by √(2 ln 2) standard errors.
    const auto m = mechanism(
        "haar", 2,
        R"("attributes": [{"name": "a", "min": 0, "max": 10}, {"name": "b", "min": 0, "max": 10}])");
    SeededBits bits(951);
    OwnedSummary summary(*m);
    for (int i = 0; i < 4000; ++i) summary.add(m->perturb(std::vector<Cell>{30000, 5000}, bits));
    const auto parts = summary.estimate(Quantity::coefficients);
    const auto soft = shrunk(summary.view(), Shrinkage::soft, Target::sample);
    const double threshold = std::sqrt(2 * std::log(2.0));
    const double detail = parts[1].value - threshold * parts[1].standard_error;
    BOOST_REQUIRE_GT(detail, 0);
    BOOST_CHECK_CLOSE_FRACTION(soft[0].value, 5 + 5 * (parts[0].value + detail), 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(soft[1].value, 5 + 5 * (parts[0].value - detail), 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(
        square(soft[0].standard_error / 5),
        square(parts[0].standard_error) + square(parts[1].standard_error) * (1 + square(threshold)), 1e-12);
    // SURE leaves levels of few details alone.
    const auto sure = shrunk(summary.view(), Shrinkage::sure, Target::sample);
    BOOST_CHECK_CLOSE_FRACTION(sure[0].value, 5 + 5 * (parts[0].value + parts[1].value), 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(sure[0].standard_error / 5,
                               std::sqrt(square(parts[0].standard_error) + square(parts[1].standard_error)),
                               1e-12);
    const auto oracle = mechanism("duchi_vector", 1, unit_attributes(2));
    OwnedSummary other(*oracle);
    BOOST_CHECK_EXCEPTION(static_cast<void>(shrunk(other.view(), Shrinkage::soft, Target::sample)), Error,
                          [](const Error& error) { return error.code() == ErrorCode::unsupported; });
}

BOOST_AUTO_TEST_CASE(unreported_details_count_as_zero) {
    const auto m = vector_of("haar", 4, 16);
    SeededBits bits(952);
    OwnedSummary summary(*m);
    while (std::ranges::none_of(summary.bytes(), [](std::byte) { return false; })) {
        summary.add(m->perturb(std::vector<Cell>(16, 20000), bits));
        const auto parts = summary.estimate(Quantity::coefficients);
        const auto known = [&](std::size_t from, std::size_t to) {
            return std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(from),
                               parts.begin() + static_cast<std::ptrdiff_t>(to),
                               [](const Estimate& part) { return !std::isnan(part.value); });
        };
        const bool every_level = known(0, 1) && known(1, 2) && known(2, 4) && known(4, 8) && known(8, 16);
        const auto moved = shrunk(summary.view(), Shrinkage::soft, Target::population);
        for (const Estimate& leaf : moved) {
            BOOST_REQUIRE_EQUAL(std::isnan(leaf.value), !known(0, 1));
            BOOST_REQUIRE_EQUAL(std::isnan(leaf.standard_error), !every_level);
        }
        if (every_level) break;
    }
    const auto parts = summary.estimate(Quantity::coefficients);
    BOOST_CHECK(std::ranges::any_of(parts, [](const Estimate& part) { return std::isnan(part.value); }));
}

BOOST_AUTO_TEST_CASE(shrinkage_helps_where_details_are_sparse, *boost::unit_test::label("slow")) {
    std::vector<Cell> steps(64), wild(64);
    SeededBits bits(953);
    for (std::size_t j = 0; j < 64; ++j) {
        steps[j] = j < 40 ? 8000 : 24000;
        wild[j] = bits.below(2) * 32768;
    }
    for (const char* details : {"sampled", "global"}) {
        const auto m = vector_of("haar", 4, 64, R"(, "details": ")" + std::string(details) + "\"");
        for (const Shrinkage shrinkage : {Shrinkage::soft, Shrinkage::sure}) {
            const ShrinkErrors sparse = shrink_errors(*m, steps, shrinkage, 1500, 200, 954);
            const ShrinkErrors dense = shrink_errors(*m, wild, shrinkage, 1500, 200, 955);
            // Steps have three details that are not zero; wild data have many, of any size.
            BOOST_CHECK_LT(sparse.actual, 0.6 * sparse.plain);
            if (shrinkage == Shrinkage::sure) BOOST_CHECK_LT(dense.actual, 1.05 * dense.plain);
            for (const ShrinkErrors& errors : {sparse, dense}) {
                BOOST_CHECK_GT(std::sqrt(errors.reported / errors.actual), 0.9);
                BOOST_CHECK_LT(std::sqrt(errors.reported / errors.actual), 1.25);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

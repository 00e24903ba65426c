// Oracles whose values own sets of a design: Hadamard response and projective-geometry response, and the
// geometry behind the latter.
//
// Length: both mechanisms are tested by the same designs, proofs and statistics.

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.hpp"
#include "core/format/header.hpp"
#include "core/math/projective_space.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(incidence)

namespace {

using Supports = std::vector<std::uint64_t>;

std::unique_ptr<const Mechanism> over(const char* name, double epsilon, std::uint64_t k) {
    return mechanism(name, epsilon, "\"domain\": " + std::to_string(k));
}

double parameter(const Mechanism& m, const std::string& wanted) {
    for (const auto& [name, value] : m.parameters())
        if (name == wanted) return value;
    throw std::logic_error("no parameter " + wanted);
}

/// hadamard with this number of blocks, independent of ε.
std::unique_ptr<const Mechanism> in_blocks(double epsilon, std::uint64_t k, std::uint64_t blocks) {
    const auto m = over("hadamard", epsilon, k);
    std::vector<std::byte> block(m->block().begin(), m->block().end());
    store(block.data() + header_size + 4, static_cast<std::uint32_t>(blocks));
    return load_mechanism(block, Kind::report);
}

/// A state whose counters are these.
std::vector<std::byte> state_of(const Supports& counts) {
    std::vector<std::byte> state(counts.size() * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < counts.size(); ++i)
        store(state.data() + i * sizeof(std::uint64_t), counts[i]);
    return state;
}

Supports random_counts(std::size_t size, std::uint64_t bound, BitSource& bits) {
    Supports counts(size);
    for (auto& count : counts) count = bound == 0 ? bits.word() : bits.below(bound);
    return counts;
}

/// Fields and dimensions that cut rows and blocks in every manner.
constexpr std::pair<std::uint32_t, unsigned> shapes[] = {{2, 2},  {2, 3},  {2, 9},   {3, 2}, {3, 3},
                                                         {3, 6},  {5, 3},  {5, 4},   {7, 4}, {11, 3},
                                                         {13, 2}, {37, 3}, {1009, 2}};

/// Chooses the side, then gives each value in turn.
class Sided final : public BitSource {
  public:
    bool inside = false;
    std::uint64_t next = 0;
    std::uint64_t range = 0;  ///< how many values the second draw has; 0 for a whole word
    unsigned draws = 0;
    std::uint64_t word() override {
        ++draws;
        range = 0;
        return next;
    }
    std::uint64_t below(std::uint64_t bound) override {
        if (draws++ == 0) return inside ? 0 : bound - 1;
        range = bound;
        return next;
    }
};

/// p-values of a summary of `honest` reports and of `forged` ones that all are the same.
std::vector<Check> health_of(const Mechanism& m, std::size_t honest, std::size_t forged, std::uint64_t output,
                             std::uint64_t seed) {
    SeededBits bits(seed);
    const std::uint64_t k = m.cells()[0];
    std::vector<std::byte> state(m.state_size()), permanent(m.permanent_size());
    for (std::size_t i = 0; i < honest; ++i) {
        // A third of the people hold value 0, the others fewer and fewer of the rest.
        const std::vector<Cell> input{bits.below(3) == 0 ? 0 : bits.below(1 + bits.below(k))};
        m.permanent_response(input, {}, bits, permanent);
        BOOST_REQUIRE(m.accumulate(state, permanent));
    }
    store_cell(permanent.data(), permanent.size(), output);
    for (std::size_t i = 0; i < forged; ++i) BOOST_REQUIRE(m.accumulate(state, permanent));
    return m.health({honest + forged, state});
}

double least_p_value(const std::vector<Check>& checks) {
    return std::ranges::min(checks, {}, &Check::p_value).p_value;
}

}  // namespace

BOOST_AUTO_TEST_CASE(designs_keep_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const char* name : {"hadamard", "projective"})
            for (const int k : {2, 3, 5, 12, 13, 40}) prove(*over(name, epsilon, k));
    prove(*over("projective", 1, 128));  // 364 outputs: two bytes a report
    prove(*over("hadamard", 1, 128));
    for (const std::uint64_t blocks : {2, 3, 7, 12}) prove(*in_blocks(1, 12, blocks));
}

BOOST_AUTO_TEST_CASE(largest_designs_keep_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* name : {"hadamard", "projective"})
            for (const std::uint64_t k :
                 {std::uint64_t{1} << 20, (std::uint64_t{1} << 24) - 1, std::uint64_t{1} << 24})
                check_worst_ratio(*over(name, epsilon, k));
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_stated) {
    const std::vector<Cell> last{4};
    std::uint64_t seed = 301;
    for (const double epsilon : {0.5, 2.0})
        for (const char* name : {"hadamard", "projective"})
            for (const int k : {5, 30}) check_frequencies_of_reports(*over(name, epsilon, k), last, seed++);
}

BOOST_AUTO_TEST_CASE(draws_are_uniform_on_either_side) {
    // Over all values of the second draw, each output of the side comes equally often: exactly.
    for (const char* name : {"hadamard", "projective"})
        for (const double epsilon : {0.1, 1.0, 2.0, 3.0})
            for (const std::uint64_t k : {2, 5, 13, 40}) {
                const auto m = over(name, epsilon, k);
                const auto outputs = static_cast<std::size_t>(parameter(*m, "outputs"));
                BOOST_REQUIRE_EQUAL(m->permanent_size(), 1u);
                std::byte permanent[1];
                for (Cell v = 0; v < k; ++v)
                    for (const bool inside : {true, false}) {
                        Supports counts(outputs);
                        Sided bits;
                        bits.inside = inside;
                        std::uint64_t range = 1;
                        for (; bits.next < range; ++bits.next) {
                            bits.draws = 0;
                            m->permanent_response(Input(&v, 1), {}, bits, permanent);
                            ++counts.at(std::to_integer<std::size_t>(permanent[0]));
                            BOOST_REQUIRE_EQUAL(bits.draws, 2u);
                            range = bits.range == 0 ? outputs : bits.range;
                        }
                        const std::uint64_t most = std::ranges::max(counts);
                        for (std::size_t y = 0; y < outputs; ++y) {
                            permanent[0] = static_cast<std::byte>(y);
                            const bool likely =
                                m->probability(Input(&v, 1), {}, permanent) > exact(1, outputs);
                            BOOST_REQUIRE_EQUAL(counts[y], likely == inside ? most : 0);
                        }
                    }
            }
}

BOOST_AUTO_TEST_CASE(oracles_agree_with_golden_constants) {
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"}) {
        const std::string key = std::string("epsilon=") + epsilon;
        const double e = std::exp(std::stod(epsilon));
        for (const std::uint64_t k : {2, 1024, 1048576}) {
            const auto m = in_blocks(std::stod(epsilon), k, 1);
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), golden("hadamard", key, "n_var_at_0"), 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(parameter(*m, "p"), e / (e + 1), 1e-12);
            BOOST_CHECK_EQUAL(parameter(*m, "q"), 0.5);
        }
        for (const char* domain : {"1024", "1048576"}) {
            const std::string with_domain = key + ";domain=" + domain;
            const auto m = over("projective", std::stod(epsilon), std::stoull(domain));
            for (const char* name : {"field", "dimension"})
                BOOST_CHECK_EQUAL(parameter(*m, name), golden("projective", with_domain, name));
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(0), golden("projective", with_domain, "n_var_at_0"),
                                       1e-9);
        }
    }
}

BOOST_AUTO_TEST_CASE(probabilities_of_support_are_those_of_the_outputs) {
    for (const char* name : {"hadamard", "projective"})
        for (const double epsilon : {0.5, 2.0})
            for (const std::uint64_t k : {2, 13, 30}) {
                const auto m = name[0] == 'h' ? in_blocks(epsilon, k, 1) : over(name, epsilon, k);
                const auto& oracle = dynamic_cast<const FrequencyOracle&>(*m);
                const Cell first = 0;
                std::vector<double> hits(k);
                for_each_permanent(*m, {}, [&](Bytes permanent) {
                    std::vector<std::byte> state(m->state_size());
                    BOOST_REQUIRE(m->accumulate(state, permanent));
                    const Supports supports = oracle.supports(state);
                    const auto chance = static_cast<double>(m->probability(Input(&first, 1), {}, permanent));
                    for (Cell v = 0; v < k; ++v) hits[v] += chance * static_cast<double>(supports[v]);
                });
                for (Cell v = 0; v < k; ++v)
                    BOOST_CHECK_CLOSE_FRACTION(hits[v], v == 0 ? oracle.protocol().p : oracle.protocol().q,
                                               1e-12);
            }
}

BOOST_AUTO_TEST_CASE(blocks_are_unbiased_with_the_variance_stated) {
    // Of one report of each value, by its probabilities: the mean sign, and the variance of the share of each
    // other.
    for (const double epsilon : {0.5, 2.0, 4.0})
        for (const auto& [k, blocks] :
             {std::pair<Cell, std::uint64_t>{2, 2}, {5, 2}, {13, 3}, {13, 4}, {30, 7}}) {
            const auto m = in_blocks(epsilon, k, blocks);
            std::vector<std::vector<double>> mean(k, std::vector<double>(k)), square = mean;
            for_each_permanent(*m, {}, [&](Bytes permanent) {
                std::vector<std::byte> state(m->state_size());
                BOOST_REQUIRE(m->accumulate(state, permanent));
                const auto estimates = m->estimate({1, state}, {Quantity::frequencies});
                for (Cell held = 0; held < k; ++held) {
                    const auto chance = static_cast<double>(m->probability(Input(&held, 1), {}, permanent));
                    for (Cell v = 0; v < k; ++v) {
                        mean[held][v] += chance * estimates[v].value;
                        square[held][v] += chance * estimates[v].value * estimates[v].value;
                    }
                }
            });
            const auto values = static_cast<double>(k);
            double own = 0, others = 0;
            for (Cell held = 0; held < k; ++held)
                for (Cell v = 0; v < k; ++v) {
                    BOOST_CHECK_SMALL(mean[held][v] - (v == held ? 1 : 0), 1e-12);
                    const double variance = square[held][v] - mean[held][v] * mean[held][v];
                    (v == held ? own : others) += variance / values / (v == held ? 1 : values - 1);
                }
            for (const double truth : {0.0, 0.3, 1.0})
                BOOST_CHECK_CLOSE_FRACTION(m->n_variance(truth), truth * own + (1 - truth) * others, 1e-9);
        }
}

BOOST_AUTO_TEST_CASE(blocks_are_as_many_as_is_best) {
    for (const double epsilon : {0.5, 1.0, 1.6, 2.0, 3.0, 4.0, 6.0})
        for (const std::uint64_t k : {2, 5, 40, 1000, 5000}) {
            const auto chosen = over("hadamard", epsilon, k);
            const double truth = 1 / static_cast<double>(k);
            double least = chosen->n_variance(truth);
            for (std::uint64_t blocks = 1; blocks <= std::min<std::uint64_t>(k, 500); ++blocks)
                least = std::min(least, in_blocks(epsilon, k, blocks)->n_variance(truth));
            BOOST_CHECK_LT(chosen->n_variance(truth), 1.02 * least);
        }
    // One block where ε is small, and an error near 8/(e − 1) where it is large; with one block it would be
    // above 1.
    BOOST_CHECK_EQUAL(parameter(*over("hadamard", 1, 1000), "blocks"), 1);
    BOOST_CHECK_LT(over("hadamard", 4, 1024)->n_variance(0), 0.151);
    BOOST_CHECK_GT(in_blocks(4, 1024, 1)->n_variance(0), 1);
}

BOOST_AUTO_TEST_CASE(errors_know_who_shares_a_block, *boost::unit_test::label("slow")) {
    // Values 0, 3 and 6 of eight share one of three blocks. All people hold 0 or 3. The error of 6,
    // whose block contains all people, is that of F = 1 in the closed form; the error of 1, whose
    // block is empty, is that of F = 0.
    const auto m = in_blocks(2, 8, 3);
    const double e = std::exp(2.0), both = (e - 1 + 6) / ((e - 1) * (e - 1));
    std::vector<std::vector<Cell>> people(300, {0});
    for (std::size_t i = 0; i < 150; ++i) people[i] = {3};
    const auto simulation =
        simulate(*m, people, {0.5, 0, 0, 0.5, 0, 0, 0, 0}, Quantity::frequencies, 20000, 313);
    simulation.check_unbiased();
    simulation.check_coverage();
    simulation.check_variance(6, both * (e + 1) / 300);
    simulation.check_variance(1, both * 2 / 300);
    simulation.check_variance(3, (both * (e + 1) - 0.5) / 300);
}

BOOST_AUTO_TEST_CASE(blocks_count_like_a_double_loop) {
    SeededBits bits(332);
    for (const auto& [k, blocks] :
         {std::pair<std::uint64_t, std::uint64_t>{2, 2}, {7, 3}, {100, 5}, {2000, 27}}) {
        const auto m = in_blocks(2, k, blocks);
        const std::uint64_t order = std::bit_ceil((k + blocks - 1) / blocks + 1);
        const Supports counts = random_counts(blocks * order, 1000, bits);
        std::uint64_t n = 0;
        for (const std::uint64_t count : counts) n += count;
        const std::vector<std::byte> state = state_of(counts);
        const Counts reports{n, state};
        const auto estimates = m->estimate(reports, {Quantity::frequencies});
        const auto wider = m->estimate(reports, {Quantity::frequencies, Target::population});
        const double gain = (std::exp(2.0) - 1) / (std::exp(2.0) + 2 * static_cast<double>(blocks) - 1);
        for (std::uint64_t v = 0; v < k; ++v) {
            double plus = 0, minus = 0;
            for (std::uint64_t column = 0; column < order; ++column)
                (std::popcount((v / blocks + 1) & column) % 2 == 0 ? plus : minus) +=
                    static_cast<double>(counts[v % blocks * order + column]);
            const auto all = static_cast<double>(n);
            const double f = (plus - minus) / all / gain;
            BOOST_REQUIRE_CLOSE_FRACTION(estimates[v].value, f, 1e-9);
            const double square = (plus + minus + 0.5) / all / gain / gain;
            // Variances are those at the nearest possible share.
            const double inside = std::clamp(f, 0.0, 1.0);
            BOOST_REQUIRE_CLOSE_FRACTION(estimates[v].standard_error, std::sqrt((square - inside) / all),
                                         1e-9);
            BOOST_REQUIRE_CLOSE_FRACTION(wider[v].standard_error, std::sqrt((square - inside * inside) / all),
                                         1e-9);
            // Nobody holds it: of those in the block each sign is as likely.
            BOOST_REQUIRE_CLOSE_FRACTION(dynamic_cast<const Significance&>(*m).p_value(n, estimates[v]),
                                         binomial_at_least(static_cast<std::uint64_t>(plus + minus), 0.5,
                                                           static_cast<std::uint64_t>(plus)),
                                         1e-9);
        }
    }
}

BOOST_AUTO_TEST_CASE(impossible_blocks_are_refused) {
    const auto is_malformed = [](const Error& error) { return error.code() == ErrorCode::malformed; };
    for (const auto& [k, blocks] : {std::pair<std::uint64_t, std::uint64_t>{40, 0},
                                    {40, 41},
                                    {40, 0xFFFFFFFF},
                                    {1 << 24, (1 << 20) + 1},
                                    {1 << 24, (1 << 23) + 1}})
        BOOST_CHECK_EXCEPTION(static_cast<void>(in_blocks(1, k, blocks)), Error, is_malformed);
    for (const std::uint64_t blocks : {1, 16, 1 << 20, 1 << 24})
        BOOST_CHECK_NO_THROW(static_cast<void>(in_blocks(1, 1 << 24, blocks)));
}

BOOST_AUTO_TEST_CASE(hadamard_estimates, *boost::unit_test::label("slow")) {
    check_oracle("hadamard", 1, 311);
    check_oracle("hadamard", 3, 312);
}

BOOST_AUTO_TEST_CASE(projective_estimates, *boost::unit_test::label("slow")) {
    check_oracle("projective", 1, 321);
    check_oracle("projective", 3, 322);
}

BOOST_AUTO_TEST_CASE(hadamard_counts_like_a_double_loop) {
    SeededBits bits(331);
    for (const std::uint64_t k : {2, 3, 4, 7, 8, 100, 1023, 2000}) {
        const auto m = over("hadamard", 1, k);
        const Supports counts = random_counts(std::bit_ceil(k + 1), 1000, bits);
        const Supports supports = dynamic_cast<const FrequencyOracle&>(*m).supports(state_of(counts));
        BOOST_REQUIRE_EQUAL(supports.size(), k);
        for (std::uint64_t v = 0; v < k; ++v) {
            std::uint64_t sum = 0;
            for (std::size_t y = 0; y < counts.size(); ++y)
                if (std::popcount((v + 1) & y) % 2 == 0) sum += counts[y];
            BOOST_REQUIRE_EQUAL(supports[v], sum);
        }
    }
}

BOOST_AUTO_TEST_CASE(sums_over_hyperplanes_are_those_of_a_double_loop) {
    SeededBits bits(341);
    for (const auto& [q, t] : shapes) {
        const ProjectiveSpace space(q, t);
        // Sums of 32 bits, sums of 64, and counters that only a forger could have filled.
        for (const std::uint64_t bound : {std::uint64_t{1000}, std::uint64_t{1} << 36, std::uint64_t{0}}) {
            const Supports counts = random_counts(space.points(), bound, bits);
            const Supports sums = space.sums(state_of(counts));
            BOOST_REQUIRE_EQUAL(sums.size(), space.points());
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const auto x = space.hyperplane(i);
                std::uint64_t sum = 0;
                for (std::size_t j = 0; j < counts.size(); ++j)
                    if (space.product(x, space.point(j)) == 0) sum += counts[j];
                BOOST_REQUIRE_EQUAL(sums[i], sum);
                BOOST_REQUIRE_EQUAL(space.sum(x, state_of(counts)), sum);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_sum_just_too_large_for_32_bits) {
    const ProjectiveSpace space(3, 4);
    for (const std::uint64_t rest : {0, 1, 2}) {
        Supports counts(space.points());
        counts[5] = 0xFFFFFFFE;
        counts[space.points() - 1] = rest;
        const Supports sums = space.sums(state_of(counts));
        BOOST_CHECK_EQUAL(std::ranges::max(sums), 0xFFFFFFFEu + rest);  // a line through both
    }
}

BOOST_AUTO_TEST_CASE(points_and_hyperplanes_are_those_of_the_plane, *boost::unit_test::label("slow")) {
    for (const auto& [q, t] : shapes) {
        const ProjectiveSpace space(q, t);
        BOOST_CHECK_EQUAL(space.points(), *ProjectiveSpace::size(q, t));
        std::vector<ProjectiveSpace::Vector> points, hyperplanes;
        for (std::uint64_t i = 0; i < space.points(); ++i) {
            points.push_back(space.point(i));
            hyperplanes.push_back(space.hyperplane(i));
            // The same number for every multiple.
            for (const std::uint64_t factor :
                 {std::uint64_t{1}, std::uint64_t{q} - 1, (std::uint64_t{q} + 1) / 2}) {
                auto multiple = points.back();
                for (auto& coordinate : multiple)
                    coordinate = static_cast<std::uint32_t>(factor * coordinate % q);
                BOOST_REQUIRE_EQUAL(space.number_of_point(multiple), i);
            }
            const auto& x = hyperplanes.back();
            BOOST_REQUIRE_EQUAL(*std::ranges::find_if(x, [](auto coordinate) { return coordinate != 0; }),
                                1u);
            BOOST_REQUIRE(std::ranges::all_of(x, [&](auto coordinate) { return coordinate < q; }));
        }
        std::ranges::sort(hyperplanes);
        BOOST_CHECK(std::ranges::adjacent_find(hyperplanes) == hyperplanes.end());
        // As many points on each, and as many on any two (of some hundreds, where there are more).
        const std::size_t some = std::min<std::size_t>(hyperplanes.size(), 150);
        for (std::size_t i = 0; i < some; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const auto both = std::ranges::count_if(points, [&](const auto& y) {
                    return space.product(hyperplanes[i], y) == 0 && space.product(hyperplanes[j], y) == 0;
                });
                BOOST_REQUIRE_EQUAL(both, i == j ? space.points_on_one() : space.points_on_two());
            }
    }
}

BOOST_AUTO_TEST_CASE(primes) {
    std::uint64_t found = 2;
    for (const std::uint64_t p : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}) {
        BOOST_CHECK_EQUAL(prime_from(found), p);
        BOOST_CHECK_EQUAL(prime_up_to(p), p);
        found = p + 1;
    }
    BOOST_CHECK_EQUAL(prime_up_to(58), 53u);
    BOOST_CHECK_EQUAL(prime_from(1u << 24), 16777259u);
    BOOST_CHECK_EQUAL(prime_up_to(1u << 25), 33554393u);
    BOOST_CHECK_EQUAL(prime_from(5791 * 5791), 33535693u);  // steps over the square of a prime
}

BOOST_AUTO_TEST_CASE(impossible_spaces_are_refused) {
    const auto m = over("projective", 1, 40);  // k = 40 · q = 3 · t = 4
    BOOST_REQUIRE_EQUAL(parameter(*m, "field"), 3);
    BOOST_REQUIRE_EQUAL(parameter(*m, "dimension"), 4);
    const auto with = [&](std::uint32_t k, std::uint32_t q, std::uint8_t t) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size, k);
        store(block.data() + header_size + 4, q);
        store(block.data() + header_size + 8, t);
        return block;
    };
    const auto is_malformed = [](const Error& error) { return error.code() == ErrorCode::malformed; };
    for (const auto& block :
         {with(41, 3, 4),         with(1, 3, 4),         with(0, 3, 4),           with((1u << 24) + 1, 2, 25),
          with(0xFFFFFFFF, 3, 4), with(40, 4, 4),        with(40, 9, 3),          with(40, 49, 2),
          with(40, 0, 4),         with(40, 1, 40),       with(40, 1, 255),        with(40, 3, 0),
          with(40, 3, 1),         with(40, 3, 3),        with(40, 3, 17),         with(40, 2, 26),
          with(40, 3, 255),       with(40, 33554467, 2), with(40, 0xFFFFFFFB, 2), with(40, 0xFFFFFFFF, 255),
          with(40, 5801, 3)})
        BOOST_CHECK_EXCEPTION(static_cast<void>(load_mechanism(block, Kind::report)), Error, is_malformed);
    for (const auto& block : {with(40, 3, 4), with(2, 3, 4), with(40, 2, 25), with(40, 33554393, 2),
                              with(1u << 24, 2, 25), with(40, 5791, 3)})
        BOOST_CHECK_NO_THROW(static_cast<void>(load_mechanism(block, Kind::report)));
}

BOOST_AUTO_TEST_CASE(honest_reports_look_healthy, *boost::unit_test::label("slow")) {
    // Domains that leave many sets to nobody, few and none; few reports and many for the number of outputs.
    for (const char* name : {"hadamard", "projective"})
        for (const std::uint64_t k : {2, 13, 600, 1000, 1023, 1093})
            for (const double epsilon : {0.5, 1.0, 3.0}) {
                const auto m = over(name, epsilon, k);
                for (const std::size_t n : {1, 30, 3000})
                    for (std::uint64_t seed = 400; seed < 420; ++seed)
                        for (const Check& check : health_of(*m, n, 0, 0, seed))
                            BOOST_CHECK_MESSAGE(check.p_value > 1e-7, name << " k=" << k << " ε=" << epsilon
                                                                           << " n=" << n << ": " << check.name
                                                                           << ' ' << check.p_value);
            }
}

BOOST_AUTO_TEST_CASE(floods_of_one_output_are_seen) {
    const auto hadamard = over("hadamard", 1, 1000);
    const auto projective = over("projective", 1, 1000);
    for (std::uint64_t seed = 431; seed < 434; ++seed) {
        BOOST_CHECK_GT(least_p_value(health_of(*hadamard, 19000, 0, 0, seed)), 1e-7);
        BOOST_CHECK_GT(least_p_value(health_of(*projective, 19000, 0, 0, seed)), 1e-7);
        // 5 %, at the output that every value supports, at another one, and at some point.
        for (const std::uint64_t output : {0, 77}) {
            const auto checks = health_of(*hadamard, 19000, 1000, output, seed);
            BOOST_CHECK_LT(least_p_value(checks), 1e-6);
        }
        BOOST_CHECK_LT(least_p_value(health_of(*projective, 19000, 1000, 77, seed)), 1e-6);
        // Of several blocks, at the first column of one and at another.
        const auto blocks = over("hadamard", 3, 1000);
        BOOST_CHECK_GT(least_p_value(health_of(*blocks, 19000, 0, 0, seed)), 1e-7);
        for (const std::uint64_t output : {0, 77})
            BOOST_CHECK_LT(least_p_value(health_of(*blocks, 19000, 1000, output, seed)), 1e-6);
    }
}

BOOST_AUTO_TEST_CASE(each_statistic_sees_its_kind_of_forgery) {
    const auto p_value = [](const std::vector<Check>& checks, const std::string& name) {
        return std::ranges::find(checks, name, &Check::name)->p_value;
    };
    // Output 0 may not occur more often than output 5: only the common part of all values is
    // informative.
    const auto m = over("hadamard", 1, 15);
    const auto flood = health_of(*m, 19000, 1000, 0, 441);
    BOOST_CHECK_LT(p_value(flood, "share of output 0"), 1e-6);
    // One point in 1093, on a third of the spare lines.
    const auto points = health_of(*over("projective", 1, 1000), 19000, 1000, 77, 442);
    BOOST_CHECK_LT(p_value(points, "frequency of a value outside the domain"), 1e-6);
    BOOST_CHECK_LT(p_value(points, "share of the commonest output"), 1e-6);
    // Everybody in one block, on the side that no value of it has; and nobody in it.
    const auto blocks = in_blocks(2, 6, 2);  // values 0, 2, 4 own rows 1, 2, 3 of the first block
    std::vector<std::byte> signs(blocks->state_size());
    const std::size_t order = signs.size() / sizeof(std::uint64_t) / 2;
    BOOST_REQUIRE_EQUAL(order, 4u);
    for (std::size_t column = 1; column < order; ++column)
        store<std::uint64_t>(signs.data() + column * sizeof(std::uint64_t), 1000);
    const auto sided = blocks->health({3000, signs});
    for (const char* name : {"least frequency", "share of the rarest block", "share of the commonest block",
                             "share of the rarest output"})
        BOOST_CHECK_LT(p_value(sided, name), 1e-6);
    std::ranges::fill(signs, std::byte{0});
    store<std::uint64_t>(signs.data(), 3000);
    for (const char* name : {"greatest share on a value's side", "share of the commonest output"})
        BOOST_CHECK_LT(p_value(blocks->health({3000, signs}), name), 1e-6);
    // A row that is nobody's, of five values in two blocks of four columns.
    const auto spare = in_blocks(2, 5, 2);
    std::ranges::fill(signs, std::byte{0});
    for (std::size_t column : {4, 7})
        store<std::uint64_t>(signs.data() + column * sizeof(std::uint64_t), 400);
    for (std::size_t column : {5, 6})
        store<std::uint64_t>(signs.data() + column * sizeof(std::uint64_t), 200);
    for (std::size_t column : {0, 1, 2, 3})
        store<std::uint64_t>(signs.data() + column * sizeof(std::uint64_t), 150);
    BOOST_CHECK_LT(p_value(spare->health({1800, signs}), "frequency of a value outside the domain"), 1e-6);
    // Forgers who keep to half of the outputs leave the other half too rare.
    std::vector<std::byte> state(m->state_size());
    std::byte permanent[1];
    SeededBits bits(443);
    for (int i = 0; i < 20000; ++i) {
        permanent[0] = static_cast<std::byte>(bits.below(i < 4000 ? 16 : 8));
        BOOST_REQUIRE(m->accumulate(state, permanent));
    }
    BOOST_CHECK_LT(p_value(m->health({20000, state}), "share of the rarest output"), 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

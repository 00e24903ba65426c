// The numeric numeric randomizers: laplace, duchi, onebit, hybrid, and what they share with the windows.

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "core/channel/binary.hpp"
#include "core/channel/hybrid_channel.hpp"
#include "core/channel/laplace_channel.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(numeric)

namespace {

constexpr NumericRandomizer randomizers[] = {piecewise_randomizer, pdp_randomizer,    laplace_randomizer,
                                             duchi_randomizer,     hybrid_randomizer, optimal_randomizer,
                                             average_randomizer};

std::unique_ptr<const NumericChannel> channel(const NumericRandomizer& candidate, double epsilon,
                                              std::uint64_t steps) {
    const ChannelSize size = channel_size(candidate, epsilon, steps);
    Writer writer;
    write_channel(writer, size);
    write_readings(writer, candidate.response, size);
    Reader reader(writer.bytes());
    ChannelSize read = read_channel(reader);
    read_readings(reader, candidate.response, read);
    reader.finish();
    return make_channel(candidate.response, read, epsilon);
}

std::unique_ptr<const Mechanism> on_range(const std::string& name, double epsilon, int min, int max,
                                          std::uint64_t grid) {
    return mechanism(name, epsilon,
                     "\"min\": " + std::to_string(min) + ", \"max\": " + std::to_string(max) +
                         ", \"grid\": " + std::to_string(grid));
}

std::unique_ptr<const Mechanism> on_unit_range(const std::string& name, double epsilon, std::uint64_t grid) {
    return on_range(name, epsilon, 0, 1, grid);
}

/// The outputs of these inputs, as a tally.
std::vector<std::byte> tally(const NumericChannel& c, const std::vector<std::uint64_t>& inputs,
                             BitSource& bits) {
    std::vector<std::byte> sums(c.tally_size());
    for (const std::uint64_t in : inputs) c.accumulate(sums.data(), c.sample(in, bits));
    return sums;
}

double least_p_value(const std::vector<Check>& checks) {
    double least = 1;
    for (const Check& check : checks) {
        BOOST_CHECK(check.p_value >= 0 && check.p_value <= 1);
        least = std::min(least, check.p_value);
    }
    return least;
}

}  // namespace

// ε --------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(one_bit_keeps_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* name : {"duchi", "onebit"})
            for (const int grid : {2, 7, 64}) prove(*on_unit_range(name, epsilon, grid));
    for (const double epsilon : {0.01, 1.0, 4.0})
        for (const std::uint64_t grid : {2, 3, 7}) drive(BinaryChannel(grid, epsilon, 16));
}

BOOST_AUTO_TEST_CASE(hybrid_keeps_epsilon) {
    for (const double epsilon : {0.001, 0.5, 0.609, 0.61, 1.0, 2.0, 4.0, 10.0, 20.0})
        for (const int grid : {2, 7, 64}) prove(*on_unit_range("hybrid", epsilon, grid));
}

BOOST_AUTO_TEST_CASE(laplace_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : {1.0, 2.0, 4.0, 10.0, 20.0})
        for (const int grid : {2, 7}) prove(*on_unit_range("laplace", epsilon, grid));
    for (const double epsilon : {4.0, 10.0, 20.0}) prove(*on_unit_range("laplace", epsilon, 20));
    for (const double epsilon : {0.1, 0.5}) prove(*on_unit_range("laplace", epsilon, 2));
}

BOOST_AUTO_TEST_CASE(haar_keeps_epsilon_with_every_card, *boost::unit_test::label("slow")) {
    for (const double epsilon : {4.0, 10.0})
        for (const char* candidate : {"hybrid", "duchi", "laplace"})
            prove(*mechanism(
                "haar", epsilon,
                unit_attributes(2) + ", \"grid\": 3, \"randomizer\": \"" + std::string(candidate) + "\""));
    for (const double epsilon : {0.01, 1.0})
        for (const char* candidate : {"hybrid", "duchi", "optimal"})
            prove(*mechanism(
                "haar", epsilon,
                unit_attributes(3) + ", \"grid\": 3, \"randomizer\": \"" + std::string(candidate) + "\""));
}

BOOST_AUTO_TEST_CASE(fine_grids_keep_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* name : {"laplace", "duchi", "onebit", "hybrid"})
            for (const std::uint64_t grid : {999983, 1048576})
                check_worst_ratio(*on_unit_range(name, epsilon, grid));
}

BOOST_AUTO_TEST_CASE(ramps_of_narrow_words_keep_epsilon_too) {
    for (const double epsilon : epsilons)
        for (const std::uint64_t steps : {2, 1000})
            for (const unsigned bits : {40u, 50u, 64u}) {
                const Ramp r = ramp(epsilon, steps, bits);
                BOOST_CHECK_GE(margin(epsilon, exact(r.base + steps * r.rise, r.base)), 0);
                BOOST_CHECK_LT(margin(epsilon, exact(r.base + steps * r.rise, r.base)),
                               std::ldexp(1.0, -58) + 1 / static_cast<double>(r.base));
                BOOST_CHECK(2 * Uint128{r.base} + Uint128{steps} * r.rise < Uint128{1} << bits);
            }
    BOOST_CHECK_THROW(static_cast<void>(ramp(0.001, 1 << 20, 16)), Error);
}

BOOST_AUTO_TEST_CASE(decay_keeps_its_promise_at_every_magnitude) {
    // Step by step in exact fractions: P(m)/P(m+1) lies in [1, exp(ε/steps)], and so do the tails' ratios.
    for (const double epsilon : {0.1, 1.0, 20.0}) {
        const std::uint64_t steps = 2;
        const Decay coins = decay(epsilon, steps);
        const std::uint64_t critical_value = std::uint64_t{1} << coins.digits.size();
        const Exact beyond = exact_dyadic(coins.beyond, 128);
        const auto at = [&](std::uint64_t m) {
            Exact p = beyond.complement();
            for (std::size_t i = 0; i < coins.digits.size(); ++i) {
                const Exact one = exact_dyadic(coins.digits[i], 128);
                p = p * ((m >> i & 1) != 0 ? one : one.complement());
            }
            return p;
        };
        Exact here = at(critical_value - 1), tail = beyond;
        for (std::uint64_t m = critical_value - 1; m > 0; --m) {
            const Exact before = at(m - 1), longer = tail + here;
            BOOST_REQUIRE(before >= here);
            BOOST_REQUIRE_GE(margin(epsilon / 2, before / here), 0);
            BOOST_REQUIRE_GE(margin(epsilon / 2, longer / tail), 0);
            here = before;
            tail = longer;
        }
        BOOST_CHECK(tail + here == exact(1, 1));
    }
}

BOOST_AUTO_TEST_CASE(no_card_tells_its_input_by_the_words_it_draws) {
    for (const NumericRandomizer& candidate : randomizers) {
        const auto c = channel(candidate, 1, 1000);
        CountedBits bits(5);
        static_cast<void>(c->sample(0, bits));
        const unsigned expected = bits.words;
        for (std::uint64_t in = 0; in <= 1000; ++in) {
            bits.words = 0;
            static_cast<void>(c->sample(in, bits));
            BOOST_REQUIRE_EQUAL(bits.words, expected);  // a redraw has probability below 2^-32
        }
    }
}

// Estimates ------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(cards_agree_with_golden_constants) {
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"}) {
        const auto at = [&](const std::string& name) {
            return on_range(name, std::stod(epsilon), -1, 1, 1048576);
        };
        for (const char* x : {"0.0", "0.5", "1.0"}) {
            const std::string key = std::string("epsilon=") + epsilon + ";x=" + x;
            const double truth = std::stod(x);
            BOOST_CHECK_CLOSE_FRACTION(at("duchi")->n_variance(truth), golden("duchi", key, "n_var"), 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(at("hybrid")->n_variance(truth), golden("hybrid", key, "n_var"), 1e-5);
            BOOST_CHECK_CLOSE_FRACTION(at("laplace")->n_variance(truth),
                                       golden("laplace", std::string("epsilon=") + epsilon, "n_var"), 1e-9);
        }
    }
    const double root = std::sqrt(241.0);
    const double sum = std::cbrt(6353 - 405 * root) + std::cbrt(6353 + 405 * root);
    BOOST_CHECK_CLOSE_FRACTION(hybrid_threshold, std::log((2 * sum - 5) / 27), 1e-12);
}

// Of outputs in [−b,b], a window of width Δ: on a grid, the whole number of cells that comes nearest.
BOOST_AUTO_TEST_CASE(windows_are_the_published_ones_to_the_cell) {
    for (const double epsilon : {0.5, 0.61, 1.0, 2.0, 4.0})
        for (const std::uint64_t steps : {100, 4096, 1048576}) {
            const auto check = [&](std::uint64_t width, double delta, double b) {
                BOOST_CHECK_LT(std::abs(static_cast<double>(width) -
                                        static_cast<double>(steps) * delta / (2 * b - delta)),
                               0.5 + 1e-6);
            };
            const double e = std::exp(epsilon), root = std::exp(epsilon / 2);
            const double piecewise = (root + 1) / (root - 1);
            check(piecewise::width(epsilon, steps), piecewise - 1, piecewise);
            if (epsilon > hybrid_threshold)
                check(hybrid::width(epsilon, steps), piecewise - 1, piecewise);
            else
                BOOST_CHECK_EQUAL(hybrid::width(epsilon, steps), 0u);
            const double delta = 24 / (std::exp(epsilon / 6) * (6 + 5 * epsilon) - 6);
            const double excess = (e - 1) * delta;
            check(pdp::width(epsilon, steps), delta, excess * (delta + 2) / (2 * (excess - 2)));
        }
}

BOOST_AUTO_TEST_CASE(probabilities_lead_to_the_stated_moments) {
    // At every input, the exact distribution of the output gives the mean and the noise that invert()
    // assumes.
    for (const NumericRandomizer& candidate : randomizers)
        for (const double epsilon : {0.5, 2.0}) {
            const auto c = channel(candidate, epsilon, 4);
            std::vector<std::byte> one(c->tally_size());
            for (std::uint64_t s = 0; s <= 4; ++s) {
                double mean = 0, square = 0;
                for (std::uint64_t out = 0; out < c->outputs(); ++out) {
                    std::ranges::fill(one, std::byte{0});
                    c->accumulate(one.data(), out);
                    const double value = c->invert(1, one.data()).mean;
                    const auto p = static_cast<double>(c->probability(s, out));
                    mean += p * value;
                    square += p * value * value;
                }
                const auto at = static_cast<double>(s);
                BOOST_CHECK_SMALL(mean - at, 1e-10);
                BOOST_CHECK_CLOSE_FRACTION(square - mean * mean, c->noise_at(at), 1e-9);
            }
        }
}

BOOST_AUTO_TEST_CASE(onebit_is_duchi_by_algebra) {
    constexpr double epsilon = 1.5, most = 24;
    const auto onebit = on_range("onebit", epsilon, 0, 24, 240),
               duchi = on_range("duchi", epsilon, 0, 24, 240);
    OwnedSummary ours(*onebit), theirs(*duchi);
    SeededBits bits(3), same(3);
    for (Cell i = 0; i < 1000; ++i) {
        ours.add(onebit->perturb(std::vector<Cell>{i % 241}, bits));
        theirs.add(duchi->perturb(std::vector<Cell>{i % 241}, same));
    }
    const Bytes state = ours.state();
    const double ones = static_cast<double>(load<std::uint64_t>(state.data())), e = std::exp(epsilon);
    const Estimate estimate = ours.estimate(Quantity::means)[0];
    BOOST_CHECK_CLOSE_FRACTION(estimate.value, most / 1000 * (ones * ((e + 1) - 1) - (1000 - ones)) / (e - 1),
                               1e-9);
    BOOST_CHECK_EQUAL(estimate.value, theirs.estimate(Quantity::means)[0].value);
    BOOST_CHECK_EQUAL(estimate.standard_error, theirs.estimate(Quantity::means)[0].standard_error);
    BOOST_CHECK_EXCEPTION(static_cast<void>(on_range("onebit", 1, 1, 24, 240)), Error,
                          [](const Error& error) {
                              return error.code() == ErrorCode::invalid_spec &&
                                     std::string(error.what()).find("\"min\"") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(one_bit_has_one_interval) {
    // Bits have no information on the variance of people: both targets get B² − μ².
    const auto m = on_range("duchi", 1, -1, 1, 100);
    SeededBits bits(4);
    OwnedSummary summary(*m);
    for (Cell i = 0; i < 5000; ++i) summary.add(m->perturb(std::vector<Cell>{i % 2 == 0 ? 20u : 100u}, bits));
    const Estimate sample = summary.estimate(Quantity::means)[0];
    const double bound = 1 / std::tanh(0.5);
    BOOST_CHECK_CLOSE_FRACTION(sample.standard_error,
                               std::sqrt((bound * bound - sample.value * sample.value) / 5000), 1e-9);
    BOOST_CHECK_EQUAL(sample.standard_error,
                      summary.estimate(Quantity::means, Target::population)[0].standard_error);
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_stated_by_every_card, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 71;
    for (const char* name : {"duchi", "onebit", "hybrid"})
        check_frequencies_of_reports(*on_unit_range(name, 1, 7), std::vector<Cell>{5}, seed++);
    // Outputs of laplace that come less than 20 times are counted together.
    constexpr int draws = 400000;
    for (const double epsilon : {1.0, 6.0}) {
        const LaplaceChannel c(7, epsilon);
        SeededBits bits(seed++);
        std::vector<int> counts(c.outputs());
        for (int i = 0; i < draws; ++i) ++counts.at(c.sample(5, bits));
        double chi_square = 0, classes = 0, rare = draws, rare_count = draws;
        for (std::uint64_t out = 0; out < c.outputs(); ++out) {
            const double expected = draws * static_cast<double>(c.probability(5, out));
            if (expected < 20) continue;
            chi_square += std::pow(counts[out] - expected, 2) / expected;
            rare -= expected;
            rare_count -= counts[out];
            ++classes;
        }
        BOOST_REQUIRE_GT(classes, 5);
        BOOST_REQUIRE_GT(rare, 5);
        chi_square += std::pow(rare_count - rare, 2) / rare;
        BOOST_CHECK_LT(chi_square, quantile(complement(boost::math::chi_squared(classes), 1e-9)));
    }
}

BOOST_AUTO_TEST_CASE(card_estimates, *boost::unit_test::label("slow")) {
    // 300 people who differ, skewed to the left end; and 300 who are equal, for whom the closed form of the
    // variance is n_variance().
    constexpr std::uint64_t grid = 1024;
    std::vector<std::vector<Cell>> people;
    for (Cell i = 0; i < 300; ++i) people.push_back({i * i * grid / (299 * 299)});
    double sum = 0;
    for (const auto& person : people) sum += static_cast<double>(person[0]) / 300;
    std::uint64_t seed = 131;
    for (const char* name : {"laplace", "duchi", "hybrid", "optimal"})
        for (const double epsilon : {0.5, 1.0, 4.0}) {
            const auto m = on_range(name, epsilon, 100, 200, grid);
            double noise = 0;
            for (const auto& person : people)
                noise += m->n_variance(2 * static_cast<double>(person[0]) / grid - 1) / 300;
            const auto differing =
                simulate(*m, people, {100 + 100 * sum / grid}, Quantity::means, 5000, seed++);
            differing.check_unbiased();
            differing.check_variance(0, noise / 300 * 50 * 50);
            const bool bits =
                name == std::string("duchi") || (name == std::string("hybrid") && epsilon < 0.6);
            if (!bits) differing.check_coverage();  // else the interval is a population's
            const auto equal = simulate(*m, std::vector<std::vector<Cell>>(300, {768}), {175},
                                        Quantity::means, 5000, seed++);
            equal.check_unbiased();
            equal.check_variance(0, m->n_variance(0.5) / 300 * 50 * 50);
            equal.check_coverage();
        }
}

BOOST_AUTO_TEST_CASE(card_intervals_cover_populations, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 161;
    for (const char* name : {"laplace", "duchi", "hybrid", "optimal"}) {
        const auto m = on_unit_range(name, 4, 1024);
        SeededBits bits(seed++);
        Simulation means;
        for (int r = 0; r < 5000; ++r) {
            OwnedSummary numbers(*m);
            for (int i = 0; i < 300; ++i)
                numbers.add(m->perturb(std::vector<Cell>{bits.below(10) < 7 ? 0u : 1024u}, bits));
            means.add(numbers.estimate(Quantity::means, Target::population), {0.3});
        }
        means.check_unbiased();
        means.check_coverage();
    }
}

BOOST_AUTO_TEST_CASE(haar_estimates_with_every_card, *boost::unit_test::label("slow")) {
    const std::vector<std::vector<Cell>> people(900, {768, 768, 768});
    std::uint64_t seed = 171;
    for (const char* candidate : {"laplace", "duchi", "hybrid", "optimal"}) {
        const auto m = mechanism(
            "haar", 2,
            unit_attributes(3) + ", \"grid\": 1024, \"randomizer\": \"" + std::string(candidate) + "\"");
        const auto means = simulate(*m, people, {0.5, 0.5, 0.5}, Quantity::means, 2500, seed++);
        means.check_unbiased();
        means.check_coverage();
        const auto coefficients = simulate(*m, people, {0.5, 0, 0}, Quantity::coefficients, 2500, seed++);
        coefficients.check_unbiased();
        coefficients.check_coverage();
    }
}

BOOST_AUTO_TEST_CASE(every_card_has_an_error_bar_after_one_report) {
    SeededBits bits(6);
    for (const NumericRandomizer& candidate : randomizers)
        for (const double epsilon : {0.5, 1.0, 20.0}) {
            const auto c = channel(candidate, epsilon, 1000);
            for (int i = 0; i < 100; ++i) {
                const auto sums = tally(*c, {500}, bits);
                const auto moments = c->invert(1, sums.data());
                BOOST_REQUIRE_GT(moments.noise, 0);
                BOOST_REQUIRE_GE(moments.sampling, 0);
                BOOST_REQUIRE(std::isfinite(moments.mean));
            }
        }
}

// Health ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(honest_people_look_honest) {
    // Everybody at one end is the extreme that honesty allows. 7 numeric randomizers × 3 × 4 × 200 seeds: a
    // false alarm at 1e-6 anywhere has probability below 1 %.
    for (const NumericRandomizer& candidate : randomizers)
        for (const double epsilon : {0.5, 1.0, 4.0}) {
            const auto c = channel(candidate, epsilon, 100);
            for (const std::size_t n : {1, 3, 30, 300})
                for (std::uint64_t seed = 0; seed < 200; ++seed) {
                    SeededBits bits(seed);
                    const auto sums = tally(*c, std::vector<std::uint64_t>(n, seed % 2 == 0 ? 0 : 100), bits);
                    BOOST_REQUIRE(c->valid(n, sums.data()));
                    BOOST_CHECK_GT(least_p_value(c->health(n, sums.data())), 1e-6);
                }
        }
}

BOOST_AUTO_TEST_CASE(floods_are_seen) {
    SeededBits bits(8);
    for (const NumericRandomizer& candidate : randomizers)
        for (const double epsilon : {0.5, 1.0, 4.0}) {
            const auto c = channel(candidate, epsilon, 100);
            // Half of all reports are forged and say the most, while the honest half stands at the top.
            for (const std::uint64_t extreme : {std::uint64_t{0}, c->outputs() - 1}) {
                if (candidate.response == Response::hybrid && c->outputs() > 2 && extreme == 0) continue;
                const bool up = extreme != 0;
                auto sums = tally(*c, std::vector<std::uint64_t>(20000, up ? 100 : 0), bits);
                for (int i = 0; i < 20000; ++i) c->accumulate(sums.data(), extreme);
                BOOST_CHECK_LT(least_p_value(c->health(40000, sums.data())), 1e-6);
            }
        }
    // Forgeries that keep the mean in its place, but not the spread or the mix of parts.
    const auto laplace = channel(laplace_randomizer, 1, 100);
    auto sums = tally(*laplace, std::vector<std::uint64_t>(20000, 50), bits);
    for (int i = 0; i < 500; ++i) laplace->accumulate(sums.data(), i % 2 == 0 ? 0 : laplace->outputs() - 1);
    BOOST_CHECK_LT(least_p_value(laplace->health(20500, sums.data())), 1e-6);
    const auto hybrid = channel(hybrid_randomizer, 1, 100);
    sums = tally(*hybrid, std::vector<std::uint64_t>(1000, 50), bits);
    for (int i = 0; i < 500; ++i) hybrid->accumulate(sums.data(), hybrid->outputs() - 1 - i % 2);
    BOOST_CHECK_LT(least_p_value(hybrid->health(1500, sums.data())), 1e-6);
}

// Format ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(haar_names_its_card_where_a_byte_was_reserved) {
    constexpr std::size_t at = header_size + 13;
    const auto block = [](const std::string& candidate) {
        const auto m = mechanism("haar", 1, unit_attributes(4) + ", \"randomizer\": \"" + candidate + "\"");
        return std::vector<std::byte>(m->block().begin(), m->block().end());
    };
    for (const auto& [candidate, number] : {std::pair{"pdp", 0},
                                            {"piecewise", 0},
                                            {"laplace", 13},
                                            {"duchi", 14},
                                            {"hybrid", 16},
                                            {"optimal", 28}})
        BOOST_CHECK_EQUAL(std::to_integer<int>(block(candidate)[at]), number);
    // A window's number with another numeric randomizer's width, and the other way round.
    for (const auto& [candidate, number] :
         {std::pair{"pdp", 13}, {"pdp", 1}, {"laplace", 0}, {"hybrid", 14}, {"duchi", 16}}) {
        auto forged = block(candidate);
        forged[at] = static_cast<std::byte>(number);
        BOOST_CHECK_THROW(static_cast<void>(load_mechanism(forged, Kind::report)), Error);
    }
}

BOOST_AUTO_TEST_CASE(sums_of_the_widest_outputs_do_not_overflow) {
    // 2^40 reports at the last output, by doubling; they are as valid as their mean is exact.
    for (const NumericRandomizer& candidate : randomizers) {
        const auto c = channel(candidate, 0.001, max_grid);
        std::vector<std::byte> sums(c->tally_size());
        c->accumulate(sums.data(), c->outputs() - 1);
        const double one = c->invert(1, sums.data()).mean;
        std::uint64_t n = 1;
        for (; n < max_count; n *= 2) {
            BOOST_REQUIRE(c->valid(n, sums.data()));
            BOOST_REQUIRE(!c->valid(n - 1, sums.data()));
            const auto same = sums;
            c->merge(sums.data(), same.data());
        }
        BOOST_CHECK(c->valid(n, sums.data()));
        BOOST_CHECK_CLOSE_FRACTION(c->invert(n, sums.data()).mean, one, 1e-9);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

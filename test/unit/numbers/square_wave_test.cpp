// The square wave: its window, the ways to read a distribution off its outputs, and what their errors are
// worth.
//
// Length: all tests of one mechanism, by the same enumeration.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/channel/window_decoder.hpp"
#include "core/summary/queries/distribution.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(square_wave_mechanism)

namespace {

std::unique_ptr<const Mechanism> square_wave(double epsilon, std::uint64_t grid) {
    return mechanism("square_wave", epsilon, "\"min\": -10, \"max\": 30, \"grid\": " + std::to_string(grid));
}

/// Densities on [0,1], to a constant factor.
double even(double) {
    return 1;
}
double skewed(double x) {
    return x * std::pow(1 - x, 4);
}
double bell(double x) {
    return std::exp(-std::pow((x - 0.5) / 0.15, 2) / 2);
}
double two_humps(double x) {
    return std::exp(-std::pow((x - 0.3) / 0.1, 2) / 2) + std::exp(-std::pow((x - 0.7) / 0.12, 2) / 2);
}
double atoms(double x) {  // most people at the ends and in one place
    return x == 0 || x == 1 || x == 0.25 ? 100 : 1;
}

/// Shares of the points 0 to steps under a density; the outer points stand for half a cell.
std::vector<double> shares_of(double (*density)(double), std::size_t steps) {
    std::vector<double> shares(steps + 1);
    for (std::size_t s = 0; s <= steps; ++s)
        shares[s] =
            density(static_cast<double>(s) / static_cast<double>(steps)) * (s == 0 || s == steps ? 0.5 : 1);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    return shares;
}

std::vector<double> random_shares(std::size_t size, SeededBits& bits) {
    std::vector<double> shares(size);
    for (double& share : shares) share = static_cast<double>(bits.below(1000) * bits.below(1000));
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    return shares;
}

double probability(const WindowChannel& channel, std::uint64_t in, std::uint64_t out) {
    return static_cast<double>(channel.weight(in, out)) / static_cast<double>(channel.total());
}

/// What cdf() estimates: shares below a point, smeared over `blur` steps.
double smeared(std::span<const double> shares, double at, double blur) {
    double sum = 0;
    for (std::size_t s = 0; s < shares.size(); ++s)
        sum += shares[s] * std::clamp((at + blur / 2 - static_cast<double>(s)) / blur, 0.0, 1.0);
    return sum;
}
double smeared_quantile(std::span<const double> shares, double share, double blur) {
    double low = 0, high = static_cast<double>(shares.size()) - 1;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (smeared(shares, middle, blur) < share ? low : high) = middle;
    }
    return low;
}

/// The area between two cumulative distributions on [0,1].
double wasserstein(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t s = 0; s + 1 < a.size(); ++s) sum += std::abs(a[s] - b[s]);
    return sum / static_cast<double>(a.size() - 1);
}

const Ordered& ordered(const Mechanism& m) {
    return dynamic_cast<const Ordered&>(m);
}

}  // namespace

BOOST_AUTO_TEST_CASE(its_window_is_the_published_one) {
    constexpr double grid = 65536;
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"}) {
        const auto m = square_wave(std::stod(epsilon), static_cast<std::uint64_t>(grid));
        const std::string key = std::string("epsilon=") + epsilon;
        const auto parameters = m->parameters();
        const auto window = std::ranges::find(parameters, "window", &std::pair<std::string, double>::first);
        BOOST_CHECK_LT(std::abs(window->second - 2 * golden("square_wave", key, "b") * grid), 0.5 + 1e-3);
        std::vector<std::byte> first(m->permanent_size()), last(m->permanent_size());
        store_cell(last.data(), last.size(), static_cast<std::uint64_t>(grid));
        const std::vector<Cell> input{0};
        BOOST_CHECK_CLOSE_FRACTION(grid * static_cast<double>(m->probability(input, {}, first)),
                                   golden("square_wave", key, "p"), 3e-4);
        BOOST_CHECK_CLOSE_FRACTION(grid * static_cast<double>(m->probability(input, {}, last)),
                                   golden("square_wave", key, "q"), 3e-4);
    }
    BOOST_CHECK_EQUAL(square_wave(1, 1024)->cells()[0], 1025u);
    BOOST_CHECK_EQUAL(mechanism("square_wave", 1, "\"min\": 0, \"max\": 1")->cells()[0], 1025u);
}

BOOST_AUTO_TEST_CASE(fast_steps_equal_the_dense_ones) {
    SeededBits bits(1);
    for (const double epsilon : {0.5, 3.0})
        for (const auto& [steps, width] : {std::pair<std::size_t, std::size_t>{2, 1},
                                           {2, 2},
                                           {7, 1},
                                           {7, 3},
                                           {12, 4},
                                           {12, 5},
                                           {20, 17},
                                           {20, 20}}) {
            const WindowChannel channel(steps, width, epsilon);
            const WindowDecoder decoder(channel);
            const auto shares = random_shares(channel.inputs(), bits);
            const auto observed = random_shares(channel.outputs(), bits);

            std::vector<double> outputs(channel.outputs());
            for (std::size_t j = 0; j < outputs.size(); ++j)
                for (std::size_t s = 0; s < shares.size(); ++s)
                    outputs[j] += shares[s] * probability(channel, s, j);
            const auto fast = decoder.outputs(shares);
            for (std::size_t j = 0; j < outputs.size(); ++j)
                BOOST_CHECK_CLOSE_FRACTION(fast[j], outputs[j], 1e-12);

            // A step, and three that smooth. Their gains are the differences of the log-likelihoods.
            WindowFit fit(decoder, observed, shares);
            std::vector<double> now = shares;
            double last_likelihood = 0;
            for (int step = 0; step < 5; ++step) {
                double likelihood = 0;
                std::vector<double> next(now.size());
                const auto expected = decoder.outputs(now);
                for (std::size_t j = 0; j < expected.size(); ++j) {
                    likelihood += observed[j] * std::log(expected[j]);
                    for (std::size_t s = 0; s < now.size(); ++s)
                        next[s] += observed[j] * now[s] * probability(channel, s, j) / expected[j];
                }
                const double gain = fit.gain(HUGE_VAL);
                if (step == 0)
                    BOOST_CHECK_EQUAL(gain, HUGE_VAL);
                else
                    BOOST_CHECK_SMALL(gain - (likelihood - last_likelihood), 1e-9);
                last_likelihood = likelihood;
                const std::size_t last = next.size() - 1;
                const auto density = [&](std::size_t s) {
                    return s == 0 || s == last ? 2 * next[s] : next[s];
                };
                for (std::size_t s = 0; s <= last; ++s) {
                    now[s] = next[s];
                    if (step == 0) continue;
                    now[s] =
                        (density(s == 0 ? 1 : s - 1) + 2 * density(s) + density(s == last ? s - 1 : s + 1)) /
                        (s == 0 || s == last ? 8 : 4);
                }
                fit.step(step > 0);
                for (std::size_t s = 0; s <= last; ++s) BOOST_CHECK_SMALL(fit.shares()[s] - now[s], 1e-13);
            }

            // Every processor computes the same bits.
            const auto stepped = [&] {
                WindowFit other(decoder, observed, shares);
                std::vector<double> all;
                for (int step = 0; step < 20; ++step) {
                    all.push_back(other.gain(HUGE_VAL));
                    other.step(step % 2 == 1);
                }
                all.insert(all.end(), other.shares().begin(), other.shares().end());
                return all;
            };
            const auto usual = stepped();
            const Portable portable;
            BOOST_CHECK(stepped() == usual);

            // Read off exact outputs, the cumulative shares are exact.
            const auto truth = cumulated(shares), read = decoder.cumulative(outputs);
            for (std::size_t s = 0; s < shares.size(); ++s) BOOST_CHECK_SMALL(read[s] - truth[s], 1e-11);

            // The estimate that a single output makes, by asking for it; its variance given each input.
            const auto function = random_shares(channel.inputs(), bits);
            std::vector<double> single(channel.outputs());
            for (std::size_t j = 0; j < single.size(); ++j) {
                std::vector<double> unit(channel.outputs());
                unit[j] = 1;
                const auto below = decoder.cumulative(unit);
                single[j] = function.back();
                for (std::size_t s = 0; s + 1 < function.size(); ++s)
                    single[j] += below[s] * (function[s] - function[s + 1]);
            }
            double variance = 0;
            for (std::size_t s = 0; s < shares.size(); ++s) {
                double mean = 0, square = 0;
                for (std::size_t j = 0; j < single.size(); ++j) {
                    mean += probability(channel, s, j) * single[j];
                    square += probability(channel, s, j) * single[j] * single[j];
                }
                BOOST_CHECK_SMALL(mean - function[s], 1e-10);
                variance += shares[s] * (square - mean * mean);
            }
            BOOST_CHECK_CLOSE_FRACTION(decoder.noise(shares, function), variance, 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(decoder.stride(function),
                                       std::ranges::max(single) - std::ranges::min(single), 1e-9);

            for (std::size_t residue = 0; residue < width; ++residue)
                for (std::size_t s = 0; s < channel.inputs(); ++s) {
                    double sum = 0;
                    for (std::size_t j = residue; j < channel.outputs(); j += width)
                        sum += probability(channel, s, j);
                    BOOST_CHECK_CLOSE_FRACTION(sum, decoder.residue_probability(residue), 1e-12);
                }
        }
}

// A gain is approximate only if it exceeds the bound, on either side of which it is the exact one, too.
BOOST_AUTO_TEST_CASE(small_gains_are_exact) {
    SeededBits bits(1990);
    const WindowDecoder decoder(WindowChannel(100, 40, 1));
    std::size_t approximate = 0;
    for (int round = 0; round < 20; ++round) {
        const auto observed = random_shares(140, bits), start = random_shares(101, bits);
        for (const double small : {1e-2, 1e-4, 1e-6}) {
            WindowFit exact(decoder, observed, start), fit(decoder, observed, start);
            for (int step = 0; step < 40; ++step) {
                const double expected = exact.gain(HUGE_VAL), found = fit.gain(small);
                if (found != expected) {
                    ++approximate;
                    BOOST_REQUIRE_GT(std::abs(expected), small);
                    BOOST_REQUIRE_GT(std::abs(found), small);
                }
                exact.step(step % 2 == 0);
                fit.step(step % 2 == 0);
            }
        }
    }
    BOOST_CHECK_GT(approximate, 100);
}

BOOST_AUTO_TEST_CASE(every_step_is_likelier) {
    SeededBits bits(2);
    for (const double epsilon : {0.5, 1.0, 20.0}) {
        const auto m = square_wave(epsilon, 200);
        const auto width = static_cast<std::uint64_t>(m->parameters()[3].second);
        const WindowDecoder decoder(WindowChannel(200, width, epsilon));
        const auto summary = reported(*m, people_of(shares_of(two_humps, 200), 3000), bits);
        const Bytes state = summary.view().state;
        std::vector<double> observed(state.size() / 8), shares(201, 1.0 / 201);
        for (std::size_t j = 0; j < observed.size(); ++j)
            observed[j] = static_cast<double>(load<std::uint64_t>(state.data() + 8 * j)) / 3000;
        WindowFit fit(decoder, observed, shares);
        for (int i = 0; i < 2000; ++i) {
            BOOST_REQUIRE_GE(fit.gain(HUGE_VAL), -1e-12);
            fit.step(false);
            BOOST_REQUIRE_SMALL(std::accumulate(fit.shares().begin(), fit.shares().end(), 0.0) - 1, 1e-9);
        }
    }
}

BOOST_AUTO_TEST_CASE(known_distributions_are_found_again, *boost::unit_test::label("slow")) {
    SeededBits bits(3);
    constexpr std::size_t steps = 1024;
    for (auto* density : {even, skewed, bell, two_humps}) {
        const auto shares = shares_of(density, steps);
        const auto truth = cumulated(shares);
        double worst = 0.06;  // of the range, for 10^3 reports at ε = 1
        for (const std::size_t n : {1000, 10000, 100000}) {
            const auto m = square_wave(1, steps);
            const auto summary = reported(*m, people_of(shares, n), bits);
            const Distribution fit = decode(summary.view(), Smoothing::binomial);
            BOOST_CHECK(fit.converged);
            const double off = wasserstein(cumulated(fit.shares), truth);
            BOOST_CHECK_LT(off, worst);
            const auto raw = ordered(*m).cumulative({n, summary.view().state});
            BOOST_CHECK_LT(5 * off, wasserstein(raw, truth));
            worst /= 2;
        }
    }
}

BOOST_AUTO_TEST_CASE(means_are_unbiased_and_covered, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 41;
    for (const double epsilon : {0.5, 2.0, 6.0}) {
        const auto m = square_wave(epsilon, 64);
        std::vector<std::vector<Cell>> people;
        double sum = 0, noise = 0;
        for (const Cell cell : people_of(shares_of(skewed, 64), 300)) {
            people.push_back({cell});
            sum += static_cast<double>(cell) / 64;
            noise += m->n_variance(static_cast<double>(cell) / 32 - 1);
        }
        const auto simulation = simulate(*m, people, {-10 + 40 * sum / 300}, Quantity::means, 10000, seed++);
        simulation.check_unbiased();
        simulation.check_coverage();
        simulation.check_variance(0, noise / 300 * 20 * 20 / 300);
    }
}

BOOST_AUTO_TEST_CASE(smeared_shares_are_unbiased_and_covered, *boost::unit_test::label("slow")) {
    // Whatever the distribution; the variance is that of the people's own shares, exactly.
    constexpr std::size_t n = 1000, steps = 64, repetitions = 5000;
    SeededBits bits(5);
    for (const double epsilon : {1.0, 4.0})
        for (auto* density : {skewed, atoms}) {
            const auto m = square_wave(epsilon, steps);
            const auto people = people_of(shares_of(density, steps), n);
            const auto shares = shares_among(people, steps + 1);
            const auto blur = static_cast<double>(ordered(*m).blur(n));
            const std::vector<double> points{6, 16, 32, 50};
            std::vector<double> truth, bins(4);
            for (const double at : points) truth.push_back(smeared(shares, at, blur));
            for (std::size_t i = 0; i < 4; ++i)
                bins[i] = (i == 3 ? 1 : smeared(shares, 16 * static_cast<double>(i + 1), blur)) -
                          (i == 0 ? 0 : smeared(shares, 16 * static_cast<double>(i), blur));
            Simulation cumulative, binned;
            for (std::size_t r = 0; r < repetitions; ++r) {
                const auto summary = reported(*m, people, bits);
                std::vector<Estimate> estimates;
                for (const double at : points)
                    estimates.push_back(cdf(summary.view(), -10 + 40 * at / steps, Target::sample));
                cumulative.add(estimates, truth);
                const auto counted = histogram(summary.view(), 4, Target::sample);
                binned.add(std::vector<Estimate>(counted.begin(), counted.end()), bins);
            }
            cumulative.check_unbiased();
            cumulative.check_coverage();
            binned.check_unbiased();
            binned.check_coverage();
            for (std::size_t i = 0; i < points.size(); ++i) {
                std::vector<double> step(steps + 1);
                for (std::size_t s = 0; s <= steps; ++s)
                    step[s] = std::clamp((points[i] + blur / 2 - static_cast<double>(s)) / blur, 0.0, 1.0);
                cumulative.check_variance(i, ordered(*m).noise({n, {}}, shares)->of(step) / n);
            }
        }
}

// Where values are heaped no interval of a smeared share is one of the sharp share; but from half a
// resolution below to half a resolution above there is one, whatever people hold. Six standard deviations of
// room.
BOOST_AUTO_TEST_CASE(sharp_shares_lie_between_smeared_ones) {
    const auto m = square_wave(2, 100);
    constexpr int repetitions = 400;
    std::vector<double> heaps(101);
    for (const std::size_t at : {20, 50, 80}) heaps[at] = 1 / 3.0;
    const std::vector<Cell> people = people_of(heaps, 2400);
    SeededBits bits(1901);
    const double half = static_cast<double>(ordered(*m).blur(2400)) * 0.4 / 2;  // a step is 0.4
    for (const double at : {9.99, 10.0}) {  // just before the heap in the middle, and at it
        const double truth = at < 10 ? 1 / 3.0 : 2 / 3.0;
        int bounded = 0, held = 0;
        for (int i = 0; i < repetitions; ++i) {
            const auto summary = reported(*m, people, bits);
            const auto around = [&](double value) {
                return interval(cdf(summary.view(), value, Target::sample), 0.95);
            };
            const double lower = around(at - half).lower, upper = around(at + half).upper;
            bounded += lower <= truth && truth <= upper ? 1 : 0;
            held += around(at).lower <= truth && truth <= around(at).upper ? 1 : 0;
        }
        BOOST_CHECK_GT(bounded, 0.95 * repetitions - 6 * std::sqrt(0.95 * 0.05 * repetitions));
        BOOST_CHECK_LT(held, repetitions / 4);
        const std::string segment = text(2 * half);
        BOOST_CHECK_EQUAL(
            smearing(reported(*m, people, bits).view()),
            "of values smoothed over " + segment + "; exact values may lie outside the interval");
    }
    const auto sharp = mechanism("tree", 1, R"("min": 0, "max": 7, "grid": 7)");
    BOOST_CHECK_EQUAL(smearing(reported(*sharp, {1, 2, 3}, bits).view()), "");
}

BOOST_AUTO_TEST_CASE(ranges_are_differences_with_errors_of_their_own) {
    SeededBits bits(14);
    const auto m = square_wave(1, 40);
    const auto summary = reported(*m, people_of(shares_of(skewed, 40), 1000), bits);
    const auto ask = [&](double low, double high) {
        return share_between(summary.view(), low, high, Target::sample);
    };
    const auto first = cdf(summary.view(), 0, Target::sample);
    const auto second = cdf(summary.view(), 3, Target::sample);
    BOOST_CHECK_SMALL(ask(0, 3).value - (second.value - first.value), 1e-12);
    BOOST_CHECK_LT(ask(0, 3).standard_error, std::hypot(first.standard_error, second.standard_error));
    BOOST_CHECK_GT(ask(0, 3).standard_error, 0);
    BOOST_CHECK_EQUAL(ask(-10, 3).value, second.value);
    BOOST_CHECK_CLOSE_FRACTION(ask(-10, 3).standard_error, second.standard_error, 1e-12);
    BOOST_CHECK_SMALL(ask(3, 30).value - (1 - second.value), 1e-12);
    BOOST_CHECK_EQUAL(ask(-10, 30).value, 1);
    BOOST_CHECK_EQUAL(ask(-10, 30).standard_error, 0);
    std::vector<double> inside(41), even(41, 1.0 / 41);
    for (std::size_t s = 7; s < 19; ++s) inside[s] = 1;
    const auto noise = ordered(*m).noise({1000, {}}, even);
    BOOST_CHECK_EQUAL(noise->between(7, 19), noise->of(inside));
}

BOOST_AUTO_TEST_CASE(values_between_grid_points_count_as_they_are) {
    // Rounding to the grid moves no smeared share: the truth is computed from the values themselves.
    constexpr std::size_t n = 400, steps = 40;
    SeededBits bits(13);
    const auto m = square_wave(3, steps);
    const auto blur = static_cast<double>(ordered(*m).blur(n));
    const std::vector<double> points{13, 20};
    std::vector<double> truth(points.size()), positions;
    for (std::size_t i = 0; i < n; ++i) {
        positions.push_back(10.3 + 9.4 * static_cast<double>(i % 2));
        for (std::size_t k = 0; k < points.size(); ++k)
            truth[k] += std::clamp((points[k] + blur / 2 - positions[i]) / blur, 0.0, 1.0) / n;
    }
    Simulation simulation;
    for (std::size_t r = 0; r < 2000; ++r) {
        std::vector<Cell> people;
        for (const double position : positions) people.push_back(grid_point(position, steps).draw(bits));
        const auto summary = reported(*m, people, bits);
        std::vector<Estimate> estimates;
        for (const double at : points)
            estimates.push_back(cdf(summary.view(), -10 + 40 * at / steps, Target::sample));
        simulation.add(estimates, truth);
    }
    simulation.check_unbiased();
}

BOOST_AUTO_TEST_CASE(quantiles_of_a_population_are_covered, *boost::unit_test::label("slow")) {
    // New people in each repetition. The smeared quantile is covered as stated; so is the sharp one, of
    // smooth distributions.
    constexpr std::size_t n = 2000, steps = 64, repetitions = 5000;
    const auto to_value = [](double at) { return -10 + 40 * at / steps; };
    SeededBits bits(6);
    for (auto* density : {bell, skewed}) {
        const auto m = square_wave(2, steps);
        const auto shares = shares_of(density, steps);
        const auto below = cumulated(shares);
        const auto blur = static_cast<double>(ordered(*m).blur(n));
        struct Tally {
            double share, truth, sharp;
            int covered = 0, sharp_covered = 0;
        };
        std::vector<Tally> tallies;
        for (const double share : {0.25, 0.5, 0.75})
            tallies.push_back({share, to_value(smeared_quantile(shares, share, blur)),
                               to_value(smeared_quantile(shares, share, 1))});
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<Cell> people;
            for (std::size_t i = 0; i < n; ++i) {
                const double u = std::ldexp(static_cast<double>(bits.word() >> 11), -53);
                people.push_back(static_cast<Cell>(std::ranges::lower_bound(below, u) - below.begin()));
            }
            const auto summary = reported(*m, people, bits);
            for (Tally& tally : tallies) {
                const auto found = quantile(summary.view(), tally.share, 0.95, Target::population);
                const auto [lower, upper] = found.interval;
                BOOST_REQUIRE(lower <= found.value && found.value <= upper);
                tally.covered += lower <= tally.truth && tally.truth <= upper ? 1 : 0;
                tally.sharp_covered += lower <= tally.sharp && tally.sharp <= upper ? 1 : 0;
            }
        }
        for (const Tally& tally : tallies)
            for (const int hits : {tally.covered, tally.sharp_covered}) {
                BOOST_CHECK_GE(hits, 0.93 * repetitions);
                BOOST_CHECK_LE(hits, 0.97 * repetitions);
            }
    }
}

BOOST_AUTO_TEST_CASE(few_reports_and_extreme_ones_have_valid_answers) {
    SeededBits bits(7);
    for (const double epsilon : {0.001, 1.0, 20.0})
        for (const std::uint64_t grid : {2, 3, 50})
            for (const std::size_t n : {1, 2, 400})
                for (const Cell everyone : {std::uint64_t{0}, grid}) {
                    const auto m = square_wave(epsilon, grid);
                    const auto summary = reported(*m, std::vector<Cell>(n, everyone), bits);
                    for (const Smoothing smoothing : {Smoothing::none, Smoothing::binomial}) {
                        const Distribution fit = decode(summary.view(), smoothing);
                        BOOST_REQUIRE_EQUAL(fit.shares.size(), grid + 1);
                        BOOST_REQUIRE_EQUAL(fit.edges.size(), grid + 2);
                        BOOST_CHECK_EQUAL(fit.edges.front(), -10);
                        BOOST_CHECK_EQUAL(fit.edges.back(), 30);
                        BOOST_CHECK(std::ranges::is_sorted(fit.edges));
                        BOOST_CHECK_GE(std::ranges::min(fit.shares), 0);
                        BOOST_CHECK_SMALL(std::accumulate(fit.shares.begin(), fit.shares.end(), 0.0) - 1,
                                          1e-12);
                        if (epsilon == 20 && n == 400 && smoothing == Smoothing::none)
                            BOOST_CHECK_GT(fit.shares[everyone], 0.99);
                    }
                    for (const double share : {0.01, 0.5, 0.99}) {
                        const auto found = quantile(summary.view(), share, 0.95, Target::population);
                        BOOST_CHECK(-10 <= found.interval.lower && found.interval.lower <= found.value &&
                                    found.value <= found.interval.upper && found.interval.upper <= 30);
                    }
                    double sum = 0;
                    for (const Estimate& bin : histogram(summary.view(), 3, Target::population)) {
                        sum += bin.value;
                        BOOST_CHECK(bin.standard_error >= 0);
                    }
                    BOOST_CHECK_SMALL(sum - 1, 1e-9 * (1 + 1 / epsilon));
                    BOOST_CHECK_GT(resolution(summary.view()), 0);
                    BOOST_CHECK_LE(resolution(summary.view()), 40);
                    if (epsilon == 1)
                        BOOST_CHECK_GT(cdf(summary.view(), 10, Target::sample).standard_error, 0);
                }
}

BOOST_AUTO_TEST_CASE(outside_the_range_everything_is_known) {
    SeededBits bits(8);
    const auto m = square_wave(1, 40);
    const auto summary = reported(*m, people_of(shares_of(bell, 40), 500), bits);
    for (const double value : {-11.0, -1e308, -HUGE_VAL})
        BOOST_CHECK_EQUAL(cdf(summary.view(), value, Target::sample).value, 0);
    for (const double value : {30.0, 1e308, HUGE_VAL}) {
        BOOST_CHECK_EQUAL(cdf(summary.view(), value, Target::sample).value, 1);
        BOOST_CHECK_EQUAL(cdf(summary.view(), value, Target::sample).standard_error, 0);
    }
}

BOOST_AUTO_TEST_CASE(a_distribution_answers_by_itself) {
    const Distribution d{{0, 1, 3, 4}, {0.25, 0.5, 0.25}, 0, true};
    BOOST_CHECK_EQUAL(d.cdf(-1), 0);
    BOOST_CHECK_EQUAL(d.cdf(0.5), 0.125);
    BOOST_CHECK_EQUAL(d.cdf(2), 0.5);
    BOOST_CHECK_EQUAL(d.cdf(4), 1);
    BOOST_CHECK_EQUAL(d.quantile(0), 0);
    BOOST_CHECK_EQUAL(d.quantile(0.125), 0.5);
    BOOST_CHECK_EQUAL(d.quantile(0.5), 2);
    BOOST_CHECK_EQUAL(d.quantile(1), 4);
    const std::vector<double> halves{0.5, 0.5}, quarters{0.25, 0.25, 0.25, 0.25};
    BOOST_CHECK(d.histogram(2) == halves);
    BOOST_CHECK(d.histogram(4) == quarters);
    BOOST_CHECK_THROW(static_cast<void>(d.histogram(0)), Error);
    BOOST_CHECK_THROW(static_cast<void>(d.quantile(1.5)), Error);
}

BOOST_AUTO_TEST_CASE(shares_are_an_answer_without_errors) {
    SeededBits bits(9);
    const auto m = square_wave(1, 40);
    const auto summary = reported(*m, people_of(shares_of(bell, 40), 500), bits);
    const auto shares = summary.estimate(Quantity::distribution);
    const auto fit = decode(summary.view(), Smoothing::binomial);
    BOOST_REQUIRE_EQUAL(shares.size(), fit.shares.size());
    for (std::size_t s = 0; s < shares.size(); ++s) {
        BOOST_CHECK_EQUAL(shares[s].value, fit.shares[s]);
        BOOST_CHECK(std::isnan(shares[s].standard_error));
    }
}

BOOST_AUTO_TEST_CASE(questions_that_make_no_sense_are_refused) {
    SeededBits bits(10);
    const auto m = square_wave(1, 40), other = mechanism("pdp", 1, "\"min\": 0, \"max\": 1");
    const OwnedSummary empty(*m);
    const auto summary = reported(*m, {1, 2, 3}, bits), foreign = reported(*other, {1, 2, 3}, bits);
    const auto code = [](auto ask) {
        try {
            static_cast<void>(ask());
        } catch (const Error& error) {
            return error.code();
        }
        throw std::logic_error("an answer");
    };
    const auto invalid = ErrorCode::invalid_value, unsupported = ErrorCode::unsupported;
    BOOST_CHECK(code([&] { return decode(empty.view(), Smoothing::none); }) == invalid);
    BOOST_CHECK(code([&] { return resolution(empty.view()); }) == invalid);
    BOOST_CHECK(code([&] { return decode(foreign.view(), Smoothing::none); }) == unsupported);
    BOOST_CHECK(code([&] { return cdf(foreign.view(), 1, Target::sample); }) == unsupported);
    BOOST_CHECK(code([&] { return cdf(summary.view(), NAN, Target::sample); }) == invalid);
    for (const double share : {0.0, 1.0, -1.0, static_cast<double>(NAN)})
        BOOST_CHECK(code([&] { return quantile(summary.view(), share, 0.95, Target::sample); }) == invalid);
    BOOST_CHECK(code([&] { return quantile(summary.view(), 0.5, 2, Target::sample); }) == invalid);
    for (const std::size_t bins : {0, 42})
        BOOST_CHECK(code([&] { return histogram(summary.view(), bins, Target::sample); }) == invalid);
}

BOOST_AUTO_TEST_CASE(forged_windows_and_states_are_refused_or_harmless) {
    const auto m = square_wave(1, 40);
    const auto with = [&](std::uint32_t steps, std::uint32_t width) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size, steps);
        store(block.data() + header_size + 4, width);
        return block;
    };
    BOOST_CHECK_NO_THROW(static_cast<void>(load_mechanism(with(65536, 65536), Kind::report)));
    for (const auto& [steps, width] : {std::pair<std::uint32_t, std::uint32_t>{65537, 1},
                                       {40, 41},
                                       {1, 1},
                                       {40, 0},
                                       {0xFFFFFFFF, 0xFFFFFFFF}})
        BOOST_CHECK_THROW(static_cast<void>(load_mechanism(with(steps, width), Kind::report)), Error);

    // Bytes that no check has seen: nonsense, but no crash.
    SeededBits bits(11);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte> bytes(summary_size(*m));
        start_summary(*m, bytes);
        for (std::size_t at = m->block().size(); at < bytes.size(); ++at)
            bytes[at] = round == 0 ? std::byte{0} : static_cast<std::byte>(bits.word());
        store<std::uint64_t>(bytes.data() + m->block().size(), 1 + bits.below(max_count));
        static_cast<void>(decode(view_of(*m, bytes), Smoothing::binomial));
        static_cast<void>(cdf(view_of(*m, bytes), 3, Target::population));
        static_cast<void>(quantile(view_of(*m, bytes), 0.3, 0.9, Target::sample));
        static_cast<void>(histogram(view_of(*m, bytes), 7, Target::sample));
    }
}

BOOST_AUTO_TEST_CASE(honest_reports_look_honest_and_floods_do_not) {
    SeededBits bits(12);
    const auto least = [](const Mechanism& m, const OwnedSummary& summary) {
        double p_value = 1;
        for (const Check& check : m.health({summary.view().n, summary.view().state}))
            p_value = std::min(p_value, check.p_value);
        return p_value;
    };
    for (const double epsilon : {0.5, 2.0, 6.0}) {
        const auto m = square_wave(epsilon, 256);
        for (const std::size_t n : {1, 30, 1000, 20000})
            for (auto* density : {even, skewed, atoms})
                BOOST_CHECK_GT(least(*m, reported(*m, people_of(shares_of(density, 256), n), bits)), 1e-6);

        const auto forged = [&](auto cell) {
            OwnedSummary summary = reported(*m, people_of(shares_of(bell, 256), 10000), bits);
            for (std::size_t i = 0; i < 2000; ++i) {
                Report report = m->perturb(std::vector<Cell>{0}, bits);
                store_cell(report.data() + m->block().size(), m->payload_size(), cell(i));
                summary.add(report);
            }
            return least(*m, summary);
        };
        BOOST_CHECK_LT(forged([](std::size_t) { return 17u; }), 1e-9);            // one
        BOOST_CHECK_LT(forged([](std::size_t i) { return 100 + i % 2; }), 1e-9);  // two outputs
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

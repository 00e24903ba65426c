// The Haar tree over an ordered domain: its channel, what is read off its state, and what the errors of that
// are worth.
//
// Length: all tests of one mechanism, by the same enumeration.

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/channel/signed_index.hpp"
#include "core/math/walsh_hadamard.hpp"
#include "core/summary/queries/distribution.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(haar_ordered)

namespace {

std::unique_ptr<const Mechanism> categories(double epsilon, std::uint64_t k) {
    return mechanism("haar_ordered", epsilon, "\"domain\": " + std::to_string(k));
}
/// Numbers 0 to k − 1.
std::unique_ptr<const Mechanism> numbers(double epsilon, std::uint64_t k) {
    return mechanism(
        "haar_ordered", epsilon,
        "\"min\": 0, \"max\": " + std::to_string(k - 1) + ", \"grid\": " + std::to_string(k - 1));
}

const Ordered& ordered(const Mechanism& m) {
    return dynamic_cast<const Ordered&>(m);
}

std::size_t levels(const Mechanism& m) {
    return static_cast<std::size_t>(std::bit_width(m.cells()[0] - 1));
}
std::uint64_t outputs(std::size_t level) {
    return std::uint64_t{2} << level;
}
std::vector<std::byte> payload(const Mechanism& m, std::size_t level, std::uint64_t output) {
    std::vector<std::byte> bytes(m.payload_size());
    bytes[0] = static_cast<std::byte>(level);
    store_cell(bytes.data() + 1, bytes.size() - 1, output);
    return bytes;
}
double probability(const Mechanism& m, Cell cell, std::size_t level, std::uint64_t output) {
    return static_cast<double>(m.probability(std::vector<Cell>{cell}, {}, payload(m, level, output)));
}
std::vector<double> draw_probabilities(const Mechanism& m) {
    std::vector<double> all(levels(m));
    for (std::size_t level = 0; level < all.size(); ++level)
        for (std::uint64_t out = 0; out < outputs(level); ++out) all[level] += probability(m, 0, level, out);
    return all;
}

/// A state in which every level was drawn as often as it is expected to be by n people.
std::vector<std::byte> expected_draws(const Mechanism& m, std::uint64_t n) {
    std::vector<std::byte> state(m.state_size());
    const auto drawn = draw_probabilities(m);
    for (std::size_t level = 0; level < drawn.size(); ++level)
        store(state.data() + (outputs(level) - 2) * 8,
              static_cast<std::uint64_t>(std::llround(drawn[level] * static_cast<double>(n))));
    return state;
}
/// n·Var of the share of the points from `first` up to `end` among people distributed so.
double range_noise(const Mechanism& m, const std::vector<double>& shares, std::size_t first,
                   std::size_t end) {
    constexpr std::uint64_t many = 1 << 30;
    return ordered(m).noise({many, expected_draws(m, many)}, shares)->between(first, end);
}

/// Shares of the points under two humps, one of them narrow, and a few favourite points.
std::vector<double> lumpy(std::size_t points) {
    std::vector<double> shares(points);
    for (std::size_t s = 0; s < points; ++s) {
        const double x = (static_cast<double>(s) + 0.5) / static_cast<double>(points);
        shares[s] = std::exp(-std::pow((x - 0.3) / 0.15, 2)) + std::exp(-std::pow((x - 0.8) / 0.05, 2)) +
                    (s % 10 == 0 ? 0.5 : 0.01);
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    return shares;
}
std::vector<double> random_function(std::size_t points, SeededBits& bits) {
    std::vector<double> function(points);
    for (double& value : function) value = static_cast<double>(bits.below(2001)) / 1000 - 1;
    return function;
}

/// The mean of a function under a cumulative distribution.
double mean(std::span<const double> function, std::span<const double> below) {
    double sum = 0;
    for (std::size_t s = 0; s < function.size(); ++s)
        sum += function[s] * (below[s] - (s == 0 ? 0 : below[s - 1]));
    return sum;
}

ErrorCode code(const std::function<void()>& ask) {
    try {
        ask();
    } catch (const Error& error) {
        return error.code();
    }
    throw std::logic_error("an answer");
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_keeps_epsilon) {
    for (const double epsilon : epsilons)
        for (const std::uint64_t k : {2, 3, 5, 8}) prove(*categories(epsilon, k));
    prove(*numbers(1, 5));
    for (const double epsilon : epsilons) {
        check_worst_ratio(*categories(epsilon, 1 << 20));
        check_worst_ratio(*numbers(epsilon, 1000));
    }
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_the_proof_says) {
    for (const double epsilon : {0.5, 2.0, 4.0})  // 1, 2 and 16 buckets
        for (const Cell cell : {0, 7, 10})
            check_frequencies_of_reports(*categories(epsilon, 11), {{cell}}, 601);
}

BOOST_AUTO_TEST_CASE(draws_do_not_depend_on_the_value) {
    const auto m = categories(2, 13);
    std::vector<std::vector<std::uint64_t>> asked;
    for (Cell cell = 0; cell < 13; ++cell) {
        RecordedBounds bits(602);
        static_cast<void>(m->perturb(std::vector<Cell>{cell}, bits));
        asked.push_back(bits.asked);
    }
    for (const auto& each : asked) BOOST_CHECK(each == asked[0]);
    BOOST_CHECK_EQUAL(asked[0].size(), 3u);
}

BOOST_AUTO_TEST_CASE(hadamard_sums_are_those_of_the_matrix) {
    SeededBits bits(603);
    for (std::size_t order = 1; order <= 64; order *= 2) {
        std::vector<std::uint64_t> a(order);
        for (auto& number : a) number = bits.word();
        std::vector<std::uint64_t> fast = a;
        walsh_hadamard(fast);
        for (std::size_t r = 0; r < order; ++r) {
            std::uint64_t sum = 0;
            for (std::size_t c = 0; c < order; ++c) sum += std::popcount(r & c) % 2 == 0 ? a[c] : -a[c];
            BOOST_REQUIRE_EQUAL(fast[r], sum);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_number_of_buckets_is_the_best) {
    const auto variance = [](double epsilon, unsigned buckets) {
        return SignedIndex(19, buckets, epsilon).mean_square(1, std::ldexp(1.0, -static_cast<int>(buckets)));
    };
    for (const double epsilon : {0.01, 0.5, 1.0, 1.3, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0}) {
        const unsigned best = SignedIndex::best_buckets(epsilon, 19);
        for (unsigned other = 0; other <= 19; ++other)
            BOOST_CHECK_LE(variance(epsilon, best), variance(epsilon, other) * (1 + 1e-12));
        // The closed form, and what a difference of two frequencies of an oracle costs.
        const double e = std::exp(epsilon), g = std::ldexp(1.0, static_cast<int>(best));
        BOOST_CHECK_CLOSE_FRACTION(variance(epsilon, best), std::pow((e + 2 * g - 1) / (e - 1), 2) / g, 1e-6);
        if (best < 19) BOOST_CHECK_LE(variance(epsilon, best), 1.03 * 8 * e / std::pow(e - 1, 2));
        BOOST_CHECK_LE(SignedIndex::best_buckets(epsilon, 3), 3u);
    }
    const SignedIndex channel(12, 3, 2);
    std::vector<int> members(8);
    for (std::uint64_t place = 0; place < channel.places(); ++place) ++members[channel.bucket(place)];
    for (const int count : members) BOOST_CHECK_EQUAL(count, 512);
}

BOOST_AUTO_TEST_CASE(worked_example) {
    // exp(ε) = 3: p = 3/4, q = 1/4. Four points; one bucket, as 2 < √8.
    const auto m = categories(std::log(3.0), 4);
    std::vector<std::byte> state(m->state_size());
    const auto count = [&](std::size_t level, std::uint64_t output, std::uint64_t reports) {
        for (; reports > 0; --reports) BOOST_REQUIRE(m->accumulate(state, payload(*m, level, output)));
    };
    count(0, 0, 5), count(0, 1, 3);  // (5 − 3) / (8·½) = ½
    // Columns 0 and 1 with +, then with −: balances 2 and 2, so (2 + 2) / (12·½) = ⅔ and (2 − 2) / 6 = 0.
    count(1, 0, 5), count(1, 1, 3), count(1, 2, 3), count(1, 3, 1);
    const double expected[] = {(0.75 + 2.0 / 3) / 2, 0.75, 0.875, 1};
    const auto below = ordered(*m).cumulative({20, state});
    for (std::size_t s = 0; s < 4; ++s) BOOST_CHECK_CLOSE_FRACTION(below[s], expected[s], 1e-12);
}

BOOST_AUTO_TEST_CASE(errors_are_those_of_the_enumerated_reports, *boost::unit_test::label("slow")) {
    // What one report of a level adds to an estimate, for every output: its mean over the outputs is what the
    // person adds, and its second moment gives the variance.
    SeededBits bits(604);
    for (const double epsilon : {0.5, 2.0, 4.0})
        for (const std::uint64_t k : {2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 21}) {
            const auto m = categories(epsilon, k);
            const auto shares = [&] {
                std::vector<double> all(k);
                for (double& share : all) share = static_cast<double>(bits.below(1000) * bits.below(1000));
                const double sum = std::accumulate(all.begin(), all.end(), 0.0);
                for (double& share : all) share /= sum;
                return all;
            }();
            const auto drawn = draw_probabilities(*m);
            std::vector<std::byte> state(m->state_size());
            std::uint64_t n = 0;
            std::vector<double> reports;
            for (std::size_t level = 0; level < levels(*m); ++level) {
                reports.push_back(static_cast<double>(1 + bits.below(20)));
                for (double i = 0; i < reports.back(); ++i, ++n)
                    BOOST_REQUIRE(m->accumulate(state, payload(*m, level, bits.below(outputs(level)))));
            }
            const auto noise = ordered(*m).noise({n, state}, shares);
            const auto empty = ordered(*m).cumulative({1, std::vector<std::byte>(m->state_size())});

            /// n·Var, if this number of reports drew each level. The people are distributed
            /// as `held`, plus one more of each level with uniform outputs.
            const auto enumerated = [&](std::span<const double> function, std::span<const double> drew,
                                        std::span<const double> held) {
                std::vector<double> read(k, mean(function, empty));
                double variance = 0;
                const double all = std::accumulate(drew.begin(), drew.end(), 0.0);
                for (std::size_t level = 0; level < levels(*m); ++level) {
                    double first = 0, second = 0, even = 0;
                    for (std::uint64_t out = 0; out < outputs(level); ++out) {
                        std::vector<std::byte> one(m->state_size());
                        BOOST_REQUIRE(m->accumulate(one, payload(*m, level, out)));
                        const double added =
                            mean(function, ordered(*m).cumulative({1, one})) - mean(function, empty);
                        even += added * added / static_cast<double>(outputs(level));
                        for (Cell x = 0; x < k; ++x) {
                            const double chance = probability(*m, x, level, out) / drawn[level];
                            read[x] += chance * added;
                            first += held[x] * chance * added;
                            second += held[x] * chance * added * added;
                        }
                    }
                    const double told = drew[level] / (drew[level] + 1);
                    variance +=
                        all / drew[level] * (std::lerp(even, second, told) - told * told * first * first);
                }
                double first = 0, second = 0;
                for (Cell x = 0; x < k; ++x) {
                    BOOST_CHECK_SMALL(read[x] - function[x], 1e-9);  // unbiased for every person
                    first += held[x] * function[x];
                    second += held[x] * function[x] * function[x];
                }
                return variance - (second - first * first);
            };
            std::vector<double> expected;
            for (const double share : drawn) expected.push_back(0x1p52 * share);

            for (int round = 0; round < 3; ++round) {
                const auto function = random_function(k, bits);
                BOOST_CHECK_CLOSE_FRACTION(noise->of(function), enumerated(function, reports, shares), 1e-9);
            }
            for (std::size_t first = 0; first < k; ++first)
                for (std::size_t end = first + 1; end <= k; end += 1 + bits.below(3)) {
                    std::vector<double> inside(k);
                    for (std::size_t s = first; s < end; ++s) inside[s] = 1;
                    if (end - first == k) continue;  // all of them: no noise
                    BOOST_CHECK_CLOSE_FRACTION(noise->between(first, end),
                                               enumerated(inside, reports, shares), 1e-8);
                }
            BOOST_CHECK_SMALL(noise->between(0, k), 1e-12);

            for (const double truth : {0.0, 0.3}) {
                double most = 0;
                for (Cell x = 0; x < k; ++x) {
                    std::vector<double> only(k), held(k, (1 - truth) / static_cast<double>(k - 1));
                    only[x] = 1, held[x] = truth;
                    most = std::max(most, enumerated(only, expected, held));
                }
                BOOST_CHECK_CLOSE_FRACTION(m->n_variance(truth), most, 1e-8);
                std::vector<double> points(k), held(k);
                for (Cell x = 0; x < k; ++x)
                    points[x] = 2 * static_cast<double>(x) / static_cast<double>(k - 1) - 1;
                const double place = (truth + 1) / 2 * static_cast<double>(k - 1), lower = std::floor(place);
                held[static_cast<std::size_t>(lower)] = 1 - (place - lower);
                if (place > lower) held[static_cast<std::size_t>(lower) + 1] = place - lower;
                BOOST_CHECK_CLOSE_FRACTION(numbers(epsilon, k)->n_variance(truth),
                                           enumerated(points, expected, held), 1e-7);
            }
        }
}

BOOST_AUTO_TEST_CASE(curves_agree_with_variances_at_the_estimate) {
    // Both are n·Var of the same share. People in the range count in all buckets, also at other nodes than those at its ends.
    SeededBits bits(605);
    for (const char* name : {"haar_ordered", "tree", "dithered"})
        for (const double epsilon : {0.5, 1.0, 2.0, 4.0})
            for (const std::size_t k : {2, 3, 6, 16, 21, 64}) {
                const auto m =
                    mechanism(name, epsilon, "\"min\": 0, \"max\": 1, \"grid\": " + std::to_string(k - 1));
                std::vector<double> shares(k);
                for (double& share : shares) share = static_cast<double>(1 + bits.below(1000));
                const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
                for (double& share : shares) share /= sum;
                const auto noise = ordered(*m).expected_noise(shares);
                for (int repetition = 0; repetition < 20; ++repetition) {
                    const auto first = static_cast<std::size_t>(bits.below(k)),
                               end = first + 1 + static_cast<std::size_t>(bits.below(k - first));
                    if (end - first == k) continue;
                    const double share =
                                     std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(first),
                                                     shares.begin() + static_cast<std::ptrdiff_t>(end), 0.0),
                                 variance = noise->between(first, end);
                    BOOST_CHECK_CLOSE_FRACTION(noise->curve(first, end, Target::sample).variance_at(share),
                                               variance, 1e-4);
                    BOOST_CHECK_CLOSE_FRACTION(
                        noise->curve(first, end, Target::population).variance_at(share),
                        variance + share * (1 - share), 1e-4);
                }
            }
}

BOOST_AUTO_TEST_CASE(an_empty_half_costs_nothing) {
    // Three points: the second node of level 1 has but one, whose share is the root's right half; its error
    // is the root's alone.
    const auto m = categories(1, 3);
    const auto noise = [&](std::size_t first, std::size_t end) {
        return range_noise(*m, {0.2, 0.3, 0.5}, first, end);
    };
    const double e = std::exp(1), root = draw_probabilities(*m)[0];
    BOOST_CHECK_CLOSE_FRACTION(noise(2, 3), std::pow((e + 1) / (e - 1), 2) / 4 / root - 0.25, 1e-6);
    BOOST_CHECK_CLOSE_FRACTION(noise(0, 2), noise(2, 3), 1e-12);
}

BOOST_AUTO_TEST_CASE(ranges_are_far_better_than_a_flat_oracle) {
    // Mean over all ranges, the people being evenly spread; the oracle adds up as many frequencies as the
    // range is long.
    SeededBits bits(605);
    constexpr std::size_t k = 1024;
    const auto m = categories(1, k), flat = mechanism("projective", 1, "\"domain\": 1024");
    const std::vector<double> even(k, 1.0 / k);
    const auto noise = ordered(*m).noise({1 << 30, expected_draws(*m, 1 << 30)}, even);
    double tree = 0, oracle = 0, drawn = 0;
    for (std::size_t first = 0; first < k; ++first)
        for (std::size_t end = first + 1; end <= k; ++end) {
            tree += noise->between(first, end);
            oracle += static_cast<double>(end - first) * flat->n_variance(1.0 / k);
            ++drawn;
        }
    BOOST_TEST_MESSAGE("n·Var of a range: tree " << tree / drawn << ", flat oracle " << oracle / drawn);
    BOOST_CHECK_LT(10 * tree, oracle);
    // The stated optimum (Σ √(squares · noise))², to what k being finite and people's own spread change.
    double root = 0;
    for (int level = 0; level < 10; ++level) {
        const double w = std::ldexp(1, 10 - level);
        root += std::sqrt((1.0 / 6 + 1 / (3 * w * w) - std::ldexp(1, -level) / 8) *
                          std::pow((std::exp(1) + 1) / (std::exp(1) - 1), 2));
    }
    BOOST_CHECK_CLOSE_FRACTION(tree / drawn, root * root, 0.01);
}

BOOST_AUTO_TEST_CASE(ranges_of_a_million_people, *boost::unit_test::label("slow")) {
    SeededBits bits(606);
    constexpr std::size_t k = 1024, n = 1000000;
    const auto m = categories(1, k), flat = mechanism("projective", 1, "\"domain\": 1024");
    const auto people = people_of(lumpy(k), n);
    const auto shares = shares_among(people, k), truth = cumulated(shares);
    const auto summary = reported(*m, people, bits);
    const auto below = ordered(*m).cumulative({n, summary.state()});
    const auto noise = ordered(*m).noise({n, summary.state()}, shares);
    double errors = 0, expected = 0, oracle = 0, largest = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::size_t first = 1 + bits.below(k - 1), last = first + bits.below(k - first);
        const double error = (below[last] - below[first - 1]) - (truth[last] - truth[first - 1]);
        const double variance = noise->between(first, last + 1);
        errors += n * error * error;
        expected += variance;
        oracle += static_cast<double>(last - first + 1) * flat->n_variance(1.0 / k);
        largest = std::max(largest, std::abs(error) / std::sqrt(variance / n));
    }
    BOOST_TEST_MESSAGE("n·MSE of a range: " << errors / 20000 << ", expected " << expected / 20000
                                            << ", flat oracle " << oracle / 20000);
    BOOST_CHECK_LT(10 * errors, oracle);
    BOOST_CHECK_LT(largest, 6);  // 5·10^5 ranges, of which a thousand details make all
}

BOOST_AUTO_TEST_CASE(estimates_are_unbiased_and_covered, *boost::unit_test::label("slow")) {
    // 100 points pad 128. Against the people who reported, then against the population they are drawn from.
    constexpr std::size_t n = 700, k = 100, repetitions = 5000;
    SeededBits bits(607);
    for (const double epsilon : {1.0, 4.0})
        for (const Target target : {Target::sample, Target::population}) {
            const auto number = numbers(epsilon, k), category = categories(epsilon, k);
            const bool sampled = target == Target::population;
            const auto shares = sampled ? lumpy(k) : shares_among(people_of(lumpy(k), n), k);
            const auto below = cumulated(shares);
            const std::vector<std::pair<std::size_t, std::size_t>> ranges{
                {0, 7}, {0, 50}, {0, 64}, {0, 93}, {10, 11}, {20, 61}, {63, 65}, {33, 99}, {99, 100}};
            std::vector<double> truth, points(k), variances;
            std::iota(points.begin(), points.end(), 0.0);
            for (const auto& [first, end] : ranges) {
                const double share = below[end - 1] - (first == 0 ? 0 : below[first - 1]);
                truth.push_back(share);
                variances.push_back(range_noise(*number, shares, first, end) +
                                    (sampled ? share * (1 - share) : 0));
            }
            truth.push_back(mean(points, below));
            double square = 0;
            for (std::size_t s = 0; s < k; ++s) square += shares[s] * points[s] * points[s];
            constexpr std::uint64_t many = 1 << 30;
            variances.push_back(
                ordered(*number).noise({many, expected_draws(*number, many)}, shares)->of(points) +
                (sampled ? square - truth.back() * truth.back() : 0));
            for (std::size_t bin = 0; bin < 4; ++bin)  // 24.75 points a bin
                truth.push_back(below[25 * bin + 24] - (bin == 0 ? 0 : below[25 * bin - 1]));
            for (const std::size_t leaf : {0, 30, 99}) truth.push_back(shares[leaf]);

            Simulation simulation;
            std::vector<Cell> people = people_of(shares, n);
            for (std::size_t r = 0; r < repetitions; ++r) {
                if (sampled)
                    for (Cell& cell : people) {
                        const double u = std::ldexp(static_cast<double>(bits.word() >> 11), -53);
                        cell = static_cast<Cell>(std::ranges::lower_bound(below, u) - below.begin());
                    }
                const auto summary = reported(*number, people, bits),
                           other = reported(*category, people, bits);
                std::vector<Estimate> estimates;
                for (const auto& [first, end] : ranges)
                    estimates.push_back(first == 0 ? cdf(summary.view(), static_cast<double>(end - 1), target)
                                                   : share_between(summary.view(), static_cast<double>(first),
                                                                   static_cast<double>(end - 1), target));
                estimates.push_back(summary.estimate(Quantity::means, target)[0]);
                for (const Estimate& bin : histogram(summary.view(), 4, target)) estimates.push_back(bin);
                const auto leaves = other.estimate(Quantity::frequencies, target);
                for (const std::size_t leaf : {0, 30, 99}) estimates.push_back(leaves[leaf]);
                simulation.add(estimates, truth);
            }
            simulation.check_unbiased();
            simulation.check_coverage();
            for (std::size_t i = 0; i < variances.size(); ++i) simulation.check_variance(i, variances[i] / n);
        }
}

BOOST_AUTO_TEST_CASE(quantiles_are_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t n = 2000, k = 500, repetitions = 5000;
    SeededBits bits(608);
    std::vector<double> bell(k);
    for (std::size_t s = 0; s < k; ++s)
        bell[s] = std::exp(-std::pow((static_cast<double>(s) - 200) / 80, 2)) / 141.8;
    for (const auto& [epsilon, shares] : {std::pair(2.0, lumpy(k)), {0.7, bell}}) {
        const auto m = numbers(epsilon, k);
        const auto people = people_of(shares, n);
        const auto below = cumulated(shares_among(people, k));
        const std::vector<double> asked{0.1, 0.25, 0.5, 0.9};
        std::vector<double> covered(asked.size());
        for (std::size_t r = 0; r < repetitions; ++r) {
            const auto summary = reported(*m, people, bits);
            for (std::size_t i = 0; i < asked.size(); ++i) {
                const auto truth =
                    static_cast<double>(std::ranges::lower_bound(below, asked[i] - 1e-9) - below.begin());
                const auto found = quantile(summary.view(), asked[i], 0.95, Target::sample);
                const auto [lower, upper] = found.interval;
                BOOST_REQUIRE(lower <= found.value && found.value <= upper);
                BOOST_REQUIRE_EQUAL(found.value, std::round(found.value));
                covered[i] += lower <= truth && truth <= upper ? 1 : 0;
            }
        }
        for (const double hits : covered) {
            BOOST_TEST_MESSAGE("quantile covered " << hits / repetitions);
            BOOST_CHECK_GE(hits, 0.93 * repetitions);
            BOOST_CHECK_LE(hits, 0.97 * repetitions);
        }
    }
}

// If many people are at one point, the share jumps next to a long interval without change. Pools of
// estimates end there, and no path from one pool to the next may hide the jump. The point is the quantile
// of every share within the jump.
BOOST_AUTO_TEST_CASE(quantiles_at_a_jump_are_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t n = 200, repetitions = 1000;
    for (const char* name : {"haar_ordered", "tree"}) {
        const auto m = mechanism(name, 1, R"("domain": 101)");
        SeededBits bits(614);
        for (const std::size_t at : {50, 99}) {
            const std::vector<Cell> people(n, static_cast<Cell>(at));
            const std::vector<double> asked{0.1, 0.25, 0.75, 0.9};
            std::vector<double> covered(asked.size());
            for (std::size_t r = 0; r < repetitions; ++r) {
                const auto found = quantiles(reported(*m, people, bits).view(), asked, 0.95, Target::sample);
                for (std::size_t i = 0; i < asked.size(); ++i) {
                    const auto [lower, upper] = found[i].interval;
                    covered[i] +=
                        lower <= static_cast<double>(at) && static_cast<double>(at) <= upper ? 1 : 0;
                }
            }
            for (const double hits : covered) {
                BOOST_TEST_MESSAGE(name << " at " << at << " covered " << hits / repetitions);
                BOOST_CHECK_GE(hits, 0.9 * repetitions);
            }
        }
    }
}

// Sums of the lower end and a part of the range are rounded, and may exceed the upper end.
BOOST_AUTO_TEST_CASE(quantiles_stay_within_the_range) {
    SeededBits bits(1911);
    for (int tenths = -40; tenths < 40; ++tenths) {
        const double low = tenths / 10.0, high = low + 0.7 + tenths / 37.0 + 2;
        const auto m =
            mechanism("tree", 8, "\"grid\": 7, \"min\": " + text(low) + ", \"max\": " + text(high));
        const OwnedSummary summary = reported(*m, std::vector<Cell>(50, 7), bits);
        const Quantile found = quantile(summary.view(), 0.5, 0.95, Target::sample);
        BOOST_TEST(found.value <= high);
        BOOST_TEST(found.interval.upper <= high);
        BOOST_TEST(found.interval.lower >= low);
    }
}

// Bars of a drawing and the quantiles beside it are one distribution, also where unbiased shares are not.
BOOST_AUTO_TEST_CASE(monotone_histograms_agree_with_quantiles) {
    SeededBits bits(1912);
    constexpr std::size_t bins = 8;
    constexpr double high = 63;
    for (const char* name : {"haar_ordered", "tree", "square_wave"}) {
        const auto m = mechanism(name, 0.5, R"("min": 0, "max": 63, "grid": 63)");
        bool negative = false;
        for (std::size_t draw = 0; draw < 20; ++draw) {
            const auto summary = reported(*m, people_of(lumpy(64), 200), bits);
            const std::vector<double> shares = monotone_histogram(summary.view(), bins);
            BOOST_REQUIRE_EQUAL(shares.size(), bins);
            std::vector<double> below{0};
            for (const double share : shares) {
                BOOST_TEST(share >= 0);
                below.push_back(below.back() + share);
            }
            BOOST_CHECK_CLOSE_FRACTION(below.back(), 1, 1e-9);
            for (const double share : {0.05, 0.25, 0.5, 0.75, 0.95}) {
                const double at = quantile(summary.view(), share, 0.95, Target::sample).value / high * bins;
                const auto bin = static_cast<std::size_t>(at);
                if (at == std::floor(at) || bin >= bins) continue;  // an edge is in either bin
                BOOST_TEST_CONTEXT(name << ", " << share << " at " << at) {
                    BOOST_TEST(below[bin] <= share + 1e-9);
                    BOOST_TEST(below[bin + 1] >= share - 1e-9);
                }
            }
            for (const Estimate& bin : histogram(summary.view(), bins, Target::sample))
                negative |= bin.value < 0;
        }
        BOOST_TEST_CONTEXT(name) BOOST_TEST(negative);
    }
}

BOOST_AUTO_TEST_CASE(quantiles_are_points) {
    // With hardly any noise, the estimate and both ends of the interval are the point that the share asks
    // for; where the share is met exactly, the noise decides between two neighbours.
    SeededBits bits(609);
    const auto m = categories(20, 5);
    const auto summary = reported(*m, people_of({0.1, 0.2, 0.3, 0.4, 0}, 100000), bits);
    for (const auto& [share, point] : {std::pair<double, double>{0.05, 0}, {0.2, 1}, {0.5, 2}, {0.8, 3}}) {
        const auto found = quantile(summary.view(), share, 0.99, Target::sample);
        BOOST_CHECK_EQUAL(found.value, point);
        BOOST_CHECK_EQUAL(found.interval.lower, point);
        BOOST_CHECK_EQUAL(found.interval.upper, point);
    }
    const auto tie = quantile(summary.view(), 0.3, 0.99, Target::sample);
    BOOST_CHECK_EQUAL(tie.interval.lower, 1);
    BOOST_CHECK_EQUAL(tie.interval.upper, 2);
}

BOOST_AUTO_TEST_CASE(values_count_as_their_points) {
    SeededBits bits(610);
    constexpr std::size_t k = 1001;
    const auto m = mechanism("haar_ordered", 1, R"("min": -3, "max": 97, "grid": 1000)");
    const auto summary = reported(*m, people_of(lumpy(k), 3000), bits);
    const auto below = ordered(*m).cumulative({3000, summary.state()});
    const auto value = [](std::size_t s) { return -3 + static_cast<double>(s) / 10; };
    for (std::size_t s = 0; s < k; ++s) {
        BOOST_REQUIRE_EQUAL(cdf(summary.view(), value(s), Target::sample).value, below[s]);
        if (s + 1 < k)
            BOOST_REQUIRE_EQUAL(cdf(summary.view(), value(s) + 0.05, Target::sample).value, below[s]);
        const std::size_t to = std::min(s + 37, k - 1);
        const double between = below[to] - (s == 0 ? 0 : below[s - 1]);
        BOOST_REQUIRE_EQUAL(share_between(summary.view(), value(s), value(to), Target::sample).value,
                            between);
        BOOST_REQUIRE_EQUAL(
            share_between(summary.view(), value(s) - 0.05, value(to) + 0.05, Target::sample).value, between);
    }
    const auto between = [&](double low, double high) {
        return share_between(summary.view(), low, high, Target::population);
    };
    BOOST_CHECK_EQUAL(between(-1e9, 1e9).value, 1);
    BOOST_CHECK_EQUAL(between(-1e9, 1e9).standard_error, 0);
    BOOST_CHECK_EQUAL(between(-HUGE_VAL, -3.2).value, 0);
    BOOST_CHECK_EQUAL(between(97.1, HUGE_VAL).value, 0);
    BOOST_CHECK_EQUAL(between(5.03, 5.07).value, 0);
    BOOST_CHECK_EQUAL(resolution(summary.view()), 0);
    // Ten bins of ten: a point on an edge is in the upper one, the last has one more.
    const auto bins = histogram(summary.view(), 10, Target::sample);
    double sum = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        const double high = i == 9 ? 97 : value(100 * i + 99);
        BOOST_CHECK_EQUAL(bins[i].value,
                          share_between(summary.view(), value(100 * i), high, Target::sample).value);
        sum += bins[i].value;
    }
    BOOST_CHECK_CLOSE_FRACTION(sum, 1, 1e-12);
}

BOOST_AUTO_TEST_CASE(fits_are_distributions) {
    SeededBits bits(611);
    for (const double epsilon : {0.5, 2.0})
        for (const std::size_t k : {2, 3, 100, 1024}) {
            const auto m = categories(epsilon, k);
            const auto people = people_of(lumpy(k), 5000);
            const auto summary = reported(*m, people, bits);
            const Distribution fit = decode(summary.view(), Smoothing::none);
            BOOST_CHECK(fit.converged);
            BOOST_REQUIRE_EQUAL(fit.shares.size(), k);
            BOOST_REQUIRE_EQUAL(fit.edges.size(), k + 1);
            BOOST_CHECK(std::ranges::is_sorted(fit.edges));
            BOOST_CHECK_EQUAL(fit.edges.front(), 0);
            BOOST_CHECK_EQUAL(fit.edges.back(), k - 1);
            BOOST_CHECK_GE(std::ranges::min(fit.shares), 0);
            BOOST_CHECK_CLOSE_FRACTION(std::accumulate(fit.shares.begin(), fit.shares.end(), 0.0), 1, 1e-12);
            BOOST_CHECK(fit.shares == decode(summary.view(), Smoothing::binomial).shares);
            const auto shares = summary.estimate(Quantity::distribution);
            for (std::size_t s = 0; s < k; ++s) {
                BOOST_CHECK_EQUAL(shares[s].value, fit.shares[s]);
                BOOST_CHECK(std::isnan(shares[s].standard_error));
            }
        }
}

BOOST_AUTO_TEST_CASE(neighbours_are_pooled_by_their_variances) {
    const auto m = categories(std::log(3.0), 4);
    std::vector<std::byte> summary(summary_size(*m));
    start_summary(*m, summary);
    const auto count = [&](std::size_t level, std::uint64_t output, std::uint64_t reports) {
        Report report(m->block().begin(), m->block().end());
        const auto bytes = payload(*m, level, output);
        report.insert(report.end(), bytes.begin(), bytes.end());
        for (; reports > 0; --reports) BOOST_REQUIRE(accumulate(*m, summary, report) == Outcome::ok);
    };
    count(0, 0, 5), count(0, 1, 11);  // (5 − 11) / (16·½) = −¾: shares ⅛ and ⅞
    count(1, 0, 8), count(1, 1, 4);   // balances 8 + 4 and 8 − 4: 12 / (12·½) = 2 and 4 / 6 = ⅔
    const Bytes state = view_of(*m, summary).state;
    const auto below = ordered(*m).cumulative({28, state});
    const double raw[] = {(0.125 + 2) / 2, 0.125, 0.125 + (0.875 + 2.0 / 3) / 2, 1};
    for (std::size_t s = 0; s < 4; ++s) BOOST_CHECK_CLOSE_FRACTION(below[s], raw[s], 1e-9);
    // 1.0625 and 0.125 fall. With equal weights they meet half way, which is where the variances are taken.
    const double half = (raw[0] + raw[1]) / 2;
    const auto noise = ordered(*m).noise({28, state}, {half, 0, raw[2] - half, 1 - raw[2]});
    const double first = 1 / noise->between(0, 1), second = 1 / noise->between(0, 2);
    const double pooled = (first * raw[0] + second * raw[1]) / (first + second);
    BOOST_CHECK_GT(std::abs(pooled - half), 0.01);
    // The first two points are as high; the next one is higher.
    const auto at = [&](double share) {
        return quantile(view_of(*m, summary), share, 0.95, Target::sample).value;
    };
    BOOST_CHECK_EQUAL(at(pooled - 1e-9), 0);
    BOOST_CHECK_EQUAL(at(pooled + 1e-9), 2);
}

BOOST_AUTO_TEST_CASE(few_reports_have_valid_answers) {
    SeededBits bits(612);
    for (const double epsilon : {0.001, 1.0, 20.0})
        for (const std::uint64_t k : {2, 3, 50})
            for (const std::size_t n : {1, 2, 400})
                for (const Cell everyone : {std::uint64_t{0}, k - 1}) {
                    const auto m = numbers(epsilon, k);
                    const auto summary = reported(*m, std::vector<Cell>(n, everyone), bits);
                    const auto last = static_cast<double>(k - 1);
                    const Distribution fit = decode(summary.view(), Smoothing::none);
                    BOOST_CHECK_GE(std::ranges::min(fit.shares), 0);
                    BOOST_CHECK_CLOSE_FRACTION(std::accumulate(fit.shares.begin(), fit.shares.end(), 0.0), 1,
                                               1e-12);
                    for (const double share : {0.01, 0.5, 0.99}) {
                        const auto found = quantile(summary.view(), share, 0.95, Target::population);
                        BOOST_CHECK(0 <= found.interval.lower && found.interval.lower <= found.value &&
                                    found.value <= found.interval.upper && found.interval.upper <= last);
                    }
                    const Estimate mean = summary.estimate(Quantity::means, Target::population)[0];
                    BOOST_CHECK(std::isfinite(mean.value) && mean.standard_error >= 0);
                    if (epsilon == 1) {
                        // Where a level has no report the error is no smaller than the estimate can be off.
                        const Estimate half = cdf(summary.view(), (last - 1) / 2, Target::sample);
                        BOOST_CHECK_GT(half.standard_error, 0);
                        if (n == 1) BOOST_CHECK_GT(half.standard_error, 0.5);
                    }
                }
}

// With 20 people some levels have a single report, and some have none.
BOOST_AUTO_TEST_CASE(few_reports_are_covered, *boost::unit_test::label("slow")) {
    SeededBits bits(617);
    constexpr std::size_t k = 1024, repetitions = 3000;
    for (const double epsilon : {0.5, 8.0}) {
        const auto m = numbers(epsilon, k);
        std::size_t means = 0, halves = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<Cell> people;
            double mean = 0, low = 0;
            for (std::size_t i = 0; i < 20; ++i) {
                people.push_back(bits.below(k / 2) + bits.below(k / 4));
                mean += static_cast<double>(people.back()) / 20;
                low += people.back() < 300 ? 0.05 : 0;
            }
            const auto summary = reported(*m, people, bits);
            const auto covers = [](const Estimate& estimate, double truth) {
                return std::abs(estimate.value - truth) <= 1.96 * estimate.standard_error;
            };
            means += covers(summary.estimate(Quantity::means)[0], mean);
            halves += covers(cdf(summary.view(), 299, Target::sample), low);
        }
        for (const std::size_t covered : {means, halves})
            BOOST_CHECK_GT(static_cast<double>(covered), 0.91 * repetitions);
    }
}

// All report the same, and hardly anything is randomized: what is left is the doubt about one more.
BOOST_AUTO_TEST_CASE(reports_that_agree_leave_a_doubt) {
    const auto m = categories(20, 2);
    for (const double n : {20, 50, 1000}) {
        SeededBits bits(618);
        const auto summary = reported(*m, std::vector<Cell>(static_cast<std::size_t>(n), 0), bits);
        const double told = n / (n + 1), error = std::sqrt((1 - told * told) / 4 / n);
        BOOST_CHECK_CLOSE_FRACTION(cdf(summary.view(), 0, Target::sample).standard_error, error, 1e-3);
    }
}

BOOST_AUTO_TEST_CASE(categories_have_p_values) {
    // Of values that nobody holds, as uniform as a normal approximation makes them.
    SeededBits bits(613);
    const auto m = categories(2, 32);
    const std::vector<Cell> people(1000, 5);
    double small = 0, all = 0;
    for (int r = 0; r < 300; ++r) {
        const auto estimates = reported(*m, people, bits).estimate(Quantity::frequencies);
        BOOST_CHECK_LT(capability<Significance>(*m).p_value(1000, estimates[5]), 1e-6);
        for (std::size_t v = 8; v < 32; v += 4) {  // in pairs of their own
            small += capability<Significance>(*m).p_value(1000, estimates[v]) < 0.05;
            ++all;
        }
    }
    BOOST_CHECK_LT(std::abs(small - 0.05 * all), 6 * std::sqrt(2 * 0.05 * all));
    BOOST_CHECK(code([] {
                    static_cast<void>(capability<Significance>(*numbers(1, 5)).p_value(1, {0, 1}));
                }) == ErrorCode::unsupported);
}

BOOST_AUTO_TEST_CASE(specs_say_which_domain_is_meant) {
    const auto json = [](const std::string& rest) {
        return Spec::from_json(R"({"mechanism": "haar_ordered", "epsilon": 2, )" + rest + "}").to_json();
    };
    const std::string category = json(R"("domain": ["low", "middle", "high"])");
    BOOST_CHECK(category.find("grid") == std::string::npos);
    BOOST_CHECK_EQUAL(Spec::from_json(category).to_json(), category);
    const std::string number = json(R"("min": 0, "max": 120)");
    BOOST_CHECK(number.find("\"grid\":1023") != std::string::npos);
    BOOST_CHECK(number.find("\"levels\":10") != std::string::npos);
    BOOST_CHECK(number.find("\"hash_buckets\":4") != std::string::npos);
    BOOST_CHECK_EQUAL(Spec::from_json(number).to_json(), number);
    for (const char* bad : {R"("domain": 10, "grid": 9)", R"("domain": 1048577)",
                            R"("min": 0, "max": 1, "grid": 0)", R"("min": 0, "max": 1, "grid": 1048576)"})
        BOOST_CHECK(code([&] { json(bad); }) == ErrorCode::invalid_spec);
    BOOST_CHECK(code([&] { json(unit_attributes(2)); }) == ErrorCode::invalid_spec);
    BOOST_CHECK_EQUAL(make_mechanism(Spec::from_json(category))->cells()[0], 3u);
    BOOST_CHECK_EQUAL(mechanism("haar_ordered", 1, R"("min": 0, "max": 1, "grid": 1)")->cells()[0], 2u);
}

BOOST_AUTO_TEST_CASE(questions_that_make_no_sense_are_refused) {
    SeededBits bits(614);
    const auto m = categories(1, 10);
    const auto summary = reported(*m, {1, 2, 3}, bits);
    const OwnedSummary empty(*m);
    const auto invalid = ErrorCode::invalid_value;
    const auto between = [&](double low, double high) {
        return code([&] { static_cast<void>(share_between(summary.view(), low, high, Target::sample)); });
    };
    BOOST_CHECK(between(3, 2) == invalid);
    BOOST_CHECK(between(NAN, 2) == invalid);
    BOOST_CHECK(between(3, NAN) == invalid);
    BOOST_CHECK(code([&] { static_cast<void>(cdf(summary.view(), NAN, Target::sample)); }) == invalid);
    BOOST_CHECK(code([&] { static_cast<void>(cdf(empty.view(), 1, Target::sample)); }) == invalid);
    BOOST_CHECK(code([&] { static_cast<void>(histogram(summary.view(), 11, Target::sample)); }) == invalid);
    BOOST_CHECK(code([&] { static_cast<void>(summary.estimate(Quantity::means)); }) ==
                ErrorCode::unsupported);
    const auto grr = mechanism("grr", 1, "\"domain\": 10");
    const auto foreign = reported(*grr, {1, 2, 3}, bits);
    BOOST_CHECK(code([&] { static_cast<void>(share_between(foreign.view(), 1, 2, Target::sample)); }) ==
                ErrorCode::unsupported);
}

BOOST_AUTO_TEST_CASE(forged_blocks_and_states_are_refused_or_harmless) {
    const auto m = numbers(2, 41);
    const auto with = [&](std::uint32_t points, unsigned buckets, unsigned numeric) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size, points);
        block[header_size + 4] = static_cast<std::byte>(buckets);
        block[header_size + 5] = static_cast<std::byte>(numeric);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    BOOST_CHECK(!with(41, 5, 1));
    BOOST_CHECK(!with(1 << 20, 19, 1));
    BOOST_CHECK(with(41, 6, 1));
    BOOST_CHECK(with(41, 255, 1));
    BOOST_CHECK(!with(41, 1, 2));  // the last point is that of a missing number
    BOOST_CHECK(with(41, 1, 3));
    BOOST_CHECK(with(41, 1, 0));  // bytes left over
    BOOST_CHECK(with(1, 0, 1));
    BOOST_CHECK(with((1 << 20) + 1, 0, 1));
    BOOST_CHECK(with(0xFFFFFFFF, 0, 1));

    for (std::size_t level = 0; level < 6; ++level) {
        BOOST_CHECK(m->valid_payload(payload(*m, level, outputs(level) - 1)));
        if (level < 5) BOOST_CHECK(!m->valid_payload(payload(*m, level, outputs(level))));
    }
    BOOST_CHECK(!m->valid_payload(payload(*m, 6, 0)));

    // Bytes that no check has seen: nonsense, but no crash.
    SeededBits bits(615);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte> bytes(summary_size(*m));
        start_summary(*m, bytes);
        for (std::size_t at = m->block().size(); at < bytes.size(); ++at)
            bytes[at] = round == 0 ? std::byte{0} : static_cast<std::byte>(bits.word());
        store<std::uint64_t>(bytes.data() + m->block().size(), 1 + bits.below(max_count));
        static_cast<void>(decode(view_of(*m, bytes), Smoothing::binomial));
        static_cast<void>(cdf(view_of(*m, bytes), 3, Target::population));
        static_cast<void>(share_between(view_of(*m, bytes), 3, 7, Target::population));
        static_cast<void>(quantile(view_of(*m, bytes), 0.3, 0.9, Target::sample));
        static_cast<void>(histogram(view_of(*m, bytes), 7, Target::sample));
        static_cast<void>(estimate(view_of(*m, bytes), {Quantity::means}));
        static_cast<void>(health(view_of(*m, bytes)));
    }
}

BOOST_AUTO_TEST_CASE(a_million_points, *boost::unit_test::label("slow")) {
    SeededBits bits(616);
    constexpr std::size_t k = 1 << 20, n = 20000;
    const auto m = numbers(4, k);
    std::vector<Cell> people;
    for (std::size_t i = 0; i < n; ++i) people.push_back(bits.below(k / 2) + bits.below(k / 2));
    const auto summary = reported(*m, people, bits);
    const auto middle = cdf(summary.view(), k / 2.0, Target::population);
    BOOST_CHECK_LT(std::abs(middle.value - 0.5), 6 * middle.standard_error);
    BOOST_CHECK_LT(middle.standard_error, 0.1);
    const auto found = quantile(summary.view(), 0.5, 0.999999, Target::population);
    BOOST_CHECK(found.interval.lower < k / 2.0 && k / 2.0 < found.interval.upper);
    BOOST_CHECK_LT(found.interval.upper - found.interval.lower, k / 2.0);
    BOOST_CHECK_EQUAL(histogram(summary.view(), 1000, Target::sample).size(), 1000u);
    const auto mean = summary.estimate(Quantity::means)[0];
    BOOST_CHECK_LT(std::abs(mean.value - k / 2.0), 6 * mean.standard_error + k / 100.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Values on a circle: ε by enumeration, unbiased mean vectors and shares of arcs, their errors, coverage of intervals, and
// the pattern.

#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/circular/ring_channel.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "core/summary/errors.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(ring)

namespace {

constexpr double usual = 1.959963984540054, hours = 24;
constexpr std::size_t points = 24;

std::unique_ptr<const Mechanism> clock_of(double epsilon, const std::string& rest = {}) {
    return mechanism("ring", epsilon, R"("min": 0, "max": 24, "circular": true)" + rest);
}

const MeanDirection& direction_of(const Mechanism& m) {
    return *find_direction(m);
}

std::complex<double> unit_vector(double hour) {
    return std::polar(1.0, 2 * std::numbers::pi * hour / hours);
}

std::complex<double> mean_vector(const std::vector<double>& shares) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) sum += shares[i] * unit_vector(static_cast<double>(i));
    return sum;
}

/// The distance of two hours, −12 to 12.
double apart(double one, double other) {
    return std::remainder(one - other, hours);
}

/// Shares around an hour, as a wrapped normal distribution, mixed with people who are spread evenly.
std::vector<double> around(double hour, double deviation, double even) {
    std::vector<double> shares(points);
    double sum = 0;
    for (std::size_t i = 0; i < points; ++i)
        sum += shares[i] = std::exp(-square(apart(static_cast<double>(i), hour) / deviation) / 2);
    for (double& share : shares) share = (1 - even) * share / sum + even / static_cast<double>(points);
    return shares;
}

std::vector<double> half_each(const std::vector<double>& one, const std::vector<double>& other) {
    std::vector<double> shares(points);
    for (std::size_t i = 0; i < points; ++i) shares[i] = (one[i] + other[i]) / 2;
    return shares;
}

struct NamedPeople {
    const char* name;
    std::vector<double> shares;
};

std::vector<NamedPeople> populations() {
    return {{"concentrated across midnight", around(23.5, 1, 0)},
            {"one hour", around(7, 0.01, 0)},
            {"spread out", around(15, 4, 0.2)},
            {"nearly even", around(3, 3, 0.9)},
            {"two modes", half_each(around(8, 1.5, 0), around(18, 1.5, 0))},
            {"two opposite modes", half_each(around(6, 1, 0), around(18, 1, 0.1))},
            {"even", std::vector<double>(points, 1 / static_cast<double>(points))}};
}

/// The counts of n reports of people who are drawn from a population, and the shares among these people.
struct DrawnPeople {
    std::vector<std::byte> state;
    std::vector<double> shares;
};

DrawnPeople draw(const Mechanism& m, const std::vector<double>& shares, std::uint64_t n,
                 std::mt19937_64& random, BitSource& bits) {
    std::discrete_distribution<Cell> people(shares.begin(), shares.end());
    DrawnPeople drawn{std::vector<std::byte>(m.state_size()), std::vector<double>(points)};
    std::vector<std::byte> payload(m.payload_size());
    for (std::uint64_t i = 0; i < n; ++i) {
        const Cell hour = people(random);
        drawn.shares[hour] += 1 / static_cast<double>(n);
        m.permanent_response({&hour, 1}, {}, bits, payload);
        BOOST_REQUIRE(m.accumulate(drawn.state, payload));
    }
    return drawn;
}

/// The expected counts of many reports, for estimates without noise.
std::vector<std::byte> expected_counts(const Mechanism& m, const RingChannel& channel,
                                       const std::vector<double>& shares, double n) {
    std::vector<std::byte> state(m.state_size());
    const std::vector<double> law = channel.law(shares);
    for (std::size_t out = 0; out < law.size(); ++out)
        store(state.data() + out * sizeof(std::uint64_t),
              static_cast<std::uint64_t>(std::llround(n * law[out])));
    return state;
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_keeps_epsilon) {
    const auto check = [](double epsilon, const char* grid, const char* use) {
        BOOST_TEST_CONTEXT(grid << " points, " << use << ", epsilon " << epsilon) {
            const auto m =
                clock_of(epsilon, R"(, "optimize_for": ")" + std::string(use) + R"(", "grid": )" + grid);
            check_worst_ratio(*m);
            prove(*m);
        }
    };
    for (const char* use : {"direction", "arcs"}) {
        for (const double epsilon : epsilons)
            for (const char* grid : {"3", "7", "24"}) check(epsilon, grid, use);
        check(1, "64", use);
    }
}

BOOST_AUTO_TEST_CASE(the_sampler_has_its_probabilities) {
    const auto m = clock_of(1.5);
    for (const Cell hour : {Cell{0}, Cell{5}, Cell{23}, Cell{24}})
        check_frequencies_of_reports(*m, {&hour, 1}, 100 + hour);
}

BOOST_AUTO_TEST_CASE(the_ends_of_the_range_are_one_point) {
    const auto m = clock_of(1);
    const Cell lower = 0, upper = points;
    std::vector<std::byte> one(m->payload_size());
    for (std::uint8_t out = 0; out < points; ++out) {
        one[0] = std::byte{out};
        BOOST_TEST((m->probability({&lower, 1}, {}, one) == m->probability({&upper, 1}, {}, one)));
    }
    BOOST_TEST(m->response_key({&lower, 1}, {}) == m->response_key({&upper, 1}, {}));
    BOOST_TEST(m->most_keys() == points);
}

// The first harmonic decides about the direction: no window has a larger one. 10 % are given for arcs.
BOOST_AUTO_TEST_CASE(the_pattern_has_nearly_the_best_direction_and_far_better_arcs_than_a_window) {
    for (const std::uint64_t k : {24, 48})
        for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) {
            double best = HUGE_VAL, arcs_of_best = HUGE_VAL;
            const auto of_arcs = [&](const RingChannel& channel) {
                double sum = 0;
                std::vector<double> function(k);
                for (std::uint64_t length = 1; length < k; ++length) {
                    function[length - 1] = 1;
                    for (const double term : channel.terms(function)) sum += term * term;
                }
                return sum;
            };
            std::vector<RingChannel> windows;
            for (std::uint64_t width = 1; width <= k / 2; ++width) {
                windows.emplace_back(k, (std::uint64_t{1} << width) - 1, epsilon);
                best = std::min(best, 1 / std::norm(windows.back().factor(1)));
            }
            for (const RingChannel& window : windows)
                if (RingChannel::valid(k, window.pattern()) && 1 / std::norm(window.factor(1)) < 1.1 * best)
                    arcs_of_best = std::min(arcs_of_best, of_arcs(window));
            const RingChannel mean(k, design_ring(k, epsilon, RingUse::direction), epsilon);
            const RingChannel arcs(k, design_ring(k, epsilon, RingUse::arcs), epsilon);
            BOOST_TEST_CONTEXT(k << " points, epsilon " << epsilon) {
                BOOST_TEST(1 / std::norm(mean.factor(1)) <= 1.1 * best * (1 + 1e-9));
                BOOST_TEST(of_arcs(mean) <= 0.75 * arcs_of_best);
                BOOST_TEST(of_arcs(arcs) <= of_arcs(mean) * (1 + 1e-9));
                BOOST_TEST(std::popcount(mean.pattern()) == static_cast<int>(mean.width()));
            }
        }
}

BOOST_AUTO_TEST_CASE(estimates_are_exact_without_noise) {
    for (const std::uint64_t k : {24})
        for (const double epsilon : {0.5, 2.0})
            for (const auto& [name, shares] : populations())
                BOOST_TEST_CONTEXT(name << ", epsilon " << epsilon) {
                    const auto m = clock_of(epsilon);
                    const RingChannel channel(k, design_ring(k, epsilon, RingUse::direction), epsilon);
                    constexpr std::uint64_t n = std::uint64_t{1} << 39;
                    const auto state = expected_counts(*m, channel, shares, static_cast<double>(n));
                    const DirectionTerms terms{Target::population, usual, 1, 0};
                    const auto found = direction_of(*m).direction({n, state}, terms);
                    const auto length = direction_of(*m).resultant_length({n, state}, terms);
                    const std::complex<double> truth = mean_vector(shares);
                    BOOST_TEST(std::abs(length.estimate.value - std::abs(truth)) < 1e-5);
                    if (std::abs(truth) > 1e-3) {
                        BOOST_TEST(found.determined);
                        const double angle = std::arg(truth) * hours / (2 * std::numbers::pi);
                        BOOST_TEST(std::abs(apart(found.direction.value, angle)) < 1e-4);
                    }
                    const auto below = capability<Ordered>(*m).cumulative({n, state});
                    double sum = 0;
                    for (std::size_t i = 0; i < points; ++i) {
                        sum += shares[i];
                        BOOST_TEST(std::abs(below[i] - sum) < 1e-7);
                    }
                }
}

BOOST_AUTO_TEST_CASE(arcs_go_around) {
    const auto m = clock_of(1);
    const std::vector<double> shares = around(23.5, 2, 0.3);
    std::vector<double> of_points = shares;
    of_points.push_back(0);
    OrderedEstimator estimator(capability<Ordered>(*m), of_points, 1000);
    const auto share = [&](double low, double high) {
        return estimator.within(low, high, Target::population).share;
    };
    const auto sum = [&](std::initializer_list<std::size_t> at) {
        double all = 0;
        for (const std::size_t hour : at) all += shares[hour];
        return all;
    };
    BOOST_TEST(std::abs(share(22, 2).value - sum({22, 23, 0, 1, 2})) < 1e-9);
    BOOST_TEST(std::abs(share(-2, 2).value - sum({22, 23, 0, 1, 2})) < 1e-9);
    BOOST_TEST(std::abs(share(22, 26).value - sum({22, 23, 0, 1, 2})) < 1e-9);
    BOOST_TEST(std::abs(share(20, 24).value - sum({20, 21, 22, 23, 0})) < 1e-9);
    BOOST_TEST(std::abs(share(0, 3).value - sum({0, 1, 2, 3})) < 1e-9);
    BOOST_TEST(std::abs(share(24, 27).value - share(0, 3).value) < 1e-12);
    BOOST_TEST(share(3.2, 3.8).value == 0);
    BOOST_TEST(share(5, 4).value == 1);
    BOOST_TEST(share(0, 24).value == 1);
    // People at the end of the range are counted at its beginning.
    const Estimate at_end = estimator.between(points, points + 1, Target::population);
    BOOST_TEST(at_end.value == 0);
    BOOST_TEST(interval(at_end, usual, estimator.law_between(points, points + 1, Target::population)).upper <
               1e-9);
    // An arc and the rest of the circle have one error.
    BOOST_TEST(std::abs(share(22, 2).standard_error - share(3, 21).standard_error) < 1e-12);
}

BOOST_AUTO_TEST_CASE(errors_are_those_of_many_repetitions) {
    constexpr std::size_t repetitions = 4000, n = 400;
    std::mt19937_64 random(7);
    SeededBits bits(8);
    const auto m = clock_of(1);
    const Ordered& ordered = capability<Ordered>(*m);
    const std::vector<double> shares = around(20, 3, 0.3);
    std::vector<double> of_points = shares;
    of_points.push_back(0);
    OrderedEstimator expected(ordered, of_points, n);
    const Estimate arc = expected.within(18, 1, Target::population).share;
    double sum = 0, squares = 0;
    std::complex<double> vectors = 0;
    for (std::size_t i = 0; i < repetitions; ++i) {
        const DrawnPeople drawn = draw(*m, shares, n, random, bits);
        OrderedEstimator estimator(ordered, {n, drawn.state});
        const double found = estimator.within(18, 1, Target::population).share.value;
        sum += found;
        squares += found * found;
        const auto direction =
            direction_of(*m).direction({n, drawn.state}, {Target::population, usual, 1, 0});
        vectors += unit_vector(direction.direction.value);
    }
    const double mean = sum / repetitions, variance = squares / repetitions - mean * mean;
    BOOST_TEST(std::abs(mean - arc.value) < 6 * arc.standard_error / std::sqrt(repetitions));
    BOOST_TEST(std::abs(variance / square(arc.standard_error) - 1) < 6 * std::sqrt(2.0 / repetitions));
    BOOST_TEST(std::abs(std::arg(vectors / mean_vector(shares))) < 0.02);
}

BOOST_AUTO_TEST_CASE(the_predicted_error_of_the_direction_is_the_real_one, *boost::unit_test::label("slow")) {
    constexpr std::size_t repetitions = 3000, n = 5000;
    std::mt19937_64 random(9);
    SeededBits bits(10);
    const auto m = clock_of(2);
    const std::vector<double> shares = around(22, 3, 0.2);
    const auto [noise, sampling] = direction_of(*m).direction_variance(shares);
    const double half = hours / 2, truth = std::arg(mean_vector(shares)) * hours / (2 * std::numbers::pi);
    double squares = 0, stated = 0;
    for (std::size_t i = 0; i < repetitions; ++i) {
        const DrawnPeople drawn = draw(*m, shares, n, random, bits);
        const auto found = direction_of(*m).direction({n, drawn.state}, {Target::population, usual, 1, 0});
        squares += square(apart(found.direction.value, truth)) / repetitions;
        stated += square(found.direction.standard_error) / repetitions;
    }
    const double expected = (noise + sampling) * square(half) / static_cast<double>(n);
    BOOST_TEST(std::abs(squares / expected - 1) < 6 * std::sqrt(2.0 / repetitions) + 0.02);
    BOOST_TEST(std::abs(stated / expected - 1) < 0.05);
}

namespace {

struct CircleCoverage {
    double direction = 0, length = 0, arcs = 0, all = 0, all_arcs = 0, determined = 0;
};

CircleCoverage covered(double epsilon, const std::vector<double>& shares, std::uint64_t n, Target target,
                       std::size_t repetitions, std::uint64_t seed, const std::string& rest = {}) {
    std::mt19937_64 random(seed);
    SeededBits bits(seed + 1);
    const auto m = clock_of(epsilon, rest);
    const Ordered& ordered = capability<Ordered>(*m);
    CircleCoverage all;
    for (std::size_t i = 0; i < repetitions; ++i) {
        const DrawnPeople drawn = draw(*m, shares, n, random, bits);
        const std::vector<double>& truth = target == Target::sample ? drawn.shares : shares;
        const DirectionTerms terms{target, usual, 1, 0};
        const auto found = direction_of(*m).direction({n, drawn.state}, terms);
        const Interval lengths = direction_of(*m).resultant_length({n, drawn.state}, terms).interval;
        const std::complex<double> vector = mean_vector(truth);
        const double angle = std::arg(vector) * hours / (2 * std::numbers::pi);
        const double off = apart(angle, found.direction.value);
        const double low = found.interval.lower - found.direction.value,
                     high = found.interval.upper - found.direction.value;
        all.direction += !found.determined || (off >= low && off <= high);
        all.determined += found.determined;
        all.length += std::abs(vector) >= lengths.lower - 1e-12 && std::abs(vector) <= lengths.upper + 1e-12;
        ++all.all;
        OrderedEstimator estimator(ordered, {n, drawn.state});
        for (const auto& [first, last] : {std::pair{22, 3}, {6, 11}, {17, 17}, {12, 23}}) {
            double share = 0;
            for (int hour = first; hour != (last + 1) % 24; hour = (hour + 1) % 24)
                share += truth[static_cast<std::size_t>(hour)];
            const auto [estimate, law] = estimator.within(first, last, target);
            const Interval range = interval(estimate, usual, law);
            all.arcs += range.lower <= share + 1e-12 && share <= range.upper + 1e-12;
            ++all.all_arcs;
        }
    }
    return all;
}

}  // namespace

// In 600 repetitions each, from n = 50 on, directions have 93.8 to 97.7 % and arcs 93.8 to 97.9 %; in 1500 repetitions,
// lengths have 93.3 to 98.7 %. The bounds here are six standard deviations away.
BOOST_AUTO_TEST_CASE(intervals_cover, *boost::unit_test::label("slow")) {
    constexpr std::size_t repetitions = 4000;
    std::uint64_t seed = 100;
    const std::vector<NamedPeople> all = populations();
    for (const std::size_t number : {0, 2, 4, 6})
        for (const double epsilon : {1.0, 4.0})
            for (const Target target : {Target::sample, Target::population})
                BOOST_TEST_CONTEXT(all[number].name
                                   << ", epsilon " << epsilon
                                   << (target == Target::sample ? ", sample" : ", population")) {
                    const CircleCoverage found =
                        covered(epsilon, all[number].shares, 50, target, repetitions, seed += 2);
                    const double direction = found.direction / found.all, arcs = found.arcs / found.all_arcs;
                    BOOST_TEST(direction >= 0.92);
                    BOOST_TEST(direction <= 0.99);
                    BOOST_TEST(arcs >= 0.92);
                    BOOST_TEST(arcs <= 0.99);
                    BOOST_TEST(found.length / found.all >= 0.91);
                }
}

BOOST_AUTO_TEST_CASE(a_direction_that_does_not_exist_is_not_determined) {
    const CircleCoverage found = covered(2, std::vector<double>(points, 1 / static_cast<double>(points)), 500,
                                         Target::population, 4000, 77);
    BOOST_TEST(found.determined / found.all < 0.07);  // one in twenty
}

BOOST_AUTO_TEST_CASE(forged_reports_widen_the_interval) {
    std::mt19937_64 random(3);
    SeededBits bits(4);
    const auto m = clock_of(2);
    const DrawnPeople drawn = draw(*m, around(23, 2, 0), 2000, random, bits);
    const auto with = [&](double forged) {
        return direction_of(*m).direction({2000, drawn.state}, {Target::sample, usual, 1, forged});
    };
    const auto honest = with(0), some = with(0.02), most = with(0.9);
    BOOST_TEST(some.interval.lower < honest.interval.lower);
    BOOST_TEST(some.interval.upper > honest.interval.upper);
    BOOST_TEST(!most.determined);
    // The interval goes on beyond midnight.
    BOOST_TEST((honest.interval.lower < 24 && honest.interval.upper > 23));
}

BOOST_AUTO_TEST_CASE(forged_states_are_found) {
    const auto m = clock_of(2);
    std::vector<std::byte> state(m->state_size());
    store(state.data(), std::uint64_t{1000});
    double least = 1;
    for (const Check& check : m->health({1000, state})) least = std::min(least, check.p_value);
    BOOST_TEST(least < 1e-9);
}

BOOST_AUTO_TEST_CASE(specs_name_circles) {
    const auto resolved = [](const std::string& rest) {
        return resolve(R"({"epsilon": 1, "mechanism": "auto", )" + rest + "}");
    };
    const std::string clock = R"("min": 0, "max": 24, "circular": true)";
    const Spec direction = resolved(clock), arcs = resolved(clock + R"(, "estimate": "distribution")");
    BOOST_TEST(direction.mechanism().name == std::string("ring"));
    BOOST_TEST(arcs.mechanism().name == std::string("ring"));
    BOOST_TEST(std::get<std::string>(arcs.option("optimize_for")) == "arcs");
    BOOST_TEST(std::get<std::string>(direction.option("optimize_for")) == "direction");
    BOOST_TEST(direction.to_json().find(R"("circular":true)") != std::string::npos);
    BOOST_TEST(resolve(direction.to_json()).to_json() == direction.to_json());
    const auto refused = [](const std::string& json) {
        BOOST_CHECK_THROW(static_cast<void>(resolve(json)), Error);
    };
    refused(R"({"epsilon": 1, "mechanism": "ring", "min": 0, "max": 24})");
    refused(R"({"epsilon": 1, "mechanism": "optimal", )" + clock + "}");
    refused(R"({"epsilon": 1, "mechanism": "auto", "missing": true, )" + clock + "}");
    refused(R"({"epsilon": 1, "mechanism": "auto", "bins": 4, )" + clock + "}");
    refused(R"({"epsilon": 1, "mechanism": "auto", "domain": 4, "circular": true})");
    refused(R"({"epsilon": 1, "mechanism": "ring", "grid": 65, )" + clock + "}");
    const std::string pair = R"("attributes": [{"name": "g", "domain": 3}, {"name": "h", )" + clock + "}]";
    refused(R"({"epsilon": 1, "mechanism": "means_by_group", )" + pair + "}");
    refused(R"({"epsilon": 1, "mechanism": "joint", )" + pair + "}");
}

BOOST_AUTO_TEST_CASE(blocks_with_hidden_harmonics_are_malformed) {
    BOOST_TEST(!RingChannel::valid(12, 0b1111));  // hides harmonic 3
    BOOST_TEST(!RingChannel::valid(12, 0));
    BOOST_TEST(!RingChannel::valid(12, 0b111111111111));
    BOOST_TEST(!RingChannel::valid(12, std::uint64_t{1} << 12));
    BOOST_TEST(RingChannel::valid(12, 0b11111));
}

BOOST_AUTO_TEST_CASE(a_record_has_directions_of_its_own) {
    const auto m = mechanism(R"({"mechanism": "sampled", "epsilon": 4, "per_report": 1, "attributes": [
        {"name": "hour", "min": 0, "max": 24, "circular": true, "mechanism": "ring"},
        {"name": "age", "min": 0, "max": 100, "mechanism": "optimal"}]})");
    SeededBits bits(11);
    OwnedSummary summary(*m);
    for (int i = 0; i < 4000; ++i) {
        const Cell input[] = {i % 2 == 0 ? Cell{23} : Cell{1}, m->cells()[1] / 2};
        summary.draw(input, bits);
    }
    const auto found = mean_direction(summary.view(), 0, Target::population, usual);
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->determined);
    BOOST_TEST(std::abs(apart(found->direction.value, 0)) < 6 * found->direction.standard_error);
    BOOST_TEST(!mean_direction(summary.view(), 1, Target::population, usual).has_value());
    BOOST_TEST(std::isnan(ComparableMeans(summary.view(), Target::population).of(0).value));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

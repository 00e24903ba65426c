// Coverage of threshold series: means, ranges and quantiles of every round, means of rounds and changes, for
// people who keep their number, change it midway, alternate, drift or change daily, join late and leave.
// Thresholds of the checks are six standard deviations wide or more.

#include "core/base/square.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "number_people.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(threshold_series_coverage)

namespace {

enum class NumberPath { keeps, moves, alternates, drifts, daily };

/// People spread over the range. Their numbers cross any threshold at most twice; if they change daily, at
/// most `rounds` − 1 times.
std::vector<NumberCells> people_on(NumberPath path, std::size_t n, std::size_t rounds, std::size_t grid) {
    std::vector<NumberCells> people;
    for (std::size_t i = 0; i < n; ++i) {
        const double low = 0.1 + 0.3 * static_cast<double>(i % 17) / 17;
        const double high = low + 0.2 + 0.3 * static_cast<double>(i % 5) / 5;
        NumberCells series;
        for (std::size_t t = 0; t < rounds; ++t) {
            double x = low;
            if (path == NumberPath::moves && t >= rounds / 2) x = i % 3 == 0 ? high : low;
            if (path == NumberPath::alternates) x = t / (rounds / 3) % 2 == 0 ? low : high;
            if (path == NumberPath::drifts)
                x += (high - low) * static_cast<double>(t) / static_cast<double>(rounds);
            if (path == NumberPath::daily) x = (t + i) % 2 == 0 ? low : high;
            series.push_back(static_cast<Cell>(std::lround(x * static_cast<double>(grid))));
        }
        people.push_back(std::move(series));
    }
    return people;
}

/// Coverage of 95 % intervals that need not be symmetric, and the bias in its standard errors.
struct SeriesCoverage {
    double hits = 0, all = 0, sum = 0, squares = 0;

    void add(double estimate, const Interval& interval, double truth) {
        if (std::isnan(estimate)) return;
        hits += interval.lower <= truth && truth <= interval.upper ? 1 : 0;
        ++all;
        sum += estimate - truth;
        squares += (estimate - truth) * (estimate - truth);
    }
    void check(double most = 0.97, double least = 0.93) const {
        BOOST_CHECK_GE(hits / all, least);
        BOOST_CHECK_LE(hits / all, most);
        BOOST_CHECK_LT(std::abs(sum / std::sqrt(squares)), 6);
    }
};

Interval usual(const Estimate& estimate, const ErrorLaw& law = {}) {
    return interval(estimate, critical_value(0.95), law);
}

/// Coverage of the means of six rounds, of their mean, and of changes. `present` makes the people of a
/// repetition from those of all.
template <class Present>
void check_means(const Mechanism& m, const std::vector<NumberCells>& people, std::size_t grid,
                 std::uint64_t seed, Target target, Present present) {
    const std::size_t rounds = people[0].size();
    std::vector<SeriesCoverage> means(rounds);
    SeriesCoverage pooled, change, halves;
    std::vector<double> truth;
    for (std::size_t t = 0; t < rounds; ++t) truth.push_back(mean_number(people, t, grid));
    const auto half = static_cast<std::int64_t>(rounds / 2);
    std::vector<std::int64_t> all, before, after;
    for (std::int64_t t = 1; t <= 2 * half; ++t) {
        all.push_back(t);
        (t <= half ? before : after).push_back(t);
    }
    const auto mean_of = [&](const std::vector<std::int64_t>& some) {
        double sum = 0;
        for (const std::int64_t t : some) sum += truth[static_cast<std::size_t>(t - 1)];
        return sum / static_cast<double>(some.size());
    };
    SeededBits bits(seed);
    for (int r = 0; r < 3000; ++r) {
        const OwnedSummary summary = reported_series(m, present(people, bits), bits);
        const auto found = means_by_round(summary.view(), target);
        for (std::size_t t = 0; t < rounds; ++t)
            means[t].add(found[t].value, usual(found[t], found[t].law), truth[t]);
        const RoundEstimate whole = mean_over(summary, all, {}, target);
        pooled.add(whole.value, usual(whole, whole.law), mean_of(all));
        const RoundEstimate last = mean_over(summary, {2 * half}, {2}, target);
        change.add(last.value, usual(last, last.law), mean_of({2 * half}) - mean_of({2}));
        const RoundEstimate later = mean_over(summary, after, before, target);
        halves.add(later.value, usual(later, later.law), mean_of(after) - mean_of(before));
    }
    for (std::size_t t = 0; t < rounds; ++t)
        BOOST_TEST_CONTEXT("round " << t + 1) means[t].check(0.995, 0.925);
    // Errors of sums of rounds include the users' own variance, which is unknown.
    BOOST_TEST_CONTEXT("mean of rounds") pooled.check(1);
    BOOST_TEST_CONTEXT("change") change.check(0.99, 0.925);
    BOOST_TEST_CONTEXT("halves") halves.check(1);
}

const auto everyone = [](const std::vector<NumberCells>& people,
                         BitSource&) -> const std::vector<NumberCells>& { return people; };

}  // namespace

BOOST_AUTO_TEST_CASE(means_are_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t grid = 1024;
    std::uint64_t seed = 201;
    for (const std::size_t n : {50, 400})
        for (const double epsilon : {1.5, 6.0})
            for (const NumberPath path : {NumberPath::keeps, NumberPath::moves, NumberPath::alternates,
                                          NumberPath::drifts, NumberPath::daily})
                BOOST_TEST_CONTEXT("n " << n << " epsilon " << epsilon << " path "
                                        << static_cast<int>(path)) {
                    const std::size_t changes = path == NumberPath::daily ? 5 : 2;
                    const auto m =
                        mechanism("threshold_series", epsilon, threshold_settings(grid, 8, 6, changes));
                    check_means(*m, people_on(path, n, 6, grid), grid, seed++, Target::sample, everyone);
                }
}

// A client that joins late reports the rounds before with its first value. One that leaves sends no report
// for later nodes. Who stays is random, so that the estimates are those of all people as a population.
BOOST_AUTO_TEST_CASE(people_join_and_leave, *boost::unit_test::label("slow")) {
    constexpr std::size_t grid = 64;
    std::uint64_t seed = 261;
    for (const std::size_t n : {50, 400}) {
        const auto m = mechanism("threshold_series", 4, threshold_settings(grid, 8, 6, 2));
        const auto present = [](const std::vector<NumberCells>& people, BitSource& bits) {
            std::vector<NumberCells> some = people;
            for (NumberCells& series : some)
                if (bits.below(4) == 0) series.resize(4);
            return some;
        };
        BOOST_TEST_CONTEXT("n " << n)
        check_means(*m, people_on(NumberPath::keeps, n, 6, grid), grid, seed++, Target::population, present);
    }
}

BOOST_AUTO_TEST_CASE(sums_of_rounds_have_exact_errors, *boost::unit_test::label("slow")) {
    const auto m = mechanism("threshold_series", 4, threshold_settings(64, 4, 5, 2));
    const std::vector<NumberCells> people = people_on(NumberPath::keeps, 300, 5, 64);
    Simulation simulation;
    SeededBits bits(221);
    double claimed = 0, differences = 0;
    constexpr int repetitions = 5000;
    for (int r = 0; r < repetitions; ++r) {
        const OwnedSummary summary = reported_series(*m, people, bits);
        const Estimate mean = mean_over(summary, {2, 3, 4, 5}), change = mean_over(summary, {4}, {1});
        simulation.add({mean, change}, {mean_number(people, 0, 64), 0});
        claimed += mean.standard_error * mean.standard_error / repetitions;
        differences += change.standard_error * change.standard_error / repetitions;
    }
    simulation.check_unbiased();
    simulation.check_coverage();
    // The users' own variance is included in the error of a sum, because it is unknown.
    double own = 0;
    for (const NumberCells& series : people)
        own += square(static_cast<double>(series[0]) / 64 - mean_number(people, 0, 64)) / 300 / 300;
    BOOST_CHECK_CLOSE_FRACTION(simulation.variance(0), claimed - own,
                               6 * std::sqrt(2.0 / repetitions) + 0.02);
    simulation.check_variance(1, differences);
}

BOOST_AUTO_TEST_CASE(variance_is_the_predicted_one, *boost::unit_test::label("slow")) {
    const auto m = mechanism("threshold_series", 8, threshold_settings(64, 16, 4, 1));
    const std::vector<NumberCells> people = people_on(NumberPath::keeps, 400, 4, 64);
    std::vector<double> shares(65);
    for (const NumberCells& series : people) shares[series[0]] += 1.0 / 400;
    Simulation simulation;
    SeededBits bits(231);
    std::vector<double> claimed(4);
    const std::vector<double> truth(4, mean_number(people, 0, 64));
    for (int r = 0; r < 5000; ++r) {
        const auto means = reported_series(*m, people, bits).estimate(Quantity::means);
        simulation.add(means, truth);
        for (std::size_t t = 0; t < 4; ++t)
            claimed[t] += means[t].standard_error * means[t].standard_error / 5000;
    }
    simulation.check_unbiased();
    for (std::size_t t = 0; t < 4; ++t) {
        simulation.check_variance(t, claimed[t]);
        // On [0, 1]. The numbers of people who draw the levels are random: 1 % more.
        BOOST_CHECK_CLOSE_FRACTION(simulation.variance(t), m->n_variance_of(t, 0, shares) / 4 / 400,
                                   6 * std::sqrt(2.0 / 5000) + 0.01);
    }
}

BOOST_AUTO_TEST_CASE(distributions_are_covered, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 241;
    for (const std::size_t n : {50, 1000})
        for (const NumberPath path : {NumberPath::keeps, NumberPath::moves})
            for (const std::size_t grid : {1024, 16}) {  // smoothed, and sharp
                constexpr std::size_t parts = 16;
                const auto m = mechanism("threshold_series", 6, threshold_settings(grid, parts, 4, 2));
                const std::vector<NumberCells> people = people_on(path, n, 4, grid);
                SeriesCoverage ranges, tails, quantiles;
                SeededBits bits(seed++);
                for (int r = 0; r < 3000; ++r) {
                    const OwnedSummary summary = reported_series(*m, people, bits);
                    const std::uint32_t round = 2 + r % 3;
                    RoundDistribution found(summary.view(), round);
                    if (!found.known()) continue;
                    const auto in_round = capability<NumberSeries>(*m).in_round(round, summary.view());
                    OrderedEstimator truth(*in_round.ordered, rounded_shares(people, round - 1, grid, parts),
                                           in_round.counts.n);
                    const ShareOfRange share = found.share_between(0.2, 0.45, Target::sample);
                    ranges.add(share.value, usual(share, share.law),
                               truth.share(truth.before(0.2), truth.behind(0.45), Target::sample).value);
                    const ShareOfRange tail = found.share_between(0.25, 1, Target::sample);
                    tails.add(
                        tail.value, usual(tail, tail.law),
                        truth.share(truth.before(0.25), OrderedEstimator::right_end, Target::sample).value);
                    quantiles.add(0, found.quantile(0.5, 0.95, Target::sample).interval, truth.quantile(0.5));
                }
                BOOST_TEST_CONTEXT("n " << n << " path " << static_cast<int>(path) << " grid " << grid) {
                    ranges.check(0.975);
                    tails.check(0.975);
                    BOOST_CHECK_GE(quantiles.hits / quantiles.all, 0.93);
                }
            }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

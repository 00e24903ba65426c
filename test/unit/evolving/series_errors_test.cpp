// Errors of series under one ε: stated variances against those of repeated collections, and coverage of 95 %
// intervals, for the estimates of single rounds, changes, ranges and quantiles. 400 people keep their value.

#include <cmath>

#include "core/base/square.hpp"
#include "number_people.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(series_errors)

namespace {

// A simulated variance has a relative standard deviation of 0.86 %, so that 5 % are 5.8 of them (7e-9). 2 % of
// coverage are 15 standard deviations.
constexpr int repetitions = 27000;
constexpr std::size_t rounds = 6, people = 400;

/// The errors of one estimate.
struct StatedErrors {
    double claimed = 0, sum = 0, squares = 0, hits = 0;

    void add(const Estimate& found, const Interval& interval, double truth) {
        claimed += square(found.standard_error) / repetitions;
        sum += (found.value - truth) / repetitions;
        squares += square(found.value - truth) / repetitions;
        hits += interval.lower <= truth && truth <= interval.upper ? 1.0 / repetitions : 0;
    }
    void add(const RoundEstimate& found, double truth) {
        add(found, interval(found, critical_value(0.95), found.law), truth);
    }
    /// `unknown` is the variance that the stated one contains on purpose.
    void check(const char* what, std::size_t number = 0, double unknown = 0) const {
        const double found = squares - square(sum), stated = claimed - unknown;
        BOOST_TEST_CONTEXT(what << " " << number << ": variance " << found / stated
                                << " of the stated one, coverage " << hits) {
            BOOST_CHECK_LT(std::abs(sum), 6 * std::sqrt(found / repetitions));
            BOOST_CHECK_CLOSE_FRACTION(found, stated, 0.05);
            if (unknown > 0) return;
            BOOST_CHECK_GE(hits, 0.93);
            BOOST_CHECK_LE(hits, 0.975);
        }
        BOOST_TEST_MESSAGE(what << " " << number << ": variance " << found / stated << ", coverage " << hits);
    }
};

/// People spread over 0.1 to 0.9 of the range.
std::vector<NumberCells> spread_people(std::size_t grid) {
    std::vector<NumberCells> all;
    for (std::size_t i = 0; i < people; ++i)
        all.emplace_back(rounds, grid / 10 + i * (8 * grid / 10) / (people - 1));
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_have_the_stated_variance, *boost::unit_test::label("slow")) {
    constexpr std::size_t grid = 40, parts = 40;  // sharp: each part is one step
    const auto m = mechanism("threshold_series", 4, threshold_settings(grid, parts, rounds, 2));
    const std::vector<NumberCells> all = spread_people(grid);
    const double mean = mean_number(all, 0, grid);
    double own = 0, share = 0;
    for (const NumberCells& series : all) {
        own += square(static_cast<double>(series[0]) / grid - mean) / people / people;
        share += series[0] >= 10 && series[0] <= 25 ? 1.0 / people : 0;
    }
    std::vector<double> points;
    for (const NumberCells& series : all) points.push_back(static_cast<double>(series[0]) / grid);
    std::ranges::sort(points);
    const double median = points[people / 2];
    std::vector<StatedErrors> means(rounds), shares(rounds);
    StatedErrors pooled, change;
    double quantiles = 0;
    SeededBits bits(401);
    for (int r = 0; r < repetitions; ++r) {
        const OwnedSummary summary = reported_series(*m, all, bits);
        const auto found = means_by_round(summary.view(), Target::sample);
        for (std::size_t t = 0; t < rounds; ++t) means[t].add(found[t], mean);
        pooled.add(mean_over(summary, {1, 2, 3, 4, 5, 6}), mean);
        change.add(mean_over(summary, {5}, {2}), 0);
        const std::size_t round = static_cast<std::size_t>(r) % rounds;
        RoundDistribution distribution(summary.view(), static_cast<std::uint32_t>(round + 1));
        const ShareOfRange range = distribution.share_between(0.25, 0.625, Target::sample);
        shares[0].add(range, interval(range, critical_value(0.95), range.law), share);
        if (r % 9 != 0) continue;
        const Interval of_median = distribution.quantile(0.5, 0.95, Target::sample).interval;
        quantiles += of_median.lower <= median && median <= of_median.upper ? 9.0 / repetitions : 0;
    }
    for (std::size_t t = 0; t < rounds; ++t) means[t].check("mean of round", t + 1);
    // Errors of several rounds contain the variance between people, which reports do not show.
    pooled.check("mean of all rounds", 0, own);
    change.check("change");
    shares[0].check("range");
    // A quantile is a grid point here, so that its interval holds more often than stated. 93 % are 5 standard
    // deviations from 95 %.
    BOOST_TEST_MESSAGE("median: coverage " << quantiles);
    BOOST_CHECK_GE(quantiles, 0.93);
}

BOOST_AUTO_TEST_CASE(categories_have_the_stated_variance, *boost::unit_test::label("slow")) {
    const auto m = mechanism("ddrm", 4, R"("domain": 3, "rounds": 6, "changes": 2)");
    std::vector<NumberCells> all;
    for (std::size_t i = 0; i < people; ++i) all.emplace_back(rounds, i % 10 < 5 ? 0 : i % 10 < 8 ? 1 : 2);
    const double truth[] = {0.5, 0.3, 0.2};
    std::vector<StatedErrors> shares(3 * rounds);
    std::vector<StatedErrors> changes(3);
    SeededBits bits(402);
    for (int r = 0; r < repetitions; ++r) {
        const OwnedSummary summary = reported_series(*m, all, bits);
        const std::int64_t later[] = {5}, before[] = {2};
        const auto change = mean_of_rounds(summary.view(), later, before, Target::sample);
        for (std::size_t v = 0; v < 3; ++v) changes[v].add(change[v], 0);
        for (std::int64_t t = 1; t <= static_cast<std::int64_t>(rounds); ++t) {
            const auto found = mean_of_rounds(summary.view(), {&t, 1}, {}, Target::sample);
            for (std::size_t v = 0; v < 3; ++v)
                shares[3 * static_cast<std::size_t>(t - 1) + v].add(found[v], truth[v]);
        }
    }
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i].check("share", i);
    for (std::size_t v = 0; v < 3; ++v) changes[v].check("change of a share", v);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

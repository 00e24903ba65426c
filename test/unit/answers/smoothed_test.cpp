// Smoothed series by seeded simulation: coverage, false alarms, jumps, and rounds of people who repeat their responses.

#include <cmath>
#include <random>

#include "../../support/group_numbers.hpp"
#include "core/groups/measured/smoothed_series.hpp"
#include "core/results/row_functions.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(smoothed)

namespace {

bool has(const Interval& range, double truth) {
    return range.lower <= truth && truth <= range.upper;
}

}  // namespace

// 800 series each, with a tenth of the days missing. The coverage of all days of a series together has a standard deviation of at
// most 10 %, so the band has a margin of six standard errors; so has the rate of false alarms.
BOOST_AUTO_TEST_CASE(intervals_of_smoothed_series_hold, *boost::unit_test::label("slow")) {
    struct SeriesCase {
        std::size_t points, period, repetitions;
        double step, most_error;  ///< in units of the errors of the estimates
    };
    constexpr double error = 0.034, most_alarms = 0.05;
    std::mt19937_64 draws(35);
    std::normal_distribution<double> normal;
    for (const auto& [points, period, repetitions, step, most_error] :
         {SeriesCase{60, 1, 800, 0.003, 0.35}, SeriesCase{60, 1, 800, 0.01, 0.5},
          SeriesCase{60, 1, 800, 0.034, 0.8}, SeriesCase{60, 7, 800, 0.01, 0.6},
          SeriesCase{200, 1, 100, 0.003, 0.3}, SeriesCase{200, 7, 100, 0.003, 0.4}}) {
        std::size_t covered = 0, alarms = 0, found_jumps = 0;
        double squares = 0;
        std::size_t beside = 0, beside_count = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<double> season(period, 0), truth;
            if (period > 1)
                for (double& one : season) one = error * normal(draws);
            std::vector<TimedEstimate> all, jumped;
            double level = 0.3;
            for (std::size_t t = 0; t < points; ++t) {
                if (t > 0) level += step * normal(draws);
                truth.push_back(level + season[t % period]);
                if (t > 0 && t + 1 < points && t != points / 2 && draws() % 10 == 0) continue;
                all.push_back({t, truth[t] + error * normal(draws), error * error});
                jumped.push_back(all.back());
                if (t >= points / 2) jumped.back().value += 5 * error;
            }
            const auto found = smoothed_series(all, period, ErrorLaw{}.truths, 0.95);
            double least = 1;
            for (std::size_t t = 0; t < points; ++t) {
                covered += has(found[t].interval, truth[t]);
                squares += std::pow(found[t].estimate.value - truth[t], 2);
                if (t > 0) least = std::min(least, found[t].p_value);
            }
            alarms += least * static_cast<double>(points - 1) < most_alarms;
            if (r % 10 > 0) continue;
            const auto changed = smoothed_series(jumped, period, ErrorLaw{}.truths, 0.95);
            for (std::size_t t = points / 2 - 2; t < points / 2 + 2; ++t) {
                if (!changed[points / 2].jump) continue;
                const double shift = t >= points / 2 ? 5 * error : 0;
                beside += has(changed[t].interval, truth[t] + shift), ++beside_count;
            }
            const auto first =
                std::ranges::min_element(changed.begin() + 1, changed.end(), {}, &SmoothedPoint::p_value);
            found_jumps += static_cast<std::size_t>(first - changed.begin()) == points / 2 &&
                           first->p_value * static_cast<double>(points - 1) < most_alarms;
        }
        const auto count = static_cast<double>(repetitions);
        const double percent = 100 * static_cast<double>(covered) / count / static_cast<double>(points),
                     ratio = std::sqrt(squares / count / static_cast<double>(points)) / error,
                     rate = static_cast<double>(alarms) / count,
                     power = 10 * static_cast<double>(found_jumps) / count;
        BOOST_TEST_MESSAGE(points << " days, season " << period << ", step " << step << ": error " << ratio
                                  << " of the own one, coverage " << percent << " %, false alarms "
                                  << 100 * rate << " %, jumps of 5 errors found " << 100 * power << " %; "
                                  << beside << " of " << beside_count << " hold beside them");
        BOOST_TEST(percent > 95 - 6 * 10 / std::sqrt(count));
        BOOST_TEST(percent < 99.5);
        BOOST_TEST(ratio < most_error);
        BOOST_TEST(rate < most_alarms + 6 * std::sqrt(most_alarms * (1 - most_alarms) / count));
        if (step < 0.01 && repetitions >= 800) BOOST_TEST(power > 0.5);
        // Two days on either side of a jump that was found. With 95 % it is below 80 % by a chance of less than 1e-8.
        if (step < 0.01 && repetitions >= 800)
            BOOST_TEST(static_cast<double>(beside) > 0.8 * static_cast<double>(beside_count));
    }
}

// Against the normal law of all days together, averaged over a fine grid of the standard deviation of the steps.
BOOST_AUTO_TEST_CASE(a_smoothed_series_has_the_joint_normal_law) {
    const std::vector<TimedEstimate> all{{0, 1.0, 1}, {1, 3.5, 2}, {2, 0.5, 1}, {4, 2.0, 0.5},
                                         {5, 5.5, 1}, {6, 4.0, 3}, {8, 3.0, 1}};
    constexpr std::size_t points = 9, period = 2;
    const auto found = smoothed_series(all, period, ErrorLaw{}.truths, 0.95);
    BOOST_REQUIRE(found.size() == points);
    const auto prior = [](std::size_t s, std::size_t t, double step) {
        return 1e4 * (1 + ((s + t) % 2 == 0 ? 1 : -1)) + step * step * static_cast<double>(std::min(s, t));
    };
    const std::size_t n = all.size();
    double mean_of_values = 0, total = 0;
    for (const TimedEstimate& one : all) mean_of_values += one.value / static_cast<double>(n);
    std::vector<double> mean(points), second(points);
    for (int i = 0; i < 1500; ++i) {
        const double u = (i + 0.5) / 1500, step = 0.1 * u / (1 - u);
        // Columns: covariance of the estimates, the estimates, and their covariances with the true values.
        std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1 + points));
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b)
                rows[a][b] = prior(all[a].time, all[b].time, step) + (a == b ? all[a].variance : 0);
            rows[a][n] = all[a].value - mean_of_values;
            for (std::size_t t = 0; t < points; ++t) rows[a][n + 1 + t] = prior(all[a].time, t, step);
        }
        const auto original = rows;
        double logarithm = -2 * std::log1p(-u);
        for (std::size_t a = 0; a < n; ++a) {
            const double pivot = rows[a][a];
            logarithm -= std::log(pivot) / 2;
            for (double& cell : rows[a]) cell /= pivot;
            for (std::size_t b = 0; b < n; ++b) {
                const double factor = rows[b][a];
                if (b == a) continue;
                for (std::size_t c = 0; c < rows[b].size(); ++c) rows[b][c] -= factor * rows[a][c];
            }
        }
        for (std::size_t a = 0; a < n; ++a) logarithm -= original[a][n] * rows[a][n] / 2;
        const double weight = std::exp(logarithm + 20);
        total += weight;
        for (std::size_t t = 0; t < points; ++t) {
            double at = mean_of_values, variance = prior(t, t, step);
            for (std::size_t a = 0; a < n; ++a) {
                at += original[a][n + 1 + t] * rows[a][n];
                variance -= original[a][n + 1 + t] * rows[a][n + 1 + t];
            }
            mean[t] += weight * at;
            second[t] += weight * (at * at + variance);
        }
    }
    for (std::size_t t = 0; t < points; ++t) {
        const double at = mean[t] / total, deviation = std::sqrt(second[t] / total - at * at);
        BOOST_TEST(std::abs(found[t].estimate.value - at) < 0.02 * deviation);
        BOOST_TEST(found[t].estimate.standard_error == deviation, boost::test_tools::tolerance(0.02));
    }
    BOOST_TEST(std::isnan(found[0].p_value));
}

// Three points on either side of a jump of 5 errors of an estimate, in the series in which a jump is reported. The share that holds has a
// standard deviation of at most 25 % in one series, so 94 % of 200 series are below 84 % by a chance of less than 1e-8. With the jump at
// one point the share is 91 %, because its day is uncertain.
BOOST_AUTO_TEST_CASE(intervals_beside_a_reported_jump_hold) {
    constexpr std::size_t points = 60, at = 30, near = 3, repetitions = 200;
    constexpr double error = 0.034;
    std::mt19937_64 draws(42);
    std::normal_distribution<double> normal;
    for (const double step : {0.0, 0.01}) {
        std::size_t reported = 0, held = 0, count = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<TimedEstimate> all;
            std::vector<double> truth;
            double level = 0.4;
            for (std::size_t t = 0; t < points; ++t) {
                level += (t > 0 ? step * normal(draws) : 0) + (t == at ? 5 * error : 0);
                truth.push_back(level);
                all.push_back({t, level + error * normal(draws), error * error});
            }
            const auto found = smoothed_series(all, 1, ErrorLaw{}.truths, 0.95);
            if (std::ranges::none_of(found, &SmoothedPoint::jump)) continue;
            ++reported;
            for (std::size_t t = at - near; t < at + near; ++t) {
                held += has(found[t].interval, truth[t]) ? 1 : 0;
                ++count;
            }
        }
        const double share = static_cast<double>(held) / static_cast<double>(count);
        BOOST_TEST_MESSAGE("step " << step << ": a jump in " << reported << " of " << repetitions
                                   << " series, beside it " << 100 * share << " % hold");
        BOOST_TEST(reported > repetitions * 8 / 10);
        BOOST_TEST(share > 0.84);
    }
}

// The same people in 12 rounds, who repeat their responses; a third of them change from no to yes in round 6. The interval of no round
// is shorter than that of the noisiest round alone, and intervals hold.
BOOST_AUTO_TEST_CASE(repeated_responses_do_not_average_out) {
    constexpr std::int32_t rounds = 12, change = 6;
    constexpr std::size_t people = 300, repetitions = 60;
    constexpr double usual = 1.959963984540054;
    const auto m = mechanism(
        "grr", 1, R"("domain": 2, "evolving": {}, "budget": {"epsilon": 1000, "report_spent": false})");
    SeededBits bits(43);
    std::mt19937_64 draws(44);
    std::size_t held = 0;
    for (std::size_t r = 0; r < repetitions; ++r) {
        std::vector<OwnedSummary> summaries;
        for (std::int32_t t = 0; t < rounds; ++t) summaries.emplace_back(*m);
        std::vector<std::byte> report(m->block().begin(), m->block().end());
        report.resize(m->block().size() + m->payload_size());
        const auto payload = std::span(report).subspan(m->block().size());
        double before = 0, after = 0;
        for (std::size_t i = 0; i < people; ++i) {
            Device device(*m, bits);
            const Cell first = draws() % 10 < 2 ? 1 : 0, last = draws() % 3 == 0 ? 1 : first;
            before += static_cast<double>(first) / people, after += static_cast<double>(last) / people;
            for (std::int32_t t = 0; t < rounds; ++t) {
                device.report({t < change ? &first : &last, 1}, payload);
                summaries[static_cast<std::size_t>(t)].add(report, Rounds::only(t));
            }
        }
        std::vector<Bytes> bytes;
        for (const OwnedSummary& one : summaries) bytes.emplace_back(one.bytes());
        const GroupNumbers names(rounds);
        const RowFunction& function = row_function("smooth");
        SummaryQuery query = function.defaults;
        query.groups = names.all(), query.summaries = bytes, query.season = 0;
        const auto results = function.find({}, query);
        const auto number = [&](std::size_t row, std::string_view name) {
            return results->cell(row, name).number;
        };
        BOOST_REQUIRE_EQUAL(results->count(), 2U * rounds);
        double most = 0;
        for (std::size_t t = 0; t < rounds; ++t) most = std::max(most, number(rounds + t, "own_stderr"));
        for (std::size_t t = 0; t < rounds; ++t) {
            const double lower = number(rounds + t, "lower"), upper = number(rounds + t, "upper"),
                         truth = t < change ? before : after;
            BOOST_REQUIRE(upper - lower > 2 * usual * most * (1 - 1e-9));
            held += lower <= truth && truth <= upper ? 1 : 0;
        }
    }
    const double share = static_cast<double>(held) / (repetitions * rounds);
    BOOST_TEST_MESSAGE("repeated responses: " << 100 * share << " % hold");
    // The rounds of a run hold together: 60 runs with a standard deviation of at most 22 % each.
    BOOST_TEST(share > 0.78);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

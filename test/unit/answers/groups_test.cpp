// Estimates from many groups by seeded simulation: coverage of means over groups, and closed forms.

#include <cmath>
#include <random>

#include "core/groups/measured/clustered_mean.hpp"
#include "core/groups/measured/small_areas.hpp"
#include "core/groups/measured/smoothed_series.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/role/estimate.hpp"
#include "core/results/rows/group_rows.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(groups)

namespace {

constexpr double usual = 1.959963984540054;  // of confidence 0.95

/// Binary randomized response.
struct BinaryResponse {
    double p;
    explicit BinaryResponse(double epsilon) : p(std::exp(epsilon) / (std::exp(epsilon) + 1)) {}

    /// The estimate of n people who hold 1 with this probability.
    [[nodiscard]] MeasuredGroup measured(double truth, unsigned n, std::mt19937_64& draws) const {
        std::binomial_distribution<unsigned> count(n, std::lerp(1 - p, p, truth));
        const double people = n, value = (count(draws) / people - (1 - p)) / (2 * p - 1);
        const TruthCurve curve =
            *curve_of({value, 0.1}, {.n = n, .p = p, .q = 1 - p, .truths = possible_shares});
        MeasuredGroup group{.value = value, .people = people};
        for (std::size_t i = 0; i < curve.variance.size(); ++i) {
            group.variance[i] = curve.variance[i] / people;
            group.third[i] = curve.third[i] / (people * people);
        }
        return group;
    }
    /// The interval that ignores the groups.
    [[nodiscard]] Interval pooled(std::span<const MeasuredGroup> groups) const {
        double people = 0, sum = 0;
        for (const MeasuredGroup& group : groups) people += group.people, sum += group.people * group.value;
        const double value = sum / people, one = std::lerp(1 - p, p, value);
        return interval(
            {value, std::sqrt(one * (1 - one) / people) / (2 * p - 1)}, usual,
            {.n = static_cast<std::uint64_t>(people), .p = p, .q = 1 - p, .truths = possible_shares});
    }
};

/// A share of a group: a beta distribution with this mean and intraclass correlation.
double drawn_share(double mean, double correlation, std::mt19937_64& draws) {
    if (correlation == 0) return mean;
    const double size = 1 / correlation - 1;
    std::gamma_distribution<double> one(mean * size, 1), other((1 - mean) * size, 1);
    const double a = one(draws), b = other(draws);
    return a + b > 0 ? a / (a + b) : 0;
}

bool holds(const Interval& range, double truth) {
    return range.lower <= truth && truth <= range.upper;
}

struct ClusterCase {
    double epsilon;
    unsigned groups;
    bool unequal;  ///< 5 to several hundred people, with a mean of 46; otherwise 40 each
    double correlation;
    std::size_t repetitions;
};

}  // namespace

// 93 to 97 % with a margin of six standard deviations, for a true coverage of 95 %.
BOOST_AUTO_TEST_CASE(intervals_of_clustered_means_hold_for_new_groups) {
    constexpr double mean = 0.3;
    std::mt19937_64 draws(31);
    for (const auto& [epsilon, groups, unequal, correlation, repetitions] :
         {ClusterCase{1, 10, false, 0, 5000}, ClusterCase{1, 10, false, 0.5, 5000},
          ClusterCase{1, 50, false, 0.1, 5000}, ClusterCase{4, 10, false, 0.1, 5000},
          ClusterCase{4, 50, false, 0, 5000}, ClusterCase{4, 50, false, 0.1, 5000},
          ClusterCase{4, 50, true, 0.1, 5000}, ClusterCase{4, 50, false, 0.5, 5000},
          ClusterCase{4, 200, true, 0.1, 5000}}) {
        const BinaryResponse response(epsilon);
        std::size_t covered = 0, naive = 0, correlations = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<MeasuredGroup> all;
            for (unsigned j = 0; j < groups; ++j) {
                std::lognormal_distribution<double> size(std::log(30.0), 0.8);
                const unsigned people = unequal ? 5 + static_cast<unsigned>(size(draws)) : 40;
                all.push_back(response.measured(drawn_share(mean, correlation, draws), people, draws));
            }
            const ClusteredMean found =
                clustered_mean({all, possible_shares, true}, GroupWeights::people, usual);
            covered += holds(found.interval, mean);
            naive += holds(response.pooled(all), mean);
            correlations += holds(found.correlation_interval, correlation);
        }
        const auto percent = [&](std::size_t count) {
            return 100 * static_cast<double>(count) / static_cast<double>(repetitions);
        };
        BOOST_TEST_MESSAGE("epsilon " << epsilon << ", " << groups << (unequal ? " unequal" : "")
                                      << " groups, icc " << correlation << ": clustered " << percent(covered)
                                      << " %, naive " << percent(naive) << " %, icc " << percent(correlations)
                                      << " %");
        BOOST_TEST(percent(covered) >= 93);
        BOOST_TEST(percent(covered) <= 97);
        BOOST_TEST(percent(correlations) >= 93);
        if (correlation > 0) BOOST_TEST(percent(naive) < 90);
    }
}

// Counts of few people, and populations in which all or nearly all hold one value: the groups are often equal. At least 93 %
// with a margin of six standard deviations, for a true coverage of 95 %.
BOOST_AUTO_TEST_CASE(intervals_of_equal_groups_hold) {
    struct EqualCase {
        double epsilon, truth;
        unsigned groups, people;
    };
    std::mt19937_64 draws(39);
    for (const auto& [epsilon, truth, groups, people] :
         {EqualCase{20, 1, 10, 50}, EqualCase{20, 0, 10, 50}, EqualCase{20, 0.001, 10, 50},
          EqualCase{1, 1, 10, 50}, EqualCase{0.001, 1, 10, 50}, EqualCase{4, 0.3, 2, 20},
          EqualCase{20, 0.5, 2, 25}}) {
        const BinaryResponse response(epsilon);
        constexpr std::size_t repetitions = 5000;
        std::size_t covered = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<MeasuredGroup> all;
            for (unsigned j = 0; j < groups; ++j) all.push_back(response.measured(truth, people, draws));
            covered += holds(
                clustered_mean({all, possible_shares, true}, GroupWeights::people, usual).interval, truth);
        }
        BOOST_TEST_MESSAGE("epsilon " << epsilon << ", share " << truth << ", " << groups << " groups of "
                                      << people << ": " << covered << " of " << repetitions);
        BOOST_TEST(covered >= repetitions * 93 / 100);
    }
}

// Of 500 people who all hold no, nothing is known about a share of 1 in 500.
BOOST_AUTO_TEST_CASE(small_areas_of_equal_people_have_the_sampling_error) {
    const BinaryResponse response(20);
    std::mt19937_64 draws(40);
    std::vector<MeasuredGroup> all;
    for (unsigned j = 0; j < 10; ++j) all.push_back(response.measured(0, 50, draws));
    const MeasuredGroups measured{all, possible_shares, true};
    BOOST_TEST(measured.center() == 1.0 / 500, boost::test_tools::tolerance(1e-9));
    for (const SmallArea& area : small_areas(measured, 0.95)) {
        BOOST_TEST(area.interval.lower == 0);
        BOOST_TEST(area.interval.upper > 1.0 / 500);
    }
}

// Of equal groups the error is that of the groups' values, whatever the noise, and Q has a closed form.
BOOST_AUTO_TEST_CASE(equal_groups_have_closed_forms) {
    const std::vector<double> values{1, 2, 4, 7, 11};
    std::vector<MeasuredGroup> all;
    for (const double value : values) all.push_back({value, 20, {3, 0, 0, 0}});
    const ClusteredMean found = clustered_mean({.groups = all, .within = 34}, GroupWeights::people, usual);
    const auto close = boost::test_tools::tolerance(1e-9);
    BOOST_TEST(found.estimate.value == 5, close);
    BOOST_TEST(found.estimate.standard_error == std::sqrt(16.5 / 5), close);
    BOOST_TEST(found.degrees_of_freedom == 4, close);
    BOOST_TEST(found.between == 13.5, close);  // the variance 16.5 of the values less that of the noise
    BOOST_TEST(found.correlation == 13.5 / 47.5, close);
    BOOST_TEST(found.design_effect == 16.5 / 3, close);
    BOOST_TEST(found.interval.upper == 5 + 2.7764451 * std::sqrt(3.3), boost::test_tools::tolerance(1e-6));
    // The 2.5 and 97.5 % quantiles of χ² with 4 degrees of freedom are 0.4844186 and 11.1432868.
    BOOST_TEST(found.between_interval.lower == 66 / 11.1432868 - 3, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(found.between_interval.upper == 66 / 0.4844186 - 3, boost::test_tools::tolerance(1e-5));
    // Without a difference that exceeds the noise, the variance between the groups is 0.
    for (MeasuredGroup& group : all) group.variance[0] = 30;
    BOOST_TEST(spread_of({.groups = all}).between == 0);
}

// With unequal weights, variance and degrees of freedom against their sums over all pairs of groups.
BOOST_AUTO_TEST_CASE(unequal_groups_have_satterthwaites_degrees_of_freedom) {
    const std::vector<double> people{10, 20, 70}, values{3, 8, 4};
    std::vector<MeasuredGroup> all;
    for (std::size_t j = 0; j < 3; ++j) all.push_back({values[j], people[j], {60 / people[j], 0, 0, 0}});
    const ClusteredMean found = clustered_mean({.groups = all}, GroupWeights::people, usual);
    double mean = 0, whole = 0, error = 0, squares = 0;
    std::vector<double> variance, weight;
    for (std::size_t j = 0; j < 3; ++j) {
        weight.push_back(people[j] / 100);
        variance.push_back(found.between + 60 / people[j]);
        mean += weight[j] * values[j];
        whole += weight[j] * weight[j] * variance[j];
    }
    const auto covariance = [&](std::size_t j, std::size_t l) {
        return (j == l ? variance[j] : 0) - weight[j] * variance[j] - weight[l] * variance[l] + whole;
    };
    const auto factor = [&](std::size_t j) { return weight[j] * weight[j] * variance[j] / covariance(j, j); };
    for (std::size_t j = 0; j < 3; ++j) {
        error += factor(j) * (values[j] - mean) * (values[j] - mean);
        for (std::size_t l = 0; l < 3; ++l)
            squares += factor(j) * factor(l) * covariance(j, l) * covariance(j, l);
    }
    const auto close = boost::test_tools::tolerance(1e-9);
    BOOST_TEST(found.estimate.value == mean, close);
    BOOST_TEST(found.estimate.standard_error == std::sqrt(error), close);
    BOOST_TEST(found.degrees_of_freedom == whole * whole / squares, close);
}

// Real reports of numbers and categories: 50 groups of 40 people whose values have an intraclass correlation of 0.3. The
// mean of 60 estimates is within 6 of its standard errors of the truth, with a margin for the bias of a quotient.
BOOST_AUTO_TEST_CASE(summaries_show_the_variance_between_groups) {
    constexpr std::size_t groups = 50, people = 40, repetitions = 60;
    std::mt19937_64 draws(32);
    SeededBits bits(33);
    for (const char* spec : {"{\"mechanism\": \"pdp\", \"epsilon\": 4, \"grid\": 100, \"attributes\": "
                             "[{\"name\": \"x\", \"min\": 0, \"max\": 10}]}",
                             "{\"mechanism\": \"grr\", \"epsilon\": 3, \"domain\": [\"no\", \"yes\"]}"}) {
        const auto m = mechanism(spec);
        const bool number = m->can_estimate(Quantity::means);
        const Cell top = m->cells()[0] - 1;
        double sum = 0, square = 0, mean = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<OwnedSummary> summaries;
            for (std::size_t j = 0; j < groups; ++j) {
                const double share = drawn_share(0.4, 0.3, draws);
                std::vector<Cell> cells(people);
                // Of a number, the people of a group hold 0 or the maximum, too.
                for (Cell& cell : cells) cell = std::bernoulli_distribution(share)(draws) ? top : 0;
                summaries.push_back(reported(*m, cells, bits));
            }
            std::vector<Bytes> bytes;
            for (const OwnedSummary& one : summaries) bytes.emplace_back(one.bytes());
            const std::vector<std::optional<std::string_view>> names(groups, "g");
            const RowFunction& function = group_function("clustered");
            SummaryQuery query = function.defaults;
            query.groups = names, query.summaries = bytes;
            const auto results = function.find({}, query);
            BOOST_REQUIRE(results->count() == (number ? 1U : 2U));
            const auto cell = [&](const char* name) {
                const auto columns = results->columns();
                const auto column =
                    std::ranges::find(columns, std::string_view(name),
                                      [](const ResultColumn& one) { return std::string_view(one.name); });
                return results->row(results->count() - 1)[static_cast<std::size_t>(column - columns.begin())];
            };
            BOOST_TEST(cell("groups_used").whole == static_cast<std::int64_t>(groups));
            BOOST_TEST(cell("n").whole == static_cast<std::int64_t>(groups * people));
            const double found = cell("icc").number;
            sum += found, square += found * found;
            mean += cell("estimate").number / repetitions;
        }
        const double average = sum / repetitions,
                     error = std::sqrt((square / repetitions - average * average) / repetitions);
        BOOST_TEST(std::abs(average - 0.3) < 6 * error + 0.02);
        BOOST_TEST(std::abs(mean - (number ? 4 : 0.4)) < (number ? 0.4 : 0.04));
    }
}

// 150 simulations each. Coverage is that of all groups together; its standard deviation between simulations is at most 3 %, so
// the band has a margin of six standard errors. If the groups hardly differ, intervals cover more.
BOOST_AUTO_TEST_CASE(intervals_of_small_areas_hold_on_average) {
    struct AreaCase {
        double epsilon;
        unsigned groups;
        double deviation;  ///< of the true shares of the groups, which have a mean of 0.3
        double most_error, most_coverage;
    };
    std::mt19937_64 draws(34);
    for (const auto& [epsilon, groups, deviation, most_error, most_coverage] :
         {AreaCase{1, 200, 0.03, 0.03, 97}, AreaCase{1, 200, 0, 0.015, 100},
          AreaCase{1, 50, 0.03, 0.034, 100}, AreaCase{1, 50, 0.1, 0.06, 97}, AreaCase{4, 50, 0.03, 0.025, 97},
          AreaCase{4, 20, 0.03, 0.026, 98}}) {
        const BinaryResponse response(epsilon);
        std::normal_distribution<double> share(0.3, deviation);
        constexpr std::size_t repetitions = 150;
        std::size_t covered = 0;
        double squares = 0, own = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<MeasuredGroup> all;
            std::vector<double> truth;
            for (unsigned j = 0; j < groups; ++j) {
                truth.push_back(deviation > 0 ? std::clamp(share(draws), 0.0, 1.0) : 0.3);
                all.push_back(response.measured(truth.back(), 250, draws));
            }
            const std::vector<SmallArea> found = small_areas({all, possible_shares, true}, 0.95);
            for (unsigned j = 0; j < groups; ++j) {
                covered += holds(found[j].interval, truth[j]);
                squares += std::pow(found[j].estimate.value - truth[j], 2);
                own += std::pow(all[j].value - truth[j], 2);
            }
        }
        const auto count = static_cast<double>(groups * repetitions);
        const double percent = 100 * static_cast<double>(covered) / count, error = std::sqrt(squares / count);
        BOOST_TEST_MESSAGE("epsilon " << epsilon << ", " << groups << " groups that differ by " << deviation
                                      << ": error " << error << " instead of " << std::sqrt(own / count)
                                      << ", coverage " << percent << " %");
        BOOST_TEST(error < most_error);
        BOOST_TEST(percent >= 93);
        BOOST_TEST(percent <= most_coverage);
    }
}

// Against sums over a fine grid of the variance between groups and of the mean.
BOOST_AUTO_TEST_CASE(small_areas_are_those_of_a_fine_grid) {
    const std::vector<double> values{1, 2, 4, 7, 11, 5}, noise{3, 3, 8, 3, 1, 20};
    std::vector<MeasuredGroup> all;
    for (std::size_t j = 0; j < values.size(); ++j) all.push_back({values[j], 20, {noise[j], 0, 0, 0}});
    const std::vector<SmallArea> found = small_areas({.groups = all}, 0.9);
    std::vector<double> first(values.size()), second(values.size()), below(values.size());
    double total = 0;
    constexpr int steps = 4000, means = 200;
    for (int a = 0; a < steps; ++a) {
        const double u = (a + 0.5) / steps, between = 5 * u / (1 - u), slope = 1 / ((1 - u) * (1 - u));
        double precision = 0, center = 0;
        for (std::size_t j = 0; j < values.size(); ++j)
            precision += 1 / (between + noise[j]), center += values[j] / (between + noise[j]);
        center /= precision;
        for (int i = 0; i < means; ++i) {
            // Steps of the mean in its standard errors, from −6 to 6.
            const double mean = center + (12 * (i + 0.5) / means - 6) / std::sqrt(precision);
            double density = slope / std::sqrt(precision);
            for (std::size_t j = 0; j < values.size(); ++j)
                density *= std::exp(-std::pow(values[j] - mean, 2) / (between + noise[j]) / 2) /
                           std::sqrt(between + noise[j]);
            total += density;
            for (std::size_t j = 0; j < values.size(); ++j) {
                const double own = between / (between + noise[j]), at = own * values[j] + (1 - own) * mean,
                             variance = noise[j] * own;
                first[j] += density * at;
                second[j] += density * (at * at + variance);
                below[j] += density * (1 - one_sided((found[j].interval.lower - at) / std::sqrt(variance)));
            }
        }
    }
    for (std::size_t j = 0; j < values.size(); ++j) {
        const double mean = first[j] / total;
        BOOST_TEST(std::abs(found[j].estimate.value - mean) < 0.01);
        BOOST_TEST(found[j].estimate.standard_error == std::sqrt(second[j] / total - mean * mean),
                   boost::test_tools::tolerance(0.01));
        BOOST_TEST(std::abs(below[j] / total - 0.05) < 0.002);
    }
}

// 800 series each, with a tenth of the days missing. The coverage of all days of a series together has a standard deviation of at
// most 10 %, so the band has a margin of six standard errors; so has the rate of false alarms.
BOOST_AUTO_TEST_CASE(intervals_of_smoothed_series_hold) {
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
                covered += holds(found[t].interval, truth[t]);
                squares += std::pow(found[t].estimate.value - truth[t], 2);
                if (t > 0) least = std::min(least, found[t].p_value);
            }
            alarms += least * static_cast<double>(points - 1) < most_alarms;
            if (r % 10 > 0) continue;
            const auto changed = smoothed_series(jumped, period, ErrorLaw{}.truths, 0.95);
            for (std::size_t t = points / 2 - 2; t < points / 2 + 2; ++t) {
                if (!changed[points / 2].jump) continue;
                const double shift = t >= points / 2 ? 5 * error : 0;
                beside += holds(changed[t].interval, truth[t] + shift), ++beside_count;
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
        // Two days on either side of a jump that was found. With 95 % it is below 75 % by a chance of less than 1e-8.
        if (step < 0.01 && repetitions >= 800)
            BOOST_TEST(static_cast<double>(beside) > 0.75 * static_cast<double>(beside_count));
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

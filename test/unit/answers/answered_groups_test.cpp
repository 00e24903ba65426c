// Means of groups among the people who answer, by seeded simulation: averages over small groups are unbiased and their
// intervals hold, and sums of groups are those of all reports together.

#include <cmath>
#include <random>

#include "../../support/group_numbers.hpp"
#include "core/base/square.hpp"
#include "core/groups/answered_groups.hpp"
#include "core/groups/comparison.hpp"
#include "core/groups/weighted_sum.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/spent.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(answered_groups)

namespace {

constexpr std::size_t days = 150;

struct AnsweredCase {
    double epsilon;
    std::size_t people;  ///< of a day
    double rate;
    const char* mechanism = "auto";
    bool missing = true;  ///< whether people may leave the number out
    [[nodiscard]] Cell top(const Mechanism& m) const { return m.cells()[0] - (missing ? 2 : 1); }
};

std::string number_of(const AnsweredCase& one) {
    return R"({"mechanism": ")" + std::string(one.mechanism) + R"(", "epsilon": )" +
           std::to_string(one.epsilon) +
           R"(, "grid": 100, "attributes": [{"name": "x", "min": 0, "max": 10)" +
           (one.missing ? R"(, "missing": true)" : "") + "}]}";
}

/// Answers of a day: evenly spread from 0 to twice its mean.
std::vector<Cell> answers_of(const Mechanism& m, const AnsweredCase& one, double mean,
                             std::mt19937_64& draws) {
    const Cell top = one.top(m);
    std::uniform_real_distribution<double> answer(0, 2 * mean), chance;
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < one.people; ++i) {
        const double at = answer(draws) / 10 * static_cast<double>(top);
        cells.push_back(!one.missing || chance(draws) < one.rate
                            ? static_cast<Cell>(std::floor(at + chance(draws)))
                            : top + 1);
    }
    return cells;
}

double number_in(Results& results, std::size_t row, std::string_view name) {
    const ResultCell& cell = results.cell(row, name);
    return cell.known ? cell.number : unknown;
}

/// How often intervals hold a truth, and the estimates' deviations from it.
struct TruthsHeld {
    std::uint64_t count = 0, held = 0;
    double sum = 0, squares = 0;

    void add(Results& results, std::size_t row, double truth) {
        const double off = number_in(results, row, "estimate") - truth;
        ++count, sum += off, squares += off * off;
        held +=
            number_in(results, row, "lower") <= truth && truth <= number_in(results, row, "upper") ? 1 : 0;
    }
    [[nodiscard]] double bias() const { return sum / static_cast<double>(count); }
    [[nodiscard]] double standard_error() const {
        const auto n = static_cast<double>(count);
        return std::sqrt((squares / n - square(bias())) / n);
    }
    [[nodiscard]] double percent() const {
        return 100 * static_cast<double>(held) / static_cast<double>(count);
    }
};

}  // namespace

// A mean of estimates is within 6 of its standard errors of the truth, and fewer than 93 % of 60 intervals hold it by chance
// only: false alarms below 1e-8 each.
BOOST_AUTO_TEST_CASE(averages_over_small_groups_are_unbiased, *boost::unit_test::label("slow")) {
    constexpr std::size_t repetitions = 60;
    constexpr double mean = 1.2;
    std::mt19937_64 draws(71);
    SeededBits bits(72);
    for (const AnsweredCase& one :
         {AnsweredCase{1, 40, 0.9}, AnsweredCase{4, 25, 0.5}, AnsweredCase{1, 40, 0.9, "tree"},
          AnsweredCase{4, 25, 0.5, "tree"}, AnsweredCase{4, 25, 0.5, "haar_ordered"},
          AnsweredCase{4, 25, 1, "tree", false}, AnsweredCase{4, 25, 1, "haar_ordered", false}}) {
        const auto m = mechanism(number_of(one));
        std::uniform_real_distribution<double> of_day(0.4, 2 * mean - 0.4);
        TruthsHeld clustered, calibrated, areas, smoothed;
        double bias_of_areas = 0, squares_of_areas = 0, bias_of_days = 0, squares_of_days = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<OwnedSummary> summaries;
            std::vector<double> truths;
            double all = 0, answered = 0;
            for (std::size_t j = 0; j < days; ++j) {
                truths.push_back(of_day(draws));
                const std::vector<Cell> cells = answers_of(*m, one, truths.back(), draws);
                for (const Cell cell : cells)
                    if (cell <= one.top(*m))
                        all += 10.0 * static_cast<double>(cell) / static_cast<double>(one.top(*m)),
                            ++answered;
                summaries.push_back(reported(*m, cells, bits));
            }
            std::vector<Bytes> bytes;
            for (const OwnedSummary& each : summaries) bytes.emplace_back(each.bytes());
            const GroupNumbers names(days);
            const auto ask = [&](const RowFunction& function) {
                SummaryQuery query = function.defaults;
                query.groups = names.all(), query.summaries = bytes, query.season = 0;
                const std::vector<std::optional<std::string_view>> weighted(days, R"({"weight": 1})");
                if (function.groups == GroupUse::columns) query.groups = weighted;
                query.weight_column = "weight";
                return function.find({}, query);
            };
            clustered.add(*ask(row_function("clustered")), 0, mean);
            calibrated.add(*ask(row_function("calibrate")), 0, mean);
            if (r % 3 > 0) continue;
            const auto of_areas = ask(row_function("small_areas")), of_days = ask(row_function("smooth"));
            BOOST_REQUIRE_EQUAL(of_areas->count(), days);
            double off_areas = 0, off_days = 0;
            for (std::size_t j = 0; j < days; ++j) {
                areas.add(*of_areas, j, truths[j]);
                smoothed.add(*of_days, j, mean);  // the level, which is constant
                off_areas += (number_in(*of_areas, j, "estimate") - truths[j]) / days;
                off_days += (number_in(*of_days, j, "estimate") - truths[j]) / days;
            }
            bias_of_areas += off_areas, squares_of_areas += square(off_areas);
            bias_of_days += off_days, squares_of_days += square(off_days);
        }
        BOOST_TEST_MESSAGE("epsilon " << one.epsilon << ", " << one.people << " people, " << one.mechanism
                                      << ": bias " << clustered.bias() << " ± " << clustered.standard_error()
                                      << ", " << calibrated.bias() << " ± " << calibrated.standard_error()
                                      << "; small areas " << areas.bias() << ", smoothed " << smoothed.bias()
                                      << "; held " << clustered.percent() << " %, " << calibrated.percent()
                                      << " %, " << areas.percent() << " %, " << smoothed.percent() << " %");
        for (const TruthsHeld* held : {&clustered, &calibrated}) {
            BOOST_TEST(std::abs(held->bias()) < 6 * held->standard_error());
            BOOST_CHECK_GT(binomial_at_most(held->count, 0.93, held->held), 1e-8);
        }
        constexpr double few = repetitions / 3;
        for (const auto& [sum, squares] :
             {std::pair(bias_of_areas, squares_of_areas), std::pair(bias_of_days, squares_of_days)}) {
            const double bias = sum / few, error = std::sqrt((squares / few - square(bias)) / few);
            BOOST_TEST(std::abs(bias) < 10 * error);  // of Student's t with 19 degrees of freedom
        }
        // The intervals of a simulation depend on each other: at most ten of 20 hold by a chance of less than 1e-8.
        BOOST_TEST(areas.percent() > 88);
        BOOST_TEST(smoothed.percent() > 50);
    }
}

// A mean lies in the declared range, in which groups are put.
BOOST_AUTO_TEST_CASE(possible_means_are_those_of_the_range) {
    for (const char* name : {"auto", "tree", "haar_ordered"}) {
        const auto m = mechanism(number_of({2, 40, 0.9, name}));
        const Interval range = possible_values(*m, 0);
        BOOST_TEST_CONTEXT(name) BOOST_TEST((range.lower == 0 && range.upper == 10));
    }
}

// The weighted mean of linearised estimates is the ratio of sums, for any weights, and no group is left out.
BOOST_AUTO_TEST_CASE(sums_come_before_ratios) {
    std::mt19937_64 draws(73);
    SeededBits bits(74);
    const AnsweredCase one{1, 20, 0.5};
    const auto m = mechanism(number_of(one));
    std::vector<OwnedSummary> summaries;
    for (std::size_t j = 0; j < days; ++j)
        summaries.push_back(reported(*m, answers_of(*m, one, 1.2, draws), bits));
    std::vector<SummaryView> views;
    std::vector<double> weights;
    double sum = 0, rate = 0, average = 0, whole = 0;
    for (const OwnedSummary& each : summaries) {
        views.push_back(each.view());
        weights.push_back(1 + static_cast<double>(draws() % 5));
        const AnsweredMean terms = answered_terms(views.back(), Target::population);
        sum += weights.back() * terms.sum, rate += weights.back() * terms.rate;
        whole += weights.back();
    }
    const std::vector<Estimate> found =
        ldp::answered_groups(views, weights, AnswerRate::of_all, Target::population);
    BOOST_REQUIRE_EQUAL(found.size(), days);
    bool beyond = false;
    for (std::size_t j = 0; j < days; ++j) {
        average += weights[j] / whole * found[j].value;
        beyond = beyond || found[j].value < 0;
    }
    BOOST_TEST(average == 10 * sum / rate, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(beyond);  // not clipped
}

// Reports that belong to no group are left out of all functions of groups, and a note has their number.
BOOST_AUTO_TEST_CASE(reports_without_a_group_are_left_out_with_a_note) {
    std::mt19937_64 draws(79);
    SeededBits bits(80);
    const AnsweredCase one{2, 30, 0.8};
    const auto m = mechanism(number_of(one));
    std::vector<OwnedSummary> summaries;
    for (std::size_t j = 0; j < 13; ++j)
        summaries.push_back(reported(*m, answers_of(*m, one, 1.2, draws), bits));
    std::vector<Bytes> named, all;
    for (const OwnedSummary& each : summaries) all.emplace_back(each.bytes());
    named.assign(all.begin() + 1, all.end());
    const GroupNumbers names(named.size());
    std::vector<std::optional<std::string_view>> with_none{std::nullopt};
    with_none.insert(with_none.end(), names.all().begin(), names.all().end());
    for (const RowFunction& function : row_functions()) {
        if (function.groups != GroupUse::required) continue;
        BOOST_TEST_CONTEXT(function.name) {
            SummaryQuery query = function.defaults;
            query.groups = names.all(), query.summaries = named;
            const auto without = function.find({}, query);
            query.groups = with_none, query.summaries = all;
            const auto with = function.find({}, query);
            BOOST_REQUIRE_EQUAL(with->count(), without->count());
            BOOST_REQUIRE(with->count() > 0);
            const auto columns = with->columns();
            for (std::size_t i = 0; i < with->count(); ++i)
                for (std::size_t c = 0; c < columns.size(); ++c) {
                    const ResultCell found = with->row(i)[c], expected = without->row(i)[c];
                    if (std::string_view(columns[c].name) == "note") {
                        BOOST_REQUIRE(found.known);
                        BOOST_TEST(found.text.find("30 reports without a group are left out") !=
                                   std::string::npos);
                    } else if (found.known || expected.known) {
                        BOOST_TEST((found.known == expected.known && found.number == expected.number &&
                                    found.text == expected.text));
                        // A group has another number behind the one that is left out.
                        if (columns[c].type != ColumnType::group)
                            BOOST_TEST(found.whole == expected.whole);
                        else if (found.whole >= 0)
                            BOOST_TEST(*with_none[static_cast<std::size_t>(found.whole)] == found.text);
                    }
                }
        }
    }
}

// If hardly anybody answers, the mean is clipped for display, and no arithmetic uses it.
BOOST_AUTO_TEST_CASE(clipped_means_are_in_no_sum) {
    std::mt19937_64 draws(81);
    SeededBits bits(82);
    const AnsweredCase one{1, 60, 0.02};
    std::size_t clipped = 0;
    for (const char* name : {"auto", "tree"}) {
        const auto m = mechanism(number_of({one.epsilon, one.people, one.rate, name}));
        for (std::size_t r = 0; r < 50; ++r) {
            const OwnedSummary summary = reported(*m, answers_of(*m, one, 1.2, draws), bits);
            const SummaryView view = summary.view();
            const Estimate shown = summary.estimate(Quantity::means)[0];
            const bool few = hardly_answered(response_rate(view, 0, Target::population).estimate);
            const Estimate compared = ComparableMeans(view, Target::sample).of(0);
            if (few) BOOST_REQUIRE((std::isnan(compared.value) && std::isnan(compared.standard_error)));
            if (!few && !std::isnan(compared.value)) BOOST_REQUIRE_EQUAL(compared.value, shown.value);
            const std::vector<Labels::QuantityWeight> weights{{.attribute = 0, .value = {}, .weight = 2}};
            const BoundedEstimate sum = contrast(view, weights, Target::sample, 1.96);
            BOOST_REQUIRE_EQUAL(std::isnan(sum.estimate.value), std::isnan(compared.value));
            const auto row = accessors::estimate({.summary = summary.bytes()}, {});
            if (few) BOOST_REQUIRE(std::isnan(number_in(*row, 0, "stderr")));
            clipped += few && !std::isnan(shown.value) && (shown.value == 0 || shown.value == 10) ? 1 : 0;
        }
    }
    BOOST_TEST(clipped > 10U);
}

// Reports that show a mean beyond the range: the interval contains the estimate, is not of zero width, and reaches the range.
BOOST_AUTO_TEST_CASE(intervals_have_a_width_at_the_ends_of_the_range) {
    std::mt19937_64 draws(75);
    SeededBits bits(76);
    for (const AnsweredCase& one : {AnsweredCase{1, 100, 0.9}, AnsweredCase{2, 60, 0.5}}) {
        const auto m = mechanism(number_of(one));
        std::size_t outside = 0;
        for (std::size_t r = 0; r < 1000; ++r) {
            const OwnedSummary summary = reported(*m, answers_of(*m, one, 0.02, draws), bits);
            const double mean = summary.estimate(Quantity::means)[0].value;
            if (std::isnan(mean)) continue;
            const Interval found = answered_interval(summary.view(), 0, Target::sample, 1.96).value();
            outside += mean < 0 ? 1 : 0;
            BOOST_REQUIRE(found.lower <= mean && mean <= found.upper);
            BOOST_REQUIRE(found.lower <= 0 || found.upper > found.lower);
            BOOST_REQUIRE(found.upper - found.lower > 0.1);
            BOOST_REQUIRE(found.upper >= 0);
        }
        BOOST_TEST(outside > 200U);
    }
}

// The recipe of an alert: the reports of a day against those of the 28 days before. At the threshold 0.01 the expected number of
// false alarms in 4,000 days is at most 40. Each day is in 28 comparisons, but with a small weight; 100 alarms are nine standard
// deviations of independent days above 40. A jump is found on its first day.
BOOST_AUTO_TEST_CASE(alerts_have_the_stated_rate, *boost::unit_test::label("slow")) {
    constexpr std::size_t window = 28, count = 4000;
    constexpr double threshold = 0.01;
    std::mt19937_64 draws(77);
    SeededBits bits(78);
    for (const bool number : {false, true}) {
        const AnsweredCase one{number ? 1.0 : 2.0, 40, 0.9};
        const auto m =
            mechanism(number ? number_of(one)
                             : std::string(R"({"mechanism": "grr", "epsilon": 2, "domain": ["no", "yes"]})"));
        const auto day = [&](bool jumped) {
            if (number) return reported(*m, answers_of(*m, one, jumped ? 4.5 : 1.2, draws), bits);
            std::vector<Cell> cells(one.people);
            for (Cell& cell : cells) cell = std::bernoulli_distribution(jumped ? 0.95 : 0.3)(draws) ? 1 : 0;
            return reported(*m, cells, bits);
        };
        const auto p_value = [&](const OwnedSummary& today, std::span<const OwnedSummary> before) {
            OwnedSummary all(*m);
            for (const OwnedSummary& each : before) all.merge(each.bytes());
            const std::vector<SummaryView> views{today.view(), all.view()};
            return compare(views, 1, IntervalRule::of(0.95, false, false), Target::population)
                .back()
                .difference.p_value;
        };
        std::vector<OwnedSummary> series;
        series.reserve(window + count);
        std::size_t alarms = 0, found = 0, jumps = 0;
        for (std::size_t t = 0; t < window + count; ++t) {
            series.push_back(day(false));
            if (t < window) continue;
            const std::span<const OwnedSummary> before(&series[t - window], window);
            alarms += p_value(series[t], before) < threshold ? 1 : 0;
            if (t % 100 > 0) continue;
            ++jumps;
            found += p_value(day(true), before) < threshold ? 1 : 0;
        }
        BOOST_TEST_MESSAGE((number ? "mean: " : "proportion: ")
                           << alarms << " alarms in " << count << " days, " << found << " of " << jumps
                           << " jumps");
        BOOST_TEST(alarms < 100U);
        if (!number) BOOST_TEST(alarms > 5U);
        if (!number) BOOST_TEST(found > jumps / 2);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

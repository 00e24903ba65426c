// The distribution of numbers that people may leave out: ε by enumeration, variances, and intervals of shares, quantiles
// and means among the people who answer.

#include <cmath>
#include <numeric>

#include "core/base/square.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/distribution.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(optional_distribution)

namespace {

constexpr double usual = 1.959963984540054;

std::unique_ptr<const Mechanism> optional(const std::string& name, double epsilon, std::uint64_t grid,
                                          bool missing = true) {
    return mechanism(name, epsilon,
                     R"("min": 0, "max": )" + std::to_string(grid) + R"(, "grid": )" + std::to_string(grid) +
                         (missing ? R"(, "missing": true)" : ""));
}

/// People at points of a grid; the last input code is a missing number. Answers are skewed to the lower end.
std::vector<Cell> skewed(std::size_t people, double rate, std::uint64_t grid) {
    const auto answers = static_cast<std::size_t>(std::lround(rate * static_cast<double>(people)));
    std::vector<Cell> all(people, grid + 1);
    for (std::size_t i = 0; i < answers; ++i)
        all[i] = static_cast<Cell>(
            std::floor(square((static_cast<double>(i) + 0.5) / static_cast<double>(answers)) *
                       static_cast<double>(grid + 1)));
    return all;
}

OwnedSummary reports_of(const Mechanism& m, const std::vector<Cell>& people, BitSource& bits) {
    OwnedSummary summary(m);
    for (const Cell input : people) summary.draw(input, bits);
    return summary;
}

/// The share of the people who answer with at most this number.
double share_up_to(const std::vector<Cell>& people, Cell last, Cell grid) {
    double below = 0, answers = 0;
    for (const Cell input : people) {
        answers += input <= grid ? 1 : 0;
        below += input <= last ? 1 : 0;
    }
    return below / answers;
}

/// n·Var of the share of values up to a point, averaged over all of them, if all people answer and are spread evenly.
double mean_variance(const Mechanism& m, double rate) {
    const auto& ordered = capability<Ordered>(m);
    const std::size_t points = ordered.points();
    constexpr std::uint64_t n = 1'000'000;
    OrderedEstimator estimator(ordered, std::vector<double>(points, 1 / static_cast<double>(points)), n,
                               rate);
    double sum = 0;
    for (std::size_t end = 1; end < points; ++end)
        sum += n * square(estimator.between(0, end, Target::sample).standard_error);
    return sum / static_cast<double>(points - 1);
}

/// n·Var of the share of one of two values under PCKV-GRR or, if `unary`, PCKV-UE (Gu et al. 2020), against a
/// population. There is one key, and its value is the answer.
double pckv(double epsilon, bool unary, double rate, double share) {
    const double e = std::exp(epsilon), sent = unary ? 0.5 : (e + 1) / (e + 3), invented = 2 / (e + 3),
                 p = e / (e + 1);
    const double unit = sent * (2 * p - 1), apart = sent - invented, mean = 2 * share - 1;
    const double all = rate * sent + (1 - rate) * invented;
    const double yes = (1 - invented) / apart, no = -invented / apart;
    const double squares = all / square(unit), both = rate * mean * yes;
    const double ratio =
        (squares - 2 * mean * both + square(mean) * (all * square(yes) + (1 - all) * square(no))) /
        square(rate);
    return ratio / 4;  // the share is (1 + mean)/2
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_sampler_keeps_epsilon) {
    for (const char* name : {"tree", "haar_ordered"}) {
        prove(*optional(name, 1, 1));
        prove(*optional(name, 0.5, 4));
        for (const double epsilon : epsilons) check_worst_ratio(*optional(name, epsilon, 1000));
        check_frequencies_of_reports(*optional(name, 1, 4), std::vector<Cell>{5}, 4721);
    }
}

BOOST_AUTO_TEST_CASE(reports_of_missing_numbers_are_like_others) {
    for (const char* name : {"tree", "haar_ordered"}) {
        const auto m = optional(name, 1, 100);
        BOOST_CHECK_EQUAL(m->cells()[0], 102);
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            std::uint64_t words = 0;
            for (const Cell input : {Cell{0}, Cell{37}, Cell{100}, Cell{101}}) {
                CountedBits bits(seed);
                BOOST_REQUIRE_EQUAL(m->perturb(std::vector<Cell>{input}, bits).size(),
                                    m->block().size() + m->payload_size());
                if (input == 0) words = bits.words;
                BOOST_REQUIRE_EQUAL(bits.words, words);
            }
        }
        const auto key = [&](Cell input) { return m->response_key(std::vector{input}, {}); };
        for (Cell input = 0; input <= 100; ++input) BOOST_CHECK(key(input) != key(101));
        BOOST_CHECK_EQUAL(m->key_spans({}).size(), key(0).size());
    }
}

BOOST_AUTO_TEST_CASE(the_option_costs_little_if_all_people_answer) {
    // The averages over all thresholds are at most 1.15 times those without the option, for the mechanism that auto
    // takes, from eight values on and up to ε = 4.
    for (const std::uint64_t grid : {7, 15, 63, 127, 1023})
        for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) {
            const std::string number =
                R"("estimate": "quantiles", "min": 0, "max": 1, "grid": )" + std::to_string(grid);
            const auto with = mechanism("auto", epsilon, number + R"(, "missing": true)");
            const auto without = mechanism("auto", epsilon, number);
            BOOST_CHECK_MESSAGE(mean_variance(*with, 1) <= 1.15 * mean_variance(*without, 1),
                                grid << " at " << epsilon << ": " << mean_variance(*with, 1) << " against "
                                     << mean_variance(*without, 1));
        }
}

BOOST_AUTO_TEST_CASE(shares_of_two_values_beat_key_value_mechanisms) {
    for (const double epsilon : {0.5, 1.0, 2.0, 4.0})
        for (const double share : {0.25, 0.5, 0.75}) {
            const auto m =
                mechanism("auto", epsilon,
                          R"("estimate": "distribution", "min": 0, "max": 1, "grid": 1, "missing": true)");
            OrderedEstimator estimator(capability<Ordered>(*m), {1 - share, share}, 1'000'000, 0.5);
            const double found =
                1'000'000 * square(estimator.between(1, 2, Target::population).standard_error);
            BOOST_CHECK_LE(found, pckv(epsilon, false, 0.5, share));
            BOOST_CHECK_LE(found, pckv(epsilon, true, 0.5, share));
        }
}

BOOST_AUTO_TEST_CASE(estimates_are_about_the_people_who_answer) {
    // Estimates are within six standard errors of the truth; the distribution of those who answer is not that of all.
    constexpr std::uint64_t grid = 20;
    std::uint64_t seed = 31;
    for (const char* name : {"tree", "haar_ordered"})
        for (const double rate : {1.0, 0.3}) {
            const auto m = optional(name, 2, grid);
            const std::vector<Cell> people = skewed(20000, rate, grid);
            SeededBits bits(seed++);
            const OwnedSummary summary = reports_of(*m, people, bits);
            const SummaryView view = summary.view();
            const LawfulRate answering = response_rate(view, 0, Target::sample);
            BOOST_CHECK_SMALL(answering.estimate.value - rate, 6 * answering.estimate.standard_error);
            for (const Cell last : {2, 9, 15}) {
                const ShareOfRange found = cdf(view, static_cast<double>(last), Target::sample);
                BOOST_CHECK_SMALL(found.value - share_up_to(people, last, grid), 6 * found.standard_error);
            }
            BOOST_CHECK_EQUAL(cdf(view, grid, Target::sample).value, 1);
            double mean = 0;
            for (const Cell input : people)
                mean += input <= grid ? static_cast<double>(input) / (rate * 20000) : 0;
            const Estimate of_mean = summary.estimate(Quantity::means)[0];
            BOOST_CHECK_SMALL(of_mean.value - mean, 6 * of_mean.standard_error);
            double sum = 0;
            for (const double share : decode(view, Smoothing::binomial).shares) sum += share;
            BOOST_CHECK_CLOSE(sum, 1, 1e-6);
            BOOST_CHECK_EQUAL(decode(view, Smoothing::binomial).shares.size(), grid + 1);
        }
}

BOOST_AUTO_TEST_CASE(intervals_cover_at_all_response_rates, *boost::unit_test::label("slow")) {
    // At least 93 % of the intervals hold the truth; false alarm 1e-8 for each figure.
    constexpr std::uint64_t repetitions = 400, grid = 15;
    std::uint64_t seed = 61;
    for (const char* name : {"tree", "haar_ordered"})
        for (const double epsilon : {1.0, 4.0})
            for (const std::size_t count : {50, 500})
                for (const double rate : {0.06, 0.5, 1.0}) {
                    const auto m = optional(name, epsilon, grid);
                    const std::vector<Cell> people = skewed(count, rate, grid);
                    std::uint64_t of_share = 0, of_quantile = 0, of_upper = 0, of_mean = 0, of_rate = 0;
                    double mean = 0, answers = 0;
                    for (const Cell input : people)
                        if (input <= grid) mean += static_cast<double>(input), ++answers;
                    mean /= answers;
                    const double share = share_up_to(people, 3, grid),
                                 true_rate = answers / static_cast<double>(count);
                    Cell median = 0;
                    while (share_up_to(people, median, grid) < 0.5) ++median;
                    Cell upper = median;
                    while (share_up_to(people, upper, grid) < 0.9) ++upper;
                    SeededBits bits(seed++);
                    const auto holds = [](const Interval& one, double truth) -> std::uint64_t {
                        return one.lower <= truth + 1e-9 && truth - 1e-9 <= one.upper ? 1 : 0;
                    };
                    for (std::uint64_t i = 0; i < repetitions; ++i) {
                        const OwnedSummary summary = reports_of(*m, people, bits);
                        const SummaryView view = summary.view();
                        const ShareOfRange found = cdf(view, 3, Target::sample);
                        of_share +=
                            std::isnan(found.value) ? 1 : holds(interval(found, usual, found.law), share);
                        of_quantile += holds(quantile(view, 0.5, 0.95, Target::sample).interval,
                                             static_cast<double>(median));
                        of_upper += holds(quantile(view, 0.9, 0.95, Target::sample).interval,
                                          static_cast<double>(upper));
                        of_mean += holds(answered_interval(view, 0, Target::sample, usual).value(), mean);
                        const LawfulRate known = response_rate(view, 0, Target::sample);
                        of_rate += holds(interval(known.estimate, usual, known.law), true_rate);
                    }
                    for (const std::uint64_t covered : {of_share, of_quantile, of_upper, of_mean, of_rate})
                        BOOST_CHECK_MESSAGE(binomial_at_most(repetitions, 0.93, covered) > 1e-8,
                                            name << " at " << epsilon << ", n " << count << ", rate " << rate
                                                 << ": " << of_share << " " << of_quantile << " " << of_upper
                                                 << " " << of_mean << " " << of_rate);
                }
}

BOOST_AUTO_TEST_CASE(rows_say_whom_they_are_about) {
    const auto m = optional("tree", 2, 10);
    SeededBits bits(9);
    const OwnedSummary many = reports_of(*m, skewed(4000, 0.5, 10), bits);
    const OwnedSummary nobody = reports_of(*m, std::vector<Cell>(300, 11), bits);
    for (const char* name : {"between", "quantiles", "histogram", "distribution", "estimate"}) {
        constexpr double shares[] = {0.5};
        SummaryQuery query;
        query.low = 0, query.high = 3, query.bins = 5;
        query.shares = shares;
        const auto found = row_function(name).find({.summary = many.bytes()}, query);
        BOOST_REQUIRE_GT(found->count(), 0);
        BOOST_CHECK_EQUAL(found->cell(0, "note").text, "among the people who answer");
        const auto none = row_function(name).find({.summary = nobody.bytes()}, query);
        BOOST_CHECK_EQUAL(none->cell(0, "note").text,
                          "among the people who answer, of whom there may be too few for an interval");
    }
    const std::string_view rate[] = {"response_rate"};
    const auto rates =
        row_function("estimate").find({.summary = many.bytes()}, {.statistics = SummaryQuery::Texts(rate)});
    BOOST_CHECK_EQUAL(rates->count(), 1);
}

// The row of the library's cumulative share.
BOOST_AUTO_TEST_CASE(a_range_may_have_one_bound) {
    SeededBits bits(19);
    for (const bool missing : {false, true}) {
        for (const char* name : {"tree", "haar_ordered", "square_wave"}) {
            if (missing && std::string_view(name) != "tree") continue;
            const auto m = optional(name, 2, 10, missing);
            const OwnedSummary summary = reports_of(*m, skewed(4000, missing ? 0.5 : 1, 10), bits);
            for (const double value : {-1.0, 0.0, 3.0, 7.5, 10.0, 11.0}) {
                const auto found = [&](std::optional<double> low, std::optional<double> high) {
                    SummaryQuery query;
                    query.low = low, query.high = high;
                    const auto rows = row_function("between").find({.summary = summary.bytes()}, query);
                    BOOST_REQUIRE_EQUAL(rows->count(), 1);
                    return std::array{rows->cell(0, "estimate").number, rows->cell(0, "stderr").number};
                };
                const Estimate below = cdf(summary.view(), value, Target::sample);
                BOOST_CHECK(found({}, value) == (std::array{below.value, below.standard_error}));
                const Estimate above = share_between(summary.view(), value, 1e9, Target::sample);
                BOOST_CHECK(found(value, {}) == (std::array{above.value, above.standard_error}));
            }
            BOOST_CHECK_EXCEPTION((void)row_function("between").find({.summary = summary.bytes()}, {}), Error,
                                  [](const Error& error) {
                                      return error.code() == ErrorCode::invalid_value &&
                                             !error.hint().empty();
                                  });
        }
    }
}

BOOST_AUTO_TEST_CASE(specs_choose_a_tree) {
    const auto refused = [](const std::string& text) {
        try {
            static_cast<void>(resolve(text));
        } catch (const Error& error) {
            return error.code() == ErrorCode::invalid_spec && !error.hint().empty();
        }
        return false;
    };
    const Spec spec = resolve(R"({"mechanism": "auto", "epsilon": 1, "attributes": [
        {"name": "income", "min": 0, "max": 9, "missing": true, "estimate": "quantiles"}, {"name": "sick", "domain": 2}]})");
    const auto m = make_mechanism(spec);
    BOOST_CHECK(find_capability<ResponseRate>(*part_of(*m, 0).mechanism) != nullptr);
    BOOST_CHECK(find_capability<Ordered>(*part_of(*m, 0).mechanism) != nullptr);
    BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == spec.fingerprint());
    BOOST_CHECK(refused(
        R"({"mechanism": "tree", "epsilon": 1, "min": 0, "max": 1, "grid": 16383, "missing": true})"));
    BOOST_CHECK(refused(
        R"({"mechanism": "auto", "epsilon": 1, "min": 0, "max": 1, "estimate": "shape", "missing": true})"));
    // What the hint of a vector says: its elements as numbers of their own.
    static_cast<void>(resolve(R"({"mechanism": "auto", "epsilon": 4, "attributes": [
        {"name": "a", "min": 0, "max": 1, "missing": true}, {"name": "b", "min": 0, "max": 1, "missing": true}]})"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

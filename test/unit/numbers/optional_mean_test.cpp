// Numbers that people may leave out: ε by enumeration, the stated variances, intervals at all response rates, and
// missing numbers in specs, records and memories.

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/contract/evolving_options.hpp"
#include "core/contract/response_count.hpp"
#include "core/groups/difference.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/errors.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(optional_mean)

namespace {

constexpr double usual = 1.959963984540054;

std::unique_ptr<const Mechanism> optional(double epsilon, std::uint64_t grid, const std::string& rest = {}) {
    return mechanism("optional_mean", epsilon,
                     R"("min": -1, "max": 1, "missing": true, "grid": )" + std::to_string(grid) + rest);
}

const ResponseRate& rate_of(const Mechanism& m) {
    return capability<ResponseRate>(m);
}

double parameter(const Mechanism& m, const std::string& name) {
    for (const auto& [key, value] : m.parameters())
        if (key == name) return value;
    throw std::logic_error("no parameter " + name);
}

/// n·Var of the ratio of PCKV (Gu et al. 2020) for one key with padding length 1, against the population. A person
/// with a number sends it with probability `sent`, a person without one with probability `invented`, and the bit of a
/// number is correct with probability e/(e + 1).
double pckv(double epsilon, double sent, double invented, double rate, double mean) {
    const double e = std::exp(epsilon), unit = sent * (e - 1) / (e + 1), apart = sent - invented;
    const double all = rate * sent + (1 - rate) * invented;
    const double yes = (1 - invented) / apart, no = -invented / apart;
    const double square_of_y = all / square(unit), both = rate * mean * yes;
    return (square_of_y - 2 * mean * both + square(mean) * (all * square(yes) + (1 - all) * square(no))) /
           square(rate);
}
double pckv_grr(double epsilon, double rate, double mean) {
    const double e = std::exp(epsilon);
    return pckv(epsilon, (e + 1) / (e + 3), 2 / (e + 3), rate, mean);
}
double pckv_ue(double epsilon, double rate, double mean) {
    return pckv(epsilon, 0.5, 2 / (std::exp(epsilon) + 3), rate, mean);
}

/// Draws the reports of people whose answers are given; NaN is a missing number.
OwnedSummary reports_of(const Mechanism& m, const std::vector<double>& people, BitSource& bits) {
    OwnedSummary summary(m);
    const double half = static_cast<double>(m.cells()[0] - 2) / 2;
    for (const double x : people)
        summary.draw(std::isnan(x) ? m.cells()[0] - 1 : static_cast<Cell>(std::lround(half * (1 + x))), bits);
    return summary;
}

/// Numbers of people who answer at this rate: 1 − 2q², which are spread over the range and skewed to its end.
std::vector<double> skewed(std::size_t people, double rate) {
    const auto answers = static_cast<std::size_t>(std::lround(rate * static_cast<double>(people)));
    std::vector<double> all(people, std::nan(""));
    for (std::size_t i = 0; i < answers; ++i)
        all[i] = 1 - 2 * square((static_cast<double>(i) + 0.5) / static_cast<double>(answers));
    return all;
}

double mean_of(const std::vector<double>& people) {
    double sum = 0, answers = 0;
    for (const double x : people)
        if (!std::isnan(x)) sum += x, ++answers;
    return sum / answers;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_sampler_keeps_epsilon) {
    prove(*optional(0.1, 2));  // one bit
    prove(*optional(0.1, 3, R"(, "response_rate": 0.5)"));
    prove(*optional(1, 2));  // a window
    for (const double epsilon : epsilons)
        for (const char* rate : {"", R"(, "response_rate": 0.1)", R"(, "response_rate": 1)"})
            check_worst_ratio(*optional(epsilon, 1048576, rate));
}

BOOST_AUTO_TEST_CASE(reports_of_missing_numbers_are_like_others) {
    for (const double epsilon : {0.1, 2.0}) {
        const auto m = optional(epsilon, 100);
        const Cell missing = m->cells()[0] - 1;
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            std::uint64_t words = 0;
            for (const Cell input : {Cell{0}, Cell{37}, Cell{100}, missing}) {
                CountedBits bits(seed);
                const Report report = m->perturb(std::vector<Cell>{input}, bits);
                BOOST_REQUIRE_EQUAL(report.size(), m->block().size() + m->payload_size());
                if (input == 0) words = bits.words;
                BOOST_REQUIRE_EQUAL(bits.words, words);
            }
        }
    }
    check_frequencies_of_reports(*optional(1, 4), std::vector<Cell>{5}, 4711);
    check_frequencies_of_reports(*optional(1, 4), std::vector<Cell>{1}, 4712);
}

BOOST_AUTO_TEST_CASE(variances_are_those_of_the_sampler) {
    // From the exact probabilities of outputs, if all answers are at the upper end, or half of them at each end.
    for (const double epsilon : {0.1, 1.0, 3.0}) {
        const auto m = optional(epsilon, 2);
        const std::size_t outputs = m->state_size() / 8;
        const double c = parameter(*m, "none_if_answered"), d = parameter(*m, "none_if_missing");
        // The estimate from 51 % of one output and 49 % of its mirror image is 0.02·y/r with r = d/(d − c).
        std::vector<double> y(outputs), r(outputs, d / (d - c));
        r[0] = -(1 - d) / (d - c);
        for (std::size_t out = 1; out < outputs; ++out) {
            if (2 * out == outputs) continue;  // its own mirror image
            std::vector<std::byte> state(m->state_size());
            store<std::uint64_t>(state.data() + 8 * out, 510);
            store<std::uint64_t>(state.data() + 8 * (outputs - out), 490);
            y[out] = m->estimate({1000, state}, {Quantity::means})[0].value * r[out] / 0.02;
        }
        for (const double rate : {1.0, 0.5, 0.1})
            for (const double low_share : {0.0, 0.5}) {
                const double mean = 1 - 2 * low_share;
                double expectation = 0, variance = 0, none = 0;
                for (std::size_t out = 0; out < outputs; ++out) {
                    const auto of = [&](Cell input) {
                        return static_cast<double>(
                            m->probability(std::vector{input}, {}, std::vector{static_cast<std::byte>(out)}));
                    };
                    const double share =
                        rate * (low_share * of(0) + (1 - low_share) * of(2)) + (1 - rate) * of(3);
                    expectation += share * (y[out] - mean * r[out]);
                    variance += share * square(y[out] - mean * r[out]);
                    if (out == 0) none = share;
                }
                BOOST_CHECK_SMALL(expectation, 1e-9);
                const auto found = rate_of(*m).variances(rate, {mean, 1}, Target::population);
                BOOST_CHECK_CLOSE(found.mean, variance / square(rate), 1e-6);
                BOOST_CHECK_CLOSE(found.rate, none * (1 - none) / square(d - c), 1e-6);
            }
    }
}

BOOST_AUTO_TEST_CASE(estimates_have_the_stated_variances, *boost::unit_test::label("slow")) {
    // The sum of squared errors over 400 summaries of 2000 people is within 30 % of its expectation: six standard
    // deviations, a false alarm of less than 1e-8 for each of eight figures.
    constexpr std::size_t repetitions = 400, people = 2000;
    for (const double epsilon : {0.5, 2.0})
        for (const double rate : {1.0, 0.5}) {
            const auto m = optional(epsilon, 1000);
            const std::vector<double> given = skewed(people, rate);
            const double mean = mean_of(given);
            double squares = 0, of_mean = 0, of_rate = 0;
            for (const double x : given)
                if (!std::isnan(x)) squares += square(x) / (rate * people);
            SeededBits bits(static_cast<std::uint64_t>(100 * epsilon + 10 * rate));
            for (std::size_t i = 0; i < repetitions; ++i) {
                const OwnedSummary summary = reports_of(*m, given, bits);
                of_mean += square(summary.estimate(Quantity::means)[0].value - mean) * people / repetitions;
                of_rate += square(rate_of(*m).response_rate(summary.view(), Target::sample).value - rate) *
                           people / repetitions;
            }
            const auto expected = rate_of(*m).variances(rate, {mean, squares}, Target::sample);
            BOOST_CHECK_CLOSE(of_mean, expected.mean, 45);
            BOOST_CHECK_CLOSE(of_rate, expected.rate, 45);
        }
}

BOOST_AUTO_TEST_CASE(the_option_costs_little_and_beats_key_value_mechanisms) {
    for (const double epsilon : {0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        const auto m = optional(epsilon, 32768);
        const auto without = mechanism("auto", epsilon, R"("min": -1, "max": 1)");
        // If all people answer and their mean is in the middle.
        BOOST_CHECK_LE(m->n_variance(0), 1.1501 * without->n_variance(0));
        // Half of the people answer, and their mean is in the middle half of the range.
        for (const double mean : {0.0, 0.25, 0.5}) {
            const double found = rate_of(*m).variances(0.5, {mean, square(mean)}, Target::population).mean;
            BOOST_CHECK_LE(found, pckv_grr(epsilon, 0.5, mean));
            BOOST_CHECK_LE(found, pckv_ue(epsilon, 0.5, mean));
        }
        // With a declared rate, also for other rates, and up to means of 0.9 for small ε.
        const auto declared = optional(epsilon, 32768, R"(, "response_rate": 0.2)");
        const double low = rate_of(*declared).variances(0.2, {0.5, 0.25}, Target::population).mean;
        BOOST_CHECK_LE(low, pckv_grr(epsilon, 0.2, 0.5));
        BOOST_CHECK_LE(low, rate_of(*m).variances(0.2, {0.5, 0.25}, Target::population).mean * 1.0001);
    }
}

BOOST_AUTO_TEST_CASE(intervals_cover_at_all_response_rates, *boost::unit_test::label("slow")) {
    // At least 93 % of 1500 intervals hold the truth; false alarm 1e-8 for each of 24 figures.
    constexpr std::uint64_t repetitions = 1500;
    std::uint64_t seed = 81;
    for (const double epsilon : {0.5, 1.0, 4.0})
        for (const std::size_t people : {50, 400})
            for (const double rate : {0.05, 0.5, 0.9, 1.0}) {
                if (people == 400 && rate == 0.9) continue;
                const auto m = optional(epsilon, 1000);
                const std::vector<double> given = skewed(people, rate);
                const double mean = mean_of(given);
                const double share =
                    std::round(rate * static_cast<double>(people)) / static_cast<double>(people);
                std::uint64_t of_mean = 0, of_rate = 0;
                SeededBits bits(seed++);
                for (std::uint64_t i = 0; i < repetitions; ++i) {
                    const OwnedSummary summary = reports_of(*m, given, bits);
                    const Interval found =
                        answered_interval(summary.view(), 0, Target::sample, usual).value();
                    of_mean += found.lower <= mean && mean <= found.upper ? 1 : 0;
                    const double own = summary.estimate(Quantity::means)[0].value;
                    BOOST_REQUIRE(found.lower < found.upper && !(own < found.lower || own > found.upper));
                    const LawfulRate known = response_rate(summary.view(), 0, Target::sample);
                    const Interval rates = interval(known.estimate, usual, known.law);
                    of_rate += rates.lower <= share + 1e-9 && share - 1e-9 <= rates.upper ? 1 : 0;
                }
                BOOST_CHECK_GT(binomial_at_most(repetitions, 0.93, of_mean), 1e-8);
                BOOST_CHECK_GT(binomial_at_most(repetitions, 0.93, of_rate), 1e-8);
            }
}

BOOST_AUTO_TEST_CASE(hardly_any_answer_has_the_whole_range) {
    const auto m = optional(1, 100);
    SeededBits bits(5);
    const OwnedSummary nobody = reports_of(*m, std::vector<double>(200, std::nan("")), bits);
    const Interval found = answered_interval(nobody.view(), 0, Target::sample, usual).value();
    BOOST_CHECK_EQUAL(found.lower, -1);
    BOOST_CHECK_EQUAL(found.upper, 1);
    BOOST_CHECK(std::isnan(ComparableMeans(nobody.view(), Target::sample).of(0).value));

    OwnedSummary none(*m);  // all reports without a number, which no response rate explains
    std::vector<std::byte> report = m->perturb(std::vector<Cell>{0}, bits);
    report.back() = std::byte{0};
    for (int i = 0; i < 100; ++i) none.add(report);
    BOOST_CHECK(std::isnan(none.estimate(Quantity::means)[0].value));
    BOOST_CHECK_LT(none.health(), 1e-8);
    BOOST_CHECK_GT(nobody.health(), 1e-6);
}

BOOST_AUTO_TEST_CASE(forged_reports_move_a_mean_no_further_than_stated) {
    const auto m = optional(2, 100);
    SeededBits bits(6);
    std::vector<double> honest(2000, -0.5);
    OwnedSummary summary = reports_of(*m, honest, bits);
    std::vector<std::byte> report = m->perturb(std::vector<Cell>{0}, bits);
    report.back() = static_cast<std::byte>(m->state_size() / 8 - 1);  // the largest number
    for (int i = 0; i < 100; ++i) summary.add(report);
    const double forged = 100.0 / 2100;
    const Interval plain = answered_interval(summary.view(), 0, Target::sample, usual).value();
    const Interval robust = answered_interval(summary.view(), 0, Target::sample, usual, forged).value();
    BOOST_CHECK_GT(plain.lower, -0.5);
    BOOST_CHECK_LE(robust.lower, -0.5);
    BOOST_CHECK_GE(robust.upper, plain.upper);
    const auto [down, up] = m->promised_bias(0, forged);
    BOOST_CHECK_GT(up, (plain.lower + plain.upper) / 2 + 0.5 - 0.1);
    BOOST_CHECK_CLOSE(down, -up, 1e-9);
}

BOOST_AUTO_TEST_CASE(auto_takes_the_mechanism_if_a_number_may_be_missing) {
    const std::string number =
        R"({"mechanism": "auto", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 9)";
    BOOST_CHECK_EQUAL(resolve(number + R"(, "missing": true}]})").mechanism().name, "optional_mean");
    BOOST_CHECK_EQUAL(resolve(number + R"(, "missing": false}]})").mechanism().name, "optimal");
    const Spec spec = resolve(number + R"(, "missing": true}]})");
    BOOST_CHECK(spec.to_json().find(R"("missing":true)") != std::string::npos);
    BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == spec.fingerprint());
    BOOST_CHECK(may_be_missing(spec.attributes()[0]));
    const auto refused = [](const std::string& text) {
        try {
            static_cast<void>(resolve(text));
        } catch (const Error& error) {
            return error.code() == ErrorCode::invalid_spec && !error.hint().empty();
        }
        return false;
    };
    for (const char* name : {"pdp", "duchi", "optimal", "dithered", "square_wave"})
        BOOST_CHECK(refused(R"({"mechanism": ")" + std::string(name) +
                            R"(", "epsilon": 1, "min": 0, "max": 9, "missing": true})"));
    BOOST_CHECK(refused(R"({"mechanism": "optional_mean", "epsilon": 1, "min": 0, "max": 9})"));
    BOOST_CHECK(refused(R"({"mechanism": "optional_mean", "epsilon": 1, "min": 0, "max": 9, "missing": true,
                           "response_rate": 1.5})"));
    for (const char* rest : {R"("min": 0, "max": 9, "bins": 3)", R"("min": 0, "max": 9, "estimate": "shape")",
                             R"("domain": ["a", "b"])", R"("strings": {"alphabet": "ab", "max_length": 2})",
                             R"("vector": 3, "min": 0, "max": 9)"})
        BOOST_CHECK(
            refused(R"({"mechanism": "auto", "epsilon": 1, "attributes": [{"name": "a", "missing": true, )" +
                    std::string(rest) + R"(}, {"name": "b", "domain": 3}]})"));
}

BOOST_AUTO_TEST_CASE(a_missing_number_leaves_the_other_attributes_of_a_record) {
    const auto m = mechanism(R"({"mechanism": "auto", "epsilon": 8, "per_report": 2, "attributes": [
        {"name": "sick", "domain": ["yes", "no"]}, {"name": "wage", "min": 0, "max": 1, "missing": true}]})");
    BOOST_CHECK(find_capability<ResponseRate>(*part_of(*m, 1).mechanism) != nullptr);
    BOOST_CHECK(find_capability<ResponseRate>(*part_of(*m, 0).mechanism) == nullptr);
    // Sick people do not state their wage. Of 3000 people, 1000 are sick; the others earn 0.8.
    SeededBits bits(7);
    OwnedSummary summary(*m);
    const std::uint64_t codes = m->cells()[1];
    const auto wage = static_cast<Cell>(0.75 * static_cast<double>(codes - 2));
    for (int i = 0; i < 3000; ++i)
        summary.draw(i < 1000 ? std::vector<Cell>{0, codes - 1} : std::vector<Cell>{1, wage}, bits);
    const LawfulRate rate = response_rate(summary.view(), 1, Target::sample);
    BOOST_CHECK_SMALL(rate.estimate.value - 2.0 / 3, 6 * rate.estimate.standard_error);
    const Estimate sick = summary.estimate(Quantity::frequencies, Target::sample, 0)[0];
    BOOST_CHECK_SMALL(sick.value - 1.0 / 3, 6 * sick.standard_error);
    const Estimate mean = summary.estimate(Quantity::means)[1];
    BOOST_CHECK_SMALL(mean.value - 0.75, 6 * mean.standard_error);
    BOOST_CHECK_LT(mean.standard_error, 0.03);

    const auto statistic = [&](std::string_view name) {
        return row_function("estimate")
            .find({.summary = summary.bytes()}, {.statistics = SummaryQuery::Texts(&name, 1)});
    };
    BOOST_REQUIRE_EQUAL(statistic("response_rate")->count(), 1);
    const auto means = statistic("mean");
    BOOST_REQUIRE_EQUAL(means->count(), 1);
    BOOST_CHECK(means->cell(0, "note").text.find("among the people who answer") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_missing_number_has_a_memoized_response_of_its_own) {
    const auto m = optional(1, 100);
    const Cell missing = m->cells()[0] - 1;
    const auto key = [&](Cell input) { return m->response_key(std::vector{input}, {}); };
    for (Cell input = 0; input <= 100; ++input) BOOST_CHECK(key(input) != key(missing));
    BOOST_CHECK(key(3) != key(4));
    BOOST_CHECK_EQUAL(m->key_spans({}).size(), key(missing).size());
    const Spec spec = resolve(R"({"mechanism": "optional_mean", "epsilon": 1, "budget": {"epsilon": 50},
        "attributes": [{"name": "a", "min": 0, "max": 1, "missing": true, "evolving": true}],
        "evolving": {"base_levels": 4}})");
    BOOST_CHECK_EQUAL(possible_responses(spec, *make_mechanism(spec)), 6);  // five points, and none
    const Rounding rounding(spec, *make_mechanism(spec));
    std::vector<std::uint64_t> alphas(rounding.alphas(), 1);
    std::vector<RoundingState> rounding_states(rounding.rounding_states());
    const std::vector<double> position{std::nan("")};
    const std::vector<RoundingState> before = rounding_states;
    BOOST_CHECK_EQUAL(rounding.follow(position, alphas, rounding_states)[0],
                      make_mechanism(spec)->cells()[0] - 1);
    BOOST_CHECK(rounding_states == before);
}

BOOST_AUTO_TEST_CASE(groups_are_compared_by_the_means_of_their_answers) {
    const auto m = optional(2, 100);
    SeededBits bits(8);
    std::vector<double> high(4000, 0.5), low(4000, -0.5);
    for (std::size_t i = 0; i < 2000; ++i) high[i] = std::nan("");
    for (std::size_t i = 0; i < 400; ++i) low[i] = std::nan("");
    const OwnedSummary one = reports_of(*m, high, bits), other = reports_of(*m, low, bits);
    const auto a = GroupEstimates(one.view(), Target::population).of_attribute(0),
               b = GroupEstimates(other.view(), Target::population).of_attribute(0);
    const Difference found = difference(a[0], b[0], usual);
    BOOST_CHECK_LT(found.p_value, 1e-8);
    BOOST_CHECK_SMALL(found.difference.value - 1, 6 * found.difference.standard_error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

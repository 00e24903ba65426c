// Planning: what is predicted against what happens, of every mechanism and question that it answers, and the
// ways back from an error to people, epsilon and power.
//
// The error of an answer is estimated by its root mean square over repetitions, each with people of their own
// from the population that the question assumes. Of near-normal errors it has the relative standard deviation
// 1/√(2·N), N being repetitions times the answers of each that are nearly independent. N is at least 7200, so
// that 5 % are six standard deviations: an exact prediction and a fresh seed fail with probability 2e-9.
// Predictions of quantiles are right to 1 %, and take longer to try: with an N of 2400 at least, 10 % are six
// standard deviations and that 1 %. That they hold to 5 % as well is what evaluation/plan tries.
//
// Length: one table of mechanisms, populations and planning targets serves all cases.

#include <cmath>
#include <numeric>

#include "../../support/draws.hpp"
#include "core/base/error.hpp"
#include "core/choice/plan/error_prediction.hpp"
#include "core/choice/plan/plan.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/series_queries.hpp"
#include "core/tables/marginal.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(plan)

namespace {

/// A question, the true answer, and how a summary is asked.
struct Asked {
    std::string question;
    double truth;
    std::function<double(const SummaryView&)> answer;
};

struct PlanCase {
    std::string name;
    std::string spec;
    std::vector<Asked> asked;
    /// The cells of one person of the population.
    std::function<std::vector<Cell>(BitSource&)> person;
    std::size_t people = 100, repetitions = 7200;
    std::size_t rounds = 1;  ///< in which everybody reports, from memory
    bool days = false;       ///< the answer of a second day less that of the first
};

/// Normal numbers of mean 3 and standard deviation 1.5, moved into 0 to 8, on a grid of 64 steps.
Cell normal_cell(BitSource& bits) {
    const double z = normal_quantile(std::clamp(uniform(bits), 1e-300, 1 - 1e-16));
    const double at = std::clamp(3 + 1.5 * z, 0.0, 8.0) * 8;
    return static_cast<Cell>(at) + (uniform(bits) < at - std::floor(at) ? 1 : 0);
}
const std::string normal = R"("mean": 3, "sd": 1.5)";

/// The shares of all values, held by as many each.
std::vector<Asked> all_shares(std::size_t values, const std::string& rest = "", std::size_t attribute = 0) {
    std::vector<Asked> all;
    for (std::size_t v = 0; v < values; ++v)
        all.push_back({"{\"value\": " + std::to_string(v) + rest + "}", 1 / static_cast<double>(values),
                       [=](const SummaryView& view) {
                           return estimate(view, {Quantity::frequencies, Target::sample, attribute})[v].value;
                       }});
    return all;
}

Asked mean_of(const std::string& question, double truth, std::size_t attribute = 0) {
    return {question, truth, [=](const SummaryView& view) {
                return estimate(view, {Quantity::means, Target::sample})[attribute].value;
            }};
}

std::string spec_of(const std::string& mechanism, double epsilon, const std::string& rest) {
    return R"({"mechanism": ")" + mechanism + R"(", "epsilon": )" + text(epsilon) + ", " + rest + "}";
}

PlanCase oracle(const char* mechanism, const std::string& rest, double epsilon = 1) {
    return {mechanism,     spec_of(mechanism, epsilon, R"("domain": 8)" + rest),
            all_shares(8), [](BitSource& bits) { return std::vector<Cell>{bits.below(8)}; },
            200,           1200};
}

PlanCase number(const char* mechanism, const std::string& rest = "", double epsilon = 1) {
    return {mechanism,
            spec_of(mechanism, epsilon, R"("min": 0, "max": 8, "grid": 64)" + rest),
            {mean_of("{" + normal + "}", 3)},
            [](BitSource& bits) { return std::vector<Cell>{normal_cell(bits)}; }};
}

/// A series of one number, which all people keep.
PlanCase kept_number(const std::string& rest, Asked asked, std::function<Cell(BitSource&)> draw) {
    return {"threshold_series",
            spec_of("threshold_series", 4, R"("min": 0, "max": 63, "grid": 63, "rounds": 4)" + rest),
            {std::move(asked)},
            [draw = std::move(draw)](BitSource& bits) { return std::vector<Cell>(4, draw(bits)); },
            300};
}
Cell below_64(BitSource& bits) {
    return bits.below(64);
}

/// Of ranges of whole numbers from 0 to 63.
PlanCase ranges(const char* mechanism, double epsilon) {
    PlanCase one{mechanism, spec_of(mechanism, epsilon, R"("min": 0, "max": 63, "grid": 63)"),
                 {},        [](BitSource& bits) { return std::vector<Cell>{bits.below(64)}; },
                 1000,      1200};
    for (const auto& [low, high] : {std::pair{0, 12}, {13, 20}, {21, 31}, {32, 40}, {41, 55}, {56, 63}})
        one.asked.push_back({"{\"low\": " + std::to_string(low) + ", \"high\": " + std::to_string(high) + "}",
                             (high - low + 1) / 64.0, [from = low, to = high](const SummaryView& view) {
                                 return share_between(view, from, to, Target::sample).value;
                             }});
    return one;
}

const std::string profile = R"("attributes": [{"name": "a", "domain": 4},
    {"name": "b", "min": 0, "max": 8, "mechanism": "pdp"}, {"name": "c", "domain": ["x", "y", "z"]}])";
const std::string numbers = R"("grid": 64, "attributes": [{"name": "a", "min": 0, "max": 8},
    {"name": "b", "min": 0, "max": 8}, {"name": "c", "min": 0, "max": 8}, {"name": "d", "min": 0, "max": 8}])";
const std::string table = R"("attributes": [{"name": "a", "domain": 4}, {"name": "b", "domain": 3},
    {"name": "c", "domain": 2}])";

std::vector<PlanCase> shares() {
    std::vector<PlanCase> all;
    for (const char* each : {"grr", "subset", "projective", "hadamard", "olh", "blh", "oue", "sue"})
        all.push_back(oracle(each, ""));
    for (const char* each : {"l_grr", "l_sue", "l_osue", "loloha"})
        all.push_back(oracle(each, R"(, "report_epsilon": 0.7)"));
    all.push_back(oracle("rappor", R"(, "filter_bits": 32, "hashes": 1, "cohorts": 4)", 2));
    all.push_back(oracle("dbitflip", R"(, "bits_per_report": 2)", 2));
    all.push_back(oracle("exponential", "", 4));
    all.push_back(oracle("tree", ""));
    all.push_back(oracle("haar_ordered", ""));
    PlanCase series = oracle("ddrm", R"(, "rounds": 4)", 4);
    series.asked = all_shares(8, R"(, "round": 3)", 2);
    series.person = [](BitSource& bits) { return std::vector<Cell>(4, bits.below(8)); };
    all.push_back(series);
    return all;
}

std::vector<PlanCase> means() {
    std::vector<PlanCase> all;
    for (const char* each :
         {"optimal", "duchi", "hybrid", "pdp", "piecewise", "laplace", "onebit", "square_wave"})
        all.push_back(number(each));
    // Of these too few reports would be about some levels or coefficients.
    for (const char* each : {"tree", "haar_ordered"}) {
        all.push_back(number(each));
        all.back().people = 400;
    }
    const auto alike = [](BitSource& bits) { return std::vector<Cell>(4, normal_cell(bits)); };
    all.push_back(number("threshold_series", R"(, "rounds": 4)", 4));
    all.back().asked = {mean_of("{" + normal + R"(, "round": 3})", 3, 2)};
    all.back().person = alike;
    all.back().people = 200;
    for (const char* each : {"haar", "duchi_vector"}) {
        all.push_back({each, spec_of(each, 2, numbers), {}, alike, 300});
        for (std::size_t j = 0; j < 4; ++j)
            all.back().asked.push_back(mean_of(
                R"({"attribute": ")" + std::string(1, static_cast<char>('a' + j)) + "\", " + normal + "}", 3,
                j));
    }
    return all;
}

std::vector<PlanCase> records() {
    const auto person = [](BitSource& bits) {
        return std::vector<Cell>{bits.below(4), normal_cell(bits) * 512, bits.below(3)};
    };
    PlanCase one{"sampled", spec_of("sampled", 2, profile), all_shares(4), person, 400, 2500};
    for (Asked& each : all_shares(3, R"(, "attribute": "c")", 2)) one.asked.push_back(each);
    PlanCase mean{
        "sampled, mean", one.spec, {mean_of(R"({"attribute": "b", )" + normal + "}", 3, 1)}, person, 200};
    return {one, mean};
}

std::vector<PlanCase> pairs(const std::string& mechanism) {
    const auto person = [](BitSource& bits) {
        return std::vector<Cell>{bits.below(4), bits.below(3), bits.below(2)};
    };
    // So many that no question is asked of fewer than two.
    const std::size_t people = mechanism == "joint" ? 400 : 1600;
    PlanCase one{mechanism, spec_of(mechanism, 2, table), all_shares(4), person, people, 2500};
    PlanCase pair{mechanism + ", pairs", one.spec, {}, person, people, 2500};
    for (std::size_t v = 0; v < 4; ++v)
        pair.asked.push_back({"{\"joint_with\": \"b\", \"value\": " + std::to_string(v) + "}", 1 / 12.0,
                              [v](const SummaryView& view) {
                                  const Marginal both(view, {0, 1}, Combination::consistent, Target::sample);
                                  return both.measured(Cells(both.sizes()).box(3 * v)).estimate.value;
                              }});
    return {one, pair};
}

/// Two layers, and memory.
const std::string kept =
    R"(, "report_epsilon": 1, "evolving": {}, "budget": {"epsilon": 100, "report_spent": false})";

std::vector<PlanCase> again(const std::string& how, std::size_t rounds, bool days) {
    std::vector<PlanCase> all;
    for (const char* each : {"l_grr", "l_osue", "loloha", "rappor"}) {
        all.push_back(oracle(each, kept, 2));
        all.back().asked = all_shares(8, how);
    }
    for (const char* each : {"onebit", "optimal"}) {
        all.push_back(number(each, kept, 2));
        all.back().asked = {mean_of("{" + normal + how + "}", 3)};
    }
    for (PlanCase& one : all) {
        one.rounds = rounds;
        one.days = days;
    }
    all[3].spec = spec_of("rappor", 2, R"("domain": 8, "filter_bits": 32, "hashes": 1, "cohorts": 4)" + kept);
    return all;
}

std::vector<PlanCase> quantiles() {
    std::vector<PlanCase> all;
    for (const char* each : {"tree", "haar_ordered", "square_wave"}) {
        PlanCase one{each, spec_of(each, 2, R"("min": 0, "max": 255, "grid": 255)"),
                     {},   [](BitSource& bits) { return std::vector<Cell>{bits.below(256)}; },
                     1000, 2400};
        for (const double share : {0.3, 0.5, 0.62})
            one.asked.push_back({"{\"quantile\": " + text(share) + "}", 256 * share - 0.5,
                                 [=](const SummaryView& view) { return quantile(view, share); }});
        all.push_back(one);
    }
    all.push_back(
        kept_number("",
                    {R"({"quantile": 0.4, "round": 3})", 64 * 0.4 - 0.5,
                     [](const SummaryView& view) {
                         return RoundDistribution(view, 3).quantile(0.4, 0.95, Target::sample).value;
                     }},
                    below_64));
    all.back().people = 3000;
    all.back().repetitions = 2400;
    return all;
}

/// Bins of a number that is reported together with a category.
PlanCase bins(const std::string& mechanism) {
    const std::string spec = spec_of(mechanism, 2, R"("attributes": [{"name": "a", "domain": 3},
        {"name": "b", "min": 0, "max": 8, "bins": 8}])");
    return {mechanism + ", bins",
            spec,
            {{R"({"attribute": "b", "low": 2, "high": 5})", 3 / 8.0,
              [](const SummaryView& view) {
                  Combined::Box box{std::vector<bool>(8)};
                  box[0][2] = box[0][3] = box[0][4] = true;
                  return Marginal(view, {1}, Combination::consistent, Target::sample)
                      .measured(box)
                      .estimate.value;
              }}},
            [](BitSource& bits) {
                return std::vector<Cell>{bits.below(3), bits.below(8)};
            },
            200};
}

/// The report of one person: all rounds of a series, of which perturb() would return one; memoized
/// responses on all days and in all rounds; or a single response.
void report(const Mechanism& m, const PlanCase& one, const std::vector<Cell>& person,
            std::vector<OwnedSummary>& days, BitSource& bits) {
    std::vector<std::byte> report(m.block().begin(), m.block().end());
    report.resize(m.block().size() + m.payload_size());
    const auto payload = std::span(report).last(m.payload_size());
    if (const auto* series = find_capability<SeriesRandomizer>(m)) {
        std::vector<std::byte> randomness(m.public_size());
        m.draw_public(bits, randomness);
        SeriesState state;
        for (const Cell value : person)
            if (series->advance(state, value, randomness, bits, payload)) days[0].add(report);
    } else if (one.days || one.rounds > 1) {
        Device device(m, bits);
        for (OwnedSummary& day : days)
            for (std::size_t round = 0; round < one.rounds; ++round) {
                device.report(person, payload);
                day.add(report, Rounds::only(static_cast<std::int32_t>(round)));
            }
    } else {
        days[0].draw(person, bits);
    }
}

/// The root mean square of errors in units of what is predicted.
double measured(const PlanCase& one) {
    const Spec spec = resolve(one.spec);
    const auto m = make_mechanism(spec);
    std::vector<double> predicted;
    for (const Asked& each : one.asked)
        predicted.push_back(
            predict(*m, spec, PlanningTarget::from_json(each.question, spec), static_cast<double>(one.people))
                .error());
    SeededBits bits(2026);
    double sum = 0;
    for (std::size_t r = 0; r < one.repetitions; ++r) {
        std::vector<OwnedSummary> days(one.days ? 2 : 1, OwnedSummary(*m));
        for (std::size_t i = 0; i < one.people; ++i) report(*m, one, one.person(bits), days, bits);
        for (std::size_t i = 0; i < one.asked.size(); ++i) {
            const Asked& each = one.asked[i];
            const double first = one.days ? each.answer(days[1].view()) : each.truth;
            const double off = (each.answer(days[0].view()) - first) / predicted[i];
            sum += off * off;
        }
    }
    return std::sqrt(sum / static_cast<double>(one.repetitions * one.asked.size()));
}

void check(const std::vector<PlanCase>& cases, double within = 0.05) {
    for (const PlanCase& one : cases) BOOST_TEST_CONTEXT(one.name) {
            const double found = measured(one);
            BOOST_CHECK_GT(found, 1 - within);
            BOOST_CHECK_LT(found, 1 + within);
        }
}

}  // namespace

BOOST_AUTO_TEST_CASE(shares_err_as_predicted, *boost::unit_test::label("slow")) {
    check(shares());
}
BOOST_AUTO_TEST_CASE(means_err_as_predicted, *boost::unit_test::label("slow")) {
    check(means());
}
BOOST_AUTO_TEST_CASE(records_err_as_predicted, *boost::unit_test::label("slow")) {
    check(records());
}
BOOST_AUTO_TEST_CASE(pairs_err_as_predicted, *boost::unit_test::label("slow")) {
    for (const char* mechanism : {"joint", "joint_haar"}) check(pairs(mechanism));
}
BOOST_AUTO_TEST_CASE(ranges_err_as_predicted, *boost::unit_test::label("slow")) {
    check({ranges("tree", 1), ranges("haar_ordered", 1), ranges("square_wave", 1), bins("joint"),
           bins("joint_haar")});
    // Sharp, and smoothed.
    for (const char* thresholds : {R"(, "thresholds": 63)", ""})
        check({kept_number(thresholds,
                           {R"({"low": 12, "high": 41, "round": 3})", 30 / 64.0,
                            [](const SummaryView& view) {
                                return RoundDistribution(view, 3).share_between(12, 41, Target::sample).value;
                            }},
                           below_64)});
}
BOOST_AUTO_TEST_CASE(quantiles_err_as_predicted, *boost::unit_test::label("slow")) {
    check(quantiles(), 0.1);
}

// Two in five people have the very same number. Near it, answers that smear are off on average; the mean of
// 100 of them is known to a tenth of their standard deviation, and is 6 times that off with a chance of 2e-9.
BOOST_AUTO_TEST_CASE(heaps_put_smeared_answers_off_as_predicted, *boost::unit_test::label("slow")) {
    constexpr std::size_t points = 257, heap = 96, people = 5000, repetitions = 100;
    const Spec spec = resolve(spec_of("square_wave", 2, R"("min": 0, "max": 256, "grid": 256)"));
    const auto m = make_mechanism(spec);
    std::vector<double> shares(points, 0.6 / points);
    shares[heap] += 0.4;
    const ErrorPrediction error_prediction(*m, spec.attributes(), {shares});
    const double truth = 0.4 + 0.6 * (heap - 39) / points;
    const Parts of_range = error_prediction.range(0, {40, heap}, people, truth);
    const Parts of_quantile = error_prediction.quantile(0, 0.3, people, heap);
    SeededBits bits(41);
    double range[2] = {}, place[2] = {};
    for (std::size_t r = 0; r < repetitions; ++r) {
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < people; ++i)
            summary.draw(std::vector<Cell>{uniform(bits) < 0.4 ? heap : bits.below(points)}, bits);
        const double one = share_between(summary.view(), 40, heap, Target::sample).value;
        const double other = quantile(summary.view(), 0.3);
        range[0] += one / repetitions, range[1] += one * one / repetitions;
        place[0] += other / repetitions, place[1] += other * other / repetitions;
    }
    const auto tenth = [](const double(&moments)[2]) {
        return std::sqrt((moments[1] - moments[0] * moments[0]) / repetitions);
    };
    BOOST_TEST_CONTEXT("ranges " << of_range.smearing << ", quantiles " << of_quantile.smearing) {
        BOOST_CHECK_GT(std::abs(of_range.smearing), 0.1);
        BOOST_CHECK_SMALL(range[0] - truth - of_range.smearing, 6 * tenth(range));
        BOOST_CHECK_SMALL(place[0] - heap - 128 * of_quantile.smearing, 6 * tenth(place));
    }
}

BOOST_AUTO_TEST_CASE(pooled_rounds_err_as_predicted, *boost::unit_test::label("slow")) {
    check(again(R"(, "rounds": 4)", 4, false));
}
BOOST_AUTO_TEST_CASE(changes_err_as_predicted, *boost::unit_test::label("slow")) {
    // People keep their values, so that these leave nothing open.
    check(again(R"(, "compare": "days", "repeat_rate": 1, "target": "sample")", 1, true));
}

// What is promised before anything is known of the people -------------------------------------------------

BOOST_AUTO_TEST_CASE(no_people_make_means_noisier_than_is_promised) {
    SeededBits bits(7);
    for (const char* each : {"tree", "haar_ordered"})
        for (const std::size_t steps : {100U, 255U, 700U})
            for (const double epsilon : {0.5, 4.0})
                BOOST_TEST_CONTEXT(each << " " << steps << " " << epsilon) {
                    const auto m =
                        mechanism(each, epsilon, R"("min": 0, "max": 1, "grid": )" + std::to_string(steps));
                    const auto at = [&](std::initializer_list<std::size_t> points) {
                        std::vector<double> shares(steps + 1);
                        for (const std::size_t point : points)
                            shares[point] += 1 / static_cast<double>(points.size());
                        return shares;
                    };
                    std::vector<std::vector<double>> people{
                        std::vector<double>(steps + 1, 1 / static_cast<double>(steps + 1)),
                        at({0}),
                        at({steps}),
                        at({steps / 2}),
                        at({0, steps / 2, steps}),
                        at({steps / 4, steps - steps / 4})};
                    for (int i = 0; i < 50; ++i)
                        people.push_back(
                            at({bits.below(steps + 1), bits.below(steps + 1), bits.below(steps + 1)}));
                    for (const std::vector<double>& shares : people)
                        BOOST_CHECK_LE(m->n_variance_of(0, 0, shares), 1.03 * m->expected_variance(0));
                }
}

// The ways back ---------------------------------------------------------------------------------------------

const std::string region = R"("mechanism": "auto", "attributes": [{"name": "region", "domain": 12}])";

BOOST_AUTO_TEST_CASE(people_and_epsilon_reach_the_error, *boost::unit_test::label("slow")) {
    const std::string earnings =
        R"("mechanism": "tree", "attributes": [{"name": "wage", "min": 0, "max": 100}], "grid": 100)";
    for (const auto& [spec, goal] :
         {std::pair{region, R"({"error": 0.01})"},
          {region, R"({"margin": 0.02, "confidence": 0.99, "compare": "groups", "part": 0.2})"},
          {region, R"({"proportion": 0.4, "effect": 0.05, "power": 0.9, "response_rate": 0.7})"},
          {earnings, R"({"error": 1.5})"},
          {earnings, R"({"low": 10, "high": 35, "error": 0.02})"},
          {earnings, R"({"quantile": 0.5, "mean": 40, "sd": 20, "error": 1})"}})
        BOOST_TEST_CONTEXT(goal) {
            const Planning planning(R"({"epsilon": 1, )" + spec + "}", goal);
            const double wanted = *planning.question().wanted();
            const auto found = planning.plan({});
            const double reached = found.prediction.error();
            BOOST_CHECK_LE(reached, wanted);
            BOOST_CHECK_GT(reached, 0.97 * wanted);
            const Planning back("{" + spec + "}", goal);
            const auto people = static_cast<std::int64_t>(found.people);
            BOOST_CHECK_LE(back.required_epsilon(people), 1 * (1 + 1e-3));
            BOOST_CHECK_GT(back.required_epsilon(people), 0.97);
            BOOST_CHECK_LE(back.plan(people).prediction.error(), wanted);
        }
}

BOOST_AUTO_TEST_CASE(no_fewer_people_would_do) {
    const Planning planning(R"({"epsilon": 1, )" + region + "}", R"({"error": 0.01})");
    const auto needed = planning.required_people();
    const Spec spec = resolve(R"({"epsilon": 1, )" + region + "}");
    const auto m = make_mechanism(spec);
    const auto error = [&](std::uint64_t n) {
        return predict(*m, spec, planning.question(), static_cast<double>(n)).error();
    };
    BOOST_CHECK_LE(error(needed), 0.01);
    BOOST_CHECK_GT(error(needed - 1), 0.01);
    // By hand: noise of the mechanism and sampling of a twelfth.
    const double f = 1 / 12.0;
    BOOST_CHECK_EQUAL(needed,
                      static_cast<std::uint64_t>(std::ceil((m->n_variance(f) + f * (1 - f)) / 0.0001)));
    // Fewer reports than min_group are not shown.
    BOOST_CHECK_EQUAL(Planning(R"({"epsilon": 1, )" + region + "}", R"({"error": 5, "response_rate": 0.5})")
                          .required_people(),
                      40U);
}

BOOST_AUTO_TEST_CASE(the_mechanism_is_chosen_anew) {
    const Planning planning("{" + region + "}", R"({"error": 0.01})");
    BOOST_CHECK_EQUAL(planning.plan(1000000).spec.mechanism().name, std::string("subset"));
    BOOST_CHECK_EQUAL(planning.plan(2200).spec.mechanism().name, std::string("grr"));
}

BOOST_AUTO_TEST_CASE(power_and_effect_are_inverse) {
    for (const double power : {0.5, 0.8, 0.99})
        for (const double confidence : {0.9, 0.95, 0.999})
            BOOST_CHECK_CLOSE_FRACTION(power_of(least_effect(power, confidence), confidence), power, 1e-12);
    // 80 % at 95 % confidence: 1.960 + 0.842 standard errors.
    BOOST_CHECK_CLOSE_FRACTION(least_effect(0.8, 0.95), 2.80159, 1e-4);
    BOOST_CHECK_CLOSE_FRACTION(power_of(0, 0.95), 0.05, 1e-9);
    const std::string goal = R"({"effect": 0.03, "power": 0.8, "compare": "groups"})";
    const Planning planning(R"({"epsilon": 1, )" + region + "}", goal);
    const auto people = static_cast<std::int64_t>(planning.required_people());
    BOOST_CHECK_GE(planning.power(people), 0.8);
    BOOST_CHECK_LT(planning.power(people - 10), 0.8);
}

BOOST_AUTO_TEST_CASE(sources_are_what_they_say) {
    const Spec spec = resolve(R"({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 8, "grid": 16})");
    const auto m = make_mechanism(spec);
    const auto source = [&](const std::string& question, std::string_view name) {
        for (const auto& each : predict(*m, spec, PlanningTarget::from_json(question, spec), 1000).sources)
            if (each.name == name) return each.square * 16;  // half the range, squared
        return 0.0;
    };
    // People spread evenly over 0 to 8; steps of a half.
    BOOST_CHECK_CLOSE_FRACTION(source("{}", "sample of people"), 64 / 12.0 / 1000, 1e-5);
    BOOST_CHECK_CLOSE_FRACTION(source("{}", "rounding"), 0.25 / 6 / 1000, 1e-12);
    BOOST_CHECK_EQUAL(source(R"({"target": "sample"})", "sample of people"), 0);
    // Half of a normal law lies below 0, and is moved there: its mean rises by 1/√(2π) standard deviations.
    BOOST_CHECK_CLOSE_FRACTION(std::sqrt(source(R"({"mean": 0, "sd": 1})", "clamping")), 0.39894, 1e-4);
    BOOST_CHECK_CLOSE_FRACTION(std::sqrt(source(R"({"mean": 8, "sd": 1})", "clamping")), 0.39894, 1e-4);
    BOOST_CHECK_SMALL(source(R"({"mean": 4, "sd": 0.5})", "clamping"), 1e-20);
    // If half of them answer, the rest add as much again as all would leave.
    const double all =
        source("{}", "randomizer") + source("{}", "sample of people") + source("{}", "rounding");
    BOOST_CHECK_CLOSE_FRACTION(source(R"({"response_rate": 0.5})", "missing answers"), all, 1e-9);
    // Fresh answers of ten rounds: a tenth of the noise, and the same people.
    BOOST_CHECK_CLOSE_FRACTION(source(R"({"rounds": 10})", "randomizer"), source("{}", "randomizer") / 10,
                               1e-9);
    BOOST_CHECK_CLOSE_FRACTION(source(R"({"rounds": 10})", "sample of people"),
                               source("{}", "sample of people"), 1e-9);
}

BOOST_AUTO_TEST_CASE(a_series_is_planned_for_its_noisiest_round) {
    const Spec spec = resolve(R"({"mechanism": "ddrm", "epsilon": 1, "rounds": 6, "domain": 4})");
    const auto m = make_mechanism(spec);
    const auto error = [&](const std::string& question) {
        return predict(*m, spec, PlanningTarget::from_json(question, spec), 1000).error();
    };
    double worst = 0;
    for (int round = 1; round <= 6; ++round)
        worst = std::max(worst, error(R"({"value": 2, "round": )" + std::to_string(round) + "}"));
    BOOST_CHECK_CLOSE_FRACTION(error(R"({"value": 2})"), worst, 1e-9);
    BOOST_CHECK_LT(error(R"({"value": 2, "round": 6})"), worst * (1 + 1e-9));
}

BOOST_AUTO_TEST_CASE(a_series_of_numbers_is_planned_for_its_noisiest_round) {
    const Spec spec =
        resolve(R"({"mechanism": "threshold_series", "epsilon": 2, "rounds": 6, "min": 0, "max": 10})");
    const auto m = make_mechanism(spec);
    for (const std::string of : {R"("attribute": "value")", R"("low": 2, "high": 6)", R"("quantile": 0.5)"}) {
        const auto error = [&](const std::string& round) {
            return predict(*m, spec, PlanningTarget::from_json("{" + of + round + "}", spec), 10000).error();
        };
        double worst = 0;
        for (int round = 1; round <= 6; ++round)
            worst = std::max(worst, error(R"(, "round": )" + std::to_string(round)));
        BOOST_CHECK_CLOSE_FRACTION(error(""), worst, 0.02);
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_planned_is_said) {
    const auto code = [](const std::string& spec, const std::string& question) {
        try {
            (void)Planning(spec, question).plan({});
        } catch (const Error& error) {
            BOOST_CHECK(!error.hint().empty() || !error.detail().empty());
            return error.code();
        }
        return ErrorCode::full;
    };
    const std::string grr = R"({"mechanism": "grr", "epsilon": 1, "domain": ["a", "b"]})";
    const std::string wage = R"({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 8})";
    for (const char* question :
         {R"({})", R"({"error": 0.1, "margin": 0.1})", R"({"error": 0})", R"({"error": 0.1, "value": "c"})",
          R"({"error": 0.1, "value": 2})", R"({"error": 0.1, "attribute": "x"})",
          R"({"error": 0.1, "sd": 1})", R"({"error": 0.1, "mean": 1, "sd": 1})",
          R"({"error": 0.1, "compare": "years"})", R"({"error": 0.1, "proportion": 2})",
          R"({"error": 0.1, "what": 2})", R"({"error": 0.1, "joint_with": "value"})",
          R"({"error": 0.1, "low": 2, "high": 1})", R"({"error": 0.1, "low": 0, "quantile": 0.5})"})
        BOOST_CHECK_MESSAGE(code(grr, question) == ErrorCode::invalid_spec, question);
    BOOST_CHECK(code(grr, "{") == ErrorCode::malformed);
    // Two attributes that stand in no view together.
    const std::string apart = spec_of("joint", 1, R"("marginals": [["a", "b"], ["c"]], "attributes": [
        {"name": "a", "domain": 3}, {"name": "b", "domain": 3}, {"name": "c", "domain": 3}])");
    BOOST_CHECK(code(apart, R"({"error": 0.1, "joint_with": "c"})") == ErrorCode::unsupported);
    // A pair of which so few people would not be asked all.
    const std::string few = spec_of("joint_haar", 1, R"("people": 300, "attributes": [
        {"name": "a", "domain": 16}, {"name": "b", "domain": 16}])");
    BOOST_CHECK(code(few, R"({"error": 0.1, "joint_with": "b"})") == ErrorCode::unsupported);
    // Whole bins are estimated.
    const std::string binned = spec_of("joint", 1, R"("attributes": [{"name": "a", "domain": 3},
        {"name": "b", "min": 0, "max": 8, "bins": 8}])");
    BOOST_CHECK(code(spec_of("sampled", 1, profile),
                     R"({"error": 0.1, "attribute": "b", "quantile": 0.5})") == ErrorCode::unsupported);
    BOOST_CHECK(code(binned, R"({"error": 0.1, "attribute": "b", "low": 2.5, "high": 4})") ==
                ErrorCode::invalid_value);
    BOOST_CHECK(code(binned, R"({"error": 0.1, "attribute": "b", "low": 2})") == ErrorCode::full);
    BOOST_CHECK(code(binned, R"({"error": 0.1, "attribute": "b", "quantile": 0.5})") ==
                ErrorCode::unsupported);

    BOOST_CHECK(code(R"({"mechanism": "grr", "domain": 2})", R"({"error": 0.1})") == ErrorCode::invalid_spec);
    for (const char* question : {R"({"error": 0.1, "low": 0})", R"({"error": 0.1, "quantile": 0.5})",
                                 R"({"error": 0.1, "compare": "days", "repeat_rate": 1})"})
        BOOST_CHECK_MESSAGE(code(grr, question) == ErrorCode::unsupported, question);
    BOOST_CHECK(code(wage, R"({"error": 0.1, "mean": 8, "sd": 4})") == ErrorCode::invalid_value);
    BOOST_CHECK_THROW((void)Planning(grr, R"({"error": 0.0001})").required_epsilon(100), Error);
    BOOST_CHECK_THROW((void)Planning(grr, R"({"error": 0.1})").power(100), Error);
    BOOST_CHECK_THROW((void)Planning(grr, R"({"effect": 0.1})").power(0), Error);
}

// What advice and choices go by: no truth leads to more, and one to as much. Where a lot decides what people
// report, people who differ lead to more than people who are alike.
BOOST_AUTO_TEST_CASE(promised_variances_are_the_worst) {
    for (const double epsilon : {0.5, 2.0, 8.0}) BOOST_TEST_CONTEXT("epsilon " << epsilon) {
            const auto haar = [&](const char* details) {
                return mechanism("haar", epsilon, details + unit_attributes(4));
            };
            const auto alike = [](const Mechanism& m) {
                double worst = 0;
                for (int step = -977; step <= 977; ++step)
                    worst = std::max(worst, m.n_variance(step / 977.0));
                return worst;
            };
            const auto global = haar(R"("grid": 100, "details": "global", )"),
                       sampled = haar(R"("grid": 100, )");
            BOOST_CHECK_CLOSE_FRACTION(alike(*global), global->expected_variance(0), 1e-3);
            BOOST_CHECK_LT(alike(*sampled), sampled->expected_variance(0));
        }
    // Of shares the errors of one that is like the others are shown.
    const auto buckets = mechanism("dbitflip", 1, R"("domain": 12, "buckets": 6, "bits_per_report": 2)");
    BOOST_CHECK_EQUAL(buckets->expected_variance(0), buckets->n_variance(1.0 / 6));
    BOOST_CHECK_GT(buckets->expected_variance(0), 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

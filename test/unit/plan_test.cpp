// Planning: what is predicted against what happens, of every mechanism and question that it answers, and the
// ways back from an error to people, epsilon and power.
//
// The error of an answer is estimated by its root mean square over repetitions, each with people of their own
// from the population that the question assumes. Of near-normal errors it has the relative standard deviation
// 1/√(2·N), N being repetitions times the answers of each that are nearly independent. N is at least 7200, so
// that 5 % are six standard deviations: a right prediction and a fresh seed fail with probability 2e-9.

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/joint/marginal.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/plan/outlook.hpp"
#include "core/plan/plan.hpp"
#include "core/summary/distribution.hpp"
#include "simulation.hpp"

namespace ldp::test {

namespace {

/// A question, the true answer, and how a summary is asked.
struct Asked {
    std::string question;
    double truth;
    std::function<double(const SummaryView&)> answer;
};

struct Case {
    const char* name;
    std::string spec;
    std::vector<Asked> asked;
    /// The cells of one person of the population.
    std::function<std::vector<Cell>(BitSource&)> person;
    std::size_t people = 100, repetitions = 7200;
};

double uniform(BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53);
}

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

Case oracle(const char* mechanism, const std::string& rest, double epsilon = 1) {
    return {mechanism,     spec_of(mechanism, epsilon, R"("domain": 8)" + rest),
            all_shares(8), [](BitSource& bits) { return std::vector<Cell>{bits.below(8)}; },
            200,           1200};
}

Case number(const char* mechanism, const std::string& rest = "", double epsilon = 1) {
    return {mechanism,
            spec_of(mechanism, epsilon, R"("min": 0, "max": 8, "grid": 64)" + rest),
            {mean_of("{" + normal + "}", 3)},
            [](BitSource& bits) { return std::vector<Cell>{normal_cell(bits)}; }};
}

/// Of ranges of whole numbers from 0 to 63.
Case ranges(const char* mechanism, double epsilon) {
    Case one{mechanism, spec_of(mechanism, epsilon, R"("min": 0, "max": 63, "grid": 63)"),
             {},        [](BitSource& bits) { return std::vector<Cell>{bits.below(64)}; },
             1000,      1200};
    for (const auto& [low, high] : {std::pair{0, 12}, {13, 20}, {21, 31}, {32, 40}, {41, 55}, {56, 63}})
        one.asked.push_back({"{\"low\": " + std::to_string(low) + ", \"high\": " + std::to_string(high) + "}",
                             (high - low + 1) / 64.0, [low = low, high = high](const SummaryView& view) {
                                 return share_between(view, low, high, Target::sample).value;
                             }});
    return one;
}

const std::string profile = R"("attributes": [{"name": "a", "domain": 4},
    {"name": "b", "min": 0, "max": 8, "mechanism": "pdp"}, {"name": "c", "domain": ["x", "y", "z"]}])";
const std::string numbers = R"("grid": 64, "attributes": [{"name": "a", "min": 0, "max": 8},
    {"name": "b", "min": 0, "max": 8}, {"name": "c", "min": 0, "max": 8}, {"name": "d", "min": 0, "max": 8}])";
const std::string table = R"("attributes": [{"name": "a", "domain": 4}, {"name": "b", "domain": 3},
    {"name": "c", "domain": 2}])";

std::vector<Case> shares() {
    std::vector<Case> all;
    for (const char* each : {"grr", "subset", "projective", "hadamard", "olh", "blh", "oue", "sue"})
        all.push_back(oracle(each, ""));
    for (const char* each : {"l_grr", "l_sue", "l_oue", "loloha"})
        all.push_back(oracle(each, R"(, "first_epsilon": 0.7)"));
    all.push_back(oracle("rappor", R"(, "bits": 32, "hashes": 1, "cohorts": 4)", 2));
    all.push_back(oracle("dbitflip", R"(, "bits": 2)", 2));
    all.push_back(oracle("exponential", "", 4));
    all.push_back(oracle("tree", ""));
    all.push_back(oracle("haar_ordered", ""));
    Case series = oracle("ddrm", R"(, "rounds": 4)", 4);
    series.asked = all_shares(8, R"(, "round": 3)", 2);
    series.person = [](BitSource& bits) { return std::vector<Cell>(4, bits.below(8)); };
    all.push_back(series);
    return all;
}

std::vector<Case> means() {
    std::vector<Case> all;
    for (const char* each :
         {"optimal", "duchi", "hybrid", "pdp", "piecewise", "laplace", "onebit", "square_wave"})
        all.push_back(number(each));
    // Of these too few reports would be about some levels or coefficients.
    for (const char* each : {"tree", "haar_ordered"}) {
        all.push_back(number(each));
        all.back().people = 400;
    }
    const auto alike = [](BitSource& bits) { return std::vector<Cell>(4, normal_cell(bits)); };
    for (const char* each : {"haar", "duchi_vector"}) {
        all.push_back({each, spec_of(each, 2, numbers), {}, alike, 300});
        for (std::size_t j = 0; j < 4; ++j)
            all.back().asked.push_back(mean_of(
                R"({"attribute": ")" + std::string(1, static_cast<char>('a' + j)) + "\", " + normal + "}", 3,
                j));
    }
    return all;
}

std::vector<Case> records() {
    const auto person = [](BitSource& bits) {
        return std::vector<Cell>{bits.below(4), normal_cell(bits) * 512, bits.below(3)};
    };
    Case one{"sampled", spec_of("sampled", 2, profile), all_shares(4), person, 400, 2500};
    for (Asked& each : all_shares(3, R"(, "attribute": "c")", 2)) one.asked.push_back(each);
    Case mean{
        "sampled, mean", one.spec, {mean_of(R"({"attribute": "b", )" + normal + "}", 3, 1)}, person, 200};
    return {one, mean};
}

std::vector<Case> pairs() {
    const auto person = [](BitSource& bits) {
        return std::vector<Cell>{bits.below(4), bits.below(3), bits.below(2)};
    };
    Case one{"joint", spec_of("joint", 2, table), all_shares(4), person, 400, 2500};
    Case pair{"joint, pairs", one.spec, {}, person, 400, 2500};
    for (std::size_t v = 0; v < 4; ++v)
        pair.asked.push_back({"{\"with\": \"b\", \"value\": " + std::to_string(v) + "}", 1 / 12.0,
                              [v](const SummaryView& view) {
                                  const Marginal both(view, {0, 1}, Combination::consistent, Target::sample);
                                  return both.share(Cells(both.sizes()).box(3 * v)).value;
                              }});
    return {one, pair};
}

std::vector<Case> quantiles() {
    std::vector<Case> all;
    for (const char* each : {"tree", "haar_ordered", "square_wave"}) {
        Case one{each, spec_of(each, 2, R"("min": 0, "max": 1023, "grid": 1023)"),
                 {},   [](BitSource& bits) { return std::vector<Cell>{bits.below(1024)}; },
                 2000, 500};
        for (const double share : {0.3, 0.5, 0.62})
            one.asked.push_back({"{\"quantile\": " + text(share) + "}", 1024 * share - 0.5,
                                 [=](const SummaryView& view) { return quantile(view, share); }});
        all.push_back(one);
    }
    return all;
}

/// All answers of a person's series; perturb() would tell one of them.
void report_series(const Mechanism& m, const SeriesRandomizer& series, const std::vector<Cell>& person,
                   OwnedSummary& summary, BitSource& bits) {
    std::vector<std::byte> randomness(m.public_size()), report(m.block().begin(), m.block().end());
    report.resize(m.block().size() + m.payload_size());
    m.draw_public(bits, randomness);
    SeriesState state;
    for (const Cell value : person)
        if (series.advance(state, value, randomness, bits, std::span(report).last(m.payload_size())))
            summary.add(report);
}

/// The root mean square of errors in units of what is predicted.
double measured(const Case& one) {
    const Spec spec = Spec::from_json(one.spec);
    const auto m = make_mechanism(spec);
    std::vector<double> predicted;
    for (const Asked& each : one.asked)
        predicted.push_back(predict(*m, spec, PlannedQuestion::from_json(each.question, spec),
                                    static_cast<double>(one.people))
                                .error());
    SeededBits bits(2026);
    double sum = 0;
    for (std::size_t r = 0; r < one.repetitions; ++r) {
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < one.people; ++i) {
            const std::vector<Cell> person = one.person(bits);
            if (const auto* series = find_capability<SeriesRandomizer>(*m))
                report_series(*m, *series, person, summary, bits);
            else
                summary.draw(person, bits);
        }
        for (std::size_t i = 0; i < one.asked.size(); ++i) {
            const double off = (one.asked[i].answer(summary.view()) - one.asked[i].truth) / predicted[i];
            sum += off * off;
        }
    }
    return std::sqrt(sum / static_cast<double>(one.repetitions * one.asked.size()));
}

void check(const std::vector<Case>& cases) {
    for (const Case& one : cases) BOOST_TEST_CONTEXT(one.name) {
            const double found = measured(one);
            if (getenv("SHOW")) std::printf("%-20s %.4f\n", one.name, found);
            BOOST_CHECK_GT(found, 0.95);
            BOOST_CHECK_LT(found, 1.05);
        }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan)

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
    check(pairs());
}
BOOST_AUTO_TEST_CASE(ranges_err_as_predicted, *boost::unit_test::label("slow")) {
    check({ranges("tree", 1), ranges("haar_ordered", 1), ranges("square_wave", 1)});
}
BOOST_AUTO_TEST_CASE(quantiles_err_as_predicted, *boost::unit_test::label("slow")) {
    check(quantiles());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

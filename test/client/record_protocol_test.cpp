// "evolving": "auto" for records and with "estimate": one ε for all parts, with the mechanisms that the rule on budgets
// permits, and predictions that simulations with real clients confirm.

#include "core/choice/record_protocol.hpp"

#include <cmath>

#include "client_support.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/role/capability.hpp"
#include "simulation/simulation.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(record_protocol)

namespace {

/// Age is kept, and the others change.
const std::string listed = R"("attributes": [{"name": "age", "min": 17, "max": 90},
    {"name": "minutes", "min": 0, "max": 360}, {"name": "mood", "domain": 3}])";

std::string with(const std::string& stream, const std::string& attributes = listed,
                 const std::string& budget = R"({"epsilon": 20})") {
    return R"({"mechanism": "auto", "evolving": "auto", "budget": )" + budget + R"(, "stream": )" + stream +
           ", " + attributes + "}";
}

const std::string changing = R"({"rounds": 24, "people": 8000, "attributes":
    {"minutes": {"change_rate": 0.01, "jitter": 10}, "mood": {"change_rate": 0.2}}})";

std::string refusal(const std::string& text) {
    try {
        static_cast<void>(resolve(text));
    } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::invalid_spec));
        return std::string(error.what()) + " | " + error.detail() + " | " + error.hint();
    }
    return {};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

// The plan, the choice and the resolved spec have the same numbers, to the printed digits.
BOOST_AUTO_TEST_CASE(a_plan_is_the_choice_and_the_resolved_spec, *boost::unit_test::label("slow")) {
    const std::string text = with(changing);
    const PlannedRecord plan = plan_record_protocol(parse_json(text));
    const Spec spec = resolve(text);
    BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == plan.spec.fingerprint());
    BOOST_CHECK(spec.fingerprint() == plan.spec.fingerprint());
    BOOST_REQUIRE(plan.parts.size() == 3u);
    std::string errors;
    for (const PlannedPart& part : plan.parts)
        errors += (errors.empty() ? "" : ", ") + part.name + " " + rounded(part.error, 3);
    BOOST_REQUIRE(spec.chosen().has_value());
    BOOST_TEST(contains(spec.chosen()->reason, ": " + errors + "; for 24 rounds of 8000 people"));
    // The canonical spec is predicted alike.
    const Spec again = Spec::from_json(spec.to_json());
    const std::vector<PlannedPart> predicted = predict_parts(again, plan.stream, predicted_values);
    BOOST_REQUIRE(predicted.size() == 3u);
    const auto mechanism = make_mechanism(again);
    const StreamNeeds needs(again.attributes(), *again.evolving(), again.budget(), plan.stream);
    const std::uint64_t responses = affordable_responses(again, *mechanism);
    for (std::size_t i = 0; i < 3; ++i) {
        BOOST_TEST(predicted[i].error == plan.parts[i].error);
        BOOST_TEST(predicted[i].ended == plan.parts[i].ended);
        BOOST_TEST(plan.parts[i].mechanism == again.attributes()[i].mechanism);
        // The rule: for at most 5 % of the people, with the share that the statement of a spec predicts.
        BOOST_TEST(plan.parts[i].ended <= 0.05);
        const RecordPart part = part_of(*mechanism, i);
        const double share = needs.exceeding(part.first, *part.mechanism, responses).value();
        BOOST_TEST(rounded(100 * share, 3) == rounded(100 * plan.parts[i].ended, 3));
    }
    BOOST_TEST(plan.parts[0].ended == 0);  // people who keep their age need one response
    // Another ε of the search has no smaller geometric mean of errors.
    const auto mean = [](const std::vector<PlannedPart>& parts) {
        double sum = 0;
        for (const PlannedPart& part : parts) sum += std::log(part.error);
        return sum;
    };
    for (const double factor : {0.25, 0.5}) {
        Json other = parse_json(text);
        other["epsilon"] = factor * spec.epsilon();
        const PlannedRecord fixed = plan_record_protocol(other);
        BOOST_TEST(fixed.spec.epsilon() == factor * spec.epsilon());
        BOOST_TEST(mean(fixed.parts) > mean(plan.parts) - 0.01);
    }
}

// Without a stream of its own, an attribute is kept: then the whole budget pays for one response.
BOOST_AUTO_TEST_CASE(kept_values_have_the_whole_budget, *boost::unit_test::label("slow")) {
    const Spec spec = resolve(with(R"({"rounds": 24, "people": 8000, "attributes": {}})"));
    BOOST_TEST(spec.epsilon() == 20);
    const std::string inside = R"("attributes": [{"name": "age", "min": 17, "max": 90},
        {"name": "minutes", "min": 0, "max": 360, "stream": {"change_rate": 0.01, "jitter": 10}},
        {"name": "mood", "domain": 3, "stream": {"change_rate": 0.2}}])";
    BOOST_TEST(resolve(with(R"({"rounds": 24, "people": 8000})", inside)).to_json() ==
               resolve(with(changing)).to_json());
    BOOST_TEST(contains(refusal(with(changing, inside)), "declared twice"));
}

// Margins determine the shares, and a series may be among the parts.
BOOST_AUTO_TEST_CASE(margins_and_series_are_kept) {
    const std::string attributes = R"("attributes": [
        {"name": "weight", "min": 0, "max": 100, "mechanism": "threshold_series", "rounds": 24, "changes": 2},
        {"name": "mood", "domain": 3}], "max_margin_of_error": {"mood": 0.02})";
    const PlannedRecord plan = plan_record_protocol(parse_json(with(
        R"({"rounds": 24, "people": 8000, "attributes": {"mood": {"change_rate": 0.02}}})", attributes)));
    BOOST_TEST(plan.parts[0].mechanism == "threshold_series");
    BOOST_TEST(plan.parts[0].error > 0);
    BOOST_TEST(plan.parts[1].ended <= 0.05);
    BOOST_TEST(plan.parts[0].chance + plan.parts[1].chance == 1);
    BOOST_TEST(plan.spec.attributes()[1].share > 0u);
    BOOST_TEST(Spec::from_json(plan.spec.to_json()).to_json() == plan.spec.to_json());
}

BOOST_AUTO_TEST_CASE(a_distribution_is_planned, *boost::unit_test::label("slow")) {
    const std::string stream = R"({"rounds": 24, "people": 8000, "change_rate": 0.05, "jitter": 5})";
    for (const char* want : {"distribution", "quantiles", "mean"}) {
        const Spec spec =
            resolve(with(stream, R"("min": 0, "max": 360, "estimate": ")" + std::string(want) + "\""));
        BOOST_TEST(spec.evolving().has_value());
        BOOST_TEST(spec.budget()->epsilon == 20);
        BOOST_TEST(Spec::from_json(spec.to_json()).to_json() == spec.to_json());
        const auto mechanism = make_mechanism(spec);
        const StreamNeeds needs(spec.attributes(), *spec.evolving(), spec.budget(),
                                DeclaredStream::from_json(parse_json(stream), spec.attributes()));
        BOOST_TEST(needs.exceeding(0, *mechanism, affordable_responses(spec, *mechanism)).value() <= 0.05);
    }
}

// Values of the simulation's streams: a number or category is replaced with probability 1/4 in each round.
BOOST_AUTO_TEST_CASE(simulations_confirm_the_errors, *boost::unit_test::label("slow")) {
    const std::string attributes = R"("attributes": [{"name": "colour", "domain": 4},
        {"name": "minutes", "min": 0, "max": 360}, {"name": "place", "domain": 6}])";
    constexpr std::uint64_t people = 12000;
    constexpr std::size_t rounds = 8, runs = 12;
    const PlannedRecord plan = plan_record_protocol(parse_json(with(
        R"({"rounds": 8, "people": 12000, "attributes": {"minutes": {"change_rate": 0.25}, "place": {"change_rate": 0.25}}})",
        attributes)));
    double squares[3] = {};
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        ldp::simulation::SimulationSetup scene{ldp::simulation::Stream::syn, people, rounds, seed, 1};
        scene.streams = {{}, ldp::simulation::Stream::syn, ldp::simulation::Stream::syn};
        for (const ldp::simulation::Round& round : ldp::simulation::simulate(Collection(plan.spec), scene))
            for (std::size_t j = 0; j < 3; ++j)
                squares[j] += round.record[j].error * round.record[j].error / (runs * rounds);
    }
    for (std::size_t j = 0; j < 3; ++j) {
        const double ratio = std::sqrt(squares[j]) / plan.parts[j].error;
        BOOST_TEST_MESSAGE(plan.parts[j].name << ": error " << std::sqrt(squares[j]) << ", predicted "
                                              << plan.parts[j].error << " through "
                                              << plan.parts[j].mechanism);
        // Twelve errors that are nearly those of one round each: the root mean square of 12 normal errors is
        // within a factor of 2.3 with probability 1 − 1e-8.
        BOOST_TEST((ratio > 1 / 2.6 && ratio < 2.3));
    }
}

BOOST_AUTO_TEST_CASE(impossible_plans_are_refused) {
    BOOST_TEST(contains(refusal(with(R"({"rounds": 501, "people": 10, "attributes": {}})")), "at most 500"));
    BOOST_TEST(contains(refusal(with(R"({"rounds": 5, "people": 10, "attributes": {"tempo": {}}})")),
                        "which is not an attribute"));
    BOOST_TEST(contains(refusal(with(changing, listed + R"(, "epsilon": 30)")), "\"epsilon\""));
    BOOST_TEST(contains(
        refusal(R"({"mechanism": "auto", "evolving": "auto", "stream": )" + changing + ", " + listed + "}"),
        "budget"));
    BOOST_TEST(contains(refusal(R"({"mechanism": "joint", "evolving": "auto", "budget": {"epsilon": 20},
                                "stream": )" +
                                changing + ", " + listed + "}"),
                        "must not be fixed"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

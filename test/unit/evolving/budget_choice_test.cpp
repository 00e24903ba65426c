// "auto" under a budget: no choice whose budget can end unseen, and the statements about it.

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/choice/evolving_choice.hpp"
#include "core/choice/response_needs.hpp"
#include "core/contract/response_count.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(budget_choice)

namespace {

using Document = nlohmann::json;

/// The canonical form of a spec, without braces around the text.
Document canonical(const std::string& inner) {
    return Document::parse(resolve("{" + inner + "}").to_json());
}

/// The text of an error, or of none.
std::string refusal(const std::string& inner) {
    try {
        static_cast<void>(resolve("{" + inner + "}"));
        return {};
    } catch (const Error& error) {
        return std::string(error.what()) + " | " + error.detail() + " | " + error.hint();
    }
}

bool contains(const std::string& text, const std::string& part) {
    BOOST_TEST_MESSAGE(text);
    return text.find(part) != std::string::npos;
}

/// Whether no budget of a person can end under the spec.
bool is_safe(const Document& spec) {
    const Spec parsed = resolve(spec.dump());
    return possible_responses(parsed, *make_mechanism(parsed)) <= affordable_responses(parsed);
}

const std::string twice = R"("mechanism": "auto", "epsilon": 2, "budget": {"epsilon": 10}, "evolving": {}, )";

}  // namespace

BOOST_AUTO_TEST_CASE(a_person_needs_at_most_this_many_responses) {
    // Numbers are rounded to few points, and a person of a record reports the same parts in all rounds.
    const auto possible = [](const std::string& json) {
        const Spec spec = resolve(json);
        return possible_responses(spec, *make_mechanism(spec));
    };
    const std::string rounded = R"({"mechanism": "duchi", "epsilon": 1, "budget": {"epsilon": 300},
        "attributes": [{"name": "x", "min": 0, "max": 1, "evolving": true}], "evolving": {"base_levels": )";
    for (const auto& [levels, ends] : {std::pair{1, 2u}, {2, 3u}, {8, 9u}, {3, 4u}, {6, 7u}, {7, 10u}})
        BOOST_CHECK_EQUAL(possible(rounded + std::to_string(levels) + "}}"), ends);
    const auto record = [&](unsigned parts) {
        return R"({"mechanism": "sampled", "epsilon": 2, "budget": {"epsilon": 300}, "evolving": {},
            "per_report": )" +
               std::to_string(parts) +
               R"(, "attributes": [{"name": "a", "domain": 4}, {"name": "b", "domain": 3},
            {"name": "c", "domain": 7, "mechanism": "oue"}]})";
    };
    BOOST_CHECK_EQUAL(possible(record(1)), 7u);
    BOOST_CHECK_EQUAL(possible(record(2)), 28u);
    BOOST_CHECK_EQUAL(possible(record(3)), 84u);
    const Spec spec = resolve(record(1));
    BOOST_CHECK_EQUAL(affordable_responses(spec), 150u);
    BOOST_CHECK_EQUAL(most_responses(spec, *make_mechanism(spec)), 7u);
}

// The budget of the vector can end in principle. Its signal costs one response, and leaves one less for the number.
BOOST_AUTO_TEST_CASE(the_signal_of_one_part_leaves_enough_for_the_others, *boost::unit_test::label("slow")) {
    for (const unsigned budget : {20, 24}) {
        const std::string document =
            R"({"mechanism": "auto", "epsilon": 4, "evolving": {}, "budget": {"epsilon": )" +
            std::to_string(budget) +
            R"(}, "stream": {"rounds": 120, "people": 20000, "attributes": {"minutes": {"change_rate": 0.25}}},
            "attributes": [{"name": "census", "vector": 15, "min": -1, "max": 1, "weight": 3},
                           {"name": "minutes", "min": 0, "max": 360, "estimate": "distribution"}]})";
        const Spec spec = resolve(document);
        const auto record = make_mechanism(spec);
        const StreamNeeds needs(
            spec.attributes(), *spec.evolving(), spec.budget(),
            DeclaredStream::from_json(Document::parse(document)["stream"], spec.attributes()));
        const std::uint64_t left = affordable_responses(spec, *record);
        BOOST_TEST(left == budget / 4 - 1);
        for (const RecordPart& part : parts_of(*record)) {
            BOOST_TEST_CONTEXT(budget << ", attribute " << part.first) {
                BOOST_TEST(needs.exceeding(part.first, *part.mechanism, left).value() <=
                           ResponseLimit::most_ended);
            }
        }
        BOOST_TEST(resolve(spec.to_json()).to_json() == spec.to_json());
    }
}

BOOST_AUTO_TEST_CASE(it_takes_a_mechanism_whose_budget_cannot_end) {
    const Document distribution = canonical(twice + R"("min": 0, "max": 360, "estimate": "distribution")");
    BOOST_CHECK_EQUAL(distribution["mechanism"], "dithered");
    BOOST_CHECK_EQUAL(distribution["buckets"], 5);
    BOOST_CHECK(contains(distribution["chosen"]["reason"], "tree would have"));
    BOOST_CHECK(contains(distribution["chosen"]["reason"], "the budget pays for 5"));
    BOOST_CHECK(is_safe(distribution));
    // The budget pays for fewer responses than dithered would take on its own.
    const Document fewer = canonical(
        R"("mechanism": "auto", "epsilon": 4, "budget": {"epsilon": 20}, "evolving": {}, "min": 0, "max": 360,
           "estimate": "quantiles")");
    BOOST_CHECK_EQUAL(fewer["mechanism"], "dithered");
    BOOST_CHECK_EQUAL(fewer["buckets"], 5);
    // A mean, few values, and many.
    for (const char* values : {R"("min": 0, "max": 360)", R"("domain": 4)", R"("domain": 100)"}) {
        const Document found = canonical(twice + values);
        BOOST_CHECK_MESSAGE(is_safe(found), found.dump());
    }
    BOOST_CHECK_EQUAL(canonical(twice + R"("domain": 4)")["mechanism"],
                      canonical(R"("mechanism": "auto", "epsilon": 2, "domain": 4)")["mechanism"]);
    BOOST_CHECK(
        is_safe(canonical(R"("mechanism": "auto", "epsilon": 1, "budget": {"epsilon": 12}, "evolving": {},
        "domain": 300)")));
    // Without memoization, and with a budget for every key, the choice is as ever.
    BOOST_CHECK_EQUAL(canonical(R"("mechanism": "auto", "epsilon": 2, "min": 0, "max": 360,
        "estimate": "distribution")")["mechanism"],
                      "tree");
    BOOST_CHECK_EQUAL(
        canonical(R"("mechanism": "auto", "epsilon": 2, "budget": {"epsilon": 4000}, "evolving": {},
        "min": 0, "max": 360, "estimate": "distribution")")["mechanism"],
        "tree");
}

// A number that may be missing is rounded to so few points that the budget pays for all of them. If it does not pay for
// three points and "no number", the error names the attribute, and no advice leads to a larger total.
BOOST_AUTO_TEST_CASE(missing_numbers_have_few_responses) {
    const std::string record = R"("mechanism": "auto", "epsilon": 2, "evolving": {}, "attributes": [
        {"name": "smoke", "domain": ["yes", "no", "no answer"]},
        {"name": "sleep", "min": 0, "max": 12, "missing": true},
        {"name": "devices", "domain": ["phone", "laptop", "tv", "console"], "several": true, "most": 3}], )";
    const auto chosen = canonical(record + R"("budget": {"epsilon": 8})");
    BOOST_CHECK(is_safe(chosen));
    BOOST_CHECK_EQUAL(chosen["attributes"][1]["mechanism"], "optional_mean");
    BOOST_CHECK_EQUAL(chosen["attributes"][1]["grid"], 2);
    const std::string refused = refusal(record + R"("budget": {"epsilon": 6})");
    BOOST_CHECK(contains(refused, "no mechanism suits \"sleep\""));
    BOOST_CHECK(contains(refused, "lower \"epsilon\""));
    BOOST_CHECK(!contains(refused, "Raise the budget"));
}

BOOST_AUTO_TEST_CASE(nothing_is_chosen_if_every_budget_can_end) {
    const std::string rounded = refusal(
        R"("mechanism": "auto", "epsilon": 1, "budget": {"epsilon": 20}, "attributes":
           [{"name": "minutes", "min": 0, "max": 360, "evolving": true}])");
    BOOST_CHECK(contains(rounded, "a person whose value changes may need"));
    BOOST_CHECK(contains(rounded, "\"evolving\": \"auto\""));
    BOOST_CHECK(
        contains(refusal(R"("mechanism": "auto", "epsilon": 2, "budget": {"epsilon": 2}, "evolving": {},
        "min": 0, "max": 360, "estimate": "distribution")"),
                 "the budget pays for 1"));
    // A smooth fit cannot be had from few responses.
    BOOST_CHECK(contains(refusal(twice + R"("min": 0, "max": 360, "estimate": "shape")"),
                         "square_wave: a person whose"));
    BOOST_CHECK(contains(refusal(R"("mechanism": "auto", "epsilon": 2, "min": 0, "max": 9, "stream":
        {"rounds": 3, "people": 9})"),
                         "the spec has no \"evolving\"") ||
                contains(refusal(R"("mechanism": "auto", "epsilon": 2, "min": 0, "max": 9, "stream":
        {"rounds": 3, "people": 9})"),
                         "The spec has no \"evolving\""));
}

BOOST_AUTO_TEST_CASE(a_declared_stream_admits_others) {
    // Values that hardly change need few responses.
    const std::string still = R"("stream": {"rounds": 30, "people": 1000, "change_rate": 0.001}, )";
    const Document kept = canonical(twice + still + R"("min": 0, "max": 360, "estimate": "distribution")");
    BOOST_CHECK_EQUAL(kept["mechanism"], "tree");
    BOOST_CHECK(!kept.contains("stream"));
    BOOST_CHECK(contains(kept["chosen"]["reason"], "in the declared stream"));
    // Values that drift need one response in each round.
    for (const char* movement : {R"("drift": 3.3)", R"("drift": -3.3)", R"("season": 100)", R"("jitter": 20)",
                                 R"("change_rate": 0.5)"}) {
        const Document moving = canonical(twice + R"("stream": {"rounds": 30, "people": 1000, )" + movement +
                                          R"(}, "min": 0, "max": 360, "estimate": "distribution")");
        BOOST_CHECK_EQUAL(moving["mechanism"], "dithered");
    }
}

BOOST_AUTO_TEST_CASE(records_follow_the_same_rule) {
    const std::string head =
        R"("mechanism": "auto", "epsilon": 2, "budget": {"epsilon": 10}, "evolving": {}, )";
    const std::string attributes = R"("attributes": [{"name": "sex", "domain": 2},
        {"name": "minutes", "min": 0, "max": 360, "estimate": "distribution"}, {"name": "age", "min": 17, "max": 90},
        {"name": "town", "domain": 30}])";
    const Document unknown = canonical(head + attributes);
    BOOST_CHECK_EQUAL(unknown["attributes"][1]["mechanism"], "dithered");
    BOOST_CHECK_EQUAL(unknown["attributes"][1].value("buckets", 5), 5);
    BOOST_CHECK_EQUAL(unknown["attributes"][2]["mechanism"], "dithered");
    BOOST_CHECK(is_safe(unknown));
    // In two layers, too.
    BOOST_CHECK(is_safe(canonical(head + R"("report_epsilon": 1, )" + attributes)));
    // With several parts in a report, each of them has fewer responses.
    BOOST_CHECK(
        is_safe(canonical(R"("mechanism": "auto", "epsilon": 2, "budget": {"epsilon": 40}, "evolving": {},
        "per_report": 2, )" +
                          attributes)));
    // What keeps its value is reported as without memoization.
    const Document declared = canonical(
        head + R"("stream": {"rounds": 30, "people": 1000, "attributes": {"minutes": {"drift": 5}}}, )" +
        attributes);
    BOOST_CHECK_EQUAL(declared["attributes"][1]["mechanism"], "dithered");
    BOOST_CHECK_EQUAL(declared["attributes"][2]["mechanism"], "optimal");
    // Vectors have no mechanism of few responses.
    const std::string vector = R"("attributes": [{"name": "a", "domain": 2},
        {"name": "hours", "vector": 8, "min": 0, "max": 9}])";
    BOOST_CHECK(contains(refusal(head + vector), "no mechanism suits the vector \"hours\" in a record"));
    BOOST_CHECK(
        refusal(head + R"("stream": {"rounds": 9, "people": 9, "attributes": {}}, )" + vector).empty());
    BOOST_CHECK(contains(
        refusal(head + R"("stream": {"rounds": 9, "people": 9, "attributes": {"b": {}}}, )" + vector),
        "which is not an attribute"));
}

BOOST_AUTO_TEST_CASE(the_prediction_is_that_of_the_planner) {
    const std::string json =
        R"({"mechanism": "dithered", "epsilon": 1, "buckets": 9, "budget": {"epsilon": 4},
        "evolving": {}, "attributes": [{"name": "x", "min": 0, "max": 360}]})";
    const Spec spec = resolve(json);
    StreamParameters movement{40, 2000, 0.02, 30};
    movement.drift = 2;
    movement.season = 20;
    const DeclaredStream stream{40, 2000, {{"x", movement}}};
    const StreamNeeds needs(spec.attributes(), *spec.evolving(), spec.budget(), stream);
    const auto share = needs.exceeding(0, *make_mechanism(spec), affordable_responses(spec));
    const ProtocolPrediction predicted =
        predict_protocol(spec, ValueStream::generated(movement, spec.attributes()[0], predicted_values));
    BOOST_REQUIRE(share);
    BOOST_CHECK_GT(*share, 0.05);
    BOOST_CHECK_EQUAL(*share, predicted.ended);
}

BOOST_AUTO_TEST_CASE(values_move_as_declared) {
    Attribute attribute;
    attribute.min = 0;
    attribute.max = 100;
    StreamParameters drift{51, 100, 0, 0};
    drift.drift = 1;
    const ValueStream drifting = ValueStream::generated(drift, attribute, 5100);
    for (std::size_t i = 0; i < drifting.known(); ++i)
        BOOST_CHECK_CLOSE(drifting.values[i * 51 + 50] - drifting.values[i * 51], 0.5, 1e-6);
    drift.drift = -1;
    const ValueStream falling = ValueStream::generated(drift, attribute, 5100);
    for (std::size_t i = 0; i < falling.known(); ++i)
        BOOST_CHECK_CLOSE(falling.values[i * 51] - falling.values[i * 51 + 50], 0.5, 1e-6);
    StreamParameters season{8, 100, 0, 0};
    season.season = 20;
    season.period = 4;
    const ValueStream waves = ValueStream::generated(season, attribute, 800);
    for (std::size_t i = 0; i < waves.known(); ++i) {
        BOOST_CHECK_CLOSE(waves.values[i * 8 + 1] - waves.values[i * 8 + 3], 0.4, 1e-6);
        BOOST_CHECK_CLOSE(waves.values[i * 8 + 5], waves.values[i * 8 + 1], 1e-6);
    }
}

BOOST_AUTO_TEST_CASE(the_end_of_budgets_is_stated) {
    const auto statement = [](const std::string& inner) {
        const std::string text = "{" + inner + "}";
        return statement_of_budget(resolve(text), text);
    };
    const std::string pdp = R"("mechanism": "pdp", "epsilon": 1, "budget": {"epsilon": 20},
        "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}])";
    const std::string found = statement(pdp);
    BOOST_CHECK(
        contains(found, "a person may give 19 different responses; from then on values are repeated"));
    BOOST_CHECK(contains(found, "A budget that cannot end: dithered"));
    BOOST_CHECK(contains(statement(pdp + R"(, "stream": {"rounds": 61, "people": 3000, "drift": 3.3})"),
                         "% of people reach this point"));
    BOOST_CHECK_EQUAL(statement(twice + R"("min": 0, "max": 360, "estimate": "distribution")"), "");
    BOOST_CHECK_EQUAL(statement(R"("mechanism": "grr", "epsilon": 1, "domain": 4)"), "");
    const std::string record = statement(R"("mechanism": "sampled", "epsilon": 1, "budget": {"epsilon": 3},
        "evolving": {}, "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 9, "mechanism": "oue"}])");
    BOOST_CHECK(contains(record, "A budget that cannot end: \"b\" through "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Products of layers, series, vectors and records that are refused: the remedies that the messages name are accepted.

#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(refused_products)

namespace {

const std::string memoized = R"(, "evolving": {}, "budget": {"epsilon": 1000})";
const std::string layers = memoized + R"(, "epsilon": 2, "report_epsilon": 1, )";
const std::string one_layer = memoized + R"(, "epsilon": 2, )";
const std::string number = R"({"name": "x", "min": 0, "max": 9})",
                  other = R"({"name": "y", "min": 0, "max": 9})";

/// Attributes of a spec. `keys` are those of the first one.
std::string with(const std::string& keys, const std::string& rest = other) {
    return "\"attributes\": [{" + keys + "}, " + rest + "]";
}
std::string numbers() {
    return "\"attributes\": [" + number + ", " + other + "]";
}

const std::string series = R"("name": "x", "min": 0, "max": 9, "mechanism": "threshold_series", "rounds": 5)";
const std::string vector = R"("name": "v", "vector": ["a", "b", "c"], "min": 0, "max": 9)";

/// Returns the message with its hint; empty if the spec is accepted.
std::string refusal(const std::string& json) {
    try {
        static_cast<void>(make_mechanism(resolve(json)));
    } catch (const Error& error) {
        return std::string(error.what()) + " / " + error.detail() + " / " + error.hint();
    }
    return {};
}

void check(const std::string& refused, const std::string& message, const std::vector<std::string>& remedies) {
    BOOST_TEST_CONTEXT(refused) {
        BOOST_CHECK_NE(refusal("{" + refused + "}").find(message), std::string::npos);
        for (const std::string& remedy : remedies) BOOST_CHECK_EQUAL(refusal("{" + remedy + "}"), "");
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(remedies_of_one_attribute_in_two_layers_are_accepted) {
    const std::string range = R"("min": 0, "max": 9)", values = R"("domain": 4)";
    const auto named = [&](const char* name, const std::string& terms, const std::string& rest) {
        return "\"mechanism\": \"" + std::string(name) + "\"" + terms + rest;
    };
    check(named("pdp", layers, range), "Leave it out, or name the mechanism: ",
          {named("pdp", one_layer, range), named("optimal", layers, range), named("onebit", layers, range),
           named("dithered", layers, range)});
    check(named("auto", layers, range), "\"auto\" chooses among mechanisms with one layer",
          {named("optimal", layers, range)});
    check(named("grr", layers, values), "Leave it out, or name the mechanism: ",
          {named("grr", one_layer, values), named("l_grr", layers, values), named("loloha", layers, values),
           named("rappor", layers, values), named("dithered", layers, values)});
    check(named("ddrm", R"(, "epsilon": 2, "report_epsilon": 1, "rounds": 5, )", values),
          "requires a mechanism with two layers",
          {named("ddrm", R"(, "epsilon": 2, "rounds": 5, )", values)});
    check(named("ddrm", R"(, "rounds": 5)" + one_layer, values), "Remove both",
          {named("ddrm", R"(, "epsilon": 2, "rounds": 5, )", values)});
}

BOOST_AUTO_TEST_CASE(remedies_of_vectors_and_tables_are_accepted) {
    const auto haar = [](const char* options, const std::string& terms) {
        return "\"mechanism\": \"haar\", " + std::string(options) + terms.substr(2) + numbers();
    };
    check(haar(R"("details": "global", )", layers), "or leave out \"report_epsilon\"",
          {haar(R"("details": "sampled", )", layers), haar(R"("details": "global", )", one_layer)});
    check(haar(R"("randomizer": "laplace", )", layers), "or leave out \"report_epsilon\"",
          {haar(R"("randomizer": "optimal", )", layers), haar(R"("randomizer": "duchi", )", layers),
           haar(R"("randomizer": "laplace", )", one_layer)});
    check(R"("mechanism": "duchi_vector")" + layers + numbers(), "name the mechanism: haar, sampled",
          {R"("mechanism": "haar")" + layers + numbers(), R"("mechanism": "sampled")" + layers + numbers()});
    const std::string binned =
        "\"attributes\": [{\"name\": \"p\", \"domain\": 4}, {\"name\": \"q\", \"domain\": 4}]";
    check(R"("mechanism": "joint_haar")" + layers + binned, "name the mechanism: joint.",
          {R"("mechanism": "joint_haar")" + one_layer + binned, R"("mechanism": "joint")" + layers + binned});
}

BOOST_AUTO_TEST_CASE(remedies_of_records_are_accepted) {
    const std::string sampled = R"("mechanism": "sampled")",
                      alone =
                          R"("mechanism": "threshold_series", "epsilon": 2, "rounds": 5, "min": 0, "max": 9)";
    check(sampled + layers + with(series), "Omit \"report_epsilon\", or collect",
          {sampled + one_layer + with(series), alone});
    check(sampled + layers + with(vector + R"(, "mechanism": "duchi_vector")"),
          "in two layers are auto, haar", {sampled + layers + with(vector + R"(, "mechanism": "haar")")});
    check(sampled + layers + with(vector + R"(, "mechanism": "haar", "details": "global")"),
          "\"details\": \"sampled\"",
          {sampled + layers + with(vector + R"(, "mechanism": "haar")"),
           sampled + one_layer + with(vector + R"(, "mechanism": "haar", "details": "global")")});
    check(sampled + layers + with(R"("name": "x", "min": 0, "max": 9, "mechanism": "pdp")"),
          "are auto, onebit, optimal, dithered",
          {sampled + layers + with(R"("name": "x", "min": 0, "max": 9, "mechanism": "onebit")"),
           sampled + layers + with(R"("name": "x", "min": 0, "max": 9, "mechanism": "optimal")"),
           sampled + layers + with(R"("name": "x", "min": 0, "max": 9, "mechanism": "dithered")"),
           sampled + layers + with(R"("name": "x", "min": 0, "max": 9, "mechanism": "auto")")});
    const std::string optional = R"("name": "x", "min": 0, "max": 9, "missing": true)";
    check(sampled + layers + with(optional), "collect the attribute alone in one layer",
          {R"("mechanism": "optional_mean")" + one_layer + "\"attributes\": [{" + optional + "}]"});
    const std::string shape = R"("name": "x", "min": 0, "max": 9, "estimate": )";
    check(R"("mechanism": "auto")" + layers + with(shape + "\"shape\""),
          "or use \"estimate\": \"distribution\"",
          {R"("mechanism": "auto")" + layers + with(shape + "\"distribution\"")});
    check(sampled + R"(, "per_report": 2)" + one_layer + with(series), "Set \"per_report\" to 1",
          {sampled + R"(, "per_report": 1)" + one_layer + with(series), alone});
    check(sampled + R"(, "epsilon": 2, )" + with(series), "Add \"evolving\": {} and \"budget\"",
          {sampled + one_layer + with(series)});
    const auto changes = [](int rounds) {
        return R"({"name": "y", "domain": 4, "mechanism": "ddrm", "rounds": )" + std::to_string(rounds) + "}";
    };
    check(sampled + R"(, "epsilon": 2, )" + with(series, changes(6)), "the same \"rounds\"",
          {sampled + R"(, "epsilon": 2, )" + with(series, changes(5))});
    check(sampled + one_layer + with(series, changes(5)), "Remove both",
          {sampled + R"(, "epsilon": 2, )" + with(series, changes(5))});
    check(sampled + one_layer + with(series + R"(, "evolving": true)"), "Remove \"evolving\": true",
          {sampled + one_layer + with(series)});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

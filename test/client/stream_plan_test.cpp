// Predictions for values that change, against simulations with real clients and estimates; and the choice of
// a protocol.
//
// Length: predictions and choices use the same streams and the same comparison with simulations.

#include <cmath>
#include <set>

#include "client_support.hpp"
#include "core/base/json.hpp"
#include "core/choice/evolving_choice.hpp"
#include "core/choice/evolving_prediction.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/mechanism/longitudinal/number_series.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "simulation/simulation.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(stream_plan)

namespace {

/// Standard errors that a normal variable exceeds with a probability below 1e-8, on both sides together.
constexpr double critical = 5.8;

/// The mean of repeated measurements.
struct Measured {
    void add(double value) {
        sum += value;
        squares += value * value;
        ++n;
    }
    [[nodiscard]] double mean() const { return sum / n; }
    [[nodiscard]] double error() const { return std::sqrt(std::max(0.0, squares / n - mean() * mean()) / n); }
    double sum = 0, squares = 0, n = 0;
};

struct StreamCase {
    const char* name;
    const char* spec;
    StreamParameters stream;
    std::size_t runs;
    bool drifts = false;  ///< whether the same people report in all runs, and values drift
};

constexpr std::size_t predicted_values = 300000;

/// A third of the people move: numbers upwards, categories to 0 and then to 1.
void drift(ValueStream& stream, bool numeric) {
    for (std::size_t i = 0; i < stream.known(); i += 3)
        for (std::size_t t = 0; t < stream.rounds; ++t) {
            double& value = stream.values[i * stream.rounds + t];
            if (numeric)
                value = 0.5 * value + 0.5 * static_cast<double>(t) / static_cast<double>(stream.rounds);
            else if (t > 4)
                value = t < 10 ? 0 : 1;
        }
}

void check_prediction(const StreamCase& one) {
    BOOST_TEST_CONTEXT(one.name) {
        const Collection collection(resolve(one.spec));
        const Spec& spec = collection.spec();
        const Attribute& attribute = spec.attributes()[0];
        const std::uint64_t rounds = one.stream.rounds, people = one.stream.people;
        ValueStream stream = ValueStream::generated(one.stream, attribute, predicted_values);
        const std::size_t others = stream.known();
        const ValueStream pool = ValueStream::generated(
            one.stream, attribute, predicted_values + (one.drifts ? 1 : one.runs) * people * rounds);
        if (one.drifts) {
            stream.same_people = true;
            stream.values.assign(pool.values.begin(),
                                 pool.values.begin() + static_cast<std::ptrdiff_t>(people * rounds));
            drift(stream, attribute.numeric());
        }
        const ProtocolPrediction predicted = predict_protocol(spec, stream);

        Measured squares, spent, of_95;
        for (std::size_t run = 0; run < one.runs; ++run) {
            ldp::simulation::SimulationSetup scene{ldp::simulation::Stream::syn, people, rounds, run + 1, 0};
            for (std::size_t i = 0; i < people; ++i) {
                const std::size_t person = one.drifts ? i : others + run * people + i;
                const std::vector<double>& values = one.drifts ? stream.values : pool.values;
                std::vector<double>& own = scene.own.emplace_back();
                for (std::size_t t = 0; t < rounds; ++t) {
                    const double value = values[person * rounds + t];
                    own.push_back(attribute.numeric()
                                      ? attribute.min + (attribute.max - attribute.min) * value
                                      : value);
                }
            }
            const std::vector<ldp::simulation::Round> found = ldp::simulation::simulate(collection, scene);
            Measured of_rounds;
            for (const ldp::simulation::Round& round : found) of_rounds.add(round.error * round.error);
            squares.add(of_rounds.mean());
            const PrivacyStatement statement = privacy_statement(spec, collection.mechanism());
            spent.add(statement.after(found.back().answers.mean).epsilon);
            of_95.add(statement.after(static_cast<double>(found.back().answers.most_of_95)).epsilon);
        }
        const double ratio = std::sqrt(squares.mean()) / predicted.error;
        const double uncertain = squares.error() / squares.mean() / 2;
        BOOST_TEST_MESSAGE(one.name << ": " << ratio << " +- " << uncertain);
        BOOST_TEST(uncertain < 0.03);
        BOOST_TEST(std::abs(ratio - 1) < 0.05 + critical * uncertain);
        BOOST_TEST(std::abs(spent.mean() / predicted.spent_mean - 1) <
                   0.02 + critical * spent.error() / spent.mean());
        // The quantile is a whole number of responses, in the simulation and in the prediction.
        BOOST_TEST(std::abs(of_95.mean() - predicted.spent_of_95) <=
                   0.05 * predicted.spent_of_95 + 0.5 * spec.epsilon() + critical * of_95.error());
        BOOST_TEST(predicted.spent_mean <= predicted.spent_most * (1 + 1e-9));
        const double parts = predicted.noise * predicted.noise + predicted.rounding * predicted.rounding +
                             predicted.bias * predicted.bias;
        BOOST_TEST(std::abs(parts / (predicted.error * predicted.error) - 1) < 1e-9);
    }
}

Json json(const std::string& text) {
    return json_of(text, Unsound::refused);
}

std::string with_stream(const std::string& stream, const std::string& more = R"("domain": 20)",
                        const std::string& budget = R"({"epsilon": 6})") {
    return R"({"mechanism": "auto", "evolving": "auto", "stream": )" + stream + R"(, "budget": )" + budget +
           ", " + more + "}";
}

}  // namespace

BOOST_AUTO_TEST_CASE(categories_are_predicted, *boost::unit_test::label("slow")) {
    const StreamParameters syn{20, 300, 0.25, 0};
    for (const StreamCase& one : {
             StreamCase{"fresh", R"({"mechanism": "grr", "epsilon": 1, "domain": 20})", syn, 20},
             {"memoized", R"({"mechanism": "grr", "epsilon": 2, "domain": 20, "evolving": {},
                 "budget": {"epsilon": 999}})",
              syn, 30},
             {"a budget that ends", R"({"mechanism": "grr", "epsilon": 4, "domain": 20, "evolving": {},
                 "budget": {"epsilon": 12}})",
              syn, 30},
             {"refused values", R"({"mechanism": "grr", "epsilon": 4, "domain": 20, "evolving": {},
                 "budget": {"epsilon": 16, "when_spent": "stop"}})",
              syn, 30},
             {"two layers", R"({"mechanism": "l_osue", "epsilon": 2, "domain": 20, "evolving": {},
                 "budget": {"epsilon": 999}})",
              syn, 20},
             {"hashing", R"({"mechanism": "loloha", "epsilon": 2, "domain": 20, "evolving": {},
                 "budget": {"epsilon": 999}})",
              syn, 20},
             {"buckets",
              R"({"mechanism": "dbitflip", "epsilon": 4, "bits_per_report": 4, "buckets": 7, "domain": 20,
                 "evolving": {}, "budget": {"epsilon": 999}})",
              syn, 40},
             {"bits, and a budget that ends", R"({"mechanism": "dbitflip", "epsilon": 4, "bits_per_report": 6,
                 "domain": 20, "evolving": {}, "budget": {"epsilon": 8}})",
              syn, 40},
             {"constant",
              R"({"mechanism": "subset", "epsilon": 3, "domain": 20, "evolving": {},
                 "budget": {"epsilon": 3}})",
              {20, 300, 0, 0},
              150},
             {"a series",
              R"({"mechanism": "ddrm", "epsilon": 6, "domain": 4, "rounds": 20, "changes": 2})",
              {20, 300, 0.05, 0},
              60},
             {"a drift, and one response",
              R"({"mechanism": "grr", "epsilon": 4, "domain": 4, "evolving": {},
                 "budget": {"epsilon": 4}})",
              {16, 500, 0.05, 0},
              30,
              true},
             {"a drift, and a series that ends",
              R"({"mechanism": "ddrm", "epsilon": 12, "domain": 4,
                 "rounds": 16, "changes": 1})",
              {16, 800, 0.05, 0},
              60,
              true},
         })
        check_prediction(one);
}

BOOST_AUTO_TEST_CASE(numbers_are_predicted, *boost::unit_test::label("slow")) {
    const std::string moving = R"("attributes": [{"name": "x", "min": 0, "max": 360, "evolving": true}])";
    const auto spec = [&](const char* mechanism, const char* epsilon, const char* budget, const char* more) {
        return std::string(R"({"mechanism": ")") + mechanism + R"(", "epsilon": )" + epsilon +
               R"(, "budget": {"epsilon": )" + budget + "}, " + moving + R"(, "evolving": {)" + more + "}}";
    };
    const std::string fixed = spec("optimal", "2", "8", R"("base_levels": 6, "volatility": 1)"),
                      adaptive = spec("optimal", "4", "12", R"("window": 10)"),
                      ends = spec("duchi", "4", "8", R"("base_levels": 1)"),
                      drifting = spec("optimal", "4", "12", R"("base_levels": 20, "volatility": 1)");
    const StreamParameters jitter{20, 100, 0.03, 10};
    for (const StreamCase& one : {
             StreamCase{"fresh",
                        R"({"mechanism": "optimal", "epsilon": 1, "min": 0, "max": 360})",
                        {10, 100, 0.2, 5},
                        150},
             {"a fixed step", fixed.c_str(), jitter, 500},
             {"a step that follows the movement", adaptive.c_str(), jitter, 500},
             {"ends of the range", ends.c_str(), jitter, 800},
             {"constant",
              R"({"mechanism": "optimal", "epsilon": 4, "budget": {"epsilon": 4}, "min": 0,
                 "max": 360, "evolving": {}})",
              {6, 100, 0, 0},
              800},
             {"constant, two layers",
              R"({"mechanism": "optimal", "epsilon": 4, "report_epsilon": 2,
                 "budget": {"epsilon": 4}, "min": 0, "max": 360, "evolving": {}})",
              {6, 100, 0, 0},
              500},
             {"a drift", drifting.c_str(), {20, 100, 0.02, 0}, 150, true},
         })
        check_prediction(one);
}

// The mean from buckets of public partitions.
BOOST_AUTO_TEST_CASE(dithered_numbers_are_predicted, *boost::unit_test::label("slow")) {
    const auto spec = [](const char* more) {
        return R"({"mechanism": "dithered", "min": 0, "max": 360, "grid": 36, )" + std::string(more) + "}";
    };
    const std::string fresh = spec(R"("epsilon": 1, "buckets": 4)"),
                      kept = spec(R"("epsilon": 2, "buckets": 5, "evolving": {}, "budget": {"epsilon": 10})"),
                      exact =
                          spec(R"("epsilon": 6, "buckets": 3, "evolving": {}, "budget": {"epsilon": 18})"),
                      layers = spec(R"("epsilon": 3, "report_epsilon": 1.5, "buckets": 5, "evolving": {},
                          "budget": {"epsilon": 15})"),
                      ends = spec(R"("epsilon": 4, "buckets": 6, "evolving": {}, "budget": {"epsilon": 12})"),
                      refused = spec(R"("epsilon": 4, "buckets": 6, "evolving": {},
                          "budget": {"epsilon": 12, "when_spent": "stop"})"),
                      drifting = spec(R"("epsilon": 4, "buckets": 5, "evolving": {},
                          "budget": {"epsilon": 4})");
    const StreamParameters jitter{10, 300, 0.05, 10};
    for (const StreamCase& one : {
             StreamCase{"fresh", fresh.c_str(), {6, 300, 0.2, 5}, 150},
             {"buckets", kept.c_str(), jitter, 480},
             {"buckets of large epsilon", exact.c_str(), jitter, 400},
             {"two layers of buckets", layers.c_str(), jitter, 300},
             {"buckets, and a budget that ends", ends.c_str(), jitter, 480},
             {"buckets, and refused values", refused.c_str(), jitter, 480},
             {"buckets of people who keep their values", kept.c_str(), {4, 300, 0, 0}, 900},
             {"buckets, a drift, and one response", drifting.c_str(), {16, 1500, 0.02, 0}, 60, true},
         })
        check_prediction(one);
}

// The mean of every round from thresholds. Few people cross theirs more often than declared, or many do.
BOOST_AUTO_TEST_CASE(series_of_numbers_are_predicted, *boost::unit_test::label("slow")) {
    for (const StreamCase& one : {
             StreamCase{"a series of numbers",
                        R"({"mechanism": "threshold_series", "epsilon": 6, "min": 0, "max": 360,
                            "rounds": 20, "changes": 4})",
                        {20, 300, 0.03, 10},
                        250},
             {"a series of numbers that are kept",
              R"({"mechanism": "threshold_series", "epsilon": 2, "min": 0, "max": 360, "rounds": 8,
                  "changes": 1})",
              {8, 300, 0, 0},
              300},
             {"a drift, and a series of numbers that ends",
              R"({"mechanism": "threshold_series", "epsilon": 16, "min": 0, "max": 360, "rounds": 16,
                  "changes": 1})",
              {16, 800, 0.15, 20},
              190,
              true},
         })
        check_prediction(one);
}

// A series has the bias that its randomizer shows: none up to the declared changes. A value that alternates
// between the ends of the range stays at the sign after the last declared change.
BOOST_AUTO_TEST_CASE(the_bias_of_series_of_numbers_is_exact) {
    const Spec spec = resolve(R"({"mechanism": "threshold_series", "epsilon": 4, "min": 0, "max": 1,
        "grid": 64, "thresholds": 8, "rounds": 8, "changes": 2})");
    const auto mechanism = make_mechanism(spec);
    const auto& numbers = capability<SeriesRandomizer>(*mechanism);
    const std::vector<std::size_t> rounds = some_rounds(8, 8);
    const std::vector<std::vector<Cell>> kept{{0, 0, 64, 64, 64, 0, 0, 0}, {7, 9, 9, 9, 9, 9, 9, 8}};
    const auto none = numbers.expected_bias(kept, rounds);
    BOOST_TEST(none.beyond == 0);
    for (const auto& bias : none.of_rounds) BOOST_TEST(std::abs(bias[0]) < 1e-12);
    // A quarter of the thresholds is crossed three times, so that the last crossing is not reported. On
    // single rounds the sign stays at −; longer nodes contain at most one crossing each. Snapshots have no
    // bias, and most people draw one. Least squares spread the rest over the rounds.
    const std::vector<std::vector<Cell>> often{{0, 16, 16, 16, 0, 0, 0, 16}};
    const auto last = numbers.expected_bias(often, rounds);
    BOOST_TEST(std::abs(last.beyond - 0.25) < 1e-12);
    for (const auto& bias : last.of_rounds) BOOST_TEST(std::abs(bias[0]) < 0.01);
    BOOST_TEST(last.of_rounds[7][0] < 0);
    BOOST_TEST(last.of_rounds[7][0] >= -0.5);
}

// People who keep their values draw one response; two values are both seen unless no change occurs.
BOOST_AUTO_TEST_CASE(costs_have_closed_forms) {
    const Spec spec = resolve(
        R"({"mechanism": "grr", "epsilon": 2, "domain": 2, "evolving": {}, "budget": {"epsilon": 4}})");
    const Attribute& attribute = spec.attributes()[0];
    const StreamParameters still{12, 1000, 0, 0}, moving{12, 1000, 0.1, 0};
    const ProtocolPrediction kept = predict_protocol(spec, ValueStream::generated(still, attribute, 100000));
    BOOST_TEST(kept.spent_mean == 2);
    BOOST_TEST(kept.spent_of_95 == 2);
    BOOST_TEST(kept.ended == 0);
    BOOST_TEST(kept.bias == 0);
    const double odds = std::exp(2), p = odds / (1 + odds), variance = p * (1 - p) / std::pow(2 * p - 1, 2);
    BOOST_TEST(std::abs(kept.error / std::sqrt(variance / 1000) - 1) < 1e-6);
    const ValueStream changes = ValueStream::generated(moving, attribute, 240000);
    const auto people = static_cast<double>(changes.known());
    const double both = 1 - std::pow(0.9, 11);
    const auto near = [&](double share) {
        return std::abs(share - both) < critical * std::sqrt(both * (1 - both) / people);
    };
    BOOST_TEST(near(predict_protocol(spec, changes).spent_mean / 2 - 1));
    const Spec poor = resolve(
        R"({"mechanism": "grr", "epsilon": 2, "domain": 2, "evolving": {}, "budget": {"epsilon": 2}})");
    const ProtocolPrediction ended = predict_protocol(poor, changes);
    BOOST_TEST(near(ended.ended));
    BOOST_TEST(ended.spent_most == 2);
}

// Series with at most the declared number of changes are estimated without bias, in every round.
BOOST_AUTO_TEST_CASE(series_are_expected_as_they_are) {
    InsecureBits bits(7);
    for (const char* json :
         {R"({"mechanism": "ddrm", "epsilon": 4, "domain": 2, "rounds": 13, "changes": 12})",
          R"({"mechanism": "ddrm", "epsilon": 4, "domain": 5, "rounds": 13, "changes": 2})"}) {
        const Spec spec = resolve(json);
        const auto mechanism = make_mechanism(spec);
        const std::uint64_t k = spec.attributes()[0].domain, changes = spec.number("changes");
        std::vector<std::vector<Cell>> series;
        for (int i = 0; i < 20; ++i) {
            std::vector<Cell>& one = series.emplace_back(1, bits.below(k));
            for (std::uint64_t made = 0; one.size() < 13;) {
                const bool change = made < changes && bits.below(3) == 0;
                one.push_back(change ? (one.back() + 1 + bits.below(k - 1)) % k : one.back());
                made += change ? 1 : 0;
            }
        }
        const std::vector<std::size_t> rounds = some_rounds(13, 13);
        const SeriesBias found = capability<SeriesRandomizer>(*mechanism).expected_bias(series, rounds);
        BOOST_TEST(found.beyond == 0);
        for (std::size_t t = 0; t < 13; ++t)
            for (std::uint64_t v = 0; v < k; ++v) BOOST_TEST(std::abs(found.of_rounds[t][v]) < 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(the_best_protocol_keeps_to_the_request) {
    const Attribute category = only_attribute_of(json(R"({"domain": 20})"));
    for (const StreamParameters& parameters :
         {StreamParameters{60, 10000, 0.02, 0}, {60, 10000, 0, 0}, {12, 500, 0.9, 0}}) {
        const ValueStream stream = ValueStream::generated(parameters, category, 20000);
        for (const double first : {0.0, 0.7}) {
            ProtocolRequest request{json(R"({"domain": 20})"), {6}};
            if (first != 0) request.report_epsilon = first;
            std::size_t calls = 0;
            const ProtocolPlan plan =
                plan_protocols(request, stream, stream, [&](std::size_t done, std::size_t all) {
                    BOOST_TEST(done == ++calls);
                    BOOST_TEST(done <= all);
                });
            BOOST_REQUIRE(!plan.protocols.empty());
            BOOST_TEST(calls == plan.protocols.size() + plan.obstacles.size());
            std::set<std::string> mechanisms;
            double before = 0;
            for (const auto& [protocol, turns, spec, found] : plan.protocols) {
                BOOST_TEST(found.error >= before);
                before = found.error;
                BOOST_TEST(found.spent_most <= 6 * (1 + 1e-9));
                BOOST_TEST(found.ended <= 0.05 + 1e-9);
                if (first != 0) BOOST_TEST(make_mechanism(spec)->report_epsilon() <= first);
                mechanisms.insert(spec.mechanism().name);
                BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == spec.fingerprint());
            }
            BOOST_TEST(mechanisms.contains("loloha"));
            BOOST_TEST(mechanisms.contains("dbitflip"));
        }
    }
}

// Buckets of numbers are chosen for the mean in both layers, and by name within a spec.
BOOST_AUTO_TEST_CASE(buckets_of_numbers_are_planned) {
    const Attribute number = only_attribute_of(json(R"({"min": 0, "max": 360})"));
    const ValueStream stream = ValueStream::generated({60, 10000, 0.01, 10}, number, 12000);
    ProtocolRequest request{json(R"({"min": 0, "max": 360})"), {20}};
    request.mechanism = "dithered";
    const ProtocolPlan plan = plan_protocols(request, stream, stream);
    std::set<std::string> names;
    double best = 0;
    for (const auto& [protocol, turns, spec, found] : plan.protocols) {
        names.insert(protocol);
        BOOST_TEST(spec.mechanism().name == std::string("dithered"));
        BOOST_TEST(found.spent_most <= 20 * (1 + 1e-9));
        BOOST_TEST(found.ended <= 0.05 + 1e-9);
        if (std::string_view(protocol) == "memoized buckets") best = found.error;
    }
    BOOST_TEST((names == std::set<std::string>{"fresh reports", "one round a person", "memoized",
                                               "memoized buckets", "two layers"}));
    // No other number of buckets of the search has a smaller error at the ε of the whole budget.
    for (const std::uint64_t buckets : {2, 3, 4, 5, 6, 8, 12, 16}) {
        const double epsilon = std::min(20.0 / static_cast<double>(buckets), 10.0);
        const Spec other =
            resolve(R"({"mechanism": "dithered", "min": 0, "max": 360, "evolving": {},
            "budget": {"epsilon": 20}, "epsilon": )" +
                    std::to_string(epsilon) + R"(, "buckets": )" + std::to_string(buckets) + "}");
        BOOST_TEST(best <= predict_protocol(other, stream).error * 1.01);
    }
    // A series is no report without memory, also if the stream has no more rounds than a series by default.
    request.mechanism = "threshold_series";
    const ValueStream few = ValueStream::generated({12, 10000, 0.01, 10}, number, 12000);
    const ProtocolPlan series = plan_protocols(request, few, few);
    BOOST_REQUIRE(series.protocols.size() == 1u);
    BOOST_TEST(series.protocols[0].protocol == std::string("series"));
    BOOST_TEST(series.obstacles.empty());
    Json named = json(with_stream(R"({"rounds": 30, "people": 5000, "change_rate": 0.02, "jitter": 10})",
                                  R"("min": 0, "max": 360)"));
    named["mechanism"] = "dithered";
    const Spec chosen = resolve(json_text(named));
    BOOST_TEST(chosen.mechanism().name == std::string("dithered"));
    BOOST_TEST(chosen.evolving().has_value());
    BOOST_CHECK(Spec::from_json(chosen.to_json()).fingerprint() == chosen.fingerprint());
}

// The canonical form has the choice and never "auto".
BOOST_AUTO_TEST_CASE(auto_is_settled_in_the_canonical_form, *boost::unit_test::label("slow")) {
    const std::string series = R"({"rounds": 60, "people": 5000, "change_rate": 0.02})",
                      moving = R"({"rounds": 60, "people": 5000, "change_rate": 0.02, "jitter": 10})";
    for (const std::string& text :
         {with_stream(series), with_stream(series, R"("domain": ["a", "b"])"),
          with_stream(moving, R"("min": 0, "max": 360)"),
          with_stream(series, R"("domain": 20, "report_epsilon": 0.5)"),
          with_stream(series, R"("domain": 20, "epsilon": 1.5)"),
          with_stream(moving, R"("attributes": [{"name": "m", "min": 0, "max": 360}], "min_group": 50)",
                      R"({"epsilon": 9, "when_spent": "stop"})")}) {
        const Spec spec = resolve(text);
        const Json canonical = json(spec.to_json());
        BOOST_TEST(canonical["mechanism"] != "auto");
        BOOST_TEST((!canonical.contains("evolving") || canonical["evolving"].is_object()));
        BOOST_TEST(!canonical.contains("stream"));
        BOOST_TEST(canonical["chosen"]["reason"].get<std::string>().find("5000 people") != std::string::npos);
        const Spec again = Spec::from_json(spec.to_json());
        BOOST_TEST(again.to_json() == spec.to_json());
        BOOST_CHECK(again.fingerprint() == spec.fingerprint());
        BOOST_TEST(resolve(text).to_json() == spec.to_json());
    }
    BOOST_TEST(resolve(with_stream(series, R"("domain": 20, "epsilon": 1.5)")).epsilon() == 1.5);
    const Spec layered = resolve(with_stream(series, R"("domain": 20, "report_epsilon": 0.5)"));
    BOOST_TEST(make_mechanism(layered)->report_epsilon() <= 0.5);
    // A named mechanism is kept.
    Json named = json(with_stream(series));
    named["mechanism"] = "l_grr";
    BOOST_TEST(resolve(json_text(named)).mechanism().name == std::string("l_grr"));
    named["mechanism"] = "ddrm";
    named["domain"] = 4;
    const Spec difference = resolve(json_text(named));
    BOOST_TEST(difference.mechanism().name == std::string("ddrm"));
    BOOST_TEST(difference.epsilon() == 6);
    BOOST_TEST(difference.number("rounds") == 60u);
    // People who keep their values need one response, which then has the whole budget.
    const Spec still = resolve(with_stream(R"({"rounds": 60, "people": 5000})"));
    BOOST_TEST(still.epsilon() == 6);
}

BOOST_AUTO_TEST_CASE(impossible_streams_are_refused) {
    const auto refused = [](const std::string& text, const std::string& part) {
        try {
            static_cast<void>(resolve(text));
        } catch (const Error& error) {
            BOOST_TEST((error.code() == ErrorCode::invalid_spec || error.code() == ErrorCode::unsupported));
            const std::string all = std::string(error.what()) + " | " + error.detail() + " | " + error.hint();
            BOOST_TEST(all.find(part) != std::string::npos, text + " -> " + all);
            return;
        }
        BOOST_ERROR("accepted: " + text);
    };
    const std::string fine = R"({"rounds": 6, "people": 500})";
    static_cast<void>(resolve(with_stream(fine)));
    refused(with_stream("3"), "stream");
    refused(with_stream("{}"), "\"rounds\"");
    refused(with_stream(R"({"rounds": 6})"), "\"people\"");
    refused(with_stream(R"({"rounds": 0, "people": 500})"), "\"rounds\"");
    refused(with_stream(R"({"rounds": 6.5, "people": 500})"), "\"rounds\"");
    refused(with_stream(R"({"rounds": 501, "people": 500})"), "at most 500");
    refused(with_stream(R"({"rounds": 6, "people": 500, "change_rate": -0.1})"), "\"change_rate\"");
    refused(with_stream(R"({"rounds": 6, "people": 500, "change_rate": 1.1})"), "\"change_rate\"");
    refused(with_stream(R"({"rounds": 6, "people": 500, "jitter": 1})"), "for numbers only");
    refused(with_stream(R"({"rounds": 6, "people": 500, "jitter": 400})", R"("min": 0, "max": 360)"),
            "\"jitter\"");
    refused(with_stream(R"({"rounds": 6, "people": 500, "speed": 4})"), "\"speed\"");
    refused(with_stream(fine, R"("domain": 20, "colour": 3)"), "no protocol is possible");
    refused(with_stream(fine, R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}])"),
            "\"attributes\"");
    refused(with_stream(fine, R"("attributes": [{"name": "a", "min": 0, "max": 2, "evolving": true}])"),
            "cannot be both given and chosen");
    refused(with_stream(fine, R"("domain": 20)", R"({"epsilon": 0.0001})"), "\"epsilon\"");
    refused(with_stream(fine, R"("domain": 20, "epsilon": 7)"), "no protocol is possible");
    refused(
        R"({"mechanism": "tree", "evolving": "auto", "domain": 20, "budget": {"epsilon": 6}, "stream": )" +
            fine + "}",
        "memoized (tree): errors of this spec cannot be predicted for a stream");
    refused(R"({"mechanism": "auto", "evolving": "auto", "domain": 20, "budget": {"epsilon": 6}})",
            "\"stream\"");
    refused(R"({"mechanism": "auto", "evolving": "auto", "domain": 20, "stream": )" + fine + "}",
            "\"budget\"");
    refused(R"({"mechanism": "grr", "epsilon": 1, "domain": 20, "stream": )" + fine + "}", "\"stream\"");
    refused(R"({"mechanism": "nothing", "evolving": "auto", "domain": 20, "stream": )" + fine +
                R"(, "budget": {"epsilon": 6}})",
            "\"mechanism\"");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

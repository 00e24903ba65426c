// Records whose parts are distributions, vectors, joint tables and attributes in two layers.
//
// Length: every case uses the same records and the proofs of their parts.

#include <atomic>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/part_means.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/share_intervals.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(record_parts)

namespace {

/// A spec of attributes a0, a1, … as JSON writes them, without their names.
std::string record(double epsilon, const std::vector<std::string>& attributes, const std::string& rest = {},
                   const std::string& mechanism = "sampled") {
    std::string list;
    for (std::size_t j = 0; j < attributes.size(); ++j)
        list += (j == 0 ? "" : ", ") + ("{\"name\": \"a" + std::to_string(j) + "\", " + attributes[j] + "}");
    return "{\"mechanism\": \"" + mechanism + "\", \"epsilon\": " + text(epsilon) + ", \"attributes\": [" +
           list + "]" + rest + "}";
}

std::string category(std::uint64_t domain, const std::string& mechanism = {}) {
    return "\"domain\": " + std::to_string(domain) +
           (mechanism.empty() ? "" : ", \"mechanism\": \"" + mechanism + "\"");
}

std::string number(const std::string& mechanism, const std::string& rest = {}) {
    return R"("min": 0, "max": 10, "mechanism": ")" + mechanism + "\"" + rest;
}

std::string vector(std::size_t elements, const std::string& mechanism, const std::string& rest = {}) {
    return "\"vector\": " + std::to_string(elements) + R"(, "min": 0, "max": 10, "mechanism": ")" +
           mechanism + "\"" + rest;
}

const std::string pair = R"(, "joint_tables": [["a0", "a1"]])";

nlohmann::json canonical(const std::string& json) {
    return nlohmann::json::parse(resolve(json).to_json());
}

}  // namespace

// ε --------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(records_with_distributions_keep_epsilon) {
    constexpr int users = 40;  // draw every combination of parts
    const std::string grid = R"(, "grid": 3)";
    for (const double epsilon : {0.5, 2.0, 4.9}) {
        for (const char* name : {"tree", "haar_ordered"}) {
            prove(*mechanism(record(epsilon, {number(name, grid), category(2, "grr")})), users);
            prove(*mechanism(record(epsilon, {category(4, name), category(3, "oue"), number("duchi", grid)})),
                  users);
        }
        prove(*mechanism(record(epsilon, {number("square_wave", grid), category(2, "grr")})), users);
    }
}

BOOST_AUTO_TEST_CASE(records_with_vectors_keep_epsilon) {
    for (const double epsilon : {0.5, 3.0})
        for (const char* name : {"haar", "duchi_vector"}) {
            prove(*mechanism(record(epsilon, {vector(2, name, R"(, "grid": 2)"), category(3, "grr")})), 40);
            prove(*mechanism(record(epsilon, {category(2, "oue"), vector(3, name), category(2, "hadamard")},
                                    R"(, "grid": 2)")),
                  40);
        }
}

BOOST_AUTO_TEST_CASE(records_with_joint_tables_keep_epsilon) {
    for (const double epsilon : {0.5, 3.0}) {
        prove(*mechanism(record(epsilon, {category(2), category(3), category(3, "grr")}, pair)), 60);
        prove(*mechanism(record(epsilon,
                                {category(2), category(2), category(2),
                                 R"("min": 0, "max": 1, "mechanism": "duchi", "grid": 2)"},
                                R"(, "joint_tables": [["a0", "a1"], ["a0", "a1", "a2"]])")),
              60);
    }
}

BOOST_AUTO_TEST_CASE(records_with_two_parts_a_report_keep_epsilon, *boost::unit_test::label("slow")) {
    const std::string two = R"(, "per_report": 2)";
    prove(*mechanism(
              record(4, {number("tree", R"(, "grid": 3)"), category(2, "grr"), category(3, "oue")}, two)),
          40);
    prove(*mechanism(
              record(4, {vector(2, "haar"), category(2, "grr"), category(2, "grr")}, two + R"(, "grid": 2)")),
          40);
    prove(
        *mechanism(record(4, {category(2), category(2), category(3, "grr"), category(2, "oue")}, two + pair)),
        60);
}

// The responses of all parts together keep ε, and a single report keeps the smaller ε of the first layer.
BOOST_AUTO_TEST_CASE(records_in_two_layers_keep_both_epsilons) {
    for (const double epsilon : {1.0, 3.0})
        for (const double part : {0.3, 0.9}) {
            const std::string layers = ", \"report_epsilon\": " + text(part * epsilon);
            prove_two_layers(
                *mechanism(record(epsilon, {category(3, "l_grr"), category(2, "l_grr")}, layers)), 20);
            prove_two_layers(*mechanism(record(epsilon,
                                               {category(3, "l_osue"), category(2, "l_sue"),
                                                R"("min": 0, "max": 5, "mechanism": "onebit", "grid": 3)"},
                                               layers)),
                             20);
            prove_two_layers(*mechanism(record(epsilon,
                                               {category(4, "loloha"),
                                                R"("min": 0, "max": 5, "mechanism": "onebit", "grid": 2)"},
                                               layers)),
                             20);
        }
    prove_two_layers(
        *mechanism(record(2,
                          {R"("min": -1, "max": 5, "mechanism": "optimal", "grid": 2)", category(2, "l_grr")},
                          R"(, "report_epsilon": 1)")),
        20);
    // Joint tables, through l_grr and l_osue, and vectors.
    for (const double first : {1.0, 0.2})
        prove_two_layers(*mechanism(record(2, {category(2), category(2), category(2, "l_grr")},
                                           pair + R"(, "per_report": 1, "report_epsilon": )" + text(first))),
                         20);
    prove_two_layers(*mechanism(record(2, {vector(2, "haar", R"(, "grid": 2)"), category(2, "l_grr")},
                                       R"(, "report_epsilon": 1)")),
                     20);
    prove_two_layers(
        *mechanism(
            record(2, {vector(2, "haar", R"(, "grid": 2, "randomizer": "duchi")"), category(2), category(2)},
                   R"(, "report_epsilon": 1, "joint_tables": [["a1", "a2"]])")),
        20);
    prove_two_layers(*mechanism(record(3, {category(2, "l_grr"), category(3, "l_grr"), category(2, "l_grr")},
                                       R"(, "report_epsilon": 2, "per_report": 2)")),
                     20);
}

BOOST_AUTO_TEST_CASE(large_records_of_parts_keep_epsilon) {
    for (const double epsilon : epsilons) {
        const auto m = mechanism(
            record(epsilon,
                   {category(12), category(30), number("tree", R"(, "grid": 1000)"), vector(200, "haar"),
                    category(100, "subset"), number("square_wave"), vector(50, "duchi_vector")},
                   pair));
        check_worst_ratio(*m, 1e-6);
        BOOST_CHECK_EQUAL(m->cells().size(), 2u + 1 + 200 + 1 + 1 + 50);
    }
}

// Parts ----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(parts_have_the_weight_of_their_tables) {
    // The joint part has three single attributes, a pair and a triple: 2 + 1 + 4, 2 and 4. The other has 5.
    const auto m =
        mechanism(record(1,
                         {category(2) + R"(, "weight": 2)", category(2), category(2) + R"(, "weight": 4)",
                          category(3, "grr") + R"(, "weight": 5)"},
                         R"(, "joint_tables": [["a0", "a1"], ["a0", "a1", "a2"]])"));
    const auto parts = parts_of(*m);
    BOOST_REQUIRE_EQUAL(parts.size(), 2u);
    BOOST_CHECK_CLOSE_FRACTION(parts[0].chance, 13.0 / 18, 1e-15);
    BOOST_CHECK_CLOSE_FRACTION(parts[1].chance, 5.0 / 18, 1e-15);
    BOOST_CHECK_EQUAL(parts[1].first, 3u);
    BOOST_CHECK_EQUAL(part_of(*m, 2).number, 0u);
    BOOST_CHECK_EQUAL(part_of(*m, 3).number, 1u);
    const auto& joint = capability<JointViews>(*parts[0].mechanism);
    BOOST_CHECK((joint.views() == std::vector<std::vector<std::size_t>>{{0}, {1}, {2}, {0, 1}, {0, 1, 2}}));
    BOOST_CHECK_THROW(static_cast<void>(part_of(*m, 4)), Error);
    // A vector has the weight of one attribute.
    const auto with_vector = mechanism(record(1, {vector(7, "haar"), category(3, "grr")}));
    BOOST_CHECK_EQUAL(part_of(*with_vector, 6).chance, 0.5);
    BOOST_CHECK_EQUAL(part_of(*with_vector, 6).first, 0u);
}

BOOST_AUTO_TEST_CASE(the_canonical_form_has_what_was_settled) {
    const std::string json = R"({"mechanism": "auto", "epsilon": 2, "people": 20000, "attributes": [
        {"name": "satisfaction", "domain": ["bad", "ok", "good"]},
        {"name": "transport", "domain": ["car", "bus", "bike", "walk"]},
        {"name": "income", "min": 0, "max": 9000, "estimate": "distribution"},
        {"name": "hours", "vector": ["0h", "3h", "6h", "9h"], "min": 0, "max": 180},
        {"name": "age", "min": 0, "max": 100}],
        "joint_tables": [["satisfaction", "transport"]], "max_margin_of_error": {"satisfaction": 0.02}})";
    const auto document = canonical(json);
    BOOST_CHECK_EQUAL(document["mechanism"], "sampled");
    BOOST_CHECK_EQUAL(document["people"], 20000);
    BOOST_CHECK((document["joint_tables"] == nlohmann::json::parse(R"([["satisfaction", "transport"]])")));
    BOOST_CHECK(!document.contains("max_margin_of_error"));
    const auto& attributes = document["attributes"];
    BOOST_REQUIRE_EQUAL(attributes.size(), 5u);
    BOOST_CHECK(!attributes[0].contains("mechanism"));
    const std::string income = attributes[2]["mechanism"];
    BOOST_CHECK_MESSAGE(income == "tree" || income == "haar_ordered", income);
    BOOST_CHECK(!attributes[2].contains("estimate"));
    BOOST_CHECK_EQUAL(attributes[3]["vector"].size(), 4u);
    BOOST_CHECK_EQUAL(attributes[4]["mechanism"], "optimal");
    const Spec spec = resolve(json), again = Spec::from_json(spec.to_json());
    BOOST_CHECK_EQUAL(again.to_json(), spec.to_json());
    BOOST_CHECK(again.fingerprint() == spec.fingerprint());
    BOOST_CHECK_EQUAL(spec.attributes()[4].name, "hours.3h" == spec.attributes()[4].name ? "hours.3h" : "?");
    BOOST_CHECK_EQUAL(make_mechanism(spec)->cells().size(), 8u);
}

BOOST_AUTO_TEST_CASE(elements_of_a_vector_have_ranges_of_their_own) {
    const auto with = [](const std::string& ranges) {
        return record(1, {"\"vector\": [\"x\", \"y\", \"z\"], \"mechanism\": \"duchi_vector\", " + ranges,
                          category(3, "grr")});
    };
    const auto found = canonical(with(R"("min": [0, -1, 0], "max": 5)"))["attributes"][0];
    BOOST_CHECK_EQUAL(found["min"].dump(), "[0.0,-1.0,0.0]");
    BOOST_CHECK_EQUAL(found["max"].dump(), "5.0");
    const auto one = canonical(with(R"("min": [0, 0, 0], "max": [5, 5, 5])"));
    BOOST_CHECK_EQUAL(one, canonical(with(R"("min": 0, "max": 5)")));
    const Spec spec = resolve(with(R"("min": [0, -1, 0], "max": [1, 1, 99999])"));
    BOOST_CHECK_EQUAL(spec.attributes()[1].min, -1);
    BOOST_CHECK_EQUAL(spec.attributes()[2].max, 99999);
    BOOST_CHECK_EQUAL(Spec::from_json(spec.to_json()).to_json(), spec.to_json());
    // Estimates are in the unit of each element, and so is a margin.
    const auto m = make_mechanism(spec);
    SeededBits bits(3);
    OwnedSummary summary(*m);
    const Cell top = m->cells()[0] - 1;
    for (int i = 0; i < 4000; ++i) summary.draw(std::vector<Cell>{top / 2, top, top / 4, 1}, bits);
    const auto means = estimate(summary.view(), {Quantity::means, Target::sample});
    const double truths[] = {0.5, 1, 24999.75};
    for (std::size_t j = 0; j < 3; ++j)
        BOOST_CHECK_LT(std::abs(means[j].value - truths[j]), 6 * means[j].standard_error);
    BOOST_CHECK_CLOSE(means[2].standard_error / means[0].standard_error, 99999, 1);
    const auto narrow =
        canonical(record(1, {R"("vector": ["x", "y"], "min": [0, 0], "max": [1, 100])", category(3)},
                         R"(, "max_margin_of_error": {"a0.y": 2})"));
    const auto scaled =
        canonical(record(1, {R"("vector": ["x", "y"], "min": [0, 0], "max": [1, 50])", category(3)},
                         R"(, "max_margin_of_error": {"a0.y": 1})"));
    BOOST_CHECK_EQUAL(narrow["attributes"][0]["weight"], scaled["attributes"][0]["weight"]);
    for (const char* wrong : {R"("min": [0, 0], "max": 5)", R"("min": [0, "a", 0], "max": 5)",
                              R"("min": [0, 5, 0], "max": 5)", R"("min": [], "max": 5)"})
        BOOST_CHECK_THROW(static_cast<void>(resolve(with(wrong))), Error);
}

BOOST_AUTO_TEST_CASE(the_mechanism_of_a_part_is_the_best_at_its_epsilon) {
    for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) {
        const auto document =
            canonical(record(epsilon, {R"("min": 0, "max": 1, "estimate": "distribution")",
                                       R"("min": 0, "max": 1, "estimate": "shape")",
                                       R"("domain": 40, "estimate": "quantiles")", category(40),
                                       R"("min": 0, "max": 1, "estimate": "mean")"}));
        const auto alone = [&](const std::string& attribute) {
            return canonical("{\"mechanism\": \"auto\", \"epsilon\": " + text(epsilon) + ", " + attribute +
                             "}")["mechanism"];
        };
        const auto& attributes = document["attributes"];
        BOOST_CHECK_EQUAL(attributes[0]["mechanism"],
                          alone(R"("min": 0, "max": 1, "estimate": "distribution")"));
        BOOST_CHECK_EQUAL(attributes[1]["mechanism"], alone(R"("min": 0, "max": 1, "estimate": "shape")"));
        BOOST_CHECK_EQUAL(attributes[2]["mechanism"], alone(R"("domain": 40, "estimate": "quantiles")"));
        BOOST_CHECK_EQUAL(attributes[3]["mechanism"], alone(R"("domain": 40)"));
        BOOST_CHECK_EQUAL(attributes[4]["mechanism"], alone(R"("min": 0, "max": 1)"));
    }
}

// The mechanism of a vector has the least bound of the variance of a mean.
BOOST_AUTO_TEST_CASE(the_mechanism_of_a_vector_is_the_best_at_its_epsilon) {
    for (const double epsilon : {0.1, 1.0, 4.0})
        for (const std::size_t elements : {2, 8, 64}) {
            const std::string size = "\"vector\": " + std::to_string(elements) + R"(, "min": 0, "max": 1)";
            const auto document = canonical(record(epsilon, {size, category(3, "grr")}));
            const auto variance = [&](const std::string& name) {
                const auto m = mechanism(record(epsilon, {vector(elements, name), category(3, "grr")}));
                double largest = 0;
                for (std::size_t j = 0; j < elements; ++j)
                    largest = std::max(largest, part_of(*m, 0).mechanism->expected_variance(j));
                return largest;
            };
            // Equal variances, up to rounding, are those of the first mechanism.
            const bool first =
                static_cast<float>(variance("haar")) <= static_cast<float>(variance("duchi_vector"));
            const std::string best = first ? "haar" : "duchi_vector";
            BOOST_TEST_CONTEXT("epsilon " << epsilon << ", " << elements << " elements: " << variance("haar")
                                          << " and " << variance("duchi_vector"))
            BOOST_CHECK_EQUAL(document["attributes"][0]["mechanism"], best);
            const auto ranges =
                canonical(record(epsilon, {size + R"(, "estimate": "ranges")", category(3, "grr")}));
            BOOST_CHECK_EQUAL(ranges["attributes"][0]["mechanism"], "haar");
        }
}

// People are divided so that all margins are reached with the same number of people.
BOOST_AUTO_TEST_CASE(margins_divide_people) {
    const std::string json =
        record(1, {category(4, "grr"), category(4, "grr"), R"("min": 0, "max": 10, "mechanism": "optimal")"},
               R"(, "max_margin_of_error": {"a0": 0.01, "a1": 0.02, "a2": 0.5})");
    const Spec spec = resolve(json);
    const auto m = make_mechanism(spec);
    const auto grr = mechanism("grr", 1, R"("domain": 4)");
    const auto optimal = mechanism("optimal", 1, R"("min": 0, "max": 10)");
    const double first = (grr->expected_variance(0) + 0.25) / (0.01 * 0.01),
                 second = (grr->expected_variance(0) + 0.25) / (0.02 * 0.02),
                 third = (optimal->expected_variance(0) + 1.0 / 3) * 100;
    const double all = first + second + third;
    // Shares are whole numbers up to 1000.
    BOOST_CHECK_SMALL(part_of(*m, 0).chance - first / all, 0.002);
    BOOST_CHECK_SMALL(part_of(*m, 1).chance - second / all, 0.002);
    BOOST_CHECK_SMALL(part_of(*m, 2).chance - third / all, 0.002);
    BOOST_CHECK_GT(part_of(*m, 0).chance, 3.9 * part_of(*m, 1).chance);
}

// With the people that the margins need, each margin is 1.96 standard errors, and no smaller number suffices.
BOOST_AUTO_TEST_CASE(margins_need_people) {
    const std::string attributes[] = {category(2), category(3), category(4, "grr"),
                                      R"("min": 0, "max": 10, "mechanism": "optimal")"};
    const std::string margins =
        pair + R"(, "max_margin_of_error": {"a0": 0.04, "a1": 0.03, "a2": 0.02, "a3": 0.25})";
    const auto spec = [&](std::uint64_t people) {
        return record(2, {std::begin(attributes), std::end(attributes)},
                      margins + ", \"people\": " + std::to_string(people));
    };
    std::uint64_t few = 1, enough = 10000000;
    while (enough - few > 1) {
        const std::uint64_t middle = (few + enough) / 2;
        try {
            static_cast<void>(resolve(spec(middle)));
            enough = middle;
        } catch (const Error& error) {
            BOOST_REQUIRE(error.code() == ErrorCode::invalid_spec);
            few = middle;
        }
    }
    const auto m = mechanism(spec(enough));
    const auto people = static_cast<double>(enough);
    double closest = 0;
    const struct {
        std::size_t attribute;
        double margin, spread;
    } asked[] = {{0, 0.04, 0.25}, {1, 0.03, 0.25}, {2, 0.02, 0.25}, {3, 0.05, 1.0 / 3}};
    for (const auto& [attribute, margin, spread] : asked) {
        const RecordPart one = part_of(*m, attribute);
        const double variance =
            (one.mechanism->expected_variance(attribute - one.first) + spread) / (people * one.chance);
        const double reached = 1.959964 * std::sqrt(variance) / margin;
        BOOST_CHECK_LE(reached, 1.02);  // shares are integers
        closest = std::max(closest, reached);
    }
    BOOST_CHECK_GT(closest, 0.99);
    try {
        static_cast<void>(resolve(spec(few)));
    } catch (const Error& error) {
        BOOST_CHECK(error.what() == std::string("the margins cannot be reached with this number of people"));
        for (const char* way : {"more people", "margins", "epsilon"})
            BOOST_CHECK(error.hint().find(way) != std::string::npos);
    }
}

// With few people, the parts without a margin get the rest.
BOOST_AUTO_TEST_CASE(parts_without_a_margin_give_way) {
    const auto chances = [](const std::string& people) {
        const auto m = mechanism(record(
            1, {category(4, "grr"), category(4, "grr"), R"("min": 0, "max": 10, "estimate": "distribution")"},
            R"(, "max_margin_of_error": {"a0": 0.02})" + people));
        std::vector<double> all;
        for (const RecordPart& one : parts_of(*m)) all.push_back(one.chance);
        return all;
    };
    const auto any = chances(""), few = chances(R"(, "people": 60000)"),
               many = chances(R"(, "people": 9000000)");
    BOOST_CHECK(any == many);
    const double needed = 1.959964 * 1.959964 *
                          (mechanism("grr", 1, R"("domain": 4)")->expected_variance(0) + 0.25) /
                          (0.02 * 0.02);
    BOOST_CHECK_LT(60000 * any[0], 0.9 * needed);
    BOOST_CHECK_CLOSE_FRACTION(60000 * few[0], needed, 0.01);
    BOOST_CHECK_CLOSE_FRACTION(few[1] / few[2], any[1] / any[2], 0.02);
    BOOST_CHECK_THROW(chances(R"(, "people": 20000)"), Error);
}

BOOST_AUTO_TEST_CASE(bad_records_of_parts_are_refused_by_name) {
    const std::string good = category(3, "grr");
    const struct {
        std::string json;
        const char* part;
    } cases[] = {
        {record(1, {good, good}, pair), "\"a0\" is reported with another attribute"},
        {record(1, {category(2), good, category(2)}, R"(, "joint_tables": [["a0", "a2"]])"),
         "next to each other"},
        {record(1, {category(2), category(2), good}, R"(, "joint_tables": [["a0"]])"), "two or three"},
        {record(1, {category(2), category(2), good}, R"(, "joint_tables": [["a0", "a0"]])"), "two or three"},
        {record(1, {category(2), category(2), good}, R"(, "joint_tables": [["a0", "a7"]])"),
         "\"joint_tables\" must be"},
        {record(1, {category(2), category(2), category(2), category(2), good},
                R"(, "joint_tables": [["a0", "a1", "a2", "a3"]])"),
         "two or three"},
        {record(1, {category(2), R"("min": 0, "max": 1)", category(2)},
                R"(, "joint_tables": [["a0", "a1", "a2"]])"),
         "\"a1\" is a number"},
        {record(1, {category(200), category(200), good}, pair), "cells"},
        {record(1, {vector(1, "haar"), good}), "\"vector\" must be"},
        {record(1, {R"("vector": ["x", "x"], "min": 0, "max": 1)", good}), "name"},
        {record(1, {R"("vector": 3, "domain": 2)", good}), "must be numbers"},
        {R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "v", "vector": ["a", "b"], "min": 0, "max": 1},
             {"name": "v", "vector": ["c", "d"], "min": 0, "max": 1}]})",
         "two attributes have the same name"},
        {R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "v", "vector": ["a", "b"], "min": 0, "max": 1},
             {"name": "v", "domain": 3}]})",
         "two attributes have the same name"},
        {R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "v", "vector": ["a", "b"], "min": 0, "max": 1},
             {"name": "v.b", "domain": 3}]})",
         "two attributes have the same name"},
        {record(1, {vector(3, "grr"), good}), "Suitable for a vector are auto"},
        {record(1, {vector(3, "gaussian"), good}), "gaussian cannot report \"a0\""},
        {record(1, {R"("vector": 3, "min": 0, "max": 1, "estimate": "quantiles")", good}),
         "\"estimate\" must be"},
        {record(1, {R"("min": 0, "max": 1, "estimate": "ranges")", good}), "\"estimate\" must be"},
        {record(1, {R"("min": 0, "max": 1, "estimate": "mean", "mechanism": "pdp")", good}),
         "names the mechanism pdp"},
        {record(1, {good, good}, R"(, "max_margin_of_error": {"a0": 2})"), "2 points"},
        {record(1, {good, good}, R"(, "max_margin_of_error": {"a0": 0})"), "\"max_margin_of_error\" must be"},
        {record(1, {good, good}, R"(, "max_margin_of_error": {"b": 0.1})"), "which is not an attribute"},
        {record(1, {R"("min": 0, "max": 4)", good}, R"(, "max_margin_of_error": {"a0": 4})"),
         "must be below 4"},
        {record(1, {R"("min": 0, "max": 1, "estimate": "shape")", category(3)}, R"(, "report_epsilon": 0.5)"),
         "cannot be reported in two layers"},
        {record(1, {vector(3, "haar") + R"(, "details": "global")", good}, R"(, "report_epsilon": 0.5)"),
         "global\" has no second layer"},
        {record(1, {vector(3, "haar") + R"(, "randomizer": "pdp")", good}, R"(, "report_epsilon": 0.5)"),
         "pdp has no second layer"},
        {record(1, {good, category(3)}, R"(, "report_epsilon": 0.5)"), "grr cannot report \"a0\""},
        {record(1, {category(3, "l_grr"), category(3)}), "l_grr cannot report \"a0\""},
        {record(1, {category(3, "l_grr"), category(3)}, R"(, "report_epsilon": 1)"), "report_epsilon"},
        {record(1, {good, good}, R"(, "per_report": 3)"), "there are 2 attributes"},
        {record(1, {vector(3, "haar"), good}, R"(, "per_report": 3)"), "there are 2 parts"},
    };
    for (const auto& c : cases) {
        try {
            static_cast<void>(resolve(c.json));
            BOOST_ERROR("accepted: " << c.json);
        } catch (const Error& error) {
            const std::string all = std::string(error.what()) + ' ' + error.detail() + ' ' + error.hint();
            BOOST_CHECK_MESSAGE(error.code() == ErrorCode::invalid_spec && all.find(c.part) != all.npos,
                                c.json << ": " << all);
        }
    }
}

// Estimates ------------------------------------------------------------------------------------------------

namespace {

/// A record with a part of every kind. The attributes are a category, a pair, a mean, a distribution and two
/// vectors.
std::string every_kind(double epsilon, const std::string& rest = {}) {
    return record(epsilon,
                  {category(3), category(2), category(4, "grr"), number("optimal", R"(, "grid": 100)"),
                   number("tree", R"(, "grid": 99)"), number("haar_ordered", R"(, "grid": 15)"),
                   vector(4, "haar"), vector(3, "duchi_vector")},
                  pair + R"(, "grid": 100)" + rest);
}

/// The input of a person; all attributes depend on each other.
std::vector<Cell> person(std::uint64_t u) {  // below 20
    return {u % 3 == 0 ? 0u
            : u < 12   ? 1u
                       : 2u,
            u < 8 ? 0u : 1u,
            u < 10 ? 0u : u % 3,
            u * 4,
            20 + 3 * u,
            u < 14 ? 3u : 9 + u % 6,
            10 + u,
            20 + 2 * u,
            u < 10 ? 60u : 80u,
            50,
            u * 5,
            u < 10 ? 0u : 100u,
            30};
}

/// An estimate with its true value.
struct Known {
    std::string name;
    std::function<double(const std::vector<Cell>&)> value;  ///< of a person; the truth is the mean
    std::function<std::pair<Estimate, Interval>(const SummaryView&, Target)> estimate;
    bool cautious = false;  ///< whether errors of few reports are larger than the observed ones
};

std::pair<Estimate, Interval> in_interval(const Estimate& estimate, const ErrorLaw& law) {
    return {estimate, interval(estimate, critical_value(0.95), law)};
}

Known share_of(std::size_t attribute, std::size_t value) {
    return {"share " + std::to_string(attribute) + "=" + std::to_string(value),
            [=](const std::vector<Cell>& cells) { return cells[attribute] == value ? 1 : 0; },
            [=](const SummaryView& view, Target target) {
                const Question question{Quantity::frequencies, target, attribute};
                const auto all = estimate(view, question);
                return std::pair{all[value], intervals(view, question, all, critical_value(0.95))[value]};
            }};
}

Known cautious(Known known) {
    known.cautious = true;
    return known;
}

Known mean_of(std::size_t attribute, double unit) {
    return {"mean " + std::to_string(attribute),
            [=](const std::vector<Cell>& cells) { return static_cast<double>(cells[attribute]) * unit; },
            [=](const SummaryView& view, Target target) {
                return in_interval(estimate(view, {Quantity::means, target})[attribute],
                                   error_law(view, attribute, target));
            }};
}

Known range_of(std::size_t attribute, double unit, double low, double high) {
    return {"range " + std::to_string(attribute),
            [=](const std::vector<Cell>& cells) {
                const double value = static_cast<double>(cells[attribute]) * unit;
                return low <= value && value <= high ? 1 : 0;
            },
            [=](const SummaryView& view, Target target) {
                const ShareOfRange share = share_between(part(view, attribute), low, high, target);
                return in_interval(share, share.law);
            }};
}

Known cell_of(std::size_t first, std::size_t second, std::size_t one, std::size_t other) {
    return {
        "cell",
        [=](const std::vector<Cell>& cells) { return cells[first] == one && cells[second] == other ? 1 : 0; },
        [=](const SummaryView& view, Target target) {
            const Marginal pair_of(view, {first, second}, Combination::consistent, target);
            const MeasuredShare share =
                pair_of.measured(Cells(pair_of.sizes()).box(one * pair_of.sizes()[1] + other));
            return std::pair{share.estimate, interval(share, critical_value(0.95))};
        }};
}

Known group_of(std::size_t first, std::size_t last, double unit) {
    return {"group",
            [=](const std::vector<Cell>& cells) {
                double sum = 0;
                for (std::size_t j = first; j <= last; ++j) sum += static_cast<double>(cells[j]) * unit;
                return sum / static_cast<double>(last - first + 1);
            },
            [=](const SummaryView& view, Target target) {
                const SummaryView one = part(view, first);
                const std::size_t begin = part_of(*view.mechanism, first).first;
                return in_interval(ldp::group_mean(one, first - begin, last - begin, target),
                                   ldp::group_law(one, first - begin, last - begin, target));
            }};
}

const std::vector<Known> all_known{share_of(0, 0),
                                   share_of(1, 1),
                                   cell_of(0, 1, 1, 1),
                                   cell_of(0, 1, 0, 0),
                                   share_of(2, 0),
                                   mean_of(3, 0.1),
                                   range_of(4, 10.0 / 99, 3, 6),
                                   mean_of(4, 10.0 / 99),
                                   range_of(5, 10.0 / 15, 0, 2),
                                   cautious(mean_of(6, 0.1)),
                                   cautious(mean_of(8, 0.1)),
                                   cautious(group_of(6, 7, 0.1)),
                                   mean_of(10, 0.1),
                                   group_of(10, 12, 0.1)};

}  // namespace

// Each part has about 220 or 50 reports. Bounds of six standard deviations; a false alarm has a probability
// of 1e-8 for coverage.
BOOST_AUTO_TEST_CASE(estimates_of_parts_are_unbiased_and_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t repetitions = 1500;
    std::uint64_t seed = 1721;
    for (const auto& [epsilon, people] : {std::pair{1.0, 2000u}, {3.5, 2000u}, {1.0, 460u}, {3.5, 460u}})
        for (const Target target : {Target::sample, Target::population}) {
            const auto m = mechanism(every_kind(epsilon, R"(, "per_report": 1)"));
            SeededBits bits(seed++);
            std::vector<double> truth, sum(all_known.size()), squares(all_known.size()),
                stated(all_known.size());
            std::vector<std::uint64_t> covered(all_known.size());
            for (const Known& known : all_known) {
                double mean = 0;
                for (std::uint64_t u = 0; u < 20; ++u) mean += known.value(person(u)) / 20;
                truth.push_back(mean);
            }
            for (std::size_t r = 0; r < repetitions; ++r) {
                OwnedSummary summary(*m);
                for (std::uint64_t i = 0; i < people; ++i)
                    summary.draw(person(target == Target::sample ? i % 20 : bits.below(20)), bits);
                for (std::size_t k = 0; k < all_known.size(); ++k) {
                    const auto [found, within] = all_known[k].estimate(summary.view(), target);
                    const double off = found.value - truth[k];
                    sum[k] += off;
                    squares[k] += off * off;
                    stated[k] += found.standard_error * found.standard_error;
                    covered[k] += within.lower <= truth[k] + 1e-9 && truth[k] - 1e-9 <= within.upper;
                }
            }
            for (std::size_t k = 0; k < all_known.size(); ++k)
                BOOST_TEST_CONTEXT(all_known[k].name
                                   << ", epsilon " << epsilon << ", people " << people
                                   << (target == Target::sample ? ", sample" : ", population") << ": covered "
                                   << covered[k] << ", variance " << squares[k] / repetitions << ", stated "
                                   << stated[k] / repetitions) {
                    BOOST_TEST_MESSAGE(all_known[k].name
                                       << " " << epsilon << " " << static_cast<int>(target) << " "
                                       << static_cast<double>(covered[k]) / repetitions << " "
                                       << stated[k] / squares[k]);
                    const double bias = sum[k] / repetitions,
                                 variance = squares[k] / repetitions - bias * bias;
                    BOOST_CHECK_LT(std::abs(bias), 6 * std::sqrt(variance / repetitions));
                    BOOST_CHECK_GT(binomial_at_most(repetitions, 0.93, covered[k]), 1e-8);
                    if (all_known[k].cautious && people < 1000) continue;
                    BOOST_CHECK_GT(binomial_at_least(repetitions, 0.97, covered[k]), 1e-8);
                    BOOST_CHECK_LT(std::abs(stated[k] / squares[k] - 1),
                                   0.03 + 6 * std::sqrt(2.0 / repetitions));
                }
        }
}

// 160 people report in six rounds. They keep their values, change them once, or alternate between two values.
// The intervals of all rounds together cover the mean over people and rounds.
BOOST_AUTO_TEST_CASE(pooled_rounds_in_two_layers_are_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t people = 160, repetitions = 1500;
    constexpr std::int32_t rounds = 6;
    const auto m = mechanism(record(
        3,
        {R"("min": 0, "max": 10, "mechanism": "optimal", "grid": 100)", category(3, "l_grr"),
         category(2, "l_osue")},
        R"(, "report_epsilon": 2, "evolving": {}, "budget": {"epsilon": 300, "report_spent": false})"));
    const auto held = [](std::size_t person, bool second) {
        const std::uint64_t u = (person * 7 + (second ? 3 : 0)) % 20;
        return std::vector<Cell>{5 * u, u < 10 ? 0u : u % 3, u < 6 ? 0u : 1u};
    };
    const std::function<bool(std::int32_t)> movements[] = {[](std::int32_t) { return false; },
                                                           [](std::int32_t round) { return round >= 3; },
                                                           [](std::int32_t round) { return round % 2 == 1; }};
    std::uint64_t seed = 1751;
    for (const auto& second : movements)
        for (const Target target : {Target::sample, Target::population}) {
            const bool keeps = !second(1) && !second(rounds - 1);
            SeededBits bits(seed++);
            std::vector<double> truth(4);
            for (std::size_t i = 0; i < 20; ++i)
                for (std::int32_t round = 0; round < rounds; ++round) {
                    const std::vector<Cell> cells = held(i, second(round));
                    const double part = 1.0 / (20 * rounds);
                    truth[0] += part * static_cast<double>(cells[0]) / 10;
                    truth[1] += part * (cells[1] == 0 ? 1 : 0);
                    truth[2] += part * (cells[1] == 2 ? 1 : 0);
                    truth[3] += part * (cells[2] == 0 ? 1 : 0);
                }
            std::vector<std::uint64_t> covered(truth.size());
            std::vector<std::byte> payload(m->payload_size());
            for (std::size_t r = 0; r < repetitions; ++r) {
                OwnedSummary summary(*m);
                for (std::size_t i = 0; i < people; ++i) {
                    Device device(*m, bits);
                    const std::size_t who = target == Target::sample ? i % 20 : bits.below(20);
                    for (std::int32_t round = 0; round < rounds; ++round) {
                        device.report(held(who, second(round)), payload);
                        Report report(m->block().begin(), m->block().end());
                        report.insert(report.end(), payload.begin(), payload.end());
                        summary.add(report, Rounds::only(round));
                    }
                }
                const SummaryView view = summary.view();
                const auto shares = [&](std::size_t attribute) {
                    return estimate(view, {Quantity::frequencies, target, attribute});
                };
                const Estimate found[] = {estimate(view, {Quantity::means, target})[0], shares(1)[0],
                                          shares(1)[2], shares(2)[0]};
                for (std::size_t k = 0; k < truth.size(); ++k) {
                    const Interval within = interval(found[k], 0.95);
                    covered[k] += within.lower <= truth[k] && truth[k] <= within.upper;
                }
            }
            for (std::size_t k = 0; k < truth.size(); ++k)
                BOOST_TEST_CONTEXT("estimate " << k << (keeps ? ", kept" : ", moving")
                                               << (target == Target::sample ? ", sample" : ", population")
                                               << ": covered " << covered[k] << " of " << repetitions) {
                    BOOST_TEST_MESSAGE("");
                    BOOST_CHECK_GT(binomial_at_most(repetitions, 0.93, covered[k]), 1e-8);
                }
        }
}

// The same of a joint table and of a vector, whose elements have ranges of their own. Their errors are those
// of the largest share that permanent responses can have.
BOOST_AUTO_TEST_CASE(pooled_tables_and_vectors_in_two_layers_are_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t people = 200, repetitions = 800;
    constexpr std::int32_t rounds = 6;
    const auto m = mechanism(record(
        3,
        {category(2), category(3),
         R"("vector": 2, "min": [0, -5], "max": [10, 5], "mechanism": "haar", "grid": 100)"},
        pair +
            R"(, "report_epsilon": 1.5, "evolving": {}, "budget": {"epsilon": 300000, "report_spent": false})"));
    const auto held = [](std::size_t person, bool second) {
        const std::uint64_t u = (person * 7 + (second ? 3 : 0)) % 20;
        return std::vector<Cell>{u < 6 ? 0u : 1u, u < 10 ? 0u : u % 3, 5 * u, 100 - 4 * u};
    };
    std::uint64_t seed = 1771;
    for (const bool keeps : {true, false})
        for (const Target target : {Target::sample, Target::population}) {
            SeededBits bits(seed++);
            std::vector<double> truth(4);
            for (std::size_t i = 0; i < 20; ++i)
                for (const bool second : {false, true}) {
                    const std::vector<Cell> cells = held(i, second && !keeps);
                    truth[0] += cells[0] == 1 && cells[1] == 0 ? 1.0 / 40 : 0;
                    truth[1] += cells[1] == 2 ? 1.0 / 40 : 0;
                    truth[2] += static_cast<double>(cells[2]) / 10 / 40;
                    truth[3] += (static_cast<double>(cells[3]) / 10 - 5) / 40;
                }
            std::vector<std::uint64_t> covered(truth.size());
            std::vector<double> stated(truth.size()), squares(truth.size());
            std::vector<std::byte> payload(m->payload_size());
            for (std::size_t r = 0; r < repetitions; ++r) {
                OwnedSummary summary(*m);
                for (std::size_t i = 0; i < people; ++i) {
                    Device device(*m, bits);
                    const std::size_t who = target == Target::sample ? i % 20 : bits.below(20);
                    for (std::int32_t round = 0; round < rounds; ++round) {
                        device.report(held(who, !keeps && round % 2 == 1), payload);
                        Report report(m->block().begin(), m->block().end());
                        report.insert(report.end(), payload.begin(), payload.end());
                        summary.add(report, Rounds::only(round));
                    }
                }
                const SummaryView view = summary.view();
                const Marginal table(view, {0, 1}, Combination::consistent, target);
                const Marginal single(view, {1}, Combination::consistent, target);
                const auto means = estimate(view, {Quantity::means, target});
                const Estimate found[] = {table.measured(Cells(table.sizes()).box(3)).estimate,
                                          single.measured(Cells(single.sizes()).box(2)).estimate, means[2],
                                          means[3]};
                for (std::size_t k = 0; k < truth.size(); ++k) {
                    const Interval within = interval(found[k], 0.95);
                    covered[k] += within.lower <= truth[k] && truth[k] <= within.upper;
                    stated[k] += found[k].standard_error * found[k].standard_error;
                    squares[k] += (found[k].value - truth[k]) * (found[k].value - truth[k]);
                }
            }
            for (std::size_t k = 0; k < truth.size(); ++k)
                BOOST_TEST_CONTEXT("estimate " << k << (keeps ? ", kept" : ", moving")
                                               << (target == Target::sample ? ", sample" : ", population")
                                               << ": covered " << covered[k] << " of " << repetitions) {
                    BOOST_TEST_MESSAGE("estimate " << k << (keeps ? ", kept" : ", moving") << ": covered "
                                                   << covered[k] << ", variance stated / found "
                                                   << stated[k] / squares[k]);
                    BOOST_CHECK_GT(binomial_at_most(repetitions, 0.93, covered[k]), 1e-8);
                    // Wide, but not by more than the bound of the share explains.
                    if (keeps) BOOST_CHECK_LT(stated[k] / squares[k], 2.2);
                }
        }
}

// The same people, divided equally among separate collections of the same attributes.
namespace {

std::atomic<std::size_t> interrupt_checks;

bool count_check() noexcept {
    ++interrupt_checks;
    return false;
}

}  // namespace

// Each estimate of a part checks for interrupts: one attribute does not take those of the other numbers.
BOOST_AUTO_TEST_CASE(the_mean_of_an_attribute_estimates_its_part_only) {
    constexpr std::size_t numbers = 20;
    std::vector<std::string> attributes{vector(3, "duchi_vector")};
    for (std::size_t i = 0; i < 2 * numbers; ++i)
        attributes.push_back(i % 2 == 0 ? number("pdp", "") : category(5, "grr"));
    const auto m = mechanism(record(2, attributes));
    const std::vector<std::uint64_t> cells = m->cells();
    SeededBits bits(4007);
    OwnedSummary summary(*m);
    for (Cell i = 0; i < 500; ++i) {
        std::vector<Cell> person;
        for (std::size_t j = 0; j < cells.size(); ++j) person.push_back((i + j) % cells[j]);
        summary.draw(person, bits);
    }
    const SummaryView view = summary.view();
    for (const Target target : {Target::sample, Target::population}) {
        interrupt_checks = 0;
        interrupt_handler = count_check;
        const std::vector<Estimate> all = estimate(view, {Quantity::means, target});
        interrupt_handler = nullptr;
        const std::size_t of_all = interrupt_checks;
        for (std::size_t j = 0; j < cells.size(); ++j) {
            const std::size_t first = part_of(*m, j).first;
            interrupt_checks = 0;
            interrupt_handler = count_check;
            const std::vector<Estimate> own = means_of_part(view, j, target);
            interrupt_handler = nullptr;
            BOOST_TEST(interrupt_checks + numbers <= of_all);
            if (own.empty()) {
                BOOST_TEST(std::isnan(all[j].value));
                const auto shares = estimate(view, {Quantity::frequencies, target, j});
                for (std::size_t v = 0; v < shares.size(); ++v) {
                    const Estimate one = ldp::share_of(view, static_cast<std::int64_t>(v), target, j);
                    BOOST_TEST(one.value == shares[v].value, boost::test_tools::tolerance(1e-12));
                    BOOST_TEST(one.standard_error == shares[v].standard_error,
                               boost::test_tools::tolerance(1e-12));
                }
                continue;
            }
            BOOST_TEST(own[j - first].value == all[j].value, boost::test_tools::tolerance(1e-12));
            BOOST_TEST(own[j - first].standard_error == all[j].standard_error,
                       boost::test_tools::tolerance(1e-12));
        }
    }
    BOOST_CHECK_THROW((void)means_of_part(view, cells.size(), Target::sample), Error);
}

// The law of an attribute of joint tables is that of its marginal, in each value.
BOOST_AUTO_TEST_CASE(intervals_of_joint_attributes_are_those_of_their_tables) {
    const auto m = mechanism(
        record(4, {category(3, "grr"), category(2), category(3)}, R"(, "joint_tables": [["a1", "a2"]])"));
    SeededBits bits(4008);
    OwnedSummary summary(*m);
    for (Cell i = 0; i < 40; ++i) summary.draw(std::vector<Cell>{i % 3, i % 16 == 0, i % 20 == 0}, bits);
    for (const Target target : {Target::sample, Target::population})
        for (const std::size_t j : {1, 2}) {
            const Question question{Quantity::frequencies, target, j};
            const auto found = intervals(summary.view(), question, estimate(summary.view(), question), 1.96);
            const Marginal table(summary.view(), {j}, Combination::consistent, target);
            const Cells values(table.sizes());
            BOOST_REQUIRE_EQUAL(found.size(), values.count());
            for (std::size_t v = 0; v < found.size(); ++v) {
                const Interval own = interval(table.measured(values.box(v)), 1.96);
                BOOST_TEST(found[v].lower == own.lower);
                BOOST_TEST(found[v].upper == own.upper);
            }
        }
}

BOOST_AUTO_TEST_CASE(margins_that_no_number_of_people_reaches_are_refused) {
    const auto spec = [](const char* margin) {
        return record(2, {number("pdp", ""), category(2)},
                      std::string(R"(, "max_margin_of_error": {"a0": )") + margin + "}");
    };
    for (const char* margin : {"1e-300", "1e-155", "1e-9"})
        BOOST_CHECK_EXCEPTION((void)mechanism(spec(margin)), Error,
                              [](const Error& error) { return error.code() == ErrorCode::invalid_spec; });
    BOOST_CHECK_NO_THROW((void)mechanism(spec("0.01")));
}

BOOST_AUTO_TEST_CASE(errors_are_at_most_those_of_separate_collections) {
    constexpr double units = 4;  // of which each person reports one
    for (const double epsilon : {0.5, 1.0, 2.0, 2.9}) {
        const auto m = mechanism(record(epsilon, {category(5), R"("min": 0, "max": 10)",
                                                  R"("min": 0, "max": 10, "estimate": "distribution")",
                                                  R"("vector": 4, "min": 0, "max": 10)"}));
        const std::string rest[] = {category(5), R"("min": 0, "max": 10)",
                                    R"("min": 0, "max": 10, "estimate": "distribution")",
                                    R"("attributes": [{"name": "v", "vector": 4, "min": 0, "max": 10}])"};
        for (std::size_t j = 0; j < 4; ++j) {
            const auto alone =
                mechanism("{\"mechanism\": \"auto\", \"epsilon\": " + text(epsilon) + ", " + rest[j] + "}");
            const std::size_t cells = j == 0 ? 5 : alone->cells()[0];
            std::vector<double> shares(cells);
            for (std::size_t v = 0; v < cells; ++v)
                shares[v] = 2 * static_cast<double>(v + 1) / static_cast<double>(cells * (cells + 1));
            const double mean = [&] {
                double sum = 0;
                for (std::size_t v = 0; v < cells; ++v)
                    sum += shares[v] * (2 * static_cast<double>(v) / static_cast<double>(cells - 1) - 1);
                return sum;
            }();
            double square = 0;
            for (std::size_t v = 0; v < cells; ++v)
                square +=
                    shares[v] * std::pow(2 * static_cast<double>(v) / static_cast<double>(cells - 1) - 1, 2);
            const double spread = j == 0 ? shares[1] * (1 - shares[1]) : square - mean * mean;
            BOOST_TEST_CONTEXT("attribute " << j << ", epsilon " << epsilon) {
                const double inside = m->n_variance_of(j, 1, shares),
                             apart = alone->n_variance_of(0, 1, shares);
                // For the people who reported, a separate collection has the sampling error of its share of
                // them.
                BOOST_CHECK_LE(inside, units * (apart + spread) * (1 + 1e-12));
                BOOST_CHECK_CLOSE_FRACTION(inside + spread, units * (apart + spread), 1e-9);
            }
        }
    }
}

// A pair in a record: both attributes and their table in three separate collections have no smaller error.
BOOST_AUTO_TEST_CASE(pairs_err_no_more_than_separate_collections) {
    for (const double epsilon : {0.5, 1.0, 2.0}) {
        const auto m = mechanism(record(epsilon, {category(3), category(4), category(5)}, pair));
        for (const std::size_t j : {0, 1}) {
            const std::uint64_t cells = j == 0 ? 3 : 4;
            const std::vector<double> shares(cells, 1 / static_cast<double>(cells));
            const auto alone = mechanism("{\"mechanism\": \"auto\", \"epsilon\": " + text(epsilon) +
                                         ", \"domain\": " + std::to_string(cells) + "}");
            const double spread = shares[0] * (1 - shares[0]);
            // The people are divided among a0, a1, their table and a2.
            BOOST_CHECK_LE(m->expected_variance(j) + spread, 4 * (alone->n_variance(shares[0]) + spread));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Records with strings of an open domain among their parts.

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/groups/change.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/strings/string_codes.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/queries/string_queries.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(record_strings)

namespace {

/// A spec of a text `brand` and other attributes.
std::string record(double epsilon, const std::string& strings, const std::string& others,
                   const std::string& rest = {}, const std::string& mechanism = "sampled") {
    return "{\"mechanism\": \"" + mechanism + "\", \"epsilon\": " + text(epsilon) +
           ", \"attributes\": [{\"name\": \"brand\", " + strings + "}, " + others + "]" + rest + "}";
}

const std::string mood = R"({"name": "mood", "domain": 3, "mechanism": "grr"})";

std::string refusal(const std::string& json) {
    try {
        static_cast<void>(resolve(json));
    } catch (const Error& error) {
        return error.what() + (" " + error.detail());
    }
    return {};
}

}  // namespace

// Part of the people report the text, and repeat their response in ten rounds, as in a panel. Of 600
// intervals with coverage 95 %, at least 66 miss with probability 3e-9.
BOOST_AUTO_TEST_CASE(intervals_of_texts_cover_in_one_round_and_in_ten, *boost::unit_test::label("slow")) {
    const auto m =
        mechanism(record(4, R"("strings": {"alphabet": "a-z", "max_length": 8}, "mechanism": "strings")",
                         R"({"name": "mood", "domain": 3, "mechanism": "grr"})",
                         R"(, "evolving": {}, "budget": {"epsilon": 12})"));
    const StringDomain words{*read_alphabet("a-z"), 8, false, {}};
    constexpr int people = 1000, runs = 600, most_missed = 65;
    // Shares in tenths. The length decides on how many levels a text is whole.
    const std::vector<std::pair<const char*, int>> held{
        {"acme", 4}, {"globex", 3}, {"initech", 1}, {"hooli", 1}, {"stark", 1}};
    std::vector<Cell> codes, tenths;
    for (const auto& [text, share] : held) {
        codes.push_back(code_of(words, text)->code);
        tenths.insert(tenths.end(), static_cast<std::size_t>(share), codes.back());
    }
    const double critical = critical_value(0.95);
    SeededBits bits(4301);
    std::map<std::pair<Cell, int>, int> missed;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary one(*m), ten(*m);
        Perturber device(*m);
        std::map<Cell, int> truth;
        for (int i = 0; i < people; ++i) {
            const Cell record[] = {tenths[bits.below(10)], bits.below(3)};
            ++truth[record[0]];
            const Report report = device.perturb(record, bits);
            one.add(report, Rounds::only(1));
            for (int round = 1; round <= 10; ++round) ten.add(report, Rounds::only(round));
        }
        for (const auto& [rounds, summary] : {std::pair(1, &one), {10, &ten}}) {
            const auto shares = shares_of_strings(summary->view(), 0, codes, Target::sample);
            for (std::size_t i = 0; i < codes.size(); ++i) {
                const Interval found = interval(shares[i].estimate, critical, shares[i].law);
                const double share = truth[codes[i]] / static_cast<double>(people);
                missed[{codes[i], rounds}] += found.lower <= share && share <= found.upper ? 0 : 1;
            }
        }
    }
    for (const auto& [which, count] : missed)
        BOOST_CHECK_MESSAGE(count <= most_missed, string_of(words, which.first)
                                                      << " in " << which.second << " rounds: " << count);
}

BOOST_AUTO_TEST_CASE(records_with_strings_keep_epsilon) {
    constexpr int users = 60;  // draw every part, level and cohort
    for (const double epsilon : {0.5, 2.0, 4.9}) {
        const std::string strings =
            R"("strings": {"alphabet": "ab", "max_length": 2}, "mechanism": "strings", "first_level_length": 1, "level_step": 1,)"
            R"( "hash_buckets": 3, "cohorts": 2)";
        prove(*mechanism(record(epsilon, strings, mood)), users);
        prove(*mechanism(record(epsilon, strings, mood + R"(, {"name": "age", "min": 0, "max": 9,
            "mechanism": "duchi"})",
                                R"(, "grid": 2)")),
              users);
    }
}

BOOST_AUTO_TEST_CASE(two_parts_a_report_keep_epsilon) {
    prove(*mechanism(record(4,
                            R"("strings": {"alphabet": "ab", "max_length": 1}, "mechanism": "strings", )"
                            R"("hash_buckets": 2, "cohorts": 2)",
                            mood + R"(, {"name": "car", "domain": 2, "mechanism": "grr"})",
                            R"(, "per_report": 2)")),
          60);
}

BOOST_AUTO_TEST_CASE(automatic_records_name_the_mechanism_and_its_options) {
    const std::string brand = R"("strings": {"alphabet": "a-z0-9 ", "max_length": 12})";
    const auto canonical = nlohmann::json::parse(
        resolve(
            record(2, brand, R"({"name": "mood", "domain": 3}, {"name": "age", "domain": 64})", "", "auto"))
            .to_json());
    const nlohmann::json& part = canonical["attributes"][0];
    BOOST_CHECK_EQUAL(canonical["mechanism"], "sampled");
    BOOST_CHECK_EQUAL(part["mechanism"], "strings");
    BOOST_CHECK_EQUAL(part["strings"]["max_length"], 12);
    for (const char* option : {"first_level_length", "level_step", "hash_buckets", "cohorts"})
        BOOST_CHECK(part.contains(option));
    BOOST_CHECK_EQUAL(Spec::from_json(canonical.dump()).to_json(), canonical.dump());
    // A category of as many values as the text has codes has its own mechanism.
    const auto equal =
        nlohmann::json::parse(resolve(record(2, R"("strings": {"alphabet": "a-c", "max_length": 3})",
                                             R"({"name": "age", "domain": 64})", "", "auto"))
                                  .to_json());
    BOOST_CHECK_EQUAL(equal["attributes"][0]["mechanism"], "strings");
    BOOST_CHECK_NE(equal["attributes"][1]["mechanism"], "strings");
    for (const auto& [strings, rest, part_of_message] :
         {std::tuple(brand + R"(, "mechanism": "grr")", "", "cannot report \"brand\""),
          {brand + R"(, "estimate": "distribution")", "", "a text must not have \"estimate\""},
          {brand, R"(, "joint_tables": [["brand", "mood"]])", "is a text"},
          {brand, R"(, "report_epsilon": 1)", "no mechanism suits the text"},
          {brand + R"(, "evolving": true)", "", "of strings"}})
        BOOST_CHECK_MESSAGE(
            refusal(record(2, strings, mood, rest)).find(part_of_message) != std::string::npos,
            part_of_message << " in: " << refusal(record(2, strings, mood, rest)));
    // A margin becomes a share of the people.
    const auto with_margin =
        nlohmann::json::parse(resolve(record(2, brand, R"({"name": "mood", "domain": 3})",
                                             R"(, "max_margin_of_error": {"brand": 0.01})"))
                                  .to_json());
    BOOST_CHECK_GT(with_margin["attributes"][0]["weight"], with_margin["attributes"][1]["weight"]);
}

// Strings are drawn anew each time, and with them the collisions. Of 4000 intervals, 93 to 97 % are more than
// 5 standard deviations of the simulation away from 95 %.
BOOST_AUTO_TEST_CASE(intervals_cover_the_truth, *boost::unit_test::label("slow")) {
    constexpr int repetitions = 4000, n = 300;
    for (const double epsilon : {1.0, 4.0}) {
        const auto m = mechanism(
            record(epsilon,
                   R"("strings": {"alphabet": "a-z", "max_length": 4}, )"
                   R"("mechanism": "strings", "first_level_length": 2, "level_step": 2, "cohorts": 16)",
                   mood, R"(, "per_report": 1)"));
        SeededBits bits(4301);
        int held = 0, population = 0, category = 0;
        for (int i = 0; i < repetitions; ++i) {
            const auto any = [&] {
                Cell code = 0;
                for (int k = 0; k < 4; ++k) code = code * 27 + 1 + bits.below(26);
                return code;
            };
            const Cell heavy = any(), other = any();
            OwnedSummary fixed(*m), drawn(*m);
            for (int k = 0; k < n; ++k) {
                const Cell cells[] = {k < n / 2 ? heavy : other, static_cast<Cell>(k % 3)};
                fixed.draw(cells, bits);
                const Cell people[] = {bits.below(10) < 3 ? heavy : other, 0};
                drawn.draw(people, bits);
            }
            const auto covers = [&](const OwnedSummary& summary, Target target, double truth) {
                const StringShare share = shares_of_strings(summary.view(), 0, {&heavy, 1}, target)[0];
                const Interval found = interval(share.estimate, critical_value(0.95), share.law);
                return found.lower <= truth && truth <= found.upper;
            };
            held += covers(fixed, Target::sample, 0.5);
            population += covers(drawn, Target::population, 0.3);
            const Estimate first = fixed.estimate(Quantity::frequencies, Target::sample, 1)[0];
            category += std::abs(first.value - 1.0 / 3) < 2.5758 * first.standard_error ? 1 : 0;
        }
        for (const int covered : {held, population}) {
            BOOST_CHECK_GT(covered, 0.93 * repetitions);
            BOOST_CHECK_LT(covered, 0.97 * repetitions);
        }
        BOOST_CHECK_GT(category, 0.98 * repetitions);  // 99 % intervals of the other part
    }
}

BOOST_AUTO_TEST_CASE(a_part_has_the_estimates_of_the_record) {
    const auto m =
        mechanism(record(4, R"("strings": {"alphabet": "a-z", "max_length": 6}, "mechanism": "strings")",
                         mood, R"(, "per_report": 1)"));
    const StringDomain words{*read_alphabet("a-z"), 6, false, {}};
    const Cell acme = code_of(words, "acme")->code;
    SeededBits bits(4302);
    OwnedSummary summary(*m);
    for (int i = 0; i < 6000; ++i) {
        const Cell cells[] = {i % 2 == 0 ? acme : bits.below(m->cells()[0]), static_cast<Cell>(i % 3)};
        summary.draw(cells, bits);
    }
    const SummaryView view = summary.view();
    BOOST_CHECK(m->can_estimate(Quantity::strings) && m->can_estimate(Quantity::frequencies) &&
                !m->can_estimate(Quantity::means));
    const auto found = search_strings(view, 0, {}, Target::population);
    BOOST_REQUIRE(!found.empty());
    BOOST_CHECK_EQUAL(found[0].code, acme);
    BOOST_CHECK_SMALL(found[0].share.estimate.value - 0.5, 6 * found[0].share.estimate.standard_error);
    const auto alone = search_strings(part(view, 0), 0, {}, Target::population);
    BOOST_REQUIRE_EQUAL(alone.size(), found.size());
    BOOST_CHECK_EQUAL(alone[0].share.estimate.value, found[0].share.estimate.value);
    BOOST_CHECK_EQUAL(alone[0].share.estimate.standard_error, found[0].share.estimate.standard_error);
    // Against the people who reported to the record, the sampling error of the part remains.
    const double sample = search_strings(view, 0, {}, Target::sample)[0].share.estimate.standard_error;
    BOOST_CHECK_LT(sample, found[0].share.estimate.standard_error);
    BOOST_CHECK_EQUAL(search_strings(part(view, 0), 0, {}, Target::sample)[0].share.estimate.standard_error,
                      sample);
    // Other accessors: the category alone has shares and changes.
    BOOST_CHECK_THROW(static_cast<void>(summary.estimate(Quantity::frequencies, Target::sample, 0)), Error);
    const auto changes = change(view, view, 0, 2, Target::sample);
    BOOST_REQUIRE_EQUAL(changes.size(), 3u);
    for (const Change& one : changes) BOOST_CHECK_EQUAL(one.attribute, 1u);
    BOOST_CHECK_GT(summary.health(), 1e-6);
}

// Categories, numbers with and without missing answers, a vector, a distribution and a text, in records of which
// a report has one or two parts.
BOOST_AUTO_TEST_CASE(estimates_of_selected_attributes_are_those_of_all) {
    const std::string attributes =
        R"("strings": {"alphabet": "a-z", "max_length": 6}, "mechanism": "strings")";
    const std::string others =
        R"({"name": "age", "min": 0, "max": 9, "mechanism": "duchi"},
           {"name": "sick", "min": 0, "max": 9, "missing": true},
           {"name": "hours", "vector": 3, "min": 0, "max": 9, "mechanism": "duchi_vector"},)" +
        mood + R"(, {"name": "income", "min": 0, "max": 9, "mechanism": "tree"})";
    const StringDomain words{*read_alphabet("a-z"), 6, false, {}};
    const Cell acme = code_of(words, "acme")->code;
    for (const std::string rest : {R"(, "grid": 9)", R"(, "grid": 9, "per_report": 2)"}) {
        const auto m = mechanism(record(4, attributes, others, rest));
        const std::vector<std::uint64_t> sizes = m->cells();
        SeededBits bits(4310);
        OwnedSummary summary(*m);
        for (int i = 0; i < 3000; ++i) {
            std::vector<Cell> cells{acme};
            for (std::size_t j = 1; j < sizes.size(); ++j) cells.push_back(bits.below(sizes[j]));
            summary.draw(cells, bits);
        }
        const RowFunction& function = row_function("estimate");
        for (const char* target : {"sample", "population"}) {
            SummaryQuery query = function.defaults;
            query.target = target;
            const auto all = function.find({.summary = summary.bytes()}, query);
            std::size_t next = 0;
            for (std::size_t j = 0; j < sizes.size(); ++j) {
                const std::string number = std::to_string(j);
                const std::string_view names[] = {number};
                query.attributes = SummaryQuery::Texts(names);
                const auto found = function.find({.summary = summary.bytes()}, query);
                BOOST_REQUIRE_GT(found->count(), 0);
                for (std::size_t row = 0; row < found->count(); ++row, ++next) {
                    BOOST_REQUIRE_LT(next, all->count());
                    const auto of_all = all->row(next), own = found->row(row);
                    for (std::size_t c = 0; c < own.size(); ++c)
                        BOOST_TEST_CONTEXT("attribute " << j << ", column " << c) {
                            BOOST_TEST(own[c].known == of_all[c].known);
                            if (!own[c].known) continue;
                            BOOST_TEST(own[c].number == of_all[c].number);
                            BOOST_TEST(own[c].whole == of_all[c].whole);
                            BOOST_TEST(own[c].text == of_all[c].text);
                        }
                }
            }
            BOOST_CHECK_EQUAL(next, all->count());
            // The second element of the vector and the text, without the first number.
            const std::string_view some[] = {"0", "4"};
            query.attributes = SummaryQuery::Texts(some);
            BOOST_CHECK_EQUAL(function.find({.summary = summary.bytes()}, query)->count(), 2);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Which views are chosen for what is asked: by closed forms before anybody has reported, and by a first
// round.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/choice/view_choice.hpp"
#include "core/choice/view_plan.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/joint/view_weights.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/measured.hpp"
#include "support.hpp"
#include "tables.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(view_choice)

namespace {

std::string attributes(const std::vector<int>& sizes) {
    std::string all;
    for (std::size_t j = 0; j < sizes.size(); ++j)
        all += (j == 0 ? "" : ", ") + (R"({"name": "a)" + std::to_string(j)) + R"(", "domain": )" +
               std::to_string(sizes[j]) + "}";
    return R"("attributes": [)" + all + "]";
}

Spec chosen(double epsilon, const std::vector<int>& sizes, int people, const std::string& rest = "") {
    return resolve(R"({"mechanism": "joint", "marginals": "auto", "epsilon": )" + std::to_string(epsilon) +
                   R"(, "people": )" + std::to_string(people) + rest + ", " + attributes(sizes) + "}");
}

std::string word(const Spec& spec) {
    const auto* found = std::get_if<std::string>(&spec.option("marginals"));
    return found == nullptr ? "a list" : *found;
}

/// People whose yes/no answers are those of their class, with some exceptions. Three of them determine a
/// fourth by their parity, which no pair shows.
std::vector<Cell> person(std::size_t count, bool dependent, BitSource& bits) {
    const std::uint64_t kind = bits.below(4);
    std::vector<Cell> record;
    for (std::size_t j = 0; j < count; ++j) {
        const Cell own = dependent ? (kind >> (j % 2) & 1) : bits.below(2);
        record.push_back(bits.below(5) == 0 ? 1 - own : own);
    }
    if (dependent) record[2] = (record[0] ^ record[1]) ^ (bits.below(10) == 0 ? 1 : 0);
    return record;
}

struct ViewErrors {
    double pairs = 0, triples = 0;
};

/// How far fitted tables are from those of the people, on average over all pairs and over some triples.
ViewErrors errors_of(const std::string& rest, double epsilon, bool dependent, std::uint64_t seed) {
    constexpr std::size_t count = 8, people = 6000;
    SeededBits bits(seed);
    const auto m = mechanism("joint", epsilon, attributes(std::vector<int>(count, 2)) + ", " + rest);
    OwnedSummary summary(*m);
    std::vector<std::vector<Cell>> all;
    for (std::size_t i = 0; i < people; ++i) {
        all.push_back(person(count, dependent, bits));
        summary.draw(all.back(), bits);
    }
    const Fit fit = fitted(measured(summary.view()));
    const auto error = [&](const std::vector<std::size_t>& set) {
        const Table found = fit.table(set);
        std::vector<double> truth(found.shares.size());
        for (const std::vector<Cell>& record : all) {
            std::size_t cell = 0;
            for (const std::size_t j : set) cell = 2 * cell + record[j];
            truth[cell] += 1.0 / people;
        }
        return variation(found.shares, truth);
    };
    ViewErrors errors;
    const auto pairs = all_sets(count, 2), triples = all_sets(count, 3);
    for (const auto& set : pairs) errors.pairs += error(set) / static_cast<double>(pairs.size());
    for (const auto& set : triples) errors.triples += error(set) / static_cast<double>(triples.size());
    return errors;
}

}  // namespace

// 16 yes/no answers of 21,574 people at ε = 4: triples have three times the people of each pair, whose noise
// is less though each is a sum over two values.
BOOST_AUTO_TEST_CASE(triples_are_taken_where_they_tell_more_of_pairs) {
    const std::vector<int> binary(16, 2);
    BOOST_CHECK_EQUAL(word(chosen(4, binary, 21574)), "triples");
    // With large noise, fits depend on the single attributes, which pairs estimate better.
    BOOST_CHECK_EQUAL(word(chosen(1, binary, 21574)), "pairs");
    // Of ten values each a sum over the third is noisier than three times the people make good.
    BOOST_CHECK_EQUAL(word(chosen(1, std::vector<int>(8, 10), 21574)), "pairs");
    // There would be too many, or too large ones.
    BOOST_CHECK_EQUAL(word(chosen(4, std::vector<int>(60, 2), 21574)), "pairs");
    BOOST_CHECK_EQUAL(word(chosen(4, std::vector<int>(4, 30), 21574)), "pairs");
}

BOOST_AUTO_TEST_CASE(views_are_chosen_for_what_is_asked) {
    const std::vector<int> sizes(6, 8);
    const Spec named = chosen(4, sizes, 20000, R"(, "queries": [["a1", "a0"], ["a2", "a3"], ["a0", "a1"]])");
    BOOST_CHECK((std::get<IntegerRows>(named.option("marginals")) == IntegerRows{{4}, {5}, {0, 1}, {2, 3}}));
    BOOST_CHECK((std::get<IntegerRows>(named.option("queries")) == IntegerRows{{0, 1}, {2, 3}}));
    BOOST_CHECK_EQUAL(word(chosen(4, sizes, 20000, R"(, "queries": "pairs")")), "pairs");
    // What is settled is read again as it is.
    const Spec again = Spec::from_json(named.to_json());
    BOOST_CHECK_EQUAL(again.to_json(), named.to_json());
    for (const char* wrong :
         {R"("queries": "boxes")", R"("queries": [])", R"("queries": [[]])", R"("queries": [["a0", "a0"]])",
          R"("queries": [["a0", "a1", "a2", "a3"]])", R"("queries": [["z"]])", R"("queries": 3)"})
        BOOST_CHECK_THROW(static_cast<void>(chosen(1, sizes, 20000, std::string(", ") + wrong)), Error);
}

// The expected error is that of tables without shrinkage where noise is far below what is expected of
// interactions: of one pair alone, by the variance that the mechanism promises.
BOOST_AUTO_TEST_CASE(expected_errors_are_those_of_noise) {
    const std::vector<std::uint64_t> sizes{4, 4};
    const ViewAttributes both{.count = 2, .numbers = {0, 1}};
    constexpr double people = 1e9;
    const double found = ldp::joint::ExpectedErrors(sizes, {2}, false, {both}, people).of(both);
    const double cell = ldp::joint::promised_cell(16, {2}) / people;
    BOOST_CHECK_CLOSE(found, 16 * std::sqrt(2 / std::numbers::pi * cell) / 2, 0.1);
    // The pair has no reports: its error is unknown. For three attributes the pairs suffice.
    const ViewAttributes first{.count = 1, .numbers = {0}}, second{.count = 1, .numbers = {1}};
    BOOST_CHECK(std::isinf(ldp::joint::ExpectedErrors(sizes, {2}, false, {first, second}, people).of(both)));
    const ViewAttributes three{.count = 3, .numbers = {0, 1, 2}};
    const std::vector<std::uint64_t> binary{2, 2, 2};
    BOOST_CHECK_CLOSE(ldp::joint::ExpectedErrors(binary, {2}, false, all_views(3, 2), 1e12).of(three),
                      std::sqrt(2 / std::numbers::pi * 0.01) / 2, 1);
}

// By what pairs are asked, the choice is as good as the better of both, whether people are dependent or not.
// Of triples it cannot know what they show beyond their pairs, and errs to the side where less is lost.
BOOST_AUTO_TEST_CASE(the_choice_is_as_good_as_the_better_views) {
    for (const bool dependent : {true, false}) {
        ViewErrors pairs, triples, choice, asked;
        const auto add = [&](ViewErrors& sum, const std::string& rest, std::uint64_t seed) {
            const ViewErrors one = errors_of(rest, 4, dependent, seed);
            sum.pairs += one.pairs / 3;
            sum.triples += one.triples / 3;
        };
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            add(pairs, R"("marginals": "pairs")", seed);
            add(triples, R"("marginals": "triples")", seed);
            add(choice, R"("marginals": "auto", "people": 6000)", seed);
            add(asked, R"("marginals": "auto", "people": 6000, "queries": "triples")", seed);
        }
        BOOST_TEST_MESSAGE((dependent ? "dependent" : "independent")
                           << ": pairs " << pairs.pairs << "/" << pairs.triples << ", triples "
                           << triples.pairs << "/" << triples.triples << ", auto " << choice.pairs << "/"
                           << choice.triples << ", asked about triples " << asked.triples);
        BOOST_CHECK_LT(choice.pairs, 1.1 * std::min(pairs.pairs, triples.pairs));
        if (dependent) {
            BOOST_CHECK_LT(choice.pairs, 0.8 * pairs.pairs);
            BOOST_CHECK_LT(asked.triples, 0.8 * pairs.triples);
        } else {
            BOOST_CHECK_LT(asked.triples, 1.4 * pairs.triples);
        }
    }
}

// A first round of a few people shows that three attributes are associated in a way that no pair shows:
// triples are best for triples. The predicted and the true ranking agree.
BOOST_AUTO_TEST_CASE(a_first_round_tells_which_views_are_best) {
    constexpr std::size_t count = 5;
    SeededBits bits(11);
    const auto m =
        mechanism("joint", 4, attributes(std::vector<int>(count, 2)) + R"(, "marginals": "triples")");
    OwnedSummary summary(*m);
    for (int i = 0; i < 3000; ++i) summary.draw(person(count, true, bits), bits);
    const Measured first = measured(summary.view());
    const auto plans = planned_views(first, count, {4, 20000, all_sets(count, 3)}, bits);
    BOOST_REQUIRE_GE(plans.size(), 2u);
    BOOST_CHECK_EQUAL(plans.front().word, "triples");
    const auto pairs = std::ranges::find(plans, "pairs", &ViewPlan::word);
    BOOST_REQUIRE(pairs != plans.end());
    BOOST_CHECK_GT(pairs->error, 2 * plans.front().error);
    for (std::size_t i = 1; i < plans.size(); ++i) BOOST_CHECK_GE(plans[i].error, plans[i - 1].error);
    // For independent people, pairs have all the information.
    const auto by_pairs = mechanism("joint", 4, attributes(std::vector<int>(count, 2)));
    OwnedSummary others(*by_pairs);
    for (int i = 0; i < 3000; ++i) others.draw(person(count, false, bits), bits);
    const auto none = planned_views(measured(others.view()), count, {4, 20000, all_sets(count, 3)}, bits);
    BOOST_CHECK_EQUAL(none.front().word, "pairs");
    // Of six attributes of six values three pairs are asked about, and nobody should report anything else.
    const auto six = mechanism("joint", 4, attributes(std::vector<int>(6, 6)));
    OwnedSummary more(*six);
    for (int i = 0; i < 6000; ++i) {
        std::vector<Cell> record;
        for (std::size_t j = 0; j < 6; ++j)
            record.push_back(j % 2 == 1 && bits.below(5) < 3 ? record.back() : bits.below(6));
        more.draw(record, bits);
    }
    const AttributeSets asked{{0, 1}, {2, 3}, {4, 5}};
    const auto few = planned_views(measured(more.view()), 6, {4, 20000, asked}, bits);
    for (const ViewPlan& plan : few)
        BOOST_TEST_MESSAGE((plan.word.empty() ? "a list" : plan.word) << ": " << plan.error);
    BOOST_CHECK(few.front().word.empty());
    BOOST_CHECK(few.front().views == asked);
    for (const SecondRound& wrong :
         {SecondRound{4, 0, {{0, 1}}}, SecondRound{4, std::nan(""), {{0, 1}}}, SecondRound{4, 100, {}},
          SecondRound{4, 100, {{0, 0}}}, SecondRound{4, 100, {{0, 5}}}, SecondRound{4, 100, {{0, 1, 2, 3}}}})
        BOOST_CHECK_THROW(static_cast<void>(planned_views(first, count, wrong, bits)), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// Groups against all other groups: pages of equal groups, by simulation, and the sums of summaries.

#include "core/results/rows/other_groups.hpp"

#include <random>

#include "core/contract/spec.hpp"
#include "core/groups/against_others.hpp"
#include "core/groups/change.hpp"
#include "core/groups/difference.hpp"
#include "core/results/row_functions.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(other_groups)

namespace {

SummaryQuery usual_query() {
    return row_function("compare_groups").defaults;
}

/// Returns whether a page of these groups would mark a difference.
bool marked(const Mechanism& m, std::span<const std::vector<std::byte>> summaries) {
    const Labels labels;
    const auto contrasts = OtherGroups(m, summaries).contrasts(labels, usual_query());
    std::vector<double> p_values;
    for (const OtherGroups::Contrast& one : contrasts) p_values.push_back(one.p_value);
    return std::ranges::any_of(holm_adjusted(p_values), [](double p_value) { return p_value < 0.05; });
}

}  // namespace

// A family is rejected by chance in at most 5 of 100 pages. The bound of the test adds 5.7 standard deviations of 400 pages,
// so that a false alarm has a probability below 1e-8.
BOOST_AUTO_TEST_CASE(equal_groups_are_rarely_marked, *boost::unit_test::label("slow")) {
    SeededBits bits(6101);
    std::mt19937_64 draws(6102);
    struct EqualGroups {
        const char *name, *attribute;
        std::size_t groups, people;
        double epsilon;
    };
    constexpr std::size_t pages = 400;
    const double most = pages * 0.05 + 5.7 * std::sqrt(pages * 0.05 * 0.95);
    for (const EqualGroups& each :
         {EqualGroups{"grr", R"("domain": 6)", 60, 60, 3},
          EqualGroups{"label_sets", R"("several": true, "domain": 6, "most": 3, "response": "one_label")", 60,
                      60, 3},
          EqualGroups{"label_sets", R"("several": true, "domain": 6, "most": 3, "response": "subset")", 16,
                      300, 3},
          EqualGroups{"joint", R"("attributes": [{"name": "a", "domain": 6}, {"name": "b", "domain": 4}])",
                      60, 60, 3},
          // Four random samples of one population.
          EqualGroups{"grr", R"("domain": 6)", 4, 1000, 1},
          EqualGroups{"pdp", R"("min": 0, "max": 3)", 60, 60, 3},
          EqualGroups{"tree", R"("min": 0, "max": 15, "grid": 15)", 16, 200, 3}}) {
        const auto m = mechanism(each.name, each.epsilon, each.attribute);
        std::vector<std::discrete_distribution<Cell>> values;
        for (const std::uint64_t cells : m->cells()) {
            std::vector<double> weights(cells);
            for (std::size_t c = 0; c < cells; ++c) weights[c] = 1.0 / static_cast<double>(c + 1);
            values.emplace_back(weights.begin(), weights.end());
        }
        std::size_t found = 0;
        for (std::size_t page = 0; page < pages; ++page) {
            std::vector<std::vector<std::byte>> summaries;
            for (std::size_t g = 0; g < each.groups; ++g) {
                OwnedSummary summary(*m);
                std::vector<Cell> person(values.size());
                for (std::size_t i = 0; i < each.people; ++i) {
                    for (std::size_t j = 0; j < values.size(); ++j) person[j] = values[j](draws);
                    summary.draw(person, bits);
                }
                summaries.push_back(summary.bytes());
            }
            found += marked(*m, summaries) ? 1 : 0;
        }
        BOOST_TEST_MESSAGE(each.name << ": " << found << " of " << pages << " pages have a mark");
        BOOST_TEST_CONTEXT(each.name) BOOST_TEST(static_cast<double>(found) <= most);
    }
}

// The usual target of a change is the population: two random samples of one population are rarely marked, although other people
// report in each round. The bound is that of equal groups.
BOOST_AUTO_TEST_CASE(equal_rounds_are_rarely_marked) {
    SeededBits bits(6105);
    std::mt19937_64 draws(6106);
    const SummaryQuery usual = row_function("change").defaults;
    const IntervalRule rule = IntervalRule::of(usual.confidence, usual.anytime, usual.simultaneous);
    constexpr std::size_t pages = 400, people = 1000;
    const double most = pages * 0.05 + 5.7 * std::sqrt(pages * 0.05 * 0.95);
    struct Rounds {
        const char *name, *attribute;
        double epsilon;
    };
    for (const Rounds& each :
         {Rounds{"grr", R"("domain": 6)", 4}, Rounds{"pdp", R"("min": 0, "max": 3)", 8}}) {
        const auto m = mechanism(each.name, each.epsilon, each.attribute);
        std::uniform_int_distribution<Cell> value(0, static_cast<Cell>(m->cells()[0] - 1));
        std::size_t found = 0;
        for (std::size_t page = 0; page < pages; ++page) {
            const auto sample = [&] {
                std::vector<Cell> values(people);
                for (Cell& one : values) one = value(draws);
                return reported(*m, values, bits);
            };
            const auto before = sample(), after = sample();
            std::vector<double> p_values;
            for (const Change& one : change(before.view(), after.view(), 0, rule, target_named(usual.target)))
                p_values.push_back(one.p_value);
            found += std::ranges::any_of(holm_adjusted(p_values), [](double p) { return p < 0.05; }) ? 1 : 0;
        }
        BOOST_TEST_MESSAGE(each.name << ": " << found << " of " << pages << " pages have a mark");
        BOOST_TEST_CONTEXT(each.name) BOOST_TEST(static_cast<double>(found) <= most);
    }
}

// One group differs from the others by more than chance.
BOOST_AUTO_TEST_CASE(a_group_that_differs_is_marked) {
    SeededBits bits(6103);
    for (const auto& [name, attribute] :
         {std::pair{"grr", R"("domain": 4)"}, {"tree", R"("min": 0, "max": 15, "grid": 15)"}}) {
        const auto m = mechanism(name, 3, attribute);
        std::vector<std::vector<std::byte>> summaries;
        for (std::size_t g = 0; g < 5; ++g) {
            std::vector<Cell> people(400);
            for (std::size_t i = 0; i < people.size(); ++i) people[i] = g == 0 ? i % 2 : 2 + i % 2;
            summaries.push_back(reported(*m, people, bits).bytes());
        }
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(marked(*m, summaries));
            const auto found = OtherGroups(*m, summaries).contrasts(Labels(), usual_query());
            // The first group has smaller values, and more people with the value 0.
            BOOST_TEST((found[0].value ? found[0].estimate > 0.3 : found[0].estimate < -0.3));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_others_of_each_group_add_up) {
    SeededBits bits(6104);
    const auto m = mechanism("grr", 2, R"("domain": 3)");
    std::vector<std::vector<std::byte>> summaries;
    for (const std::size_t people : {7, 0, 30, 11})
        summaries.push_back(reported(*m, std::vector<Cell>(people, 1), bits).bytes());
    const auto others = summaries_of_others(*m, summaries);
    BOOST_REQUIRE_EQUAL(others.size(), 4U);
    const std::uint64_t counts[] = {41, 48, 18, 37};
    for (std::size_t g = 0; g < 4; ++g) BOOST_TEST(view_of(*m, others[g]).n == counts[g]);
    BOOST_CHECK(summaries_of_others(*m, std::span(summaries).first(2))[1] == summaries[0]);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

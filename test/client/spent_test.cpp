// People whose budgets end: estimates of values that drift say so.

#include "core/summary/spent.hpp"

#include <cmath>

#include "../support/seeded_words.hpp"
#include "client/memory_store.hpp"
#include "client/reporter.hpp"
#include "client_support.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/summary.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(spent_budgets)

namespace {

double uniform(BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53);
}

/// The value of a person with a number in [0, 1) in a round; no value before the person joins.
using Path = std::function<std::optional<double>(double person, int round)>;

/// What the last attribute of a spec is estimated as, round by round.
struct RoundResult {
    double truth = 0;
    Interval plain{}, whole{};  ///< 95 % without and with the bias
    bool significant = false, noted = false;
    double spent = 0, share = 0;  ///< the true share of spent budgets, and its estimate
    std::uint64_t n = 0;
};

std::vector<RoundResult> results_of(const std::string& json, int people, const std::vector<int>& rounds,
                                    const Path& path, std::uint64_t seed,
                                    const std::vector<Value>& fixed = {}) {
    const Collection collection(Spec::from_json(json));
    const Mechanism& m = collection.mechanism();
    const std::size_t attribute = collection.spec().attributes().size() - 1;
    SeededBits bits(seed);
    const int last = rounds.back();
    std::vector<std::vector<std::byte>> summaries(last + 1);
    for (auto& summary : summaries) start_summary(m, (summary.resize(summary_size(m)), summary));
    std::vector<double> sums(last + 1), spent(last + 1), here(last + 1);
    for (int i = 0; i < people; ++i) {
        MemoryStore store;
        const auto reporter = make_reporter(collection, store, bits);
        const double person = uniform(bits);
        bool ended = false;
        for (int t = 0; t <= last; ++t) {
            const auto value = path(person, t);
            if (!value) continue;
            std::vector<Value> record(fixed);
            record.emplace_back(*value);
            const auto reported = reporter->report(record, t, bits);
            ended = ended || reported.receipt.origin == Origin::nearest;
            for (const Report& report : reported.reports) {
                BOOST_REQUIRE(accumulate(m, summaries[t], report, Rounds::only(t)) == Outcome::ok);
                sums[t] += *value;
                spent[t] += ended;
                ++here[t];
            }
        }
    }
    std::vector<RoundResult> all;
    constexpr double far = 1.959964;
    for (const int t : rounds) {
        const SummaryView view = view_of(m, summaries[t]);
        const SpentBudgets budgets(view);
        const SummaryView about = part(view, attribute);
        const Estimate mean = estimate(view, {Quantity::means, Target::population}).at(attribute);
        RoundResult one{.truth = sums[t] / here[t],
                        .plain = interval(mean, far, error_law(view, attribute, Target::population))};
        const std::size_t within = attribute - part_of(m, attribute).first;
        one.whole =
            extended(one.plain, budgets.bias(about.n, possible_values(*about.mechanism, within)), far);
        one.significant = budgets.significant();
        one.noted = !budgets.note().empty();
        one.spent = spent[t] / here[t];
        if (budgets.has_signal()) one.share = budgets.share(far).share.value;
        one.n = view.n;
        all.push_back(one);
    }
    return all;
}

bool holds(const Interval& found, double truth) {
    return found.lower <= truth && truth <= found.upper;
}

const std::string minutes = R"({"mechanism": "pdp", "epsilon": 1, "budget": {"epsilon": 20}, "evolving": {},
    "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}]})";

/// From 50 to 250 in 61 rounds, with a spread of 100 between people.
std::optional<double> drift(double person, int t) {
    return 50 + 200.0 * t / 60 + 100 * (person - 0.5);
}

}  // namespace

// The example of the manual: 3,000 people whose minutes rise from 50 to 250 in 61 rounds.
BOOST_AUTO_TEST_CASE(people_who_drift_are_not_estimated_as_they_were) {
    const std::vector<RoundResult> all = results_of(minutes, 3000, {5, 18, 40, 60}, drift, 2026);
    for (const std::size_t i : {0, 1}) {  // no budget of 19 responses can have ended
        BOOST_TEST(all[i].spent == 0);
        BOOST_TEST((!all[i].noted && !all[i].significant));
        BOOST_TEST(all[i].whole.lower == all[i].plain.lower);
        BOOST_TEST(holds(all[i].whole, all[i].truth));
    }
    const RoundResult& end = all[3];
    BOOST_TEST(std::abs(end.truth - 250) < 5);
    BOOST_TEST(!holds(end.plain, end.truth));  // the estimate stays behind
    BOOST_TEST(end.spent > 0.5);
    for (const RoundResult& one : {all[2], end}) BOOST_TEST(std::abs(one.share - one.spent) < 0.12);
    BOOST_TEST((end.significant && end.noted));
    BOOST_TEST(holds(end.whole, end.truth));
    BOOST_TEST(holds(all[2].whole, all[2].truth));
}

// Trends, seasons and people who join late, in one layer and in two, and in a record. Whenever the share is
// significant the interval holds; otherwise nothing is wrong, or a note says so.
BOOST_AUTO_TEST_CASE(intervals_hold_or_are_noted) {
    const std::string two =
        R"({"mechanism": "optimal", "epsilon": 2, "first_epsilon": 1, "budget": {"epsilon": 13},
        "evolving": {}, "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}]})";
    const std::string record =
        R"({"mechanism": "sampled", "epsilon": 1, "budget": {"epsilon": 8}, "evolving": {},
        "attributes": [{"name": "sex", "domain": ["f", "m"]}, {"name": "minutes", "min": 0, "max": 360, "evolving": true}]})";
    const std::string few = R"({"mechanism": "pdp", "epsilon": 1, "budget": {"epsilon": 8}, "evolving": {},
        "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}]})";
    const Path season = [](double person, int t) {
        return 180 + 120 * std::sin(0.35 * t) + 60 * (person - 0.5);
    };
    const Path late = [](double person, int t) { return t < 25 * person ? std::nullopt : drift(person, t); };
    struct Case {
        const char* name;
        const std::string& spec;
        Path path;
        std::vector<Value> fixed;
    };
    const Case cases[] = {{"trend", few, drift, {}},
                          {"season", few, season, {}},
                          {"late", few, late, {}},
                          {"two layers", two, drift, {}},
                          {"record", record, drift, {"f"}}};
    for (const auto& [name, spec, path, fixed] : cases) {
        int early = 0, early_held = 0, significant = 0, held = 0, silent = 0;
        for (std::uint64_t seed = 0; seed < 12; ++seed)
            for (const RoundResult& one :
                 results_of(spec, 400, {2, 4, 20, 30, 40}, path, 31 * seed + 1, fixed)) {
                if (!one.noted) {
                    ++early;
                    early_held += holds(one.whole, one.truth);
                    silent += one.spent > 0;
                } else if (one.significant) {
                    ++significant;
                    held += holds(one.whole, one.truth);
                }
            }
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(silent == 0);  // before the note, no budget has ended
            BOOST_TEST(early >= 24);
            BOOST_TEST(early_held >= 0.85 * early);
            BOOST_TEST(significant >= 10);
            BOOST_TEST(held >= 0.93 * significant);
        }
    }
}

// People who stop are counted, and their absence is noted.
BOOST_AUTO_TEST_CASE(people_who_stop_are_missed) {
    const std::string stop =
        R"({"mechanism": "pdp", "epsilon": 1, "budget": {"epsilon": 8, "when_spent": "stop"},
        "evolving": {}, "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}]})";
    const Path half = [](double person, int t) { return person < 0.5 ? 100 : drift(person, t).value(); };
    const std::vector<RoundResult> all = results_of(stop, 500, {7, 40}, half, 5);
    BOOST_TEST(all[0].n == 500u);
    BOOST_TEST((all[1].n > 200u && all[1].n < 300u));
    BOOST_TEST((!all[0].noted && all[1].noted));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

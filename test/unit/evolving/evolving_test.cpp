// Values that change: rounding levels, α-point rounding, changes of the rounding step, keys of permanent
// responses, and their representation in a spec.

#include "../../support/draws.hpp"
#include "core/contract/evolving_options.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "core/base/error.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(evolving_values)

namespace {

/// A spec of evolving numbers, most of whose parts do not matter.
std::string evolving(const std::string& attributes, const std::string& more = {},
                     const std::string& budget = R"({"epsilon": 20})") {
    return R"({"mechanism": "pdp", "epsilon": 1, "grid": 1000, "attributes": [)" + attributes +
           R"(], "budget": )" + budget + more + "}";
}
const std::string moving = R"({"name": "x", "min": 0, "max": 10, "evolving": true})";
const std::string resting = R"({"name": "x", "min": 0, "max": 10})";

/// A rounding by itself, with its words and rounding states.
struct Alone {
    explicit Alone(const std::string& json, std::uint64_t seed = 1) : Alone(resolve(json), seed) {}
    Alone(const Spec& spec, std::uint64_t seed) : rounding(spec, *make_mechanism(spec)) {
        SeededBits bits(seed);
        for (std::size_t i = 0; i < rounding.alphas(); ++i) alphas.push_back(bits.word());
        rounding_states.resize(rounding.rounding_states());
    }
    Cell operator()(double position) {
        return rounding.follow(std::vector<double>{position}, alphas, rounding_states)[0];
    }
    Rounding rounding;
    std::vector<std::uint64_t> alphas;
    std::vector<RoundingState> rounding_states;
};

std::string refusal(const std::string& json) {
    try {
        static_cast<void>(resolve(json));
    } catch (const Error& error) {
        BOOST_CHECK(error.code() == ErrorCode::invalid_spec);
        return std::string(error.what()) + " | " + error.detail() + " | " + error.hint();
    }
    return "accepted: " + json;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_ladder_halves_its_cells) {
    const RoundingLevels levels(32768, 100);
    BOOST_REQUIRE_EQUAL(levels.count(), 7u);
    const std::uint64_t expected[] = {100, 50, 25, 12, 6, 3, 1};
    for (std::uint32_t r = 0; r < 7; ++r) BOOST_CHECK_EQUAL(levels.cells(r), expected[r]);
    BOOST_CHECK_EQUAL(RoundingLevels(5, 1).count(), 1u);
}

// On all positions of small grids, between points too: with every α of a fine raster the mean is the
// position, outcomes are the ends of one cell, and the last cell ends at the top.
BOOST_AUTO_TEST_CASE(rounding_keeps_the_mean_and_has_the_known_variance) {
    constexpr int words = 1024;
    for (const auto& [grid, base_levels] : {std::pair{12, 12}, {12, 4}, {13, 5}, {7, 1}, {100, 64}, {3, 2}}) {
        const RoundingLevels levels(static_cast<std::uint64_t>(grid),
                                    static_cast<std::uint64_t>(base_levels));
        for (std::uint32_t level = 0; level < levels.count(); ++level)
            for (int i = 0; i <= 16 * grid; ++i) {
                const double x = i / 16.0;
                std::set<Cell> seen;
                double sum = 0, squares = 0;
                for (int word = 0; word < words; ++word) {
                    const auto alpha = static_cast<std::uint64_t>(word) << 54 | std::uint64_t{1} << 53;
                    const Cell y = levels.round(x, level, alpha);
                    seen.insert(y);
                    sum += static_cast<double>(y) - x;
                    squares += std::pow(static_cast<double>(y) - x, 2);
                }
                const auto left = static_cast<double>(*seen.begin()),
                           right = static_cast<double>(*seen.rbegin());
                BOOST_REQUIRE_LE(seen.size(), 2u);
                BOOST_REQUIRE_LE(right, grid);
                const double length = right - left;
                BOOST_REQUIRE_SMALL(sum / words, length / words + 1e-12);
                BOOST_REQUIRE_SMALL(squares / words - (right - x) * (x - left),
                                    length * length / words + 1e-12);
                BOOST_REQUIRE_LE(length, std::ceil(grid * levels.step(level)));
                if (i == 0) BOOST_REQUIRE_EQUAL(left, 0);
                if (i == 16 * grid) BOOST_REQUIRE_EQUAL(right, grid);
            }
    }
}

BOOST_AUTO_TEST_CASE(rounding_is_unbiased_over_people) {
    constexpr int people = 200000;
    const RoundingLevels levels(32768, 100);
    SeededBits bits(7);
    for (const std::uint32_t level : {0u, 3u, 5u, 6u}) {
        double sum = 0, variance = 0;
        for (int i = 0; i < people; ++i) {
            const double x = 32768 * uniform(bits);
            const auto y = static_cast<double>(levels.round(x, level, bits.word()));
            const auto low =
                static_cast<double>(levels.round(x, level, std::numeric_limits<std::uint64_t>::max()));
            const auto high = static_cast<double>(levels.round(x, level, 0));
            sum += y - x;
            variance += (high - x) * (x - low);
        }
        BOOST_CHECK_LT(std::abs(sum), 6 * std::sqrt(variance));
        BOOST_CHECK_GT(variance / people, 0.1 * std::pow(32768 * levels.step(level), 2));  // 1/6 on average
    }
}

BOOST_AUTO_TEST_CASE(each_step_has_its_own_alpha) {
    const Spec spec = resolve(evolving(moving, R"(, "evolving": {"base_levels": 4})"));
    const Rounding rounding(spec, *make_mechanism(spec));
    BOOST_REQUIRE_EQUAL(rounding.alphas(), 3u);
    for (std::uint32_t level = 0; level < 3; ++level)
        for (std::size_t changed = 0; changed < 3; ++changed) {
            std::vector<std::uint64_t> alphas(3, std::numeric_limits<std::uint64_t>::max());
            const auto cell = [&] {
                std::vector<RoundingState> rounding_states(1);
                rounding_states[0].level = level;
                return rounding.follow(std::vector<double>{110}, alphas, rounding_states)[0];
            };
            const Cell before = cell();
            alphas[changed] = 0;
            BOOST_CHECK_EQUAL(cell() != before, changed == level);
        }
}

// A move by δ within a step changes the rounded value with probability δ/step.
BOOST_AUTO_TEST_CASE(cells_are_stable) {
    constexpr int people = 100000;
    const RoundingLevels levels(32768, 100);
    SeededBits bits(8);
    for (const std::uint32_t level : {2u, 5u})
        for (const double share : {0.02, 0.3}) {
            const double length = 32768 * levels.step(level), delta = share * length;
            int flips = 0;
            for (int i = 0; i < people; ++i) {
                const double x = (32768 - delta) * uniform(bits);
                const std::uint64_t alpha = bits.word();
                flips += levels.round(x, level, alpha) != levels.round(x + delta, level, alpha) ? 1 : 0;
            }
            const double spread = std::sqrt(people * share * (1 - share));
            BOOST_CHECK_LT(std::abs(flips - people * share), 6 * spread + people * 1e-3 * share);
        }
}

BOOST_AUTO_TEST_CASE(steps_change_with_hysteresis) {
    const RoundingLevels levels(1024, 64);
    BOOST_CHECK_EQUAL(levels.next(0, 1.0 / 64), 0u);
    BOOST_CHECK_EQUAL(levels.next(0, 1.01 / 64), 1u);  // no coarser than it must be
    BOOST_CHECK_EQUAL(levels.next(0, 0.2), 4u);
    BOOST_CHECK_EQUAL(levels.next(0, 7), 6u);  // there is no step above the range
    BOOST_CHECK_EQUAL(levels.next(4, 0.25), 4u);
    BOOST_CHECK_EQUAL(levels.next(4, 0.12), 4u);  // half would do, and is not taken
    BOOST_CHECK_EQUAL(levels.next(4, 0.0626), 4u);
    BOOST_CHECK_EQUAL(levels.next(4, 0.0625), 2u);  // a quarter is
    BOOST_CHECK_EQUAL(levels.next(4, 0.251), 5u);
    // A need that trembles about a step changes it once.
    std::uint32_t level = 0;
    int changes = 0;
    for (int i = 0; i < 100; ++i) {
        const std::uint32_t next = levels.next(level, i % 2 == 0 ? 0.13 : 0.12);
        changes += next != level ? 1 : 0;
        level = next;
    }
    BOOST_CHECK_EQUAL(changes, 1);
}

BOOST_AUTO_TEST_CASE(the_step_follows_the_movement_at_the_end_of_a_window) {
    const std::string json =
        evolving(moving, R"(, "evolving": {"window": 4, "volatility": 0.02, "flip_probability": 0.2,
                                           "base_levels": 100})");
    Alone person(json);
    bool away = false;
    const auto moves = [&](int count, double by) {
        for (int i = 0; i < count; ++i) person((away = !away) ? 500 + by : 500);
    };
    person(500);
    moves(3, 60);  // 0.06 of the range each
    BOOST_CHECK_EQUAL(person.rounding_states[0].level, 0u);
    BOOST_CHECK_EQUAL(person.rounding_states[0].moves, 3u);
    moves(1, 60);  // the window is full
    BOOST_CHECK_EQUAL(person.rounding_states[0].moves, 0u);
    BOOST_CHECK_EQUAL(person.rounding_states[0].level, 5u);  // 0.06 / 0.2 of the range: three cells
    moves(3, 0);
    BOOST_CHECK_EQUAL(person.rounding_states[0].level, 5u);
    moves(1, 0);
    BOOST_CHECK_EQUAL(person.rounding_states[0].level, 0u);
    // At the threshold it is static, and keeps the base step, though score/flip_probability would be longer.
    moves(4, 20);
    BOOST_CHECK_EQUAL(person.rounding_states[0].level, 0u);
    moves(4, 30);
    BOOST_CHECK_EQUAL(person.rounding_states[0].level, 4u);  // 0.03 / 0.2 of the range: at most 6 cells
    const std::set<Cell> ends{0, 166, 333, 500, 666, 833, 1000};
    for (const Cell cell : {person(500), person(3), person(999)}) BOOST_CHECK(ends.contains(cell));
}

// A rounding state keeps the value as it is rounded to the base step, and adds up by how much that moved. With one α
// for both values of a pair, the expected distance of the rounded values is the distance of the values.
BOOST_AUTO_TEST_CASE(a_course_has_rounded_values_only) {
    const std::string json =
        evolving(moving, R"(, "evolving": {"window": 1000, "volatility": 0, "base_levels": 4})");
    constexpr int words = 1 << 12;
    const RoundingLevels levels(1000, 4);
    Alone person(json);
    for (const auto& [from, to] : {std::pair{123.4, 130.9}, {10.0, 240.0}, {200.25, 321.5}, {700.0, 3.125}}) {
        double sum = 0;
        for (int word = 0; word < words; ++word) {
            const auto alpha = static_cast<std::uint64_t>(word) << 52 | std::uint64_t{1} << 51;
            person.alphas.assign(person.alphas.size(), alpha);
            person.rounding_states.assign(1, {});
            static_cast<void>(person(from));
            BOOST_REQUIRE_EQUAL(person.rounding_states[0].last,
                                static_cast<double>(levels.round(from, 0, alpha)));
            static_cast<void>(person(to));
            const auto last = static_cast<double>(levels.round(to, 0, alpha));
            BOOST_REQUIRE_EQUAL(person.rounding_states[0].last, last);
            BOOST_REQUIRE_EQUAL(person.rounding_states[0].moved,
                                std::abs(last - static_cast<double>(levels.round(from, 0, alpha))) / 1000);
            sum += person.rounding_states[0].moved;
        }
        BOOST_CHECK_SMALL(sum / words - std::abs(to - from) / 1000, 2.0 / words);
    }
}

BOOST_AUTO_TEST_CASE(what_does_not_evolve_is_rounded_to_the_grid_for_good) {
    Alone person(evolving(resting, R"(, "evolving": {})"), 3);
    BOOST_CHECK_EQUAL(person.alphas.size(), 1u);
    BOOST_CHECK(person.rounding_states.empty());
    int up = 0;
    for (int i = 0; i < 1000; ++i) {
        const Cell first = person(i + 0.37);
        BOOST_REQUIRE(first == static_cast<Cell>(i) || first == static_cast<Cell>(i + 1));
        BOOST_REQUIRE_EQUAL(person(i + 0.37), first);
        BOOST_REQUIRE_EQUAL(person(i), static_cast<Cell>(i));
        up += first != static_cast<Cell>(i) ? 1 : 0;
    }
    BOOST_CHECK(up == 0 || up == 1000);  // one α for all
}

BOOST_AUTO_TEST_CASE(courses_that_no_report_leads_to_are_told_apart) {
    const Rounding rounding = Alone(evolving(moving)).rounding;
    BOOST_CHECK(rounding.possible(0, {}));
    BOOST_CHECK(rounding.possible(0, {1000, 0.5, 29, 6}));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const RoundingState& rounding_state : {RoundingState{1001, 0, 0, 0},
                                                {1010, 0, 0, 0},
                                                {-2, 0, 0, 0},
                                                {nan, 0, 0, 0},
                                                {11, 0, 0, 0},  // no end of a cell
                                                {10.5, 0, 0, 0},
                                                {10, -1, 3, 0},
                                                {10, 4, 3, 0},
                                                {10, nan, 3, 0},
                                                {10, 0, 30, 0},
                                                {10, 0, 0, 7}})
        BOOST_CHECK(!rounding.possible(0, rounding_state));
    BOOST_CHECK(!rounding.possible(1, {}));
}

// Keys -----------------------------------------------------------------------------------------------------

// Inputs with equal keys have equal distributions of permanent responses, and of numbers different ones have
// different: a key is what the randomizer sees, and no more.
BOOST_AUTO_TEST_CASE(keys_are_what_the_randomizer_sees) {
    const struct {
        std::unique_ptr<const Mechanism> mechanism;
        bool exact;  // whether every difference shows
    } cases[] = {
        {mechanism("grr", 1, "\"domain\": 4"), true},
        {mechanism("pdp", 1, R"("min": 0, "max": 1, "grid": 5)"), true},
        {mechanism("olh", 1, "\"domain\": 5"), false},
        {mechanism("haar", 1, unit_attributes(3) + R"(, "grid": 4)"), true},
        {mechanism("haar", 1, unit_attributes(3) + R"(, "grid": 4, "report_epsilon": 0.4)"), true},
        {mechanism("haar", 1, unit_attributes(2) + R"(, "grid": 4, "details": "global")"), false},
        {mechanism("sampled", 1,
                   R"("grid": 3, "per_report": 1, "attributes": [{"name": "a", "min": 0, "max": 1},
                                     {"name": "b", "domain": 3}])"),
         true},
    };
    for (const auto& [m, exact] : cases) {
        SeededBits bits(5);
        for (int user = 0; user < 6; ++user) {
            std::vector<std::byte> public_randomness(m->public_size());
            m->draw_public(bits, public_randomness);
            std::map<std::vector<Cell>, std::vector<std::string>> rows;
            for_each_input(*m, [&](Input input) {
                std::vector<std::string> row;
                for_each_permanent(*m, public_randomness, [&](Bytes permanent) {
                    row.push_back(m->probability(input, public_randomness, permanent).text());
                });
                const auto key = m->response_key(input, public_randomness);
                BOOST_REQUIRE_EQUAL(key.size(), m->key_spans(public_randomness).size());
                const auto [at, fresh] = rows.try_emplace(key, row);
                BOOST_REQUIRE(at->second == row);
            });
            BOOST_CHECK_LE(rows.size(), m->most_keys());
            std::set<std::vector<std::string>> different;
            for (const auto& [key, row] : rows) different.insert(row);
            if (exact) BOOST_CHECK_EQUAL(different.size(), rows.size());
        }
    }
    const auto many = mechanism("haar", 1, unit_attributes(20));
    BOOST_CHECK_EQUAL(many->most_keys(), std::numeric_limits<std::uint64_t>::max());
    BOOST_CHECK_EQUAL(mechanism("grr", 1, "\"domain\": 4")->key_spans({})[0], 0);
    BOOST_CHECK_EQUAL(mechanism("pdp", 1, R"("min": 0, "max": 1, "grid": 5)")->key_spans({})[0], 5);
}

// Spec -----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_spec_says_how_values_change) {
    const Spec spec = resolve(evolving(moving));
    BOOST_REQUIRE(spec.evolving() && spec.budget());
    BOOST_CHECK(*spec.evolving() == Evolving{});
    BOOST_CHECK((*spec.budget() == Budget{20, Budget::WhenSpent::repeat}));
    const std::string canonical = spec.to_json();
    for (const char* part :
         {R"("evolving":{"base_levels":100,"flip_probability":0.1,"volatility":0.01,"window":30})",
          R"("budget":{"epsilon":20.0,"when_spent":"repeat"})", R"("evolving":true)", R"("max_responses":19)",
          R"("max_epsilon":20.0)"})
        BOOST_CHECK_MESSAGE(canonical.find(part) != std::string::npos, canonical);
    BOOST_CHECK_EQUAL(Spec::from_json(canonical).to_json(), canonical);
    BOOST_CHECK(Spec::from_json(canonical).fingerprint() == spec.fingerprint());

    // A domain of four has four keys, whatever the budget.
    const Spec few = resolve(
        R"({"mechanism": "grr", "epsilon": 2, "domain": 4, "evolving": {}, "budget": {"epsilon": 100}})");
    BOOST_CHECK(few.to_json().find(R"("evolving":{})") != std::string::npos);
    BOOST_CHECK(few.to_json().find(R"("max_epsilon":8.0,"max_responses":4)") != std::string::npos);
    BOOST_CHECK_EQUAL(Spec::from_json(few.to_json()).to_json(), few.to_json());
}

BOOST_AUTO_TEST_CASE(what_values_do_is_part_of_the_fingerprint) {
    const std::string resting_spec = evolving(resting, R"(, "evolving": {})");
    std::set<Fingerprint> prints;
    const std::string all[] = {
        evolving(moving),
        resting_spec,
        R"({"mechanism": "pdp", "epsilon": 1, "grid": 1000, "attributes": [)" + resting + "]}",
        evolving(moving, R"(, "evolving": {"window": 29})"),
        evolving(moving, R"(, "evolving": {"volatility": 0.02})"),
        evolving(moving, R"(, "evolving": {"flip_probability": 0.2})"),
        evolving(moving, R"(, "evolving": {"base_levels": 99})"),
        evolving(moving, "", R"({"epsilon": 21})"),
        evolving(moving, "", R"({"epsilon": 20, "when_spent": "stop"})"),
    };
    for (const std::string& json : all) prints.insert(resolve(json).fingerprint());
    BOOST_CHECK_EQUAL(prints.size(), std::size(all));
    // What says nothing new changes nothing.
    BOOST_CHECK(prints.contains(resolve(evolving(moving, R"(, "evolving": {})")).fingerprint()));
    std::string still = resting_spec;
    still.replace(still.find("\"max\": 10"), 9, "\"max\": 10, \"evolving\": false");
    BOOST_CHECK(prints.contains(resolve(still).fingerprint()));
}

// Reports of specs written before still count in their collections.
BOOST_AUTO_TEST_CASE(fingerprints_do_not_change) {
    BOOST_CHECK_EQUAL(
        fingerprint_text(resolve(R"({"mechanism":"grr","epsilon":1,"domain":4})").fingerprint()),
        "0ce6bed11a66e484dfc60539dd46e6af2bf8181880d5470bab471bff8b63bb48");
    BOOST_CHECK_EQUAL(
        fingerprint_text(resolve(R"({"mechanism": "haar", "epsilon": 3, "randomizer": "pdp", "attributes": [
        {"name": "wage", "min": 0, "max": 1000}, {"name": "age", "min": 17, "max": 90}]})")
                             .fingerprint()),
        "b8d55df5edf903b8cb84197f2a6ac050bfa302de1af79f122f8c6b17f60db9c2");
}

BOOST_AUTO_TEST_CASE(bad_words_about_change_are_refused) {
    const auto with = [](const std::string& part) { return evolving(moving, ", \"evolving\": " + part); };
    const std::pair<std::string, const char*> cases[] = {
        {with(R"({"window": 0})"), "\"window\""},
        {with(R"({"window": 2.5})"), "\"window\""},
        {with(R"({"volatility": -0.1})"), "\"volatility\""},
        {with(R"({"volatility": "high"})"), "\"volatility\""},
        {with(R"({"flip_probability": 0})"), "\"flip_probability\""},
        {with(R"({"flip_probability": 1.5})"), "\"flip_probability\""},
        {with(R"({"base_levels": 0})"), "\"base_levels\""},
        {with(R"({"base_levels": 1001})"), "the grid of \"x\" has 1000"},
        {with(R"({"step": 1})"), "step"},
        {with("7"), "must be an object"},
        {evolving(resting, R"(, "evolving": {"window": 3})"), "no attribute is evolving"},
        {evolving(resting), "without a bound"},
        {R"({"mechanism": "pdp", "epsilon": 1, "attributes": [)" + moving + "]}", "must be used together"},
        {R"({"mechanism": "grr", "epsilon": 1, "domain": 4, "evolving": {}})", "Add \"budget\""},
        {evolving(moving, "", "{}"), "\"epsilon\" is missing"},
        {evolving(moving, "", R"({"epsilon": 0.5})"), "does not pay for one response"},
        {evolving(moving, "", R"({"epsilon": 1e9})"), "1000000"},
        {evolving(moving, "", R"({"epsilon": 20, "when_spent": "panic"})"), "repeat, stop"},
        {evolving(moving, "", R"({"epsilon": 20, "cap": 1})"), "cap"},
        {evolving(R"({"name": "x", "min": 0, "max": 10, "evolving": 1})"), "true or false"},
        {R"({"mechanism": "grr", "epsilon": 1, "budget": {"epsilon": 9},
             "attributes": [{"name": "x", "domain": 4, "evolving": true}]})",
         "must be numeric"},
        {R"({"mechanism": "haar_ranges", "epsilon": 1, "budget": {"epsilon": 9},
             "attributes": [{"name": "x", "min": 0, "max": 1, "evolving": true},
                            {"name": "y", "min": 0, "max": 1}]})",
         "does not estimate means"},
    };
    for (const auto& [json, part] : cases) {
        const std::string text = refusal(json);
        BOOST_CHECK_MESSAGE(text.find(part) != std::string::npos, json + ": " + text);
    }
}

// Rounding keeps means alone: a mechanism takes evolving numbers if it answers nothing else about a number.
BOOST_AUTO_TEST_CASE(numbers_that_are_rounded_have_no_distribution) {
    const std::string other = R"(, {"name": "y", "min": 0, "max": 1})",
                      budget = R"("budget": {"epsilon": 1000000})";
    std::set<std::string> refused;
    for (const MechanismEntry* entry : registry()) {
        const auto spec = [&](const std::string& more) {
            const bool one = entry->shape == Shape::one_numeric || entry->shape == Shape::one_ordered;
            return std::string(R"({"mechanism": ")") + entry->name + R"(", "epsilon": 1, "attributes": [)" +
                   R"({"name": "x", "min": 0, "max": 10)" +
                   (takes_missing_numbers(*entry)    ? R"(, "missing": true)"
                    : takes_circular_numbers(*entry) ? R"(, "circular": true)"
                                                     : "") +
                   more + (one ? "]" : other + "]") + ", " + budget;
        };
        // Of some, numbers cannot be remembered at all.
        std::optional<Spec> kept;
        try {
            kept.emplace(resolve(spec("}") + R"(, "evolving": {}})"));
        } catch (const Error&) {
            continue;
        }
        const auto mechanism = make_mechanism(*kept);
        if (!mechanism->can_estimate(Quantity::means)) continue;
        const std::string json = spec(R"(, "evolving": true})") + "}";
        if (!mechanism->can_estimate(Quantity::distribution)) {
            BOOST_CHECK_NO_THROW(static_cast<void>(resolve(json)));
            continue;
        }
        refused.insert(entry->name);
        const std::string text = refusal(json);
        for (const char* part : {"\"x\" cannot be evolving", "preserves the mean", "\"evolving\": {}"})
            BOOST_CHECK_MESSAGE(text.find(part) != std::string::npos, json + ": " + text);
    }
    BOOST_CHECK(
        (refused == std::set<std::string>{"dithered", "haar_ordered", "ring", "square_wave", "tree"}));
    // Rounding that hardly rounds is refused as well.
    const std::string fine = R"({"mechanism": "haar_ordered", "epsilon": 4, "attributes": [)" + moving +
                             R"(], "budget": {"epsilon": 20}, "evolving": {"base_levels": 4}})";
    BOOST_CHECK_MESSAGE(refusal(fine).find("cannot be evolving") != std::string::npos, refusal(fine));
}

BOOST_AUTO_TEST_CASE(a_budget_pays_for_whole_answers) {
    const struct {
        double budget, each;
        std::uint64_t answers;
    } cases[] = {{20, 1, 20},
                 {20, 3, 6},
                 {1, 0.1, 10},
                 {20, 0.1, 200},
                 {0.3, 0.1, 3},
                 {0.5, 1, 0},
                 {1e6, 0.001, 1000000000}};
    for (const auto& [budget, each, answers] : cases) {
        const std::uint64_t found = Budget{budget}.responses(each);
        BOOST_CHECK_EQUAL(found, answers);
        BOOST_CHECK_LE(static_cast<double>(found) * each, budget * (1 + 1e-15));
        BOOST_CHECK_GT(static_cast<double>(found + 1) * each, budget);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

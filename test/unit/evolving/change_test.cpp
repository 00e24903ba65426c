// The difference of two rounds: its error where people repeat what they remember, and what is refused.

#include "core/groups/change.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(changes)

namespace {

using People = std::vector<std::vector<Cell>>;

/// 120 people; each attribute has four values, at equal distances if it is a number.
People first_round(const Mechanism& m, std::size_t people) {
    const std::vector<Cell> cells = people_of({0.5, 0.3, 0.2, 0}, people);
    People all(people);
    for (std::size_t i = 0; i < people; ++i)
        for (std::size_t j = 0; j < m.cells().size(); ++j)
            // Another attribute has the same values among other people.
            all[i].push_back(cells[i * (j == 0 ? 1 : 7) % people] * ((m.cells()[j] - 1) / 3));
    return all;
}

/// Of every ten consecutive people, this number keep their values; the others get other values.
People second_round(const Mechanism& m, People people, std::size_t keep) {
    for (std::size_t i = 0; i < people.size(); ++i)
        if (i % 10 >= keep)
            for (std::size_t j = 0; j < people[i].size(); ++j) {
                const Cell step = (m.cells()[j] - 1) / 3;
                people[i][j] = (people[i][j] / step + 1 + (i / 10 + j) % 3) % 4 * step;
            }
    return people;
}

/// The means and shares that change() is about.
std::vector<double> truth(const Mechanism& m, const People& people) {
    std::vector<double> all;
    const OwnedSummary empty(m);
    for (std::size_t j = 0; j < m.cells().size(); ++j) {
        std::vector<Cell> cells;
        for (const auto& person : people) cells.push_back(person[j]);
        const auto shares = shares_among(cells, m.cells()[j]);
        if (part(empty.view(), j).mechanism->can_estimate(Quantity::frequencies)) {
            all.insert(all.end(), shares.begin(), shares.end());
        } else {  // of a range from −1 to 1
            double mean = -1;
            for (std::size_t c = 0; c < shares.size(); ++c)
                mean += 2 * shares[c] * static_cast<double>(c) / static_cast<double>(shares.size() - 1);
            all.push_back(mean);
        }
    }
    return all;
}

constexpr double of_95_percent = 1.959963984540054;

/// The changes at 95 %.
std::vector<Change> changes_between(const OwnedSummary& before, const OwnedSummary& after, double kept,
                                    Target target = Target::sample) {
    return change(before.view(), after.view(), kept, of_95_percent, target);
}

void add(Simulation& simulation, const std::vector<Change>& changes, const std::vector<double>& truth) {
    std::vector<Estimate> estimates;
    std::vector<Interval> intervals;
    for (const Change& one : changes) {
        estimates.push_back(one.difference);
        intervals.push_back(one.interval);
    }
    simulation.add(estimates, intervals, truth);
}

/// A second round in which this number of every ten people keep their values.
struct After {
    After(const Mechanism& m, const People& before, std::size_t keeping)
        : keep(keeping), people(second_round(m, before, keep)), moved(truth(m, people)) {
        const std::vector<double> held = truth(m, before);
        for (std::size_t i = 0; i < held.size(); ++i) moved[i] -= held[i];
    }
    std::size_t keep;
    People people;
    std::vector<double> moved;
    Simulation correlated, independent;  // with what was kept, and without
    std::size_t wider = 0, items = 0;
};

/// Rounds in which none of 120 people keep their values, 60 %, or all, each after the same first one.
/// Intervals that are not exact are too wide.
void check_rounds(const Mechanism& m, std::uint64_t seed, bool exact = true) {
    constexpr std::size_t repetitions = 5000, size = 120;
    const bool renewed = m.report_epsilon() < m.epsilon();
    const People before = first_round(m, size);
    SeededBits bits(seed);
    std::vector<std::byte> payload(m.payload_size());
    std::vector<After> rounds;
    for (const std::size_t keep : {0u, 6u, 10u}) rounds.emplace_back(m, before, keep);
    const auto count = [&](OwnedSummary& summary) {
        Report report(m.block().begin(), m.block().end());
        report.insert(report.end(), payload.begin(), payload.end());
        summary.add(report);
    };
    for (std::size_t r = 0; r < repetitions; ++r) {
        OwnedSummary first(m);
        std::vector<OwnedSummary> second(rounds.size(), first);
        std::vector<std::size_t> same(rounds.size());
        for (std::size_t i = 0; i < size; ++i) {
            Device device(m, bits);
            const std::byte* permanent = device.report(before[i], payload);
            count(first);
            for (std::size_t a = 0; a < rounds.size(); ++a) {
                same[a] += device.report(rounds[a].people[i], payload) == permanent ? 1 : 0;
                count(second[a]);
            }
        }
        for (std::size_t a = 0; a < rounds.size(); ++a) {
            After& after = rounds[a];
            const double kept = static_cast<double>(same[a]) / size;
            const auto correlated = changes_between(first, second[a], kept);
            const auto independent = changes_between(first, second[a], 0);
            add(after.correlated, correlated, after.moved);
            add(after.independent, independent, after.moved);
            for (std::size_t i = 0; i < correlated.size(); ++i, ++after.items)
                after.wider +=
                    correlated[i].difference.standard_error <= independent[i].difference.standard_error ? 1
                                                                                                        : 0;
        }
    }
    for (const After& after : rounds) {
        BOOST_TEST_CONTEXT(m.header().mechanism << ", " << after.keep << " of ten keep their values") {
            BOOST_CHECK_EQUAL(after.wider, after.items);
            if (after.keep == 10 && !renewed) {
                for (std::size_t i = 0; i < after.moved.size(); ++i) {
                    BOOST_CHECK_EQUAL(after.correlated.sum[i], 0);
                    BOOST_CHECK_EQUAL(after.correlated.square[i], 0);
                }
            } else {
                after.correlated.check_unbiased();
                if (exact) after.correlated.check_coverage(0.98);
            }
            for (const Simulation* each : {&after.correlated, &after.independent})
                for (const double hits : each->covered)
                    BOOST_CHECK_GE(hits / static_cast<double>(repetitions), 0.93);
        }
    }
}

/// `rest` goes on with the spec after "domain".
std::unique_ptr<const Mechanism> of_four(const std::string& name, double epsilon, const std::string& rest) {
    return mechanism(name, epsilon, "\"domain\": 4" + rest);
}

constexpr const char* record = R"({"mechanism": "sampled", "epsilon": 1, "grid": 3, "attributes": [
    {"name": "a", "min": -1, "max": 1, "mechanism": "duchi"},
    {"name": "b", "domain": 4, "mechanism": "grr", "weight": 2}]})";

constexpr const char* two_layer_record = R"({"mechanism": "sampled", "epsilon": 3, "report_epsilon": 2,
    "grid": 3, "attributes": [{"name": "a", "min": 0, "max": 2, "mechanism": "optimal"},
    {"name": "b", "domain": 4, "mechanism": "l_grr", "weight": 2}]})";
constexpr const char* record_of_parts = R"({"mechanism": "sampled", "epsilon": 2, "grid": 3, "attributes": [
    {"name": "v", "vector": 2, "min": -1, "max": 1, "mechanism": "duchi_vector"},
    {"name": "b", "domain": 4, "mechanism": "tree"}]})";

/// About 40 reports in each of three tables, and 16 in each of three tables beside other parts.
constexpr const char* record_with_tables =
    R"({"mechanism": "sampled", "epsilon": 3, "grid": 3, "attributes": [
    {"name": "a", "domain": 4}, {"name": "b", "domain": 4}, {"name": "c", "domain": 4}],
    "joint_tables": [["a", "b"], ["a", "c"], ["b", "c"]]})";
constexpr const char* record_with_few_reports =
    R"({"mechanism": "sampled", "epsilon": 3, "grid": 3, "attributes": [
    {"name": "a", "domain": 4}, {"name": "b", "domain": 4}, {"name": "c", "domain": 4},
    {"name": "d", "domain": 4, "mechanism": "grr", "weight": 4}], "joint_tables": [["a", "b"], ["a", "c"], ["b", "c"]]})";

/// Tables through l_grr and l_osue, and a vector.
constexpr const char* two_layer_tables = R"({"mechanism": "sampled", "epsilon": 4, "report_epsilon": 2,
    "grid": 3, "attributes": [{"name": "a", "domain": 4}, {"name": "b", "domain": 4},
    {"name": "v", "vector": 2, "min": -1, "max": 1, "mechanism": "haar"}], "joint_tables": [["a", "b"]]})";

ErrorCode refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    throw std::logic_error("not refused");
}

}  // namespace

BOOST_AUTO_TEST_CASE(intervals_know_what_was_kept, *boost::unit_test::label("slow")) {
    check_rounds(*mechanism("duchi", 0.5, R"("min": -1, "max": 1, "grid": 3)"), 51);
    check_rounds(*mechanism("onebit", 2, R"("min": 0, "max": 2, "grid": 3, "report_epsilon": 1.2)"), 59,
                 false);
    check_rounds(*mechanism("optimal", 2, R"("min": 0, "max": 2, "grid": 3, "report_epsilon": 1.2)"), 60);
    check_rounds(*of_four("l_grr", 2, R"(, "report_epsilon": 1.2)"), 52);
    check_rounds(*of_four("l_osue", 2, R"(, "report_epsilon": 1.2)"), 53);
    check_rounds(*of_four("loloha", 2, R"(, "report_epsilon": 1.2, "hash_buckets": 3)"), 54);
    check_rounds(*of_four("dbitflip", 1, R"(, "bits_per_report": 2)"), 55);
    check_rounds(
        *of_four("rappor", 3, R"(, "report_epsilon": 2, "filter_bits": 16, "hashes": 2, "cohorts": 2)"), 56,
        false);
    check_rounds(*mechanism(record), 57);
    check_rounds(*mechanism(two_layer_record), 62, false);
    check_rounds(*mechanism(record_of_parts), 63, false);
    check_rounds(*mechanism(record_with_tables), 64, false);
    check_rounds(*mechanism(record_with_few_reports), 65, false);
    check_rounds(*mechanism("haar", 2, unit_attributes(2) + R"(, "grid": 3)"), 58);
    check_rounds(*mechanism("haar", 2, unit_attributes(2) + R"(, "grid": 3, "report_epsilon": 1.2)"), 66,
                 false);
    check_rounds(*mechanism(two_layer_tables), 67, false);
}

BOOST_AUTO_TEST_CASE(errors_follow_the_formula) {
    SeededBits bits(61);
    const std::vector<double> early{0.6, 0.3, 0.1, 0}, late{0.2, 0.3, 0.1, 0.4};
    for (const auto& m :
         {of_four("l_grr", 4, R"(, "report_epsilon": 1)"), of_four("l_osue", 4, R"(, "report_epsilon": 1)"),
          of_four("grr", 1, ""), of_four("oue", 1, "")})
        for (const double kept : {0.0, 0.3, 1.0})
            for (const Target target : {Target::sample, Target::population}) {
                const OwnedSummary before = reported(*m, people_of(early, 400), bits);
                const OwnedSummary after = reported(*m, people_of(late, 900), bits);
                const auto a = before.estimate(Quantity::frequencies, target);
                const auto b = after.estimate(Quantity::frequencies, target);
                const auto changes = changes_between(before, after, kept, target);
                BOOST_REQUIRE_EQUAL(changes.size(), 4u);
                for (std::uint32_t v = 0; v < 4; ++v) {
                    BOOST_CHECK_EQUAL(changes[v].attribute, 0u);
                    BOOST_CHECK(changes[v].value == v);
                    BOOST_CHECK_EQUAL(changes[v].difference.value, b[v].value - a[v].value);
                    const double common = std::min(m->n_covariance(std::clamp(a[v].value, 0.0, 1.0)),
                                                   m->n_covariance(std::clamp(b[v].value, 0.0, 1.0)));
                    BOOST_CHECK_CLOSE_FRACTION(std::pow(changes[v].difference.standard_error, 2),
                                               std::pow(a[v].standard_error, 2) +
                                                   std::pow(b[v].standard_error, 2) -
                                                   2 * kept * 400 / (400.0 * 900) * common,
                                               1e-9);
                }
            }
}

// Drawing the people is no noise that two rounds have in common, whatever they remember.
BOOST_AUTO_TEST_CASE(sampling_errors_stay) {
    const auto m = mechanism("pdp", 4, R"("min": -1, "max": 1, "grid": 3)");
    SeededBits bits(65);
    const OwnedSummary summary = reported(*m, people_of({0.4, 0.1, 0.1, 0.4}, 500), bits);
    const double sample = summary.estimate(Quantity::means)[0].standard_error;
    const double population = summary.estimate(Quantity::means, Target::population)[0].standard_error;
    BOOST_REQUIRE_LT(sample, 0.8 * population);
    const auto changes = changes_between(summary, summary, 1, Target::population);
    BOOST_CHECK_CLOSE_FRACTION(std::pow(changes[0].difference.standard_error, 2),
                               2 * (std::pow(population, 2) - std::pow(sample, 2)), 1e-9);
}

// Attributes of a record have numbers of reports of their own.
BOOST_AUTO_TEST_CASE(records_change_by_attribute) {
    const auto m = mechanism(record);
    SeededBits bits(62);
    OwnedSummary before(*m), after(*m);
    for (const People& people : {first_round(*m, 200)})
        for (const auto& person : people) {
            before.add(m->perturb(person, bits));
            for (int i = 0; i < 3; ++i) after.add(m->perturb(person, bits));
        }
    const auto changes = changes_between(before, after, 0.5);
    BOOST_REQUIRE_EQUAL(changes.size(), 5u);
    BOOST_CHECK(!changes[0].value);
    BOOST_CHECK_EQUAL(changes[4].attribute, 1u);
    BOOST_CHECK(changes[4].value == 3u);
    const auto a = before.estimate(Quantity::means)[0], b = after.estimate(Quantity::means)[0];
    const auto n_a = static_cast<double>(part(before.view(), 0).n);
    const auto n_b = static_cast<double>(part(after.view(), 0).n);
    BOOST_REQUIRE_LT(n_a, n_b);
    const double v_a = std::pow(a.standard_error, 2), v_b = std::pow(b.standard_error, 2);
    BOOST_CHECK_CLOSE_FRACTION(changes[0].difference.value, b.value - a.value, 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(std::pow(changes[0].difference.standard_error, 2),
                               v_a + v_b - 2 * 0.5 / n_b * std::min(n_a * v_a, n_b * v_b), 1e-9);

    // An attribute without reports has an unknown change.
    OwnedSummary single(*m);
    single.add(m->perturb(std::vector<Cell>{0, 0}, bits));
    std::size_t missing = 0;
    for (const Change& one : changes_between(single, after, 1))
        missing += std::isnan(one.difference.value) && std::isnan(one.difference.standard_error) ? 1 : 0;
    BOOST_CHECK(missing == 1 || missing == 4);
}

BOOST_AUTO_TEST_CASE(numbers_change_in_their_mean_and_categories_in_their_shares) {
    SeededBits bits(63);
    const auto items = [&](const std::string& name, const std::string& rest) {
        const auto m = mechanism(name, 1, rest);
        const OwnedSummary summary = reported(*m, {0, 1, 2, 3}, bits);
        const auto changes = changes_between(summary, summary, 1);
        for (const Change& one : changes) {
            BOOST_CHECK_EQUAL(one.difference.value, 0);
            BOOST_CHECK_EQUAL(one.difference.standard_error, 0);
        }
        return changes.size();
    };
    BOOST_CHECK_EQUAL(items("square_wave", R"("min": 5, "max": 9, "grid": 4)"), 1u);
    BOOST_CHECK_EQUAL(items("haar_ordered", R"("min": 0, "max": 7, "grid": 7)"), 1u);
    BOOST_CHECK_EQUAL(items("haar_ordered", R"("domain": 8)"), 8u);
    BOOST_CHECK_EQUAL(items("piecewise", R"("min": 0, "max": 7)"), 1u);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_is_refused) {
    SeededBits bits(64);
    const auto m = of_four("grr", 1, ""), other = of_four("grr", 1.5, "");
    const OwnedSummary full = reported(*m, {0, 1, 2}, bits), empty(*m);
    const OwnedSummary foreign = reported(*other, {0, 1, 2}, bits);
    const auto refused = [&](const OwnedSummary& before, const OwnedSummary& after, double kept) {
        return refusal([&] { static_cast<void>(changes_between(before, after, kept)); });
    };
    BOOST_CHECK(refused(full, foreign, 0) == ErrorCode::incompatible);
    BOOST_CHECK(refused(empty, full, 0) == ErrorCode::invalid_value);
    BOOST_CHECK(refused(full, empty, 0) == ErrorCode::invalid_value);
    for (const double kept : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
        BOOST_CHECK(refused(full, full, kept) == ErrorCode::invalid_value);
    const auto many = mechanism("rappor", 1, R"("domain": 60000)");
    const OwnedSummary filters = reported(*many, {0, 1, 2}, bits);
    BOOST_CHECK(refusal([&] { static_cast<void>(changes_between(filters, filters, 1)); }) ==
                ErrorCode::unsupported);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

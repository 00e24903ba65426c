// Series as parts of a record: the exact law of a person's whole series, the estimates of each round beside
// parts of memoized responses, and the settings that are rejected.

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/square.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/proof/explore.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/part_means.hpp"
#include "core/summary/queries/series_queries.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(series_parts)

namespace {

std::string record_spec(double epsilon, const std::string& attributes, const std::string& rest) {
    return "{\"mechanism\": \"sampled\", \"epsilon\": " + text(epsilon) +
           ", \"per_report\": 1, \"attributes\": [" + attributes + "]" + rest + "}";
}

/// With memoized responses of the parts that are not series.
std::string mixed_spec(double epsilon, const std::string& attributes) {
    return record_spec(epsilon, attributes, R"(, "evolving": {}, "budget": {"epsilon": 1000})");
}

std::string category_series(const std::string& name, std::size_t k, std::size_t rounds, std::size_t changes) {
    return "{\"name\": \"" + name + "\", \"domain\": " + std::to_string(k) +
           ", \"mechanism\": \"ddrm\", \"rounds\": " + std::to_string(rounds) +
           ", \"changes\": " + std::to_string(changes) + "}";
}

std::string number_series(std::size_t grid, std::size_t thresholds, std::size_t rounds, std::size_t changes) {
    return "{\"name\": \"weight\", \"min\": 0, \"max\": 1, \"mechanism\": \"threshold_series\", \"grid\": " +
           std::to_string(grid) + ", \"thresholds\": " + std::to_string(thresholds) +
           ", \"rounds\": " + std::to_string(rounds) + ", \"changes\": " + std::to_string(changes) + "}";
}

constexpr const char* region = R"({"name": "region", "domain": 3, "mechanism": "grr"})";
constexpr const char* wage = R"({"name": "wage", "min": 0, "max": 1, "mechanism": "pdp", "grid": 64})";

const SeriesParts& series_of(const Mechanism& m) {
    const SeriesParts* parts = ldp::series_parts(m);
    BOOST_REQUIRE(parts != nullptr);
    return *parts;
}

/// A person with a record, a code for each attribute, in each round.
using RecordRounds = std::vector<std::vector<Cell>>;

/// The reports of people by round, as their clients send them: those of round t are in summaries[t − 1].
std::vector<OwnedSummary> reported_records(const Mechanism& m, const std::vector<RecordRounds>& people,
                                           BitSource& bits) {
    const std::size_t rounds = people[0].size();
    std::vector<OwnedSummary> summaries;
    for (std::size_t t = 0; t < rounds; ++t) summaries.emplace_back(m);
    Report report = frame_report(m.block(), sent_size(m));
    const MutableBytes payload = payload_of(report, m.block());
    std::vector<std::byte> own(m.public_size()), permanent(m.permanent_size());
    const SeriesParts& parts = series_of(m);
    for (const RecordRounds& person : people) {
        m.draw_public(bits, own);
        SeriesState state;
        std::map<std::vector<Cell>, std::vector<std::byte>> responses;
        for (std::size_t t = 0; t < rounds; ++t) {
            const Rounds round = Rounds::only(static_cast<std::int32_t>(t + 1));
            if (const auto attribute = parts.series_attribute(own)) {
                if (parts.advance(state, person[t][*attribute], own, bits, payload))
                    summaries[t].add(report, round);
                continue;
            }
            const std::vector<Cell> input = parts.constant_input(person[t]);
            const auto [known, fresh] =
                responses.try_emplace(m.response_key(input, own), std::vector<std::byte>(m.permanent_size()));
            if (fresh) m.permanent_response(input, own, bits, known->second);
            m.instantaneous_response(own, known->second, bits, payload);
            summaries[t].add(report, round);
        }
    }
    return summaries;
}

OwnedSummary merged(const Mechanism& m, const std::vector<OwnedSummary>& summaries) {
    OwnedSummary all(m);
    for (const OwnedSummary& one : summaries) all.merge(one.bytes());
    return all;
}

/// All public randomness of a small record: part, split, level, round of a snapshot, and position, all below 5.
void for_each_public(const Mechanism& m, const std::function<void(Bytes)>& visit) {
    constexpr std::size_t positions[] = {0, 1, 2, 3, 5};
    constexpr unsigned most = 5, all = 3125;
    std::vector<std::byte> own(std::max<std::size_t>(m.public_size(), 6));
    for (unsigned number = 0; number < all; ++number) {
        unsigned rest = number;
        for (const std::size_t at : positions) own[at] = static_cast<std::byte>(rest % most), rest /= most;
        const Bytes drawn = Bytes(own).first(m.public_size());
        if ((m.public_size() > 5 || own[5] == std::byte{0}) && m.valid_public(drawn)) visit(drawn);
    }
}

/// The randomizer draws the stated distribution of whole series, and the worst ratio of all is the claimed one.
void check_whole_law(const Mechanism& m) {
    const std::vector<std::uint64_t> cells = m.input_cells();
    std::uint64_t inputs = 1;
    for (const std::uint64_t each : cells) inputs *= each;
    Exact worst = exact(0, 1);
    for_each_public(m, [&](Bytes own) {
        std::map<std::vector<std::byte>, std::pair<Exact, Exact>> extremes;  // of each response
        for (std::uint64_t x = 0; x < inputs; ++x) {
            std::vector<Cell> input;
            std::uint64_t rest = x;
            for (const std::uint64_t each : cells) input.push_back(rest % each), rest /= each;
            std::uint64_t steps = 1000;
            const auto law = law_of(
                m.permanent_size(),
                [&](BitSource& bits, MutableBytes permanent) {
                    m.permanent_response(input, own, bits, permanent);
                },
                steps);
            BOOST_REQUIRE(law.has_value());
            Exact sum = exact(0, 1);
            for (const auto& [permanent, p] : *law) {
                if (!(m.probability(input, own, permanent) == p)) BOOST_FAIL("another distribution");
                sum = sum + p;
                const auto [known, fresh] = extremes.try_emplace(permanent, p, p);
                if (!fresh) {
                    known->second.first = std::min(known->second.first, p);
                    known->second.second = std::max(known->second.second, p);
                }
            }
            BOOST_REQUIRE(sum == exact(1, 1));
        }
        for (const auto& [permanent, range] : extremes) {
            BOOST_REQUIRE(!range.first.is_zero());
            worst = std::max(worst, range.second / range.first);
        }
    });
    BOOST_CHECK(worst == m.worst_ratio());
    check_worst_ratio(m);
}

std::string error_of(const std::string& spec) {
    try {
        static_cast<void>(resolve(spec));
    } catch (const Error& error) {
        BOOST_CHECK(error.code() == ErrorCode::invalid_spec);
        return std::string(error.what()) + " | " + error.detail() + " | " + error.hint();
    }
    return {};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

// All pairs of records with whole series, under all parts, splits, levels, snapshots and positions: the
// randomizer is followed through all its draws.
BOOST_AUTO_TEST_CASE(whole_series_of_a_record_keep_epsilon, *boost::unit_test::label("slow")) {
    const std::string plan = category_series("plan", 2, 4, 1);
    const std::vector<std::string> attributes{
        plan + ", " + region, region + std::string(", ") + category_series("plan", 3, 3, 2),
        number_series(4, 2, 3, 1) + ", " + region,
        number_series(2, 2, 3, 1) + ", " + category_series("plan", 2, 3, 2) + ", " + region};
    for (const double epsilon : {0.5, 2.0}) {
        for (const std::string& each : attributes) check_whole_law(*mechanism(mixed_spec(epsilon, each)));
        check_whole_law(*mechanism(record_spec(
            epsilon, category_series("plan", 3, 3, 1) + ", " + category_series("tariff", 2, 3, 2), "")));
    }
}

// An audit takes whole series, too.
BOOST_AUTO_TEST_CASE(an_audit_enumerates_series) {
    prove(*mechanism(mixed_spec(1, category_series("plan", 2, 3, 1) + ", " + region)), 600);
}

// A client draws round by round. With the same random bits the responses are those of the series alone.
BOOST_AUTO_TEST_CASE(a_client_draws_the_responses_of_the_series) {
    const auto m = mechanism(mixed_spec(
        2, region + std::string(", ") + number_series(8, 4, 5, 2) + ", " + category_series("plan", 3, 5, 1)));
    const auto numbers =
        mechanism("threshold_series", 2, R"("min": 0, "max": 1, "grid": 8, "thresholds": 4, "rounds": 5)");
    const auto plans = mechanism("ddrm", 2, R"("domain": 3, "rounds": 5, "changes": 1)");
    BOOST_CHECK_EQUAL(series_of(*m).rounds(), 5u);
    BOOST_CHECK(!series_of(*m).only_series());
    SeededBits bits(11);
    std::vector<std::byte> own(m->public_size()), payload(m->payload_size());
    std::size_t seen[3] = {};
    for (std::uint64_t person = 0; person < 600; ++person) {
        m->draw_public(bits, own);
        BOOST_REQUIRE(m->valid_public(own));
        const auto attribute = series_of(*m).series_attribute(own);
        ++seen[attribute.value_or(0)];
        if (!attribute) {
            BOOST_REQUIRE(!series_of(*m).possible({}, own));
            continue;
        }
        const Mechanism& alone = *attribute == 1 ? *numbers : *plans;
        const auto& series = capability<SeriesRandomizer>(alone);
        const Bytes inner = Bytes(own).subspan(1, alone.public_size());
        std::vector<std::byte> expected(alone.payload_size());
        SeriesState state, state_alone;
        for (std::uint64_t t = 0; t < 5; ++t) {
            const Cell value = (person * 7 + t * t * 3) % alone.cells()[0];
            SeededBits ours(person * 5 + t), theirs(person * 5 + t);
            std::ranges::fill(payload, std::byte{0});
            const bool due = series_of(*m).advance(state, value, own, ours, payload);
            BOOST_REQUIRE_EQUAL(due, series.advance(state_alone, value, inner, theirs, expected));
            BOOST_REQUIRE(state == state_alone);
            BOOST_REQUIRE(series_of(*m).possible(state, own));
            BOOST_REQUIRE_EQUAL(ours.word(), theirs.word());
            if (!due) continue;
            BOOST_REQUIRE_EQUAL(std::to_integer<std::size_t>(payload[0]), *attribute);
            BOOST_REQUIRE(std::ranges::equal(Bytes(payload).subspan(1, expected.size()), expected));
            BOOST_REQUIRE(m->valid_payload(payload));
        }
    }
    for (const std::size_t count : seen) BOOST_CHECK_GT(count, 100u);  // expected: 200 of each
}

// People keep their values. The estimates are unbiased, their variances are the predicted ones, and the
// intervals of all rounds cover, also for the people who reported other parts.
BOOST_AUTO_TEST_CASE(each_round_is_estimated, *boost::unit_test::label("slow")) {
    constexpr std::size_t rounds = 4, n = 600, grid = 64;
    constexpr int repetitions = 4000;
    const auto m = mechanism(mixed_spec(
        4, number_series(grid, 16, rounds, 1) + ", " + category_series("plan", 2, rounds, 1) + ", " + wage));
    std::vector<RecordRounds> people;
    std::vector<double> of_weight(grid + 1), of_plan(2), of_wage(grid + 1);
    double mean = 0, wages = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Cell weight = 6 + 3 * (i % 17), plan = i % 4 == 0 ? 1 : 0, earned = i % 3 == 0 ? 48 : 16;
        people.emplace_back(rounds, std::vector<Cell>{weight, plan, earned});
        of_weight[weight] += 1.0 / n;
        of_plan[plan] += 1.0 / n;
        of_wage[earned] += 1.0 / n;
        mean += static_cast<double>(weight) / grid / n;
        wages += static_cast<double>(earned) / grid / n;
    }
    Simulation means, shares, pay;
    double claimed_weight = 0, claimed_plan = 0;
    SeededBits bits(3);
    for (int r = 0; r < repetitions; ++r) {
        const std::vector<OwnedSummary> summaries = reported_records(*m, people, bits);
        const OwnedSummary all = merged(*m, summaries);
        const SummaryView weight = part(all.view(), 0), plan = part(all.view(), 1);
        std::vector<Estimate> found, found_shares;
        std::vector<Interval> intervals, intervals_of_shares;
        for (const RoundEstimate& one : means_by_round(weight, Target::sample)) {
            found.push_back(one);
            intervals.push_back(interval(one, critical_value(0.95), one.law));
        }
        for (std::size_t t = 0; t < rounds; ++t) {
            const Estimate one = estimate(plan, {Quantity::frequencies, Target::sample, t})[1];
            found_shares.push_back(one);
            intervals_of_shares.push_back(interval(one, critical_value(0.95), law_of_share()));
        }
        claimed_weight += square(found[2].standard_error) / repetitions;
        claimed_plan += square(found_shares[2].standard_error) / repetitions;
        means.add(found, intervals, std::vector<double>(rounds, mean));
        shares.add(found_shares, intervals_of_shares, std::vector<double>(rounds, of_plan[1]));
        // Memoized responses are estimated round by round.
        const SummaryView last = summaries[2].view();
        const Estimate paid = means_of_part(last, 2, Target::sample)[0];
        pay.add({paid}, {interval(paid, critical_value(0.95), error_law(last, 2, Target::sample))}, {wages});
    }
    for (const Simulation* one : {&means, &shares, &pay}) {
        one->check_unbiased();
        one->check_coverage(0.985);
    }
    means.check_variance(2, claimed_weight);
    shares.check_variance(2, claimed_plan);
    // n·Var in the worst round; the numbers of people of each part and level are random: 4 % more.
    const double worst_weight = *std::ranges::max_element(means.square) / repetitions,
                 worst_plan = *std::ranges::max_element(shares.square) / repetitions;
    BOOST_CHECK_CLOSE_FRACTION(4 * n * worst_weight, m->n_variance_of(0, 0, of_weight),
                               6 * std::sqrt(2.0 / repetitions) + 0.04);
    BOOST_CHECK_CLOSE_FRACTION(n * worst_plan, m->n_variance_of(1, 1, of_plan),
                               6 * std::sqrt(2.0 / repetitions) + 0.04);
    BOOST_TEST_MESSAGE("n·Var of the mean " << 4 * n * worst_weight << ", predicted "
                                            << m->n_variance_of(0, 0, of_weight) << "; of the share "
                                            << n * worst_plan << ", predicted "
                                            << m->n_variance_of(1, 1, of_plan));
    for (std::size_t t = 0; t < rounds; ++t)
        BOOST_TEST_MESSAGE("round " << t + 1 << ": coverage of the mean " << means.covered[t] / repetitions
                                    << ", of the share " << shares.covered[t] / repetitions);
}

// Numbers that cross their threshold once, few people, and the population as the target.
BOOST_AUTO_TEST_CASE(few_people_with_changes_are_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t rounds = 4, n = 120, grid = 64;
    const auto m = mechanism(mixed_spec(4, number_series(grid, 16, rounds, 2) + ", " +
                                               R"({"name": "region", "domain": 2, "mechanism": "grr"})"));
    std::vector<RecordRounds> people;
    std::vector<double> truth(rounds);
    for (std::size_t i = 0; i < n; ++i) {
        RecordRounds person;
        for (std::size_t t = 0; t < rounds; ++t) {
            const Cell weight = 8 + 2 * (i % 11) + (t >= 2 && i % 3 == 0 ? 16 : 0);
            person.push_back({weight, i % 2});
            truth[t] += static_cast<double>(weight) / grid / n;
        }
        people.push_back(std::move(person));
    }
    for (const Target target : {Target::sample, Target::population}) {
        std::vector<double> hits(rounds), all(rounds);
        SeededBits bits(23 + static_cast<std::uint64_t>(target));
        for (int r = 0; r < 3000; ++r) {
            const OwnedSummary summary = merged(*m, reported_records(*m, people, bits));
            const auto found = means_by_round(part(summary.view(), 0), target);
            for (std::size_t t = 0; t < rounds; ++t) {
                if (std::isnan(found[t].value)) continue;
                const Interval one = interval(found[t], critical_value(0.95), found[t].law);
                hits[t] += one.lower <= truth[t] && truth[t] <= one.upper ? 1 : 0;
                ++all[t];
            }
        }
        for (std::size_t t = 0; t < rounds; ++t) {
            BOOST_TEST_MESSAGE("round " << t + 1 << ": coverage " << hits[t] / all[t]);
            BOOST_CHECK_GT(all[t], 2900);
            BOOST_CHECK_GE(hits[t] / all[t], 0.93);
            BOOST_CHECK_LE(hits[t] / all[t], 0.99);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_part_is_a_summary_of_its_own) {
    const auto m = mechanism(mixed_spec(4, number_series(64, 8, 3, 1) + ", " + region));
    std::vector<RecordRounds> people;
    for (std::size_t i = 0; i < 500; ++i) people.emplace_back(3, std::vector<Cell>{10 + i % 40, i % 3});
    SeededBits bits(5);
    const std::vector<OwnedSummary> by_round = reported_records(*m, people, bits);
    const OwnedSummary all = merged(*m, by_round);
    const SummaryDraft draft = summary_of_part(all.view(), 0);
    std::vector<std::byte> bytes(draft.size());
    draft.write(bytes);
    const auto series = load_mechanism(bytes, Kind::summary);
    check_summary(*series, bytes);
    BOOST_CHECK(!series->header().kept);
    BOOST_CHECK(is_series(*series));
    const SummaryView alone = view_of(*series, bytes);
    const auto found = means_by_round(alone, Target::population),
               expected = means_by_round(part(all.view(), 0), Target::population);
    for (std::size_t t = 0; t < 3; ++t) {
        BOOST_CHECK_EQUAL(found[t].value, expected[t].value);
        BOOST_CHECK_EQUAL(found[t].standard_error, expected[t].standard_error);
    }
    // Reports of a series repeat nothing, so that their rounds need not be known.
    OwnedSummary unrecorded(*m);
    SeededBits again(5);
    for (const OwnedSummary& one : reported_records(*m, people, again)) unrecorded.merge(one.bytes());
    BOOST_CHECK_NO_THROW(static_cast<void>(means_by_round(part(unrecorded.view(), 0), Target::sample)));
    // The series has no mean or share of its own among those of the record.
    BOOST_CHECK_THROW(static_cast<void>(means_of_part(by_round[0].view(), 0, Target::sample)), Error);
    const auto shares = estimate(by_round[0].view(), {Quantity::frequencies, Target::sample, 1});
    BOOST_CHECK_EQUAL(shares.size(), 3u);
    BOOST_CHECK_CLOSE_FRACTION(shares[0].value + shares[1].value + shares[2].value, 1, 1e-9);
    // Honest reports of a round pass the checks, and those of all rounds pass the checks of the series.
    for (const Check& check : health(by_round[1].view()))
        BOOST_TEST_CONTEXT(check.name) BOOST_CHECK_GT(check.p_value, 1e-8);
    for (const Check& check : health(part(all.view(), 0))) BOOST_CHECK_GT(check.p_value, 1e-8);
}

BOOST_AUTO_TEST_CASE(a_ledger_counts_a_series_as_one_response) {
    const Spec spec = resolve(mixed_spec(1, number_series(64, 8, 3, 1) + ", " + region));
    const auto m = make_mechanism(spec);
    BOOST_CHECK(m->header().kept);
    BOOST_CHECK_EQUAL(possible_responses(spec, *m), 3u);  // of the region
    BOOST_CHECK(Spec::from_json(spec.to_json()).to_json() == spec.to_json());
    BOOST_CHECK(contains(spec.to_json(), R"("series_rounds": 3)") ||
                contains(spec.to_json(), R"("series_rounds":3)"));
    // All attributes are series: there is no ledger, and no budget.
    const auto both =
        mechanism(record_spec(1, number_series(64, 8, 3, 1) + ", " + category_series("plan", 2, 3, 1), ""));
    BOOST_CHECK(series_of(*both).only_series());
    BOOST_CHECK(!both->header().kept);
    BOOST_CHECK_EQUAL(both->input_cells().size(), 6u);
    BOOST_CHECK_EQUAL(both->cells().size(), 2u);
}

// Forged reports choose the part. In the reports of all rounds, people with a series have fewer reports.
BOOST_AUTO_TEST_CASE(forged_reports_are_bounded) {
    const auto m = mechanism(mixed_spec(2, category_series("plan", 2, 8, 1) + ", " + region));
    const auto alone = mechanism("ddrm", 2, R"("domain": 2, "rounds": 8, "changes": 1)");
    const double each = capability<SeriesRandomizer>(*alone).reports_per_user();
    const double reports = each / (each + 8);
    for (const double share : {0.001, 0.02}) {
        Interval worst{0, 0};
        for (std::size_t round = 0; round < 8; ++round) {
            auto contributions = alone->contributions({Quantity::frequencies, Target::sample, round});
            for (Contribution& one : contributions) one.chance *= reports;
            const Interval found = bias(contributions, share);
            worst = {std::min(worst.lower, found.lower), std::max(worst.upper, found.upper)};
        }
        const Interval promised = m->promised_bias(0, share);
        BOOST_CHECK_CLOSE_FRACTION(promised.lower, worst.lower, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(promised.upper, worst.upper, 1e-12);
        BOOST_CHECK_LT(promised.lower, alone->promised_bias(0, share).lower);
    }
    BOOST_CHECK_CLOSE_FRACTION(m->promised_influence(0) * reports, alone->promised_influence(0), 1e-9);
}

BOOST_AUTO_TEST_CASE(settings_that_contradict_each_other_are_refused) {
    const std::string weight = number_series(64, 8, 3, 1), plan = category_series("plan", 2, 3, 1);
    const std::string memoized = R"(, "evolving": {}, "budget": {"epsilon": 10})";
    const auto with = [&](const std::string& attributes, const std::string& rest) {
        return R"({"mechanism": "sampled", "epsilon": 2, "attributes": [)" + attributes + "]" + rest + "}";
    };
    BOOST_CHECK_EQUAL(error_of(with(weight + ", " + region, memoized)), "");
    BOOST_CHECK_EQUAL(error_of(with(weight + ", " + plan, "")), "");
    BOOST_CHECK(contains(error_of(with(weight + ", " + region, "")),
                         "a record of series and other attributes needs \"evolving\" and \"budget\""));
    BOOST_CHECK(contains(error_of(with(weight + ", " + plan, memoized)), "a series needs no \"evolving\""));
    BOOST_CHECK(contains(error_of(with(weight + ", " + region, memoized + R"(, "per_report": 2)")),
                         "\"per_report\" must be 1 for a record with a series"));
    BOOST_CHECK(contains(error_of(with(weight + ", " + category_series("plan", 2, 4, 1), "")),
                         "different numbers of rounds"));
    BOOST_CHECK(contains(error_of(with(weight + R"(, {"name": "region", "domain": 3, "mechanism": "l_grr"})",
                                       memoized + R"(, "report_epsilon": 1)")),
                         "threshold_series has no second layer"));
    std::string moving = weight;
    moving.insert(moving.size() - 1, R"(, "evolving": true)");
    BOOST_CHECK(contains(error_of(with(moving + ", " + region, memoized)),
                         "the series \"weight\" cannot be evolving"));
    BOOST_CHECK(contains(error_of(with(R"({"name": "weight", "min": 0, "max": 1, "mechanism": "ddrm"}, )" +
                                           std::string(region),
                                       memoized)),
                         "ddrm cannot report \"weight\" in a record"));
    // No choice takes a series.
    const Spec chosen =
        resolve(with(R"({"name": "a", "min": 0, "max": 1}, {"name": "b", "domain": 4})", memoized));
    for (const Attribute& attribute : chosen.attributes())
        BOOST_CHECK(!find_mechanism(attribute.mechanism)->series);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

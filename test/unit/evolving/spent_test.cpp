// Budgets that end: the signal in reports, its counts in summaries, and the share that is estimated from
// them.

#include "core/summary/spent.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/contract/response_count.hpp"
#include "core/proof/audit.hpp"
#include "core/summary/batch.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/moving_window.hpp"
#include "core/summary/pooling.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(spent)

namespace {

/// Categories of ten values under a budget.
std::string of_ten(const std::string& budget, double epsilon = 1, const std::string& more = "") {
    return R"({"mechanism": "grr", "domain": 10, "evolving": {}, "epsilon": )" + std::to_string(epsilon) +
           R"(, "budget": )" + budget + more + "}";
}

BudgetTerms terms_of(const std::string& json) {
    return budget_terms(mechanism(json)->block());
}

/// A report of a value with this bit.
Report with_bit(const Mechanism& m, Cell value, bool bit, BitSource& bits) {
    Report report = m.perturb({&value, 1}, bits);
    report.back() = std::byte{bit};
    return report;
}

/// Nine values in two layers. The budget pays for three responses and the signal.
constexpr const char* of_nine_in_two_layers =
    R"({"mechanism": "l_grr", "epsilon": 2, "report_epsilon": 1, "domain": 9, "evolving": {}, "budget": {"epsilon": 8}})";

}  // namespace

// The real sampler, enumerated: the bit has the stated law in both states, and e^ε bounds the ratio.
BOOST_AUTO_TEST_CASE(the_signal_keeps_its_epsilon) {
    for (const double epsilon : {0.1, 0.5, 1.0, 4.0, 8.0}) {
        const SpentSignal signal(epsilon, epsilon);
        std::vector<Outcomes> laws;
        for (const bool spent : {false, true}) {
            std::uint64_t steps = 16;
            laws.push_back(
                law_of(
                    1, [&](BitSource& bits, MutableBytes sent) { sent[0] = signal.draw(spent, bits); }, steps)
                    .value());
            BOOST_REQUIRE(laws.back().size() == 2);
            for (const auto& [bit, p] : laws.back())
                BOOST_TEST((signal.probability(spent, bit[0] == std::byte{1}) == p));
        }
        Exact worst = exact(0, 1);
        for (const auto& [bit, p] : laws[0]) {
            worst = std::max(worst, p / laws[1].at(bit));
            worst = std::max(worst, laws[1].at(bit) / p);
        }
        BOOST_TEST((worst == signal.worst_ratio()));
        BOOST_TEST(margin(epsilon, worst) >= 0);
        BOOST_TEST(margin(epsilon, worst) < 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(an_audit_includes_the_signal) {
    SeededBits bits(1);
    const Audit found = audit(*mechanism(of_ten(R"({"epsilon": 5})")), bits);
    BOOST_REQUIRE(found.signal.has_value());
    BOOST_TEST(found.signal->epsilon == 1);
    BOOST_TEST(found.kept());
    BOOST_TEST(!found.signal_of_report.has_value());
    const Audit two = audit(*mechanism(of_nine_in_two_layers), bits);
    BOOST_TEST(two.signal.value().epsilon == 2);
    BOOST_TEST(two.signal_of_report.value().epsilon == 1);
    BOOST_TEST(two.kept());
    BOOST_TEST(!audit(*mechanism(of_ten(R"({"epsilon": 10})")), bits).signal.has_value());
}

// In two layers the bit of a report has the stated law and the ε of one report. Its bits under two permanent bits
// differ by no more than the second layer of two values: the change of the state is hidden as a change of the value is.
BOOST_AUTO_TEST_CASE(the_signal_has_the_layers_of_the_mechanism) {
    const auto m = mechanism(of_nine_in_two_layers);
    BOOST_REQUIRE(has_signal(*m));
    const SpentSignal signal(*m);
    BOOST_TEST(signal.epsilon() == 2);
    BOOST_TEST(signal.report_epsilon() == 1);
    const auto law_of_bit = [](const auto& draw) {
        std::uint64_t steps = 16;
        return law_of(
                   1, [&](BitSource& bits, MutableBytes sent) { sent[0] = draw(bits); }, steps)
            .value();
    };
    const auto ratio = [](const Outcomes& one, const Outcomes& other) {
        Exact worst = exact(0, 1);
        for (const auto& [bit, p] : one) worst = std::max({worst, p / other.at(bit), other.at(bit) / p});
        return worst;
    };
    std::vector<Outcomes> sent, second;
    for (const bool state : {false, true}) {
        sent.push_back(
            law_of_bit([&](BitSource& bits) { return signal.send(signal.draw(state, bits), bits); }));
        for (const auto& [bit, p] : sent.back())
            BOOST_TEST((signal.report_probability(state, bit[0] == std::byte{1}) == p));
        BOOST_TEST(std::abs(signal.share_of_ones(state) - static_cast<double>(static_cast<long double>(
                                                              sent.back().at({std::byte{1}})))) < 1e-15);
        second.push_back(law_of_bit([&](BitSource& bits) { return signal.send(std::byte{state}, bits); }));
    }
    BOOST_TEST(margin(1, ratio(sent[0], sent[1])) >= 0);
    BOOST_TEST(margin(1, ratio(sent[0], sent[1])) < 1e-9);
    BOOST_TEST((ratio(sent[0], sent[1]) == signal.report_ratio()));
    // (e^3 − 1)/(e^2 − e) is the ratio of the second layer of l_grr for two values.
    BOOST_TEST(std::abs(signal.second_epsilon() - std::log((std::exp(3) - 1) / (std::exp(2) - std::exp(1)))) <
               1e-9);
    BOOST_TEST(margin(signal.second_epsilon() + 1e-12, ratio(second[0], second[1])) >= 0);
}

// A report beside the payload has no more information than the two epsilons state: the whole report,
// enumerated.
BOOST_AUTO_TEST_CASE(a_whole_report_costs_both) {
    const auto m = mechanism(R"({"mechanism": "grr", "epsilon": 1, "domain": 3, "evolving": {},
                                 "budget": {"epsilon": 2}})");
    BOOST_REQUIRE(has_signal(*m));
    const SpentSignal signal(*m);
    Exact worst = exact(0, 1);
    std::vector<Outcomes> laws;
    for (Cell value = 0; value < 3; ++value)
        for (const bool spent : {false, true}) {
            std::uint64_t steps = 1000;
            laws.push_back(
                law_of(
                    sent_size(*m),
                    [&](BitSource& bits, MutableBytes sent) {
                        m->permanent_response({&value, 1}, {}, bits, sent.first(m->permanent_size()));
                        sent.back() = signal.draw(spent, bits);
                    },
                    steps)
                    .value());
        }
    for (const Outcomes& one : laws)
        for (const Outcomes& other : laws)
            for (const auto& [sent, p] : one) worst = std::max(worst, p / other.at(sent));
    BOOST_TEST(margin(m->report_epsilon() + signal_epsilon(*m), worst) >= 0);
    BOOST_TEST(margin(m->report_epsilon(), worst) < 0);
}

BOOST_AUTO_TEST_CASE(terms_are_in_the_flags) {
    BOOST_TEST(!terms_of(of_ten(R"({"epsilon": 10})")).can_end());
    const BudgetTerms signalled = terms_of(of_ten(R"({"epsilon": 9})"));
    BOOST_TEST((signalled.responses == 8 && signalled.has_signal()));
    const BudgetTerms silent = terms_of(of_ten(R"({"epsilon": 9, "report_spent": false})"));
    BOOST_TEST((silent.responses == 9 && silent.end == BudgetEnd::silent));
    const BudgetTerms stopped = terms_of(of_ten(R"({"epsilon": 9, "when_spent": "stop"})"));
    BOOST_TEST((stopped.responses == 9 && stopped.end == BudgetEnd::stopped));
    // One response leaves nothing for a signal.
    BOOST_TEST((terms_of(of_ten(R"({"epsilon": 1})")).end == BudgetEnd::silent));
    std::vector<std::byte> block(24, std::byte{0});
    for (const bool kept : {false, true}) {
        block[3] = std::byte{kept};
        for (const BudgetEnd end : {BudgetEnd::signalled, BudgetEnd::silent, BudgetEnd::stopped})
            for (std::uint32_t responses = 0; responses < 20000; ++responses) {
                set_budget_terms(block, {responses, end});
                const BudgetTerms found = budget_terms(block);
                const std::uint32_t least = responses <= 20 ? responses : std::min(responses, 10000u) / 2;
                BOOST_REQUIRE(found.responses <= responses && found.responses >= least);
                BOOST_REQUIRE(!found.can_end() || found.end == end);
                BOOST_REQUIRE(valid_flags(block[3]) == (kept || responses == 0));
            }
    }
    BOOST_TEST(!valid_flags(std::byte{0xFF}));
    // The rounded values of a number are few.
    BOOST_TEST(!terms_of(R"({"mechanism": "onebit", "epsilon": 1, "evolving": {"base_levels": 1}, "budget":
        {"epsilon": 2}, "attributes": [{"name": "x", "min": 0, "max": 1, "evolving": true}]})")
                    .can_end());
}

BOOST_AUTO_TEST_CASE(specs_state_the_signal) {
    const Spec spec = Spec::from_json(of_ten(R"({"epsilon": 9, "report_spent": true})"));
    const std::string json = spec.to_json();
    for (const char* part : {R"("max_responses":8)", R"("max_epsilon":9.0)", R"("signal_epsilon":1.0)",
                             R"("signaled_report_epsilon":2.0)", R"("when_spent":"repeat"})"})
        BOOST_TEST(json.find(part) != std::string::npos, part << " is missing in " << json);
    BOOST_CHECK(Spec::from_json(json).fingerprint() == spec.fingerprint());
    const Spec silent = Spec::from_json(of_ten(R"({"epsilon": 9, "report_spent": false})"));
    BOOST_TEST(silent.to_json().find(R"("report_spent":false)") != std::string::npos);
    BOOST_TEST(silent.to_json().find(R"("max_responses":9)") != std::string::npos);
    BOOST_CHECK(Spec::from_json(silent.to_json()).fingerprint() == silent.fingerprint());
    BOOST_CHECK(silent.fingerprint() != spec.fingerprint());
    // Where no budget can end, the key changes nothing.
    BOOST_CHECK(Spec::from_json(of_ten(R"({"epsilon": 10, "report_spent": false})")).fingerprint() ==
                Spec::from_json(of_ten(R"({"epsilon": 10})")).fingerprint());
    for (const char* wrong :
         {R"({"epsilon": 1, "report_spent": true})", R"({"epsilon": 9, "report_spent": 1})",
          R"({"epsilon": 9, "when_spent": "stop", "report_spent": false})"})
        BOOST_CHECK_THROW(static_cast<void>(Spec::from_json(of_ten(wrong))), Error);
}

BOOST_AUTO_TEST_CASE(summaries_count_the_signal) {
    const auto m = mechanism(of_ten(R"({"epsilon": 5})"));
    SeededBits bits(3);
    std::vector<Report> reports;
    for (int i = 0; i < 50; ++i) reports.push_back(with_bit(*m, i % 10, i < 12, bits));
    OwnedSummary all(*m), first(*m), second(*m);
    for (std::size_t i = 0; i < reports.size(); ++i) {
        all.add(reports[i], Rounds::only(static_cast<std::int32_t>(i / 10)));
        (i < 20 ? first : second).add(reports[i], Rounds::only(static_cast<std::int32_t>(i / 10)));
    }
    BOOST_TEST(spent_ones(all.view()).value() == 12u);
    check_summary(*m, all.bytes());
    OwnedSummary merged(*m);
    merged.merge(first.bytes());
    merged.merge(second.bytes());
    BOOST_TEST(merged.bytes() == all.bytes());
    // A batch counts the same.
    std::vector<std::byte> batched(summary_size(*m));
    start_summary(*m, batched);
    for (const auto& batch : pack(*m, reports)) {
        check_batch(*m, batch);
        BOOST_REQUIRE(accumulate_batch(*m, batched, batch, Rounds{0, 4}) == Outcome::ok);
    }
    BOOST_TEST(batched == all.bytes());
    // Windows subtract it.
    OwnedSummary inner(*m);
    std::vector<std::byte> window(all.bytes());
    for (std::size_t i = 10; i < 40; ++i)
        inner.add(reports[i], Rounds::only(static_cast<std::int32_t>(i / 10)));
    BOOST_REQUIRE(subtract(*m, window, inner.bytes()));
    BOOST_TEST(spent_ones(view_of(*m, window)).value() == 10u);
    // Bits are 0 or 1, and no more than the reports.
    Report wrong = reports[0];
    wrong.back() = std::byte{2};
    BOOST_TEST(malformed([&] { check_report(*m, wrong); }));
    std::vector<std::byte> before = all.bytes(), after = before;
    BOOST_TEST((accumulate(*m, after, wrong) == Outcome::malformed));
    BOOST_TEST(after == before);
    wrong.pop_back();
    BOOST_TEST(malformed([&] { check_report(*m, wrong); }));
    after[after.size() - 8] = std::byte{51};
    BOOST_TEST(malformed([&] { check_summary(*m, after); }));
}

// Of 400 intervals that hold with a probability of 0.95, fewer than 350 hold with a probability below 10⁻⁸. A
// mean of 400 estimates is further than six standard errors from the truth with a probability below 10⁻⁸.
BOOST_AUTO_TEST_CASE(the_share_is_unbiased_and_its_interval_holds, *boost::unit_test::label("slow")) {
    for (const double epsilon : {0.5, 1.0, 2.0}) {
        const auto m = mechanism(of_ten(R"({"epsilon": )" + std::to_string(5 * epsilon) + "}", epsilon));
        BOOST_REQUIRE(has_signal(*m));
        const SpentSignal signal(*m);
        SeededBits bits(7);
        for (const double share : {0.0, 0.1, 0.6}) {
            constexpr int repetitions = 400, people = 300;
            double sum = 0, errors = 0;
            int held = 0;
            for (int i = 0; i < repetitions; ++i) {
                OwnedSummary summary(*m);
                for (int k = 0; k < people; ++k) {
                    Report report = with_bit(*m, 0, false, bits);
                    report.back() = signal.draw(k < share * people, bits);
                    summary.add(report, Rounds::only(30));
                }
                const SpentShare found = SpentBudgets(summary.view()).share(1.959964);
                sum += found.share.value;
                errors += found.share.standard_error;
                held += found.interval.lower <= share && share <= found.interval.upper;
            }
            const double error = errors / repetitions;
            BOOST_TEST(std::abs(sum / repetitions - share) < 6 * error / std::sqrt(repetitions));
            BOOST_TEST(held >= 350);
        }
    }
}

BOOST_AUTO_TEST_CASE(rounds_decide_whether_a_budget_can_have_ended) {
    SeededBits bits(5);
    const auto summary_of = [&](const Mechanism& m, const Rounds& rounds, double share, int people) {
        OwnedSummary summary(m);
        for (int i = 0; i < people; ++i) {
            Report report = m.perturb(std::vector<Cell>{0}, bits);
            if (has_signal(m)) report.back() = SpentSignal(m).draw(i < share * people, bits);
            summary.add(report, rounds);
        }
        return summary;
    };
    const auto m = mechanism(of_ten(R"({"epsilon": 6})"));  // five responses
    const auto note_of = [&](const Mechanism& of, const Rounds& rounds, double share) {
        return SpentBudgets(summary_of(of, rounds, share, 2000).view()).note();
    };
    BOOST_TEST(note_of(*m, Rounds::only(4), 0.5).empty());
    BOOST_TEST(note_of(*m, Rounds::only(5), 0.5).find(" of the people repeat") != std::string::npos);
    BOOST_TEST(note_of(*m, Rounds{0, 9}, 0.5).find(" to ") != std::string::npos);
    BOOST_TEST(note_of(*m, Rounds::only(5), 0).find("at most ") == 0u);
    BOOST_TEST(note_of(*m, Rounds{-3, 0}, 0).find("at most ") == 0u);
    const auto silent = mechanism(of_ten(R"({"epsilon": 6, "report_spent": false})"));
    BOOST_TEST(note_of(*silent, Rounds::only(5), 0).empty());
    BOOST_TEST(note_of(*silent, Rounds::only(6), 0).find("unknown") != std::string::npos);
    const auto stop = mechanism(of_ten(R"({"epsilon": 6, "when_spent": "stop"})"));
    BOOST_TEST(note_of(*stop, Rounds::only(6), 0).find("stopped reporting") != std::string::npos);
    const auto endless = mechanism(of_ten(R"({"epsilon": 10})"));
    BOOST_TEST(note_of(*endless, Rounds::only(60), 0).empty());
    // The bound: the whole share of people may be in a part of the reports.
    const SpentBudgets budgets(summary_of(*m, Rounds::only(9), 0.4, 4000).view());
    BOOST_REQUIRE(budgets.significant());
    BOOST_TEST(budgets.bias(4000, {0, 10}).at(0) == 10 * budgets.share(1).share.value,
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(budgets.bias(2000, {0, 10}).at(0) == std::min(10.0, 20 * budgets.share(1).share.value),
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(budgets.bias(100, {0, 10}).at(0) == 10);
    const Interval wide = extended({4, 9}, budgets.bias(4000, {0, 10}), 2);
    BOOST_TEST((wide.lower == 0 && wide.upper == 10));
    BOOST_TEST(extended({-1, 11}, budgets.bias(4000, {0, 10}), 2).lower == -1);
    // p-values agree with the extended intervals of estimates in the middle of an interval.
    const double level = std::erfc(2 / std::sqrt(2.0));
    for (double estimate = -3; estimate <= 3; estimate += 0.0625) {
        const Interval found{estimate - 0.5, estimate + 0.5};
        for (const BiasBound& bias : {BiasBound{}, BiasBound{0.1, 0.02, 6, {-6, 6}},
                                      BiasBound{-0.1, 0.04, 6, {-6, 6}}, BiasBound{0.01, 0.2, 3, {-6, 6}}}) {
            const double plain = std::erfc(std::abs(estimate) / 0.25 / std::sqrt(2.0)),
                         p_value = extended_p_value(plain, estimate, found, bias, 2);
            const Interval range = extended(found, bias, 2);
            BOOST_TEST((p_value < level) == (range.lower > 0 || range.upper < 0));
            BOOST_TEST(p_value >= plain);
        }
    }
    BOOST_TEST(std::isnan(extended_p_value(unknown, 1, {0, 2}, {0.1, 0.02, 6, {-6, 6}}, 2)));
    const BiasBound both = bias_of_difference(budgets.bias(4000, {0, 10}), {});
    BOOST_TEST(both.at(0) == budgets.bias(4000, {0, 10}).at(0), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(both.possible.lower == -10);
    // A share that is not significant has an error, and before a budget can have ended there is no bias.
    const OwnedSummary none = summary_of(*m, Rounds::only(9), 0, 4000);
    BOOST_TEST(!SpentBudgets(none.view()).significant());
    BOOST_TEST(SpentBudgets(none.view()).bias(4000, {0, 10}).at(2) > 0);
    BOOST_TEST(SpentBudgets(summary_of(*m, Rounds::only(4), 0.4, 4000).view()).bias(4000, {0, 10}).at(2) ==
               0);
}

// The worst people for a mean: those with a spent budget have the largest value, and their responses are those
// of the smallest one. Of 1,000 intervals that hold with a probability of 0.95, fewer than 907 hold with a
// probability below 10⁻⁸. With an extension for significant shares alone, 67 % to 72 % hold near a share of
// 0.06.
BOOST_AUTO_TEST_CASE(extended_intervals_hold_for_every_share, *boost::unit_test::label("slow")) {
    const auto m =
        mechanism(R"({"mechanism": "onebit", "epsilon": 1, "budget": {"epsilon": 6}, "evolving": {},
        "attributes": [{"name": "x", "min": 0, "max": 1, "evolving": true}]})");
    BOOST_REQUIRE(has_signal(*m));
    const SpentSignal signal(*m);
    const Cell most = m->cells()[0] - 1;
    SeededBits bits(11);
    Perturber device(*m);
    for (const double share : {0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.3, 1.0}) {
        constexpr int repetitions = 1000, people = 900;
        constexpr double far = 1.959963984540054;
        int held = 0;
        double plain = 0, whole = 0;
        for (int i = 0; i < repetitions; ++i) {
            OwnedSummary summary(*m);
            for (int k = 0; k < people; ++k) {
                const bool spent = k < share * people;
                const Cell sent = spent || k % 2 == 0 ? 0 : most;
                Report report = device.perturb({&sent, 1}, bits);
                report.back() = signal.draw(spent, bits);
                summary.add(report, Rounds::only(9));
            }
            int large = 0;
            for (int k = 0; k < people; ++k) large += k < share * people || k % 2 == 1;
            const double truth = static_cast<double>(large) / people;
            const SummaryView view = summary.view();
            const Estimate mean = estimate(view, {Quantity::means, Target::sample}).at(0);
            const Interval found = interval(mean, far, error_law(view, 0, Target::sample));
            const Interval wide = extended(found, SpentBudgets(view).bias(people, {0, 1}), far);
            held += wide.lower <= truth && truth <= wide.upper;
            plain += found.upper - found.lower;
            whole += wide.upper - wide.lower;
        }
        BOOST_TEST_CONTEXT("share " << share << ": " << held << " hold, " << whole / plain
                                    << " times as wide") {
            BOOST_TEST(held >= 907);
            if (share == 0) BOOST_TEST(whole < 1.6 * plain);
        }
    }
}

// A record counts the bits of each part. The summary of a part has the signal of the reports about it.
BOOST_AUTO_TEST_CASE(records_count_the_signal_of_each_part) {
    for (const int per_report : {1, 2}) {
        const auto m =
            mechanism(R"({"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "evolving": {},
            "per_report": )" +
                      std::to_string(per_report) +
                      R"(, "budget": {"epsilon": 9}, "attributes": [
            {"name": "a", "domain": 90, "mechanism": "l_grr"}, {"name": "x", "min": 0, "max": 9, "mechanism": "optimal"},
            {"name": "b", "domain": 90, "mechanism": "l_grr"}]})");
        BOOST_REQUIRE(has_signal(*m));
        BOOST_TEST(signal_epsilon(*m) == 2.0 / per_report);
        BOOST_TEST(signal_report_epsilon(*m) == 1.0 / per_report);
        SeededBits bits(4);
        const SpentSignal signal(*m);
        OwnedSummary summary(*m), first(*m), second(*m);
        // People who report attribute a have spent their budget.
        std::vector<std::uint64_t> ones(3), all(3);
        std::uint64_t sum = 0;
        for (int i = 0; i < 900; ++i) {
            Report report = m->perturb(std::vector<Cell>{1, 2, 3}, bits);
            const Bytes payload = payload_of(report, m->block());
            std::vector<bool> about(3);
            for (int k = 0; k < per_report; ++k)
                about[std::to_integer<std::size_t>(payload[payload.size() / per_report * k])] = true;
            report.back() = signal.send(signal.draw(about[0], bits), bits);
            const bool one = report.back() == std::byte{1};
            for (std::size_t part = 0; part < 3; ++part)
                all[part] += about[part], ones[part] += about[part] && one;
            sum += one;
            // The second summary is from a round in the middle, so that it can be subtracted.
            const Rounds round = Rounds::only(i % 3 > 0 ? 9 : i % 2 == 0 ? 8 : 10);
            summary.add(report, round);
            (i % 3 == 0 ? first : second).add(report, round);
        }
        check_summary(*m, summary.bytes());
        OwnedSummary merged(*m);
        merged.merge(first.bytes());
        merged.merge(second.bytes());
        BOOST_TEST(merged.bytes() == summary.bytes());
        std::vector<std::byte> rest(summary.bytes());
        BOOST_REQUIRE(subtract(*m, rest, second.bytes()));
        BOOST_TEST(rest == first.bytes());
        BOOST_TEST(spent_ones(summary.view()).value() == sum);
        for (std::size_t part = 0; part < 3; ++part) {
            BOOST_TEST(spent_ones(summary.view(), part).value() == ones[part]);
            const std::vector<std::byte> bytes = summary_of_part(summary.view(), part).bytes();
            const auto inner = load_mechanism(bytes, Kind::summary);
            check_summary(*inner, bytes);
            const SummaryView alone = view_of(*inner, bytes);
            BOOST_TEST(has_signal(*inner));
            BOOST_TEST(alone.n == all[part]);
            BOOST_TEST(spent_ones(alone).value() == ones[part]);
            BOOST_TEST(budget_terms(inner->block()).responses == budget_terms(m->block()).responses);
            const SpentShare found = SpentBudgets(alone).share(1.96);
            BOOST_TEST(found.share.value == SpentBudgets(summary.view(), part).share(1.96).share.value);
            if (part == 0) BOOST_TEST(std::abs(found.share.value - 1) < 6 * found.share.standard_error);
            if (part > 0 && per_report == 1)
                BOOST_TEST(std::abs(found.share.value) < 6 * found.share.standard_error);
        }
        BOOST_TEST(possible_values(*part_of(*m, 1).mechanism, 0).upper == 9,
                   boost::test_tools::tolerance(1e-9));
        // More ones than reports about a part, and parts that do not add up, are impossible.
        for (const std::size_t back : {1, 2, 3, 4}) {
            std::vector<std::byte> wrong(summary.bytes());
            std::byte* at = wrong.data() + wrong.size() - 8 * back;
            store<std::uint64_t>(at, load<std::uint64_t>(at) + 1);
            BOOST_TEST(malformed([&] { check_summary(*m, wrong); }));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// The privacy statement of a spec, compared with the enumerated reports of its mechanism.

#include "core/contract/privacy_statement.hpp"

#include <set>

#include "../../support/privacy_cases.hpp"
#include "../proof.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(statement)

namespace {

Spec spec_of(const std::string& mechanism, const std::string& keys) {
    return Spec::from_json(spec_text_of(mechanism, keys));
}

/// The largest ratios: of one report with all that it contains, and of all reports with one memoized response and one
/// state of the budget. They are products of enumerated ratios, since the bit is drawn independently of the response.
struct EnumeratedBounds {
    Exact report, answer;
};
EnumeratedBounds enumerated(const Mechanism& mechanism) {
    SeededBits bits(3);
    AuditLimits limits;
    limits.steps = std::uint64_t{1} << 22;
    const Audit found = audit(mechanism, bits, limits);
    BOOST_REQUIRE(found.enumerated);
    BOOST_REQUIRE(found.kept());
    const Exact permanent = found.permanent.worst.ratio();
    const Exact first = found.report ? found.report->worst.ratio() : permanent;
    if (!found.signal) return {first, permanent};
    const Exact bit = found.signal->worst.ratio();
    return {first * (found.signal_of_report ? found.signal_of_report->worst.ratio() : bit), permanent * bit};
}

}  // namespace

// No bound of a statement is smaller than the enumerated one, and none is larger than needed.
BOOST_AUTO_TEST_CASE(statements_are_the_enumerated_bounds) {
    std::set<std::string> with_signal;
    for (const auto& [mechanism, keys] : privacy_cases())
        for (const char* budget : budgets) BOOST_TEST_CONTEXT(mechanism << ": " << keys << budget) {
                const Spec spec = spec_of(mechanism, keys + budget);
                const auto m = make_mechanism(spec);
                const PrivacyStatement statement = privacy_statement(spec, *m);
                const EnumeratedBounds found = enumerated(*m);
                BOOST_TEST(margin(statement.report.epsilon, found.report) >= 0);
                BOOST_TEST(margin(statement.answer.epsilon, found.answer) >= 0);
                // Reports with several parts or two layers leave a little of ε.
                BOOST_TEST(margin(statement.report.epsilon, found.report) < 2e-3);
                BOOST_TEST(margin(statement.answer.epsilon, found.answer) < 2e-3);
                BOOST_TEST(statement.has_signal() == has_signal(*m));
                if (statement.has_signal()) with_signal.insert(mechanism);
                BOOST_TEST(statement.report.epsilon <= statement.answer.epsilon);
                BOOST_TEST(statement.person.has_value() == (*budget != '\0'));
                BOOST_TEST(margin(statement.after(1).epsilon, found.answer) >= 0);
                if (statement.responses > 0)
                    BOOST_TEST(statement.after(static_cast<double>(statement.responses)).epsilon <=
                               statement.person->epsilon * (1 + 1e-12));
                if (statement.person) {
                    BOOST_TEST(statement.answer.epsilon <= statement.person->epsilon);
                    BOOST_TEST(statement.person->epsilon <= 1.1);
                }
                BOOST_TEST(statement.group.has_value() == (budget == grouped_budget));
                if (statement.group) BOOST_TEST(statement.group->loss.epsilon == 4);
            }
    BOOST_TEST(with_signal.size() >= 20);
    BOOST_TEST(with_signal.count("sampled") + with_signal.count("label_sets") +
                   with_signal.count("optional_mean") + with_signal.count("l_grr") ==
               4);
}

// One bound covers a whole series, the times of its changes included.
BOOST_AUTO_TEST_CASE(series_have_one_bound) {
    for (const auto& [mechanism, keys] : std::vector<std::pair<const char*, const char*>>{
             {"ddrm", R"("domain": 3, "rounds": 2, "changes": 1)"},
             {"threshold_series",
              R"("min": 0, "max": 5, "grid": 4, "thresholds": 2, "rounds": 2, "changes": 1)"}}) {
        const Spec spec = spec_of(mechanism, keys);
        const PrivacyStatement statement = privacy_statement(spec, *make_mechanism(spec));
        BOOST_TEST(statement.covers_changes());
        BOOST_TEST(statement.report.epsilon == 0.5);
        BOOST_TEST(statement.person.value().epsilon == 0.5);
    }
}

// Fresh reports cost again, also their δ; nothing limits their number without a budget.
BOOST_AUTO_TEST_CASE(fresh_reports_add_up) {
    const Spec spec = Spec::from_json(
        R"({"mechanism": "gaussian", "epsilon": 0.5, "delta": 1e-3, "grid": 2,
            "attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]})");
    const PrivacyStatement statement = privacy_statement(spec, *make_mechanism(spec));
    BOOST_TEST((statement.repetition == Repetition::fresh));
    BOOST_TEST((statement.report == PrivacyLoss{0.5, 1e-3}));
    BOOST_TEST((statement.report.times(3) == PrivacyLoss{1.5, 3e-3}));
    BOOST_TEST(!statement.person.has_value());
    const Spec limited = Spec::from_json(
        R"({"mechanism": "grr", "epsilon": 0.5, "domain": 3, "budget": {"group": "g", "epsilon": 4, "at_most": 1.6}})");
    BOOST_TEST(privacy_statement(limited, *make_mechanism(limited)).person.value().epsilon == 1.5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

// The privacy statement of a spec, compared with the enumerated reports of its mechanism.

#include "core/spec/privacy_statement.hpp"

#include <set>

#include "../proof.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/spent_signal.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(statement)

namespace {

constexpr const char* layers = R"(, "report_epsilon": 0.2)";
constexpr const char* memoized =
    R"(, "evolving": {}, "budget": {"epsilon": 1.1})";  // two responses, or one and the signal
constexpr const char* grouped_budget =
    R"(, "evolving": {}, "budget": {"group": "g", "epsilon": 4, "at_most": 1.1})";

Spec spec_of(const std::string& mechanism, const std::string& keys) {
    return Spec::from_json(R"({"mechanism": ")" + mechanism + R"(", "epsilon": 0.5, )" + keys + "}");
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
    const std::string
        number = R"("min": 0, "max": 1, "grid": 4)",
        record = R"("per_report": 1, "attributes": [{"name": "a", "domain": 4, "mechanism": "grr"},
                                   {"name": "b", "domain": 5, "mechanism": "grr"}])",
        record_in_layers =
            R"("per_report": 1, "attributes": [{"name": "a", "domain": 4, "mechanism": "l_grr"},
                                   {"name": "b", "domain": 5, "mechanism": "l_grr"}])",
        pair = R"("per_report": 2, "attributes": [{"name": "a", "domain": 4, "mechanism": "grr"},
                                   {"name": "b", "domain": 5, "mechanism": "grr"}])",
        sets =
            R"("response": "subset", "attributes": [{"name": "s", "domain": 4, "several": true, "most": 2}])",
        missing = R"("attributes": [{"name": "x", "min": 0, "max": 1, "missing": true}], "grid": 2)";
    const std::vector<std::pair<const char*, std::string>> cases{
        {"grr", R"("domain": 5)"},
        {"oue", R"("domain": 4)"},
        {"sue", R"("domain": 4)"},
        {"subset", R"("domain": 5)"},
        {"blh", R"("domain": 5)"},
        {"olh", R"("domain": 5)"},
        {"hadamard", R"("domain": 5)"},
        {"projective", R"("domain": 5)"},
        {"exponential", R"("domain": 5)"},
        {"rappor", R"("domain": 3, "filter_bits": 8, "hashes": 2, "cohorts": 2)"},
        {"piecewise", number},
        {"pdp", number},
        {"laplace", R"("min": 0, "max": 1, "grid": 2)"},
        {"duchi", number},
        {"onebit", number},
        {"onebit", number + layers},
        {"hybrid", number},
        {"square_wave", number},
        {"optimal", number},
        {"optimal", number + layers},
        {"optional_mean", missing},
        {"tree", R"("domain": 5)"},
        {"haar_ordered", R"("domain": 5)"},
        {"dithered", R"("domain": 7, "buckets": 4)"},
        {"dithered", R"("domain": 7, "buckets": 4)" + std::string(layers)},
        {"label_sets", sets},
        {"sampled", record},
        {"sampled", record_in_layers + layers},
        {"sampled", pair},
        {"l_grr", R"("domain": 4)" + std::string(layers)},
        {"l_sue", R"("domain": 4)" + std::string(layers)},
        {"l_osue", R"("domain": 4)" + std::string(layers)},
        {"loloha", R"("domain": 6, "hash_buckets": 3)" + std::string(layers)},
        {"dbitflip", R"("domain": 6, "buckets": 4, "bits_per_report": 3)"}};
    std::set<std::string> with_signal;
    for (const auto& [mechanism, keys] : cases)
        for (const char* budget : {"", memoized, grouped_budget})
            BOOST_TEST_CONTEXT(mechanism << ": " << keys << budget) {
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

// The surfaces that state privacy, compared with the enumerated reports: no surface states a smaller factor or
// probability than the report of the device has, and none a larger one.

#include "core/spec/privacy_statement.hpp"

#include <iostream>
#include <sstream>

#include "../support/seeded_words.hpp"
#include "accounting/bound_texts.hpp"
#include "cli/command.hpp"
#include "cli/disclosure/question_texts.hpp"
#include "client_support.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/spent_signal.hpp"
#include "core/proof/audit.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(statements)

namespace {

/// The output of a command.
std::string output_of(const cli::Command& command, const std::vector<std::string>& words) {
    cli::Arguments arguments;
    boost::program_options::store(
        boost::program_options::command_line_parser(words).options(command.options()).run(), arguments);
    std::ostringstream out;
    auto* const before = std::cout.rdbuf(out.rdbuf());
    try {
        command.run(arguments);
    } catch (...) {
        std::cout.rdbuf(before);
        throw;
    }
    std::cout.rdbuf(before);
    return out.str();
}

/// The enumerated loss of one report with all that it contains. Logarithms of exact ratios are nearly ε, so that texts
/// of at most six digits are those of ε.
PrivacyLoss enumerated_report(const Mechanism& mechanism) {
    SeededBits bits(3);
    AuditLimits limits;
    limits.steps = std::uint64_t{1} << 22;
    const Audit found = audit(mechanism, bits, limits);
    BOOST_REQUIRE(found.enumerated);
    Exact ratio = (found.report ? *found.report : found.permanent).worst.ratio();
    if (found.signal)
        ratio = ratio * (found.signal_of_report ? *found.signal_of_report : *found.signal).worst.ratio();
    return {-margin(0, ratio), 0};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr const char* specs[] = {
    R"({"mechanism": "grr", "epsilon": 1, "domain": ["a", "b", "c", "d", "e", "f"]})",
    R"({"mechanism": "grr", "epsilon": 1, "budget": {"epsilon": 3}, "evolving": {}, "domain": ["a", "b", "c", "d", "e", "f"]})",
    R"({"mechanism": "grr", "epsilon": 1, "budget": {"group": "g", "epsilon": 7, "at_most": 3}, "evolving": {}, "domain": 6})",
    R"({"mechanism": "grr", "epsilon": 1, "budget": {"epsilon": 3, "report_spent": false}, "evolving": {}, "domain": 6})",
    R"({"mechanism": "grr", "epsilon": 1, "budget": {"epsilon": 3, "when_spent": "stop"}, "evolving": {}, "domain": 6})",
    R"({"mechanism": "l_grr", "epsilon": 2, "report_epsilon": 1, "budget": {"epsilon": 8}, "evolving": {}, "domain": 6})",
    R"({"mechanism": "l_grr", "epsilon": 2, "report_epsilon": 1, "budget": {"epsilon": 80}, "evolving": {}, "domain": 6})",
    R"({"mechanism": "sampled", "epsilon": 2, "per_report": 1, "budget": {"epsilon": 6}, "evolving": {}, "attributes": [
        {"name": "a", "domain": 6, "mechanism": "grr"}, {"name": "b", "domain": 5, "mechanism": "grr"}]})",
    R"({"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "per_report": 1, "budget": {"epsilon": 6}, "evolving": {},
        "attributes": [{"name": "a", "domain": 6, "mechanism": "l_grr"}, {"name": "b", "domain": 5, "mechanism": "l_grr"}]})",
    R"({"mechanism": "label_sets", "epsilon": 2, "response": "one_label", "budget": {"epsilon": 4}, "evolving": {},
        "attributes": [{"name": "s", "domain": ["a", "b", "c"], "several": true, "most": 2}]})",
    R"({"mechanism": "optional_mean", "epsilon": 2, "budget": {"epsilon": 4}, "evolving": {}, "grid": 4,
        "attributes": [{"name": "x", "min": 0, "max": 1, "missing": true}]})"};

}  // namespace

// Every probability and factor in the documents, in an audit and in the canonical spec.
BOOST_AUTO_TEST_CASE(every_surface_states_the_enumerated_bound) {
    for (const char* const spec_text : specs) BOOST_TEST_CONTEXT(spec_text) {
            const Spec spec = resolve(spec_text);
            const auto m = make_mechanism(spec);
            const PrivacyStatement statement = privacy_statement(spec, *m);
            const PrivacyLoss real = enumerated_report(*m);
            BOOST_TEST(real.epsilon <= statement.report.epsilon);
            BOOST_TEST(real.epsilon > statement.report.epsilon - 2e-6);
            const auto documents = [&](const char* part) {
                return output_of(cli::disclosure::command, {"--part", part, "--spec", spec_text});
            };
            const std::string guess = "50 % can become " + reported_percent(real.right_guess()) + " %";
            const std::string consent = documents("consent"), summary = documents("summary"),
                              assessment = documents("assessment");
            BOOST_TEST(
                contains(consent, "picks the right one at most " + cli::times_in(real.right_guess()) + "."),
                consent);
            BOOST_TEST(contains(consent, "it is right at most " + cli::times_in(real.posterior(0.1)) + "."),
                       consent);
            BOOST_TEST(
                contains(summary, "| one report | ε = " + shortest(statement.report.epsilon) + ": " + guess),
                summary);
            BOOST_TEST(contains(assessment, guess), assessment);
            BOOST_TEST(contains(assessment, "by a factor of at most " + reported_factor(real.factor())),
                       assessment);
            if (statement.person) {
                const std::string all =
                    "50 % can become " + reported_percent(statement.person->right_guess()) + " %";
                BOOST_TEST(contains(summary,
                                    "| all reports of a person | ε = " + shortest(statement.person->epsilon)),
                           summary);
                BOOST_TEST(contains(summary, all), summary);
                BOOST_TEST(contains(consent, cli::times_in(statement.person->right_guess())), consent);
            }
            if (statement.group) {
                BOOST_TEST(contains(consent, cli::times_in(statement.group->loss.right_guess())), consent);
                BOOST_TEST(contains(summary, reported_percent(statement.group->loss.right_guess())), summary);
            }
            if (statement.has_second_layer())
                BOOST_TEST(contains(consent, cli::times_in(statement.answer.right_guess())), consent);
            const std::string audited = output_of(cli::audit::command, {"--spec", spec_text});
            BOOST_TEST(contains(audited, "one report with the signal") == statement.has_signal(), audited);
            BOOST_TEST(contains(spec.to_json(), R"("signaled_report_epsilon":)") == statement.has_signal());
            // No document speaks of certainty, and the consent text uses plain words.
            BOOST_TEST(!contains(summary, "cannot leak"));
            for (const char* word :
                 {" bit ", "odds", "memoized", "clamped", "randomized", "factor", "observer", "e^"})
                BOOST_TEST(!contains(consent, word), consent);
        }
}

BOOST_AUTO_TEST_CASE(probabilities_in_words_are_rounded_upwards) {
    for (const auto& [bound, text] :
         std::vector<std::pair<double, const char*>>{{0.5, "50 times in 100"},
                                                     {0.7311, "74 times in 100"},
                                                     {0.982, "99 times in 100"},
                                                     {0.9904, "991 times in 1,000"},
                                                     {0.99966, "9,997 times in 10,000"},
                                                     {1.0, "1,000,000 times in 1,000,000"}})
        BOOST_TEST(cli::times_in(bound) == text);
    BOOST_TEST(reported_percent(1) == "100");
    BOOST_TEST(reported_percent(0.98201) == "98.3");
}

// A question is named with what its device sends, and a vector is one question.
BOOST_AUTO_TEST_CASE(each_question_has_a_sentence) {
    const std::string consent = output_of(
        cli::disclosure::command, {"--part", "consent", "--spec",
                                   R"({"mechanism": "sampled", "epsilon": 2, "per_report": 1, "attributes": [
            {"name": "smoke", "domain": ["yes", "no"], "mechanism": "grr"},
            {"name": "hours", "vector": ["8h", "9h", "10h"], "min": 0, "max": 1, "mechanism": "haar"},
            {"name": "devices", "domain": ["phone", "tv", "radio"], "several": true, "most": 2, "mechanism": "label_sets",
             "response": "one_label"}]})"});
    BOOST_TEST(contains(consent, "- smoke: You choose one of 2 answers: yes, no.\n"), consent);
    BOOST_TEST(
        contains(
            consent,
            "- smoke: your device sends your own answer or, by chance, another one. It is your own answer 89 times in 100.\n"),
        consent);
    BOOST_TEST(contains(consent, "- hours: For each of these: 8h, 9h, 10h. A number from 0 to 1."), consent);
    BOOST_TEST(
        contains(
            consent,
            "- devices: You can choose up to 2 of 3 answers: phone, tv, radio. You can also choose none. If you choose more, your device keeps 2 of them by chance.\n"),
        consent);
    BOOST_TEST(
        contains(consent,
                 "- devices: your device sends “yes” or “no” to one answer on the list, which chance picks."),
        consent);
    BOOST_TEST(contains(consent, "something about 1 of the 3 questions only. Chance picks this question"),
               consent);
    BOOST_TEST(contains(consent, "You may say no."), consent);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

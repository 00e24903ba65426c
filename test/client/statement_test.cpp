// The surfaces that state privacy, compared with the enumerated reports: no surface states a smaller factor or
// probability than the report of the device has, and none a larger one.

#include "core/contract/privacy_statement.hpp"

#include <iostream>
#include <optional>
#include <sstream>

#include "../support/privacy_cases.hpp"
#include "../support/seeded_words.hpp"
#include "accounting/bound_texts.hpp"
#include "accounting/spec_rows.hpp"
#include "cli/command.hpp"
#include "cli/disclosure/question_texts.hpp"
#include "client/contract.hpp"
#include "client_support.hpp"
#include "core/base/json.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/proof/audit.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(statements)

namespace {

/// What a command writes to standard output and standard error.
std::string output_of(const cli::Command& command, const std::vector<std::string>& words) {
    cli::Arguments arguments;
    boost::program_options::positional_options_description positional;
    for (const char* name : command.positional) positional.add(name, 1);
    boost::program_options::store(boost::program_options::command_line_parser(words)
                                      .options(command.options())
                                      .positional(positional)
                                      .run(),
                                  arguments);
    std::ostringstream out;
    auto* const output = std::cout.rdbuf(out.rdbuf());
    auto* const errors = std::cerr.rdbuf(out.rdbuf());
    const auto restore = [&] {
        std::cout.rdbuf(output);
        std::cerr.rdbuf(errors);
    };
    try {
        command.run(arguments);
    } catch (...) {
        restore();
        throw;
    }
    restore();
    return out.str();
}

/// The same; nothing if the command refuses.
std::optional<std::string> accepted(const cli::Command& command, const std::vector<std::string>& words) {
    try {
        return output_of(command, words);
    } catch (const Error&) {
        return {};
    }
}

/// The enumerated losses of one report and of all reports about one answer, with all that they contain.
struct EnumeratedLosses {
    double report, answer;
};
EnumeratedLosses enumerated_losses(const Mechanism& mechanism) {
    SeededBits bits(3);
    AuditLimits limits;
    limits.steps = std::uint64_t{1} << 22;
    const Audit found = audit(mechanism, bits, limits);
    BOOST_REQUIRE(found.enumerated);
    Exact report = (found.report ? *found.report : found.permanent).worst.ratio(),
          answer = found.permanent.worst.ratio();
    if (found.signal) {
        report = report * (found.signal_of_report ? *found.signal_of_report : *found.signal).worst.ratio();
        answer = answer * found.signal->worst.ratio();
    }
    return {-margin(0, report), -margin(0, answer)};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The specs of the enumerations, and some with other budgets.
std::vector<std::string> specs() {
    std::vector<std::string> all{
        R"({"mechanism": "grr", "epsilon": 1, "budget": {"epsilon": 3}, "evolving": {}, "domain": ["a", "b", "c", "d", "e", "f"]})",
        R"({"mechanism": "grr", "epsilon": 1, "budget": {"group": "g", "epsilon": 7, "at_most": 3}, "evolving": {}, "domain": 6})",
        R"({"mechanism": "grr", "epsilon": 1, "budget": {"group": "g", "epsilon": 7, "at_most": 3}, "domain": 6})",
        R"({"mechanism": "grr", "epsilon": 1, "budget": {"epsilon": 3, "report_spent": false}, "evolving": {}, "domain": 6})",
        R"({"mechanism": "grr", "epsilon": 1, "budget": {"epsilon": 3, "when_spent": "stop"}, "evolving": {}, "domain": 6})",
        R"({"mechanism": "l_grr", "epsilon": 2, "report_epsilon": 1, "budget": {"epsilon": 80}, "evolving": {}, "domain": 6})"};
    for (const auto& [mechanism, keys] : privacy_cases())
        for (const char* budget : budgets) all.push_back(spec_text_of(mechanism, keys + budget));
    return all;
}

/// The figure in front of a text: 2 in "2 for one report"; nothing without the text.
std::optional<double> before(const std::string& output, const std::string& text) {
    const std::size_t end = output.find(text);
    if (end == std::string::npos) return {};
    const std::size_t begin = output.find_last_of(" \n", end - 1) + 1;
    return std::stod(output.substr(begin, end - begin));
}

/// The ε of a row of ldp_privacy; nothing without the row.
std::optional<double> epsilon_of(Results& rows, const std::string& reports) {
    for (std::size_t i = 0; i < rows.count(); ++i) {
        const auto cells = rows.row(i);
        if (cells[0].text == reports) return cells[1].number;
    }
    return {};
}

}  // namespace

// No surface states a smaller factor than the enumeration of the report that the device sends: the documents, an audit, the
// canonical spec, SQL, contracts, the check of a spec, plans and simulations.
BOOST_AUTO_TEST_CASE(every_surface_states_the_enumerated_bound) {
    std::size_t planned = 0, simulated = 0, shown = 0;
    for (const std::string& spec_text : specs()) BOOST_TEST_CONTEXT(spec_text) {
            const Spec spec = resolve(spec_text);
            const auto m = make_mechanism(spec);
            const PrivacyStatement statement = privacy_statement(spec, *m);
            const EnumeratedLosses real = enumerated_losses(*m);
            BOOST_TEST(real.report <= statement.report.epsilon);
            BOOST_TEST(real.report > statement.report.epsilon - 2e-3);
            BOOST_TEST(real.answer <= statement.answer.epsilon);
            // Texts have six digits.
            const auto states = [&](const std::string& surface, const std::string& output) {
                const auto bound = [&](const char* reports, std::optional<double> least) {
                    const std::optional<double> found = before(output, reports);
                    BOOST_TEST(found.has_value() == least.has_value(), surface << reports << ": " << output);
                    if (!found || !least) return;
                    BOOST_TEST(*found >= *least * (1 - 1e-6), surface << output);
                    BOOST_TEST(*found < *least + 2e-3, surface << output);
                };
                bound(" for one report", real.report);
                bound(" for all reports about one answer",
                      statement.has_second_layer() ? std::optional(real.answer) : std::nullopt);
                bound(" for all reports of a person",
                      statement.person ? std::optional(statement.person->epsilon) : std::nullopt);
                bound(" for all collections of the group",
                      statement.group ? std::optional(statement.group->loss.epsilon) : std::nullopt);
            };
            states("check: ", output_of(cli::spec::command, {"check", spec_text}));
            if (const auto output = accepted(cli::plan::command, {"--people", "1000", spec_text})) {
                ++planned;
                states("plan: ", *output);
            }
            if (const auto output = accepted(cli::simulate::command,
                                             {"evolving", "--people", "3", "--rounds", "2", spec_text})) {
                ++simulated;
                states("simulate: ", *output);
            }

            const auto rows = privacy_rows(spec_text);
            BOOST_TEST(epsilon_of(*rows, "report").value() >= real.report);
            BOOST_TEST(epsilon_of(*rows, "answer").value_or(statement.report.epsilon) >= real.answer);
            BOOST_TEST((epsilon_of(*rows, "person") ==
                        (statement.person ? std::optional(statement.person->epsilon) : std::nullopt)));
            const Contract contract = Contract::of({spec});
            BOOST_TEST(contract.report_epsilon >= real.report);
            BOOST_TEST(contract.life_epsilon >= real.answer);
            BOOST_TEST(
                contains(contract.summary(), " at epsilon " + shortest(statement.report.epsilon) + "; "),
                contract.summary());
            const Json derived = json_of(spec.to_json(), Unsound::allowed)["derived"];
            BOOST_TEST(derived.contains("signaled_report_epsilon") == statement.has_signal());
            if (statement.has_signal())
                BOOST_TEST(derived["signaled_report_epsilon"].get<double>() >= real.report);
            if (statement.person) BOOST_TEST(derived["max_epsilon"].get<double>() >= real.answer);
            const std::string audited = output_of(cli::audit::command, {"--spec", spec_text});
            BOOST_TEST(contains(audited, "one report with the signal") == statement.has_signal(), audited);

            // Documents audit the spec again, which takes most of the time.
            if (++shown % 3 == 0) continue;
            const auto documents = [&](const char* part) {
                return output_of(cli::disclosure::command, {"--part", part, "--spec", spec_text});
            };
            const auto percent = [](const PrivacyLoss& loss) {
                return "50 % can become " + reported_percent(loss.right_guess()) + " %";
            };
            const std::string consent = documents("consent"), summary = documents("summary"),
                              assessment = documents("assessment");
            for (const std::string& stated :
                 {"picks the right one at most " + cli::times_in(statement.report.right_guess()) + ".",
                  "the suspicion is right at most " + cli::times_in(statement.report.posterior(0.1)) + ".",
                  "have the number " + contract.short_digest()})
                BOOST_TEST(contains(consent, stated), stated << consent);
            BOOST_TEST(contains(summary, "| one report | ε = " + rounded(statement.report.epsilon, 6) + ": " +
                                             percent(statement.report)),
                       summary);
            BOOST_TEST(contains(assessment, percent(statement.report)), assessment);
            BOOST_TEST(
                contains(assessment, "by a factor of at most " + reported_factor(statement.report.factor())),
                assessment);
            BOOST_TEST(contains(assessment, "All digits of the check number are " + contract.digest() + "."),
                       assessment);
            if (statement.person) {
                const std::string bound =
                    "ε = " + rounded(statement.person->epsilon, 6) + ": " + percent(*statement.person);
                BOOST_TEST(contains(summary, bound), summary);
                BOOST_TEST(contains(consent, cli::times_in(statement.person->right_guess())), consent);
            }
            if (statement.group) {
                BOOST_TEST(contains(consent, cli::times_in(statement.group->loss.right_guess())), consent);
                BOOST_TEST(contains(summary, reported_percent(statement.group->loss.right_guess())), summary);
            }
            if (statement.has_second_layer())
                BOOST_TEST(contains(consent, cli::times_in(statement.answer.right_guess())), consent);
            // No document speaks of certainty, and the consent text uses plain words.
            BOOST_TEST(!contains(summary, "cannot leak"));
            for (const char* word :
                 {" bit ", "odds", "memoized", "clamped", "randomized", "factor", "observer", "e^"})
                BOOST_TEST(!contains(consent, word), consent);
        }
    BOOST_TEST(planned > 30);
    BOOST_TEST(simulated > 60);
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
            "- devices: You can choose up to 2 of 3 answers: phone, tv, radio. Choose none if none of them fits. If you choose more, chance picks 2 of them, and your device leaves out the others.\n"),
        consent);
    BOOST_TEST(
        contains(
            consent,
            "- devices: your device sends “yes” or “no” for one answer on the list, which chance picks: whether you chose it."),
        consent);
    BOOST_TEST(
        contains(consent,
                 "Of the 3 questions, your device sends something about 1 only. Chance picks this question"),
        consent);
    BOOST_TEST(contains(consent, "You may say no, and you may stop at any time."), consent);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test

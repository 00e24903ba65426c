// ldp spec check SPEC, ldp spec resolve SPEC, ldp spec draft FILE, ldp spec schema

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

#include "accounting/bound_texts.hpp"
#include "cli/command.hpp"
#include "cli/file_options.hpp"
#include "cli/planning/draft.hpp"
#include "cli/planning/label_forms.hpp"
#include "cli/planning/spec_schema.hpp"
#include "client/in_quotes.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/resolve.hpp"
#include "core/choice/response_needs.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp::cli::spec {

namespace {

/// The expected standard error of one attribute's estimate from n reports, in the attribute's unit.
double standard_error(const Planner& mechanism, const Spec& spec, std::size_t j, double n) {
    const Attribute& attribute = spec.attributes()[j];
    const double unit = attribute.numeric() ? (attribute.max - attribute.min) / 2 : 1;
    return unit * std::sqrt(mechanism.expected_variance(j) / n);
}

/// The largest shift of its estimate by one forged report in a hundred.
double bias(const Mechanism& mechanism, std::size_t j) {
    const auto [down, up] = mechanism.promised_bias(j, 0.01);
    return std::max(-down, up);
}

/// Prints the mean standard error of a range for each mechanism for ordered values, and for the spec's own if
/// it is not one that can be chosen.
void explain_ranges(const Spec& spec, const Mechanism& mechanism, std::ostream& out) {
    out << "mean standard error of the share of a range, for evenly spread values:\n";
    constexpr std::uint64_t reports = 100000;
    const auto write = [&](const MechanismEntry& entry, double n_variance, const std::string& note) {
        out << "  " << std::setw(13) << entry.name << " " << std::setw(13) << std::sqrt(n_variance / 1e3)
            << " " << std::setw(19) << std::sqrt(n_variance / 1e6) << note << "\n";
    };
    if (mechanism.report_epsilon() != spec.epsilon()) {  // the others have one layer
        write(spec.mechanism(), mean_variance(mechanism, OrderedUse::ranges, reports), "this spec");
        return;
    }
    const Ranking ranking = ldp::advise(spec.to_json());
    const bool ranked = std::ranges::find(ranking.candidates, &spec.mechanism(), &Candidate::mechanism) !=
                        ranking.candidates.end();
    if (!ranked) write(spec.mechanism(), mean_variance(mechanism, OrderedUse::ranges, reports), "this spec");
    for (const Candidate& each : ranking.candidates) {
        if (std::isnan(each.n_variance))
            out << "  " << std::setw(13) << each.mechanism->name << " " << each.obstacle << "\n";
        else
            write(*each.mechanism, each.n_variance,
                  each.mechanism == &spec.mechanism() ? "this spec" : each.obstacle);
    }
}

/// What happens when a person's budget ends; nothing for a spec without a budget.
std::string budget_line(const Spec& spec, const Mechanism& mechanism, const std::string& text) {
    if (!spec.budget()) return {};
    const std::string shared = statement_of_group(spec, mechanism);
    const std::string group = shared.empty() ? shared : "group         " + shared + "\n";
    if (!spec.evolving()) return group;
    const std::string ending = statement_of_budget(spec, text);
    if (!ending.empty()) return "budget        " + ending + "\n" + group;
    return "budget        a person gives at most " + grouped(possible_responses(spec, mechanism)) +
           " different responses, and the budget pays for all of them\n" + group;
}

/// `text` is the spec as it was given.
void explain(const Spec& spec, const std::string& text, std::ostream& out) {
    const auto mechanism = make_mechanism(spec);
    if (!spec.texts().title.empty()) out << "title         " << spec.texts().title << "\n";
    out << "mechanism     " << spec.mechanism().name << ": " << spec.mechanism().title << "\n";
    if (spec.chosen()) out << "chosen        " << spec.chosen()->reason << "\n";
    out << "epsilon       " << bound_lines(privacy_statement(spec, *mechanism), 14) << "\n"
        << "report        " << mechanism->block().size() + sent_size(*mechanism) << " bytes, of which "
        << mechanism->block().size() << " are parameters that a batch has once (at most " << max_block_size
        << ")\n"
        << "spec          " << fingerprint_text(spec.fingerprint()) << "\n"
        << budget_line(spec, *mechanism, text)
        << "expected standard error, and largest shift by one forged report in a hundred:\n"
        << "              1,000 reports   1,000,000 reports   1 % forged\n"
        << std::left << std::setprecision(4);
    for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
        const Attribute& attribute = spec.attributes()[j];
        out << "  " << std::setw(11) << attribute.name << " " << std::setw(15)
            << standard_error(*mechanism, spec, j, 1e3) << " " << std::setw(19)
            << standard_error(*mechanism, spec, j, 1e6) << " " << std::setw(12) << bias(*mechanism, j);
        if (attribute.numeric())
            out << "of the mean, in its unit (" << shortest(attribute.min) << " to "
                << shortest(attribute.max) << ")\n";
        else if (attribute.strings)
            out << "of a string's share (at most " << attribute.strings->longest << " characters)\n";
        else if (attribute.several())
            out << "of each label's share (at most " << attribute.most << " of " << attribute.domain
                << " labels)\n";
        else
            out << "of each value's share (" << attribute.domain << " values)\n";
    }
    if (is_ordered(spec.mechanism())) explain_ranges(spec, *mechanism, out);
}

/// Devices compare labels byte by byte, so people's answers would be divided between two forms of a label.
void refuse_two_forms(const Spec& spec) {
    for (const Attribute& attribute : spec.attributes())
        if (const auto found = two_forms(attribute.labels))
            throw Error(
                ErrorCode::invalid_spec,
                "two labels of " + in_quotes(attribute.name) + " are the same text in two Unicode forms",
                in_quotes(found->first) + " has combining characters, " + in_quotes(found->second) +
                    " has composed ones.",
                "Write all labels and values in the composed form (NFC).");
}

Options options() {
    Options options;
    options.add_options()("action", boost::program_options::value<std::string>()->required())(
        "spec", boost::program_options::value<std::string>());
    add_file_options(options);
    return options;
}

constexpr const char* synopsis = "check SPEC | resolve SPEC | draft [OPTION...] FILE | schema";

int run(const Arguments& arguments) {
    const auto& action = arguments["action"].as<std::string>();
    const bool schema = action == "schema";
    if (!schema && action != "draft" && action != "check" && action != "resolve")
        throw UsageError("ldp spec needs check, resolve, draft or schema, not " + in_quotes(action));
    if (arguments.contains("spec") == schema)
        throw UsageError(std::string("SPEC is ") + (schema ? "not an argument of schema" : "missing") +
                         ": ldp spec " + synopsis);
    if (schema) {
        std::cout << spec_schema() << std::endl;
        return Exit::done;
    }
    const auto& given = arguments["spec"].as<std::string>();
    if (action == "draft") return draft_spec(given, file_format(arguments));
    const std::string text = spec_text(given);
    const Spec spec = resolve(text);
    refuse_two_forms(spec);
    std::cout << spec.to_json() << std::endl;
    if (action == "check") explain(spec, text, std::cerr);
    return Exit::done;
}

constexpr const char* positional[] = {"action", "spec"};

}  // namespace

const Command command{
    "spec",
    synopsis,
    "validates a spec and shows its cost and errors, makes its choices, or drafts one",
    "SPEC is a file, - for standard input, collection:NAME, or the JSON itself.\n"
    "Check writes the canonical form of the spec, with all defaults, to standard output. It writes\n"
    "epsilon, the bytes of a report, the expected standard errors and the largest shift by one forged\n"
    "report in a hundred to standard error. The standard error includes the randomization only. For a\n"
    "share, it refers to a value with an average share; for a mean, it is the maximum over all\n"
    "populations, or an upper bound of the maximum.\n"
    "Resolve writes the canonical form only. It replaces \"auto\" by the chosen mechanism, because devices\n"
    "accept only specs without open choices.\n"
    "Draft writes a first spec for the columns of a file to standard output: numbers with ranges rounded\n"
    "outwards, and categories with their labels. FILE is CSV, or a file of SPSS (.sav, .zsav, .por),\n"
    "Stata (.dta) or SAS (.sas7bdat, .xpt); the draft uses its value labels and missing codes. Notes on\n"
    "standard error list the decisions that are left to you. Use draft for public or simulated data only:\n"
    "ranges and labels that are computed from private values disclose some of these values.\n"
    "Schema writes the JSON Schema of specs, with which editors check and complete the keys of a spec.",
    options,
    positional,
    run};

}  // namespace ldp::cli::spec

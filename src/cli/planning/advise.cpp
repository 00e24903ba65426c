// ldp advise SPEC

#include <cmath>
#include <iomanip>
#include <iostream>

#include "accounting/lower_bounds.hpp"
#include "cli/command.hpp"
#include "cli/records.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/ordered/choice.hpp"

namespace ldp::cli::advise {

namespace {

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(),
                          "a file, - for standard input, collection:NAME, or the JSON itself")(
        "users", po::value<std::int64_t>()->default_value(100000),
        "people who report, for the standard error");
    return options;
}

int run(const Arguments& arguments) {
    const auto users = arguments["users"].as<std::int64_t>();
    if (users < 1) throw UsageError("--users must be 1 or more, not " + std::to_string(users));
    const auto [demand, candidates] = ldp::advise(spec_text(arguments["spec"].as<std::string>()));
    const auto n = static_cast<double>(users);
    const auto row = [](const char* name, const auto& error, const auto& bias, const auto& report,
                        const auto& summary, const auto& cost, const std::string& note) {
        std::cout << std::left << std::setw(13) << name << std::right << std::setw(15) << error
                  << std::setw(14) << bias << std::setw(15) << report << std::setw(16) << summary
                  << std::setw(14) << cost << (note.empty() ? "" : "  ") << note << "\n";
    };
    row("mechanism", "standard error", "1 % forged", "report bytes", "summary bytes", "decode cost", "note");
    std::cout << std::setprecision(4);
    for (const Candidate& candidate : candidates) {
        const bool chosen = &candidate == &candidates.front() && candidate.obstacle.empty();
        const std::string note = chosen ? "chosen" : candidate.obstacle;
        if (std::isnan(candidate.n_variance))
            row(candidate.mechanism->name, "-", "-", "-", "-", "-", note);
        else
            row(candidate.mechanism->name, std::sqrt(candidate.n_variance / n), candidate.bias,
                grouped(candidate.report_bytes), grouped(candidate.summary_bytes),
                grouped(static_cast<std::uint64_t>(std::ceil(candidate.decode_cost))), note);
    }
    if (is_ordered(*candidates.front().mechanism)) {
        std::cout << std::flush;
        return Exit::done;
    }
    std::cout << "at least     " << std::setw(15)
              << std::sqrt(least_worst_error(demand.epsilon, demand.attributes, endless, Target::sample) / n)
              << "  whatever the mechanism\n"
              << std::flush;
    return Exit::done;
}

constexpr const char* positional[] = {"spec"};

}  // namespace

const Command command{
    "advise",
    "[--users N] SPEC",
    "shows which mechanisms suit a spec, the best first",
    "Ranks the mechanisms for an attribute as \"mechanism\": \"auto\" would; the spec may name one, or auto, "
    "or\n"
    "none. Shown are the standard error from N reports, for categories that of a value with an average "
    "share,\n"
    "for a number the largest, its range taken as -1 to 1, for a record the largest of all; how far one\n"
    "forged report in a hundred can move an estimate, in the same unit; what a\n"
    "report and a summary take; the steps (about a nanosecond each) that a report costs the server, with "
    "its\n"
    "part of an answer from a million reports; and why a mechanism cannot be chosen within the spec's\n"
    "\"max_report_bytes\" and \"max_decode_cost\". Of a spec with \"views\" joint comes first, with the "
    "error of\na cell of the two attributes with the largest error. Of a spec with \"want\", or of tree, "
    "haar_ordered "
    "or\nsquare_wave, these three come first, with the error of a range (\"quantiles\": of a threshold) on "
    "average,\nif people are spread evenly. The last line is the standard error that no "
    "mechanism at "
    "this\n"
    "epsilon can be below, at its worst people; of a record, that of its hardest attribute by itself.",
    options,
    positional,
    run};

}  // namespace ldp::cli::advise

// ldp advise SPEC

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

#include "accounting/lower_bounds.hpp"
#include "cli/command.hpp"
#include "cli/records.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli::advise {

namespace {

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(),
                          "a file, - for standard input, collection:NAME, or the JSON itself")(
        "users", po::value<std::int64_t>()->default_value(100000),
        "number of respondents, for the standard error");
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
    bool found = false;  // whether the mechanism that "auto" takes had its row
    for (const Candidate& candidate : candidates) {
        const bool chosen = !found && candidate.obstacle.empty() && !candidate.mechanism->literature;
        found = found || chosen;
        const std::string note = chosen ? "chosen" : candidate.obstacle;
        if (std::isnan(candidate.n_variance))
            row(candidate.mechanism->name, "-", "-", "-", "-", "-", note);
        else
            row(candidate.mechanism->name, std::sqrt(candidate.n_variance / n), candidate.bias,
                grouped(candidate.report_bytes), grouped(candidate.summary_bytes),
                grouped(static_cast<std::uint64_t>(std::ceil(candidate.decode_cost))), note);
    }
    const double least = least_worst_error(demand.epsilon, demand.attributes, endless, Target::sample);
    if (!is_ordered(*candidates.front().mechanism) && !std::isnan(least))
        std::cout << "at least     " << std::setw(15) << std::sqrt(least / n) << "  for every mechanism\n";
    std::cout << std::flush;
    return Exit::done;
}

constexpr const char* positional[] = {"spec"};

}  // namespace

const Command command{
    "advise",
    "[--users N] SPEC",
    "ranks the mechanisms for a spec",
    "Ranks the mechanisms for a spec in the same way as \"mechanism\": \"auto\". The spec may name a\n"
    "mechanism, auto, or none. The columns are:\n"
    "  standard error  standard error with N reports. For categories, of a value with an average share; for a\n"
    "                  number, the maximum, with the range scaled to -1 to 1; for a record, the maximum over\n"
    "                  all attributes\n"
    "  1 % forged      largest shift of an estimate by one forged report in a hundred, in the same unit\n"
    "  bytes           size of a report, and of a summary\n"
    "  decode cost     steps (of about a nanosecond) of the server per report, including its share of an\n"
    "                  estimate from a million reports\n"
    "  note            reason why a mechanism cannot be chosen within \"max_report_bytes\" and\n"
    "                  \"max_decode_cost\"\n"
    "If the spec has \"marginals\", joint is first; its error is the error of a cell of the two attributes\n"
    "with the largest error. If the spec has \"estimate\", or names tree, haar_ordered or square_wave,\n"
    "these three mechanisms are listed first. Their error is the average error of a range (with\n"
    "\"quantiles\": of a threshold) for evenly distributed values. The last line is a lower bound of the\n"
    "standard error of every mechanism at this epsilon, in the worst case over all populations. For a\n"
    "record, it is the largest bound of a single attribute.",
    options,
    positional,
    run};

}  // namespace ldp::cli::advise

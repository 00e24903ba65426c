// ldp simulate evolving|once SPEC

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "accounting/bound_texts.hpp"
#include "cli/command.hpp"
#include "cli/file_options.hpp"
#include "cli/planning/single_round_command.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "plot/chart.hpp"
#include "simulation/simulation.hpp"

namespace ldp::cli::simulate {

namespace {

namespace po = boost::program_options;
using namespace simulation;

constexpr std::int64_t max_people = 100'000'000, max_rounds = 100'000;

Options options() {
    Options options;
    options.add_options()("action", po::value<std::string>()->required())(
        "spec", po::value<std::string>()->required())(
        "stream", po::value<std::vector<std::string>>()->composing(),
        "changes of simulated values: syn (new values, the default) or jitter (noise around a base "
        "value); with NAME=syn or NAME=jitter, only attribute NAME changes")(
        "fixed", po::value<std::string>()->default_value(""),
        "file of people with the values of the attributes that do not change")(
        "people", po::value<std::int64_t>()->default_value(10000),
        "number of people; all of them report in every round")(
        "rounds", po::value<std::int64_t>()->default_value(120), "number of reports per person")(
        "seed", po::value<std::uint64_t>()->default_value(1),
        "seed of the values and of the noise; equal seeds produce equal results")(
        "attribute", po::value<std::string>()->default_value(""),
        "attribute to estimate (default: the first attribute)")(
        "data", po::value<std::string>()->default_value(""),
        "file with the values of people, instead of simulated values")(
        "series", po::value<std::string>()->default_value(""),
        "PERSON,ROUND,VALUE: the columns of --data, for evolving")(
        "runs", po::value<std::int64_t>()->default_value(100), "number of runs, for \"once\"")(
        "svg", po::value<std::string>()->default_value(""),
        "file for a drawing of error and budget over time");
    add_file_options(options);
    return options;
}

std::uint64_t number(const Arguments& arguments, const char* option, std::int64_t most) {
    const auto found = arguments[option].as<std::int64_t>();
    if (found < 1 || found > most)
        throw UsageError("--" + std::string(option) + " must be 1 to " +
                         grouped(static_cast<std::uint64_t>(most)) + ", not " + std::to_string(found));
    return static_cast<std::uint64_t>(found);
}

std::size_t attribute_named(const std::string& name, const Spec& spec, const char* option) {
    const auto found = std::ranges::find(spec.attributes(), name, &Attribute::name);
    if (found == spec.attributes().end())
        throw Error(ErrorCode::invalid_value, "the spec has no attribute " + in_quotes(name), {},
                    "--" + std::string(option) + " must be one of the names in its \"attributes\".");
    return static_cast<std::size_t>(found - spec.attributes().begin());
}

std::size_t attribute(const Arguments& arguments, const Spec& spec) {
    const auto& name = arguments["attribute"].as<std::string>();
    return name.empty() ? 0 : attribute_named(name, spec, "attribute");
}

/// Origins of the reports of all rounds.
struct Origins {
    explicit Origins(std::span<const Round> rounds) {
        for (const Round& round : rounds) {
            drawn += round.drawn;
            kept += round.kept;
            nearest += round.nearest;
            refused += round.refused;
            silent += round.silent;
        }
    }
    std::uint64_t drawn = 0, kept = 0, nearest = 0, refused = 0, silent = 0;
};

/// The errors of an attribute over all rounds; NaN if nobody reported it.
struct ErrorsOverall {
    template <class AnswerOf>
    ErrorsOverall(std::span<const Round> rounds, AnswerOf answer_of) {
        double answered = 0;
        for (const Round& round : rounds) {
            const SimulatedEstimate& answer = answer_of(round);
            if (std::isnan(answer.error)) continue;  // nobody reported
            ++answered;
            error += answer.error * answer.error;
            absolute += answer.absolute;
            claimed += answer.claimed * answer.claimed;
        }
        if (answered == 0) error = absolute = claimed = unknown, answered = 1;
        error = std::sqrt(error / answered);
        absolute /= answered;
        claimed = std::sqrt(claimed / answered);
    }
    double error = 0, absolute = 0, claimed = 0;
};

/// How the values of the attributes come about.
struct Values {
    Stream stream = Stream::syn;
    std::vector<std::optional<Stream>> streams;  ///< of attributes; empty if all follow `stream`
    std::string title;
};

/// Reads --stream: "syn" for all attributes that are not named, "NAME=syn" for one.
Values values_of(const Arguments& arguments, const Spec& spec) {
    const auto parsed = [](const std::string& word) {
        if (word == "syn") return Stream::syn;
        if (word == "jitter") return Stream::jitter;
        throw UsageError("--stream must be syn, jitter, NAME=syn or NAME=jitter, not " + in_quotes(word));
    };
    Values found;
    std::optional<Stream> all;
    std::map<std::string, Stream> named;
    if (arguments.count("stream") != 0)
        for (const std::string& word : arguments["stream"].as<std::vector<std::string>>()) {
            const std::size_t sign = word.rfind('=');
            const bool repeated =
                sign == std::string::npos
                    ? std::exchange(all, parsed(word)).has_value()
                    : !named.emplace(word.substr(0, sign), parsed(word.substr(sign + 1))).second;
            if (repeated) throw UsageError("--stream is given twice for the same attributes");
            found.title += (found.title.empty() ? "" : ", ") + word;
        }
    found.stream = all.value_or(Stream::syn);
    if (named.empty()) {
        found.title = found.stream == Stream::syn ? "syn" : "jitter";
        return found;
    }
    found.streams.assign(spec.attributes().size(), all);
    for (const auto& [name, stream] : named) found.streams[attribute_named(name, spec, "stream")] = stream;
    return found;
}

double percent(std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

void print(std::span<const Round> rounds, const Attribute& attribute, const PrivacyStatement& statement) {
    const auto cell = [](int width) -> std::ostream& { return std::cout << std::right << std::setw(width); };
    cell(6) << "round";
    if (attribute.numeric()) cell(12) << "truth" << std::setw(12) << "estimate";
    cell(12) << "error" << std::setw(12) << "claimed" << std::setw(10) << "drawn, %" << std::setw(14)
             << "spent: mean" << std::setw(10) << "of 95 %" << std::setw(10) << "worst"
             << "\n";
    // Ten rounds are printed, however many there are.
    for (std::size_t t = 0; t < rounds.size(); ++t) {
        if (t != 0 && 10 * (t + 1) / rounds.size() == 10 * t / rounds.size()) continue;
        const Round& round = rounds[t];
        cell(6) << t + 1;
        if (attribute.numeric()) cell(12) << round.truth << std::setw(12) << round.estimate;
        cell(12) << round.error << std::setw(12) << round.claimed << std::setw(10)
                 << percent(round.drawn,
                            round.drawn + round.kept + round.nearest + round.refused + round.silent)
                 << std::setw(14) << statement.after(round.answers.mean).epsilon << std::setw(10)
                 << statement.after(static_cast<double>(round.answers.most_of_95)).epsilon << std::setw(10)
                 << statement.after(static_cast<double>(round.answers.most)).epsilon << "\n";
    }
}

/// Prints the errors of all attributes of a record over all rounds.
void print_record(std::span<const Round> rounds, const Spec& spec, const Values& values) {
    const std::vector<Attribute>& attributes = spec.attributes();
    std::cout << "\n"
              << std::left << std::setw(20) << "attribute" << std::setw(18) << "estimate" << std::setw(8)
              << "values" << std::right << std::setw(12) << "error" << std::setw(12) << "claimed"
              << std::setw(18) << "error / claimed"
              << "\n";
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        const ErrorsOverall errors(
            rounds, [j](const Round& round) -> const SimulatedEstimate& { return round.record[j]; });
        const std::optional<Stream> stream =
            values.streams.empty() ? std::optional(values.stream) : values.streams[j];
        if (attributes[j].derived()) continue;
        const std::string estimated = attributes[j].circular ? "direction"
                                      : attributes[j].numeric()
                                          ? "mean"
                                          : "shares of " + std::to_string(attributes[j].domain);
        std::cout << std::left << std::setw(20) << shortened(attributes[j].name, 18) << std::setw(18)
                  << estimated << std::setw(8)
                  << (!stream                 ? "kept"
                      : stream == Stream::syn ? "syn"
                                              : "jitter")
                  << std::right;
        if (std::isnan(errors.error)) {  // nobody reported it, or its mechanism estimates something else
            std::cout << std::setw(12) << "-" << std::setw(12) << "-" << std::setw(18) << "-"
                      << "\n";
            continue;
        }
        std::cout << std::setw(12) << errors.error << std::setw(12) << errors.claimed << std::setw(18)
                  << errors.error / errors.claimed << "\n";
    }
}

void print_whole(std::span<const Round> rounds, const Collection& collection) {
    const Origins whole(rounds);
    const ErrorsOverall errors(rounds, [](const Round& round) -> const SimulatedEstimate& { return round; });
    const Spec& spec = collection.spec();
    const std::uint64_t all = whole.drawn + whole.kept + whole.nearest + whole.refused + whole.silent;
    const Spending& answers = rounds.back().answers;
    const PrivacyStatement statement = privacy_statement(spec, collection.mechanism());
    const auto spent = [&](auto number) { return statement.after(static_cast<double>(number)).epsilon; };
    std::cout << "\nerror         " << errors.error << " over all rounds (root mean square; mean absolute "
              << errors.absolute << ")\nclaimed       " << errors.claimed
              << " as standard error of the estimates; error / claimed = " << errors.error / errors.claimed
              << "\nreports       " << grouped(all - whole.refused - whole.silent) << ": "
              << percent(whole.drawn, all) << " % drawn, " << percent(whole.kept, all) << " % memoized, "
              << percent(whole.nearest, all) << " % the nearest response after a spent budget; "
              << grouped(whole.refused)
              << " of people who had stopped\nresponses     drawn by a person: mean " << answers.mean
              << ", 95 % quantile " << answers.most_of_95 << ", maximum " << answers.most
              << "\nspent         epsilon of a person: mean " << spent(answers.mean) << ", 95 % quantile "
              << spent(answers.most_of_95) << ", maximum " << spent(answers.most) << "\n";
    if (statement.has_signal())
        std::cout << "              of which " << statement.signal.epsilon
                  << " for the bit that states whether the budget is spent\n";
    if (whole.silent > 0)
        std::cout << "silent        " << percent(whole.silent, all) << " % of people's rounds\n";
    std::cout << "at most       " << bound_lines(statement, 14) << "\n";
}

void draw(std::span<const Round> rounds, const Collection& collection, const std::string& name) {
    const Spec& spec = collection.spec();
    const PrivacyStatement statement = privacy_statement(spec, collection.mechanism());
    const auto line = [&](const char* title, auto value) {
        plot::Series found{title, {}};
        for (std::size_t t = 0; t < rounds.size(); ++t)
            found.points.push_back({static_cast<double>(t + 1), value(rounds[t])});
        return found;
    };
    const auto spent = [&](auto answers) { return statement.after(static_cast<double>(answers)).epsilon; };
    std::vector<double> marks{1};
    for (std::size_t fifth = 1; fifth <= 5; ++fifth)
        if (const std::size_t at = rounds.size() * fifth / 5; at > 1)
            marks.push_back(static_cast<double>(at));
    const std::string title = std::string(spec.mechanism().name) + ", epsilon " + shortest(spec.epsilon());
    const plot::Chart charts[] = {
        {.title = title + ": error of a round's estimate",
         .x = "round",
         .series = {line("claimed", [](const Round& round) { return round.claimed; }),
                    line("error", [](const Round& round) { return round.error; })},
         .marks = marks},
        {.title = title + ": epsilon spent by a person",
         .x = "round",
         .series = {line("mean", [&](const Round& round) { return spent(round.answers.mean); }),
                    line("95 % of the people",
                         [&](const Round& round) { return spent(round.answers.most_of_95); }),
                    line("worst", [&](const Round& round) { return spent(round.answers.most); })},
         .marks = marks}};
    std::ofstream file(name);
    if (!(file << plot::charts(charts) << std::flush))
        throw Error(ErrorCode::environment, "cannot write " + name, {},
                    "Check the name and its permissions.");
}

int run(const Arguments& arguments) {
    const auto& action = arguments["action"].as<std::string>();
    if (action != "evolving" && action != "once")
        throw UsageError("ldp simulate needs evolving or once, not " + in_quotes(action));
    const auto& given = arguments["spec"].as<std::string>();
    const Collection collection(resolve(spec_text(given)));
    if (action == "once") return simulate_once(arguments, collection);
    const Spec& spec = collection.spec();
    Values values = values_of(arguments, spec);
    SimulationSetup scene{values.stream, number(arguments, "people", max_people),
                          number(arguments, "rounds", max_rounds), arguments["seed"].as<std::uint64_t>(), 0};
    scene.streams = values.streams;
    const auto& fixed = arguments["fixed"].as<std::string>();
    const bool own = !arguments["data"].as<std::string>().empty();
    if (own && (!values.streams.empty() || !fixed.empty()))
        throw UsageError(
            "--data contains the values of all rounds and cannot be combined with --fixed or --stream "
            "NAME=...");
    if (!fixed.empty() && values.streams.empty())
        throw UsageError("--fixed needs --stream NAME=syn or NAME=jitter for the attributes that change");
    if (own) {
        scene.own = read_series(arguments["data"].as<std::string>(), arguments["series"].as<std::string>(),
                                "--series", file_format(arguments), collection);
        scene.people = scene.own.size();
        scene.rounds = scene.own[0].size();
        values.title = arguments["data"].as<std::string>();
    }
    if (!fixed.empty()) {
        scene.fixed = read_fixed(arguments, collection, scene.streams, scene.people);
        scene.people = scene.fixed.size();
    }
    if (!values.streams.empty())
        values.title += fixed.empty() ? ", other values kept" : ", other values from " + fixed;
    scene.attribute = attribute(arguments, spec);
    const Attribute& asked = spec.attributes()[scene.attribute];

    std::vector<Round> rounds;
    {
        Progress progress(std::cerr, isatty(STDERR_FILENO) != 0, "simulating", "people", scene.people);
        rounds = simulation::simulate(collection, scene, [&](std::uint64_t done) { progress.update(done); });
    }
    std::cout << std::setprecision(4) << spec.mechanism().name << " at epsilon " << spec.epsilon()
              << but_for(spec.delta()) << (spec.evolving() ? ", memoized" : ", not memoized") << "; "
              << values.title << ", " << grouped(scene.people) << " people, " << grouped(scene.rounds)
              << " rounds, seed " << scene.seed << "\n";
    if (asked.numeric())
        std::cout << (asked.circular ? "the mean direction of " : "the mean of ") << in_quotes(asked.name)
                  << ", " << asked.min << " to " << asked.max;
    else
        std::cout << "the shares of the " << asked.domain << " values of " << in_quotes(asked.name);
    std::cout << "\n\n";
    print(rounds, asked, privacy_statement(spec, collection.mechanism()));
    if (spec.attributes().size() > 1) print_record(rounds, spec, values);
    print_whole(rounds, collection);
    if (const auto& name = arguments["svg"].as<std::string>(); !name.empty()) {
        draw(rounds, collection, name);
        std::cout << "drawn in      " << name << "\n";
    }
    std::cout << std::flush;
    return Exit::done;
}

constexpr const char* positional[] = {"action", "spec"};

}  // namespace

const Command command{
    "simulate",
    "evolving|once [OPTION...] SPEC",
    "simulates a collection on generated values or on your own",
    "SPEC is a file, - for standard input, collection:NAME, or the JSON itself.\n"
    "once: every person in the CSV file of --data reports once in each of --runs runs. Each row describes\n"
    "one person, and the columns are the attributes. The command compares the errors with the predicted\n"
    "errors, and shows the coverage of the 95 % intervals.\n"
    "evolving: every person reports repeatedly, each with a separate client. The command compares the\n"
    "estimate of each round with the truth. It shows the error, the reported standard error, and the\n"
    "privacy budget that people have spent. The values come from --data and --series; a value is valid\n"
    "until the next value of the person. Without --data, the values of each attribute are generated,\n"
    "scaled to its range or domain:\n"
    "  syn     one of 360 values; in each round a new value with probability 1/4\n"
    "  jitter  a base value in 0 to 360, in each round a new base with probability 1/100, plus noise of +-10\n"
    "With --stream NAME=syn, only the named attributes change. The other attributes keep their first\n"
    "value, or the value of a person in the file of --fixed, from which --people rows are read. For a\n"
    "record, the command shows the errors of all attributes.\n"
    "All randomness depends on --seed, so a run can be repeated. Do not use simulated reports as real\n"
    "reports.",
    options,
    positional,
    run};

}  // namespace ldp::cli::simulate

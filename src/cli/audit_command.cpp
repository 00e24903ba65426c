// ldp audit [--exact] SPEC, ldp audit --samples N [SPEC | --command CMD]

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>

#include "accounting/bound_texts.hpp"
#include "cli/command.hpp"
#include "cli/page.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "client/collection.hpp"
#include "core/base/bytes.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/proof/attack.hpp"
#include "core/proof/audit.hpp"
#include "core/proof/input_text.hpp"

namespace ldp::cli::audit {

namespace {

void add_promise(Page& page, const std::string& key, const std::string& what, const Promise& promise,
                 const Audit& found, const Spec& spec, const Mechanism& m) {
    page.say(key + "_epsilon", what + ": promised", promise.epsilon);
    const auto ln = [](const Exact& ratio) { return -margin(0, ratio); };
    const Exact worst = found.enumerated && promise.worst.bounded() ? promise.worst.ratio() : promise.claimed;
    if (found.enumerated && !promise.worst.bounded())
        page.say(key + "_worst", "  worst log-ratio", nullptr, "unbounded");
    else
        page.say(key + "_worst", "  worst log-ratio", ln(worst));
    page.say(key + "_margin", "  left of epsilon", margin(promise.epsilon, worst));
    if (!found.enumerated) return;
    page.say(key + "_likelier", "  likelier for", input_text(spec, m, promise.worst.likelier));
    page.say(key + "_rarer", "  rarer for", input_text(spec, m, promise.worst.rarer));
    page.say(key + "_output", "  output", to_hex(promise.worst.output));
    if (!promise.worst.public_randomness.empty())
        page.say(key + "_public_randomness", "  under public randomness",
                 to_hex(promise.worst.public_randomness));
}

void add_promise(Page& page, const ApproximatePromise& promise, const Audit& found, const Spec& spec,
                 const Mechanism& m) {
    page.say("permanent_epsilon", "a report: promised", promise.epsilon);
    page.say("delta", "  except with", promise.delta);
    page.say("worst_delta", "  needed at worst", found.enumerated ? promise.worst : promise.claimed);
    if (!found.enumerated) return;
    page.say("claimed_delta", "  or, as argued", promise.claimed);
    page.say("permanent_likelier", "  likelier for", input_text(spec, m, promise.likelier));
    page.say("permanent_rarer", "  rarer for", input_text(spec, m, promise.rarer));
}

int prove(const Spec& spec, Page& page) {
    const auto m = make_mechanism(spec);
    SystemRandom bits;
    Audit found;
    {
        std::unique_ptr<Progress> bar;
        found = ldp::audit(*m, bits, {}, [&](std::uint64_t done, std::uint64_t total) {
            if (!bar)
                bar = std::make_unique<Progress>(std::cerr, isatty(STDERR_FILENO) == 1, "following", "inputs",
                                                 total);
            bar->update(done);
        });
    }
    page.say(
        "method", "method",
        found.enumerated
            ? "enumeration: every input, every outcome of every draw"
            : "symmetry: too many outcomes to enumerate; the worst case comes from the mechanism's proof");
    if (found.enumerated) {
        page.say("inputs", "inputs", found.inputs, grouped(found.inputs));
        page.say("outputs", "outputs", found.outputs, grouped(found.outputs));
        page.say("steps", "outcomes followed", found.steps, grouped(found.steps));
        page.say("public_randomness", "public randomness", found.public_randomness,
                 grouped(found.public_randomness) +
                     (found.every_public_randomness ? ", which is all"
                                                    : ", drawn at random; others are equal by symmetry"));
        page.keep("every_public_randomness", found.every_public_randomness);
        page.say("sums_to_one", "probabilities", found.sums_to_one,
                 found.sums_to_one ? "sum to exactly 1 for every input" : "DO NOT SUM TO 1");
        page.say("sampler_as_stated", "the randomizer", found.sampler_as_stated,
                 found.sampler_as_stated ? "draws from the stated distribution, exactly"
                                         : "DRAWS FROM A DIFFERENT DISTRIBUTION THAN STATED");
    }
    if (found.approximate)
        add_promise(page, *found.approximate, found, spec, *m);
    else
        add_promise(page, "permanent", found.report ? "all reports of a value" : "a report", found.permanent,
                    found, spec, *m);
    if (found.report) add_promise(page, "report", "one report", *found.report, found, spec, *m);
    const auto add_signal = [&](const std::string& key, const std::string& title, const Promise& bit) {
        const Exact worst = bit.worst.bounded() ? bit.worst.ratio() : bit.claimed;
        page.say(key + "_epsilon", title, bit.epsilon);
        page.say(key + "_worst", "  worst log-ratio", -margin(0, worst));
        page.say(key + "_margin", "  left of epsilon", margin(bit.epsilon, worst));
    };
    if (found.signal) {
        add_signal("signal", "signal of a spent budget: promised", *found.signal);
        if (found.signal_of_report)
            add_signal("signal_of_report", "signal in one report: promised", *found.signal_of_report);
        page.say("whole_epsilon", "one report with the signal", privacy_statement(spec, *m).report.epsilon);
    }
    const std::string but = but_for(m->delta());
    page.say("kept", "verdict", found.kept(),
             !found.kept()      ? "THE GUARANTEE IS VIOLATED"
             : found.enumerated ? "the guarantee holds, exactly" + but
                                : "the guarantee holds, exactly, if the argument holds" + but);
    page.end();
    return found.kept() ? Exit::done : Exit::failed;
}

/// The result of an attack on reports of two values, and a verdict on the claimed ε.
int judge(Page& page, const LowerBound& found, double claimed, double confidence, double delta = 0) {
    page.say("confidence", "confidence", confidence);
    page.say("trials", "reports counted", found.trials, grouped(found.trials) + " of either kind");
    page.say("likelier", "  showing the event", found.likelier,
             grouped(found.likelier) + " of the " + (found.second ? "second" : "first") + ", " +
                 grouped(found.rarer) + " of the other");
    page.keep("rarer", found.rarer);
    page.say("lower_bound", "epsilon is at least", found.epsilon);
    if (std::isnan(claimed)) {
        page.end();
        return Exit::done;
    }
    const bool kept = found.epsilon <= claimed;
    page.say("promised", "promised at most", claimed);
    if (delta != 0) page.say("delta", "  except with", delta);
    page.say("kept", "verdict", kept,
             kept ? "no evidence against the guarantee" : "THE GUARANTEE IS VIOLATED, at this confidence");
    page.end();
    return kept ? Exit::done : Exit::failed;
}

/// Parses a record, with the values of a series by rounds, from values separated by commas.
std::vector<Cell> record(const Collection& collection, const std::string& text, BitSource& bits) {
    const Spec& spec = collection.spec();
    const std::size_t rounds = rounds_of_series(collection.mechanism());
    std::vector<InputCode> codes = input_codes(spec, collection.mechanism());
    std::erase_if(codes, [&](const InputCode& code) { return spec.attributes()[code.attribute].derived(); });
    std::vector<std::string> words{{}};
    for (const char c : text)
        if (c == ',')
            words.emplace_back();
        else
            words.back() += c;
    if (words.size() != codes.size())
        throw UsageError("a value needs " + std::to_string(codes.size()) + " parts, not " +
                         std::to_string(words.size()));
    const auto value_of = [&](std::size_t i) -> Value {
        double number = 0;
        const char* const end = words[i].data() + words[i].size();
        const auto [stop, error] = std::from_chars(words[i].data(), end, number);
        const Attribute& attribute = spec.attributes()[codes[i].attribute];
        if (error == std::errc() && stop == end &&
            (attribute.of_numbers() ||
             (attribute.labels.empty() && !attribute.strings && !attribute.several())))
            return number;
        return words[i];
    };
    // The records of all rounds. Attributes that are not series have the same value in each.
    std::vector<std::vector<Cell>> records;
    for (std::size_t round = 1; round <= std::max<std::size_t>(1, rounds); ++round) {
        std::vector<Value> values;
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (codes[i].round == 0 || codes[i].round == round) values.push_back(value_of(i));
        records.push_back(collection.encode(values, bits).cells);
    }
    std::vector<Cell> cells;
    for (const InputCode& code : input_codes(spec, collection.mechanism()))
        cells.push_back(records[std::max<std::size_t>(1, code.round) - 1][code.attribute]);
    return cells;
}

Series series_of(const Arguments& arguments) {
    Series series;
    const auto rounds = arguments["rounds"].as<std::int64_t>();
    if (rounds < 1 || rounds > 100) throw UsageError("--rounds must be 1 to 100");
    series.rounds = static_cast<std::uint64_t>(rounds);
    series.fresh = arguments["fresh"].as<bool>();
    series.changing = arguments["changing"].as<bool>();
    return series;
}

int attack_spec(const Arguments& arguments, Page& page, std::uint64_t people, double confidence) {
    const Collection collection(resolve(spec_text(arguments["spec"].as<std::string>())));
    const Mechanism& m = collection.mechanism();
    SystemRandom bits;
    const std::vector<std::uint64_t> cells = m.input_cells();
    std::vector<Cell> first(cells.size(), 0), second;
    for (const std::uint64_t each : cells) second.push_back(each - 1);
    if (arguments.count("from") != 0) first = record(collection, arguments["from"].as<std::string>(), bits);
    if (arguments.count("to") != 0) second = record(collection, arguments["to"].as<std::string>(), bits);
    Series series = series_of(arguments);
    series.first = first;
    series.second = second;
    page.say("first", "the first", input_text(collection.spec(), m, first));
    page.say("second", "the second", input_text(collection.spec(), m, second));
    page.say("rounds", "reports a person", series.rounds,
             grouped(series.rounds) +
                 (series.rounds == 1 ? ""
                  : series.fresh     ? ", each randomized independently"
                                     : ", from permanent responses") +
                 (series.changing ? ", of either value in turn" : ""));
    Progress bar(std::cerr, isatty(STDERR_FILENO) == 1, "attacking", "people", people);
    const LowerBound found =
        attack(m, series, people, confidence, bits, [&](std::uint64_t done) { bar.update(done); });
    return judge(page, found, series.promised(m), confidence, series.promised_delta(m));
}

/// Returns the output of a shell command for these input lines.
std::vector<std::string> output_of(const std::string& command, const std::string& line, std::uint64_t times) {
    const auto need = [&](bool well, const std::string& what) {
        if (!well)
            throw Error(ErrorCode::environment, "the command " + what, command, "Run the command alone.");
    };
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> input(std::tmpfile(), std::fclose);
    need(input != nullptr, "cannot be given a file");
    bool written = true;
    for (std::uint64_t i = 0; i < times; ++i) written &= std::fprintf(input.get(), "%s\n", line.c_str()) >= 0;
    need(written && std::fflush(input.get()) == 0, "cannot be given its input");
    std::rewind(input.get());
    int ends[2];
    need(pipe(ends) == 0, "cannot be given a pipe");
    const pid_t child = fork();
    need(child >= 0, "cannot be started");
    if (child == 0) {
        dup2(fileno(input.get()), STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    close(ends[1]);
    std::vector<std::string> lines;
    {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(fdopen(ends[0], "r"), std::fclose);
        std::string text;
        for (int c = std::fgetc(output.get()); c != EOF; c = std::fgetc(output.get()))
            if (c == '\n')
                lines.push_back(std::move(text)), text.clear();
            else
                text += static_cast<char>(c);
        if (!text.empty()) lines.push_back(std::move(text));
    }
    int status = 0;
    need(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed");
    return lines;
}

/// A word for the shell.
std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

int attack_command(const Arguments& arguments, Page& page, std::uint64_t people, double confidence) {
    if (arguments.count("from") == 0 || arguments.count("to") == 0)
        throw UsageError("--command needs the two values: --from and --to");
    const auto& command = arguments["command"].as<std::string>();
    const std::uint64_t rounds = series_of(arguments).rounds;
    Progress bar(std::cerr, isatty(STDERR_FILENO) == 1, "attacking", "people", 2 * people);
    std::uint64_t done = 0;
    const auto observe = [&](const std::string& value) {
        const std::string place = "{value}";
        const auto at = command.find(place);
        std::vector<std::string> reports;
        const auto person = [&](const std::vector<std::string>& lines, std::size_t from, std::size_t count) {
            std::string text;
            for (std::size_t i = 0; i < count; ++i) text += lines[from + i] + "\n";
            reports.push_back(std::move(text));
            bar.update(++done);
        };
        if (at != std::string::npos) {
            const std::string whole = std::string(command).replace(at, place.size(), shell_word(value));
            for (std::uint64_t i = 0; i < people; ++i) {
                std::vector<std::string> all;
                for (std::uint64_t round = 0; round < rounds; ++round)
                    for (auto& line : output_of(whole, value, 0)) all.push_back(std::move(line));
                person(all, 0, all.size());
            }
            return reports;
        }
        const auto lines = output_of(command, value, people * rounds);
        if (lines.size() != people * rounds)
            throw Error(ErrorCode::malformed,
                        "the command wrote " + grouped(lines.size()) + " lines, not one for each value",
                        "It received " + grouped(people * rounds) + " lines.",
                        "It must read one value per line and write one report per line.");
        for (std::uint64_t i = 0; i < people; ++i) person(lines, i * rounds, rounds);
        return reports;
    };
    const auto& from = arguments["from"].as<std::string>();
    const auto& to = arguments["to"].as<std::string>();
    page.say("command", "command", command);
    page.say("first", "the first", from);
    page.say("second", "the second", to);
    page.say("rounds", "reports a person", rounds, grouped(rounds));
    const auto first = observe(from), second = observe(to);
    const double claimed = arguments.count("claim") != 0 ? arguments["claim"].as<double>() : std::nan("");
    return judge(page, attack(first, second, confidence), claimed, confidence);
}

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("spec", po::value<std::string>(),
                          "a file, - for standard input, collection:NAME, or the JSON itself")(
        "exact", po::bool_switch(), "prove the bound by enumerating all outcomes (default)")(
        "samples", po::value<std::int64_t>(), "attack the reports of N people for each of the two values")(
        "command", po::value<std::string>(),
        "command to attack; it reads one value per line and writes one report per line, or runs once for "
        "each report if it contains {value}")(
        "from", po::value<std::string>(),
        "the first value, parts separated by commas (default: the lowest of each attribute)")(
        "to", po::value<std::string>(), "the second value (default: the highest of each attribute)")(
        "rounds", po::value<std::int64_t>()->default_value(1), "number of reports per person")(
        "fresh", po::bool_switch(), "randomize each round independently, without permanent responses")(
        "changing", po::bool_switch(), "report the two values alternately")(
        "claim", po::value<double>(), "the claimed epsilon of the command")(
        "confidence", real_number(0.99), "of the lower bound")("json", po::bool_switch(),
                                                               "print one JSON object instead of text");
    return options;
}

int run(const Arguments& arguments) {
    Page page(arguments["json"].as<bool>());
    const bool command = arguments.count("command") != 0, sampled = arguments.count("samples") != 0;
    if (command == (arguments.count("spec") != 0)) throw UsageError("ldp audit needs a spec or --command");
    if (command && !sampled) throw UsageError("--command needs --samples");
    if (arguments["exact"].as<bool>() && sampled)
        throw UsageError("--exact and --samples cannot be combined");
    if (!sampled) {
        const Spec spec = resolve(spec_text(arguments["spec"].as<std::string>()));
        page.say("mechanism", "mechanism", std::string(spec.mechanism().name),
                 std::string(spec.mechanism().name) + ": " + spec.mechanism().title);
        page.say("spec", "spec", fingerprint_text(spec.fingerprint()));
        return prove(spec, page);
    }
    const auto people = arguments["samples"].as<std::int64_t>();
    const double confidence = arguments["confidence"].as<double>();
    if (people < 100) throw UsageError("--samples must be 100 or more");
    if (!(confidence > 0.5 && confidence < 1)) throw UsageError("--confidence must be between 0.5 and 1");
    return (command ? attack_command : attack_spec)(arguments, page, static_cast<std::uint64_t>(people),
                                                    confidence);
}

constexpr const char* positional[] = {"spec"};

}  // namespace

const Command command{
    "audit",
    "[--exact] SPEC | --samples N SPEC | --samples N --command CMD --from A --to B",
    "proves or measures the epsilon of the installed code",
    "By default, the command computes the output distribution of the randomizer for every input, in exact\n"
    "fractions, and shows the largest probability ratio. If a spec has too many outcomes, the command\n"
    "uses the worst case of the mechanism's proof, and prints a note.\n"
    "With --samples, the command runs an attack: it draws reports of two people with different values,\n"
    "distinguishes the reports by the best event that it finds, and shows a lower bound of epsilon. The\n"
    "bound exceeds the true epsilon with probability at most 1 - confidence.\n"
    "The exit code is 1 if a guarantee is violated.",
    options,
    positional,
    run};

}  // namespace ldp::cli::audit

// ldp audit [--exact] [--certificate FILE] SPEC, ldp audit --samples N [--command CMD] [SPEC]

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "accounting/bound_texts.hpp"
#include "cli/audit/attacked_command.hpp"
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
#include "core/proof/attack_power.hpp"
#include "core/proof/audit.hpp"
#include "core/proof/certificate.hpp"
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

void write_certificate(const std::string& name, const std::string& text) {
    std::ofstream file(name, std::ios::binary);
    if (!(file << text << std::flush))
        throw Error(ErrorCode::environment, "cannot write " + name, {},
                    "Check the name and its permissions.");
}

/// `certificate_name` is the file for the certificate; empty for none.
int prove(const Spec& spec, Page& page, const std::string& certificate_name) {
    const auto m = make_mechanism(spec);
    const bool certified = !certificate_name.empty();
    Audit found;
    {
        std::unique_ptr<Progress> bar;
        const auto progress = [&](std::uint64_t done, std::uint64_t total) {
            if (!bar)
                bar = std::make_unique<Progress>(std::cerr, isatty(STDERR_FILENO) == 1, "following", "inputs",
                                                 total);
            bar->update(done);
        };
        SystemRandom bits;
        found = certified ? audit_for_certificate(spec, *m, progress) : ldp::audit(*m, bits, {}, progress);
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
             : found.enumerated ? "the guarantee holds exactly" + but
                                : "the guarantee holds exactly, if the argument holds" + but);
    if (certified && found.kept()) {
        const std::string text = certificate(spec, *m, found, LDP_VERSION);
        write_certificate(certificate_name, text);
        page.say("certificate", "certificate", certificate_name);
        page.say("certificate_digest", "its SHA-256", certificate_digest(text));
    }
    page.end();
    return found.kept() ? Exit::done : Exit::failed;
}

/// The numbers that an attack was given.
struct AttackTerms {
    std::uint64_t people;
    std::optional<double> claimed;
    double confidence, delta;
};

/// Shows the result of an attack, and a verdict on the claim. `violation` returns the events of a client that violates
/// the claim, see attack_power.hpp.
int show(Page& page, const LowerBound& found, const AttackTerms& terms,
         const std::function<std::vector<EventOdds>()>& violation) {
    page.say("confidence", "confidence", terms.confidence);
    page.say("trials", "reports counted", found.trials, grouped(found.trials) + " of either kind");
    page.say("likelier", "  showing the event", found.likelier,
             grouped(found.likelier) + " of the " + (found.second ? "second" : "first") + ", " +
                 grouped(found.rarer) + " of the other");
    page.keep("rarer", found.rarer);
    page.say("lower_bound", "epsilon is at least", found.epsilon);
    if (!terms.claimed) {
        page.end();
        return Exit::done;
    }
    page.say("promised", "promised at most", *terms.claimed);
    if (terms.delta != 0) page.say("delta", "  except with", terms.delta);
    const auto events = found.epsilon > *terms.claimed ? std::vector<EventOdds>() : violation();
    const AttackJudgement judgement =
        judge(found, terms.people, events, *terms.claimed, terms.confidence, terms.delta);
    switch (judgement.verdict) {
        case AttackVerdict::kept:
            page.say("kept", "verdict", true, "no evidence against the guarantee");
            break;
        case AttackVerdict::violated:
            page.say("kept", "verdict", false, "THE GUARANTEE IS VIOLATED, at this confidence");
            break;
        case AttackVerdict::no_power:
            page.say("kept", "verdict", nullptr, "no power: more samples are needed");
            if (judgement.people)
                page.say("samples_needed", "samples needed", *judgement.people,
                         grouped(*judgement.people) + ", to find an epsilon of " +
                             shortest(violation_factor * *terms.claimed));
            else
                page.say("samples_needed", "samples needed", nullptr,
                         "no number is enough: choose values that differ more");
    }
    page.end();
    return judgement.verdict == AttackVerdict::kept       ? Exit::done
           : judgement.verdict == AttackVerdict::violated ? Exit::failed
                                                          : Exit::no_power;
}

/// Returns --claim, if given.
std::optional<double> claim_of(const Arguments& arguments) {
    if (arguments.count("claim") == 0) return {};
    const double claimed = arguments["claim"].as<double>();
    if (!(claimed > 0 && std::isfinite(claimed))) throw UsageError("--claim must be a positive number");
    return claimed;
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

/// The command that is attacked. With memoized responses, it runs once for each person.
AttackedCommand command_of(const Arguments& arguments, const Series& series, bool memoized) {
    AttackedCommand command{arguments["command"].as<std::string>(), memoized && series.rounds > 1};
    if (command.alone && command.runs_by_value())
        throw UsageError(
            "with several memoized reports a person, the command must read the values from standard "
            "input, without {value}");
    return command;
}

/// Returns read(lines, value) of the lines that a command writes for people of the first and of the second kind. The lines
/// of the first kind are read before the command runs for the second one.
template <class Read>
auto run_command(const AttackedCommand& command, const Arguments& arguments, const Series& series,
                 std::uint64_t people, Read read) {
    const std::string given[] = {arguments["from"].as<std::string>(), arguments["to"].as<std::string>()};
    Progress bar(std::cerr, isatty(STDERR_FILENO) == 1, "attacking", "people", 2 * people);
    std::uint64_t done = 0;
    const auto observe = [&](bool second_kind) {
        std::vector<std::string> values;
        for (std::uint64_t round = 0; round < series.rounds; ++round)
            values.push_back(given[series.has_second(second_kind, round) ? 1 : 0]);
        return read(command.lines(values, people, [&] { bar.update(++done); }), given[second_kind ? 1 : 0]);
    };
    auto first = observe(false);
    return std::pair(std::move(first), observe(true));
}

/// Throws UsageError if the rounds of an attack on a command have no meaning under the spec.
void check_rounds(const Arguments& arguments, const Series& series, const Collection& collection) {
    if (series.rounds == 1) return;
    if (rounds_of_series(collection.mechanism()) > 0)
        throw UsageError(
            "--rounds cannot be used with --command and a series, of which a value has all rounds");
    if (series.fresh) return;
    const Spec& spec = collection.spec();
    if (!spec.evolving())
        throw UsageError(
            "--rounds needs --fresh: the spec has no \"evolving\", so that no response is memoized");
    if (arguments.count("claim") == 0 && std::ranges::any_of(spec.attributes(), &Attribute::evolving))
        throw UsageError("--rounds needs --claim: a number that is rounded can have several responses");
}

/// The ε of the signal of a spent budget in the reports of a command. It differs only if the values change.
double signal_in(const Collection& collection, const Series& series) {
    if (!series.changing || series.fresh) return 0;
    return privacy_statement(collection.spec(), collection.mechanism()).signal.epsilon;
}

int attack_spec(const Arguments& arguments, Page& page, std::uint64_t people, double confidence) {
    const Collection collection(resolve(spec_text(arguments["spec"].as<std::string>())));
    const Mechanism& m = collection.mechanism();
    const bool has_command = arguments.count("command") != 0;
    SystemRandom bits;
    const std::vector<std::uint64_t> cells = m.input_cells();
    std::vector<Cell> first(cells.size(), 0), second;
    for (const std::uint64_t each : cells) second.push_back(each - 1);
    if (arguments.count("from") != 0) first = record(collection, arguments["from"].as<std::string>(), bits);
    if (arguments.count("to") != 0) second = record(collection, arguments["to"].as<std::string>(), bits);
    Series series = series_of(arguments);
    series.first = first;
    series.second = second;
    const double claimed =
        claim_of(arguments).value_or(series.promised(m) + (has_command ? signal_in(collection, series) : 0));
    if (has_command) {
        check_rounds(arguments, series, collection);
        page.say("command", "command", arguments["command"].as<std::string>());
    }
    page.say("first", "the first", input_text(collection.spec(), m, first));
    page.say("second", "the second", input_text(collection.spec(), m, second));
    page.say("rounds", "reports a person", series.rounds,
             grouped(series.rounds) +
                 (series.rounds == 1 ? ""
                  : series.fresh     ? ", each randomized independently"
                                     : ", from permanent responses") +
                 (series.changing ? ", of either value in turn" : ""));
    const auto attacked = [&] {
        if (has_command) {
            const auto sent =
                run_command(command_of(arguments, series, !series.fresh), arguments, series, people,
                            [&](const std::vector<std::string>& lines, const std::string& value) {
                                return sent_in_lines(m, lines, value);
                            });
            return attack(m, series, sent.first, sent.second, confidence);
        }
        Progress bar(std::cerr, isatty(STDERR_FILENO) == 1, "attacking", "people", people);
        return attack(m, series, people, confidence, bits, [&](std::uint64_t done) { bar.update(done); });
    };
    const LowerBound found = attacked();
    const auto violation = [&] {
        const double factor = violation_factor * claimed / series.promised(m);
        const auto violating = mechanism_with_factor(collection.spec(), factor);
        if (!violating) return events_of_randomized_response(violation_factor * claimed);
        constexpr std::uint64_t few = 1000, many = 20000;
        return simulated_events(*violating, series, std::clamp(people, few, many), bits);
    };
    return show(page, found, {people, claimed, confidence, series.promised_delta(m)}, violation);
}

/// Attacks a command whose reports are unknown texts.
int attack_texts(const Arguments& arguments, Page& page, std::uint64_t people, double confidence) {
    const Series series = series_of(arguments);
    if (series.fresh || series.changing) throw UsageError("--fresh and --changing need a spec");
    const auto claimed = claim_of(arguments);
    const AttackedCommand command = command_of(arguments, series, false);
    page.say("command", "command", command.text);
    page.say("first", "the first", arguments["from"].as<std::string>());
    page.say("second", "the second", arguments["to"].as<std::string>());
    page.say("rounds", "reports a person", series.rounds, grouped(series.rounds));
    const auto texts = run_command(command, arguments, series, people,
                                   [&](const std::vector<std::string>& lines, const std::string&) {
                                       std::vector<std::string> all(people);
                                       for (std::size_t i = 0; i < lines.size(); ++i)
                                           all[i / series.rounds] += lines[i] + "\n";
                                       return all;
                                   });
    const LowerBound found = attack(texts.first, texts.second, confidence);
    return show(page, found, {people, claimed, confidence, 0},
                [&] { return events_of_randomized_response(violation_factor * claimed.value_or(0)); });
}

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("spec", po::value<std::string>(),
                          "a file, - for standard input, collection:NAME, or the JSON itself")(
        "exact", po::bool_switch(), "prove the bound by enumerating all outcomes (default)")(
        "certificate", po::value<std::string>(),
        "write the exact channel to this file, for conformance/check-certificate")(
        "samples", po::value<std::int64_t>(), "attack the reports of N people for each of the two values")(
        "command", po::value<std::string>(),
        "command to attack; it reads one value per line and writes one report per line, or runs once for "
        "each report if it contains {value}. With a spec, it writes reports of the spec")(
        "from", po::value<std::string>(),
        "the first value, parts separated by commas (default: the lowest of each attribute)")(
        "to", po::value<std::string>(), "the second value (default: the highest of each attribute)")(
        "rounds", po::value<std::int64_t>()->default_value(1), "number of reports per person")(
        "fresh", po::bool_switch(), "randomize each round independently, without permanent responses")(
        "changing", po::bool_switch(), "report the two values alternately")(
        "claim", po::value<double>(),
        "the claimed epsilon of all reports of a person (default: the epsilon of the spec)")(
        "confidence", real_number(0.99), "confidence of the lower bound")(
        "json", po::bool_switch(), "print one JSON object instead of text");
    return options;
}

int run(const Arguments& arguments) {
    Page page(arguments["json"].as<bool>());
    const bool command = arguments.count("command") != 0, sampled = arguments.count("samples") != 0,
               spec_given = arguments.count("spec") != 0;
    if (!command && !spec_given) throw UsageError("ldp audit needs a spec or --command");
    if (command && !sampled) throw UsageError("--command needs --samples");
    if (command && (arguments.count("from") == 0 || arguments.count("to") == 0))
        throw UsageError("--command needs the two values: --from and --to");
    if (arguments["exact"].as<bool>() && sampled)
        throw UsageError("--exact and --samples cannot be combined");
    if (arguments.count("certificate") != 0 && sampled)
        throw UsageError("--certificate and --samples cannot be combined");
    if (!sampled) {
        const Spec spec = resolve(spec_text(arguments["spec"].as<std::string>()));
        page.say("mechanism", "mechanism", std::string(spec.mechanism().name),
                 std::string(spec.mechanism().name) + ": " + spec.mechanism().title);
        page.say("spec", "spec", fingerprint_text(spec.fingerprint()));
        return prove(spec, page,
                     arguments.count("certificate") != 0 ? arguments["certificate"].as<std::string>() : "");
    }
    const auto people = arguments["samples"].as<std::int64_t>();
    const double confidence = arguments["confidence"].as<double>();
    if (people < 100) throw UsageError("--samples must be 100 or more");
    if (!(confidence > 0.5 && confidence < 1)) throw UsageError("--confidence must be between 0.5 and 1");
    return (spec_given ? attack_spec : attack_texts)(arguments, page, static_cast<std::uint64_t>(people),
                                                     confidence);
}

constexpr const char* positional[] = {"spec"};

}  // namespace

const Command command{
    "audit",
    "[--exact] [--certificate FILE] SPEC | --samples N SPEC | --samples N --command CMD --from A --to B [SPEC]",
    "proves or measures the epsilon of the installed code",
    "By default, the command computes the output distribution of the randomizer for every input, in exact\n"
    "fractions, and shows the largest probability ratio. If a spec has too many outcomes, the command\n"
    "uses the worst case of the mechanism's proof, and prints a note.\n"
    "With --certificate, the command also writes the exact channel as integers. Other programs can check\n"
    "the bound with this file; conformance/check-certificate is one. No file is written if a guarantee is\n"
    "violated.\n"
    "With --samples, the command runs an attack: it draws reports of two people with different values,\n"
    "distinguishes the reports by the best event that it finds, and shows a lower bound of epsilon. The\n"
    "bound exceeds the true epsilon with probability at most 1 - confidence.\n"
    "With --command, the command attacks another program. With a spec, each line of this program must be\n"
    "a report of the spec in hexadecimal digits, and the attack uses the mechanism's own probabilities.\n"
    "Without a spec, it uses the frequencies of the texts.\n"
    "The exit code is 1 if a guarantee is violated. It is 8 if the attack has no power: it found nothing,\n"
    "and would not have found a client that spends twice the claimed epsilon. The output then has the\n"
    "number of samples that is needed.",
    options,
    positional,
    run};

}  // namespace ldp::cli::audit

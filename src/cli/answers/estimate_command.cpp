// ldp estimate COLLECTION, or ldp estimate --spec SPEC SUMMARY

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "cli/answers/answer_sections.hpp"
#include "cli/answers/layouts.hpp"
#include "cli/attached_summaries.hpp"
#include "cli/command.hpp"
#include "client/uploader.hpp"
#include "core/choice/resolve.hpp"
#include "core/proof/certificate.hpp"

namespace ldp::cli::estimate {

namespace {

namespace po = boost::program_options;

struct Layout {
    const char* option;
    const char* help;
    void (*write)(std::ostream&, const Document&);
};
constexpr Layout layouts[] = {
    {"csv", "output file for all estimates; - for standard output", write_csv},
    {"svg", "output file for a drawing of all figures", write_svg},
    {"html", "output file for a page with all results", write_html},
};

Options options() {
    Options options;
    options.add_options()("collection", po::value<std::string>()->required(),
                          "name of the collection or of a rollup; with --spec, a file of summaries")(
        "spec", po::value<std::string>(),
        "spec of the file of summaries that is the argument; no server is used")(
        "dsn", po::value<std::string>()->default_value(""), dsn_help)("confidence", real_number(0.95),
                                                                      "confidence of the intervals")(
        "target", po::value<std::string>(),
        "population to which the errors refer: sample (the people who reported) or population (from which "
        "they were drawn); default: sample for estimates, population for comparisons of groups")(
        "round", po::value<std::string>(),
        "round of the reports, or all for all rounds together; default: the last round, compared with the "
        "others")("by", po::value<std::string>()->default_value(""),
                  "public column whose groups of reports are compared")(
        "curve", po::value<std::string>()->default_value(""),
        "public column of numbers, dates or times over which the means are drawn as curves")(
        "bandwidth", real_number(0),
        "bandwidth of curves, in the unit of the column; days for dates, hours for times; 0: chosen from the "
        "reports")("date", po::value<std::string>()->default_value(""),
                   "public column with the date of a report; default: the only column of dates or times")(
        "title", po::value<std::string>()->default_value(""), "title; default: the name of the collection")(
        "certificate", po::value<std::string>(),
        "certificate of the spec (ldp audit --certificate), whose SHA-256 digest the page of --html states");
    for (const Layout& layout : layouts)
        options.add_options()(layout.option, po::value<std::string>(), layout.help);
    return options;
}

/// The number of columns of the terminal; without one, that of a page.
std::size_t columns() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

std::int32_t round_in(const std::string& text) {
    std::int32_t round = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), round);
    if (error != std::errc() || end != text.data() + text.size())
        throw UsageError("--round must be the number of a round, or all");
    return round;
}

/// The name of a file without folders and its ending.
std::string stem(const std::string& file) {
    return file == "-" ? "summary" : std::filesystem::path(file).stem().string();
}

/// Throws UsageError if one of the options is set, which need a server or the extension.
void refuse_options(const Arguments& arguments, std::initializer_list<const char*> names,
                    const char* needed) {
    for (const char* option : names)
        if (arguments.count(option) != 0 && !arguments[option].defaulted())
            throw UsageError(std::string("--") + option + " requires " + needed);
}

Source source_in_file(const Arguments& arguments, Asked asked) {
    refuse_options(arguments, {"dsn", "curve", "date"}, "a server");
    Spec spec = resolve(spec_text(arguments["spec"].as<std::string>()));
    SummaryTable summaries = summaries_in_file(asked.collection);
    const auto mechanism = make_mechanism(spec);
    for (const GroupSummary& group : summaries.groups)
        check_summary_of(*mechanism, group.summary, asked.collection);
    asked.collection = stem(asked.collection);
    return {std::move(spec), std::move(summaries), std::move(asked)};
}

/// Writes the results in the layouts that the arguments name.
int write(Source source, const Arguments& arguments) {
    const bool only_csv = arguments.count("csv") > 0 && arguments.count("svg") + arguments.count("html") == 0;
    if (only_csv) source.show_texts(false);
    const Document document = answers_of(source);
    for (const std::string& rejection : source.rejections())
        std::cerr << "warning: no result for " << rejection << "\n";
    // Programs read the CSV, so it has the names of the spec, not the titles that its owner may change.
    std::optional<Document> plain;
    if (!only_csv && arguments.count("csv") > 0 && !source.spec().texts().empty()) {
        source.show_texts(false);
        plain = answers_of(source);
    }
    bool written = false;
    for (const Layout& layout : layouts) {
        if (arguments.count(layout.option) == 0) continue;
        written = true;
        const auto& name = arguments[layout.option].as<std::string>();
        std::ofstream file;
        if (name != "-") file.open(name, std::ios::binary);
        std::ostream& out = name == "-" ? std::cout : file;
        layout.write(out, plain && layout.write == write_csv ? *plain : document);
        if (!out.flush() && name != "-")
            throw Error(ErrorCode::environment, "cannot write " + name, {},
                        "Check the name and its permissions.");
    }
    if (!written) write_text(std::cout, document, columns());
    return Exit::done;
}

int run(const Arguments& arguments) {
    const Choice<const char*> targets{"target", {{"sample", "sample"}, {"population", "population"}}};
    Asked asked{arguments["collection"].as<std::string>(), arguments["confidence"].as<double>(),
                arguments.count("target") == 0 ? "" : targets.chosen(arguments)};
    if (!(asked.confidence > 0 && asked.confidence < 1))
        throw UsageError("--confidence must lie between 0 and 1");
    asked.by = arguments["by"].as<std::string>();
    asked.curve = arguments["curve"].as<std::string>();
    asked.bandwidth = arguments["bandwidth"].as<double>();
    if (!(asked.bandwidth >= 0 && std::isfinite(asked.bandwidth)))
        throw UsageError("--bandwidth must be a number of at least 0");
    if (asked.bandwidth > 0 && asked.curve.empty()) throw UsageError("--bandwidth needs --curve");
    asked.date = arguments["date"].as<std::string>();
    asked.title = arguments["title"].as<std::string>();
    if (arguments.count("certificate") != 0)
        asked.certificate_digest = [text = read_text(arguments["certificate"].as<std::string>())](
                                       const Spec& spec) { return certificate_digest_for(spec, text); };
    if (arguments.count("round") != 0) {
        const auto& round = arguments["round"].as<std::string>();
        asked.all_rounds = round == "all";
        if (!asked.all_rounds) asked.round = round_in(round);
    }
    if (arguments.count("spec") != 0) return write(source_in_file(arguments, std::move(asked)), arguments);
    auto connection = connect(arguments["dsn"].as<std::string>());
    if (auto attached = attached_collection(connection, asked.collection)) {
        refuse_options(arguments, {"curve", "date"}, "the extension");
        return write({std::move(attached->spec), std::move(attached->summaries), std::move(asked)},
                     arguments);
    }
    return write(Source(connection, std::move(asked)), arguments);
}

constexpr const char* positional[] = {"collection"};

}  // namespace

const Command command{
    "estimate",
    "[OPTION...] COLLECTION | --spec SPEC [OPTION...] SUMMARY",
    "shows the results of a collection: in the terminal, as a table, a drawing or a page",
    "Computes all estimates of a collection or a rollup with the privileges of an analyst, and changes\n"
    "nothing. Without --csv, --svg or --html, the command prints the estimates with their intervals and\n"
    "SQL queries. The option --by compares the groups of a public column, and marks clear differences.\n"
    "The option --curve draws the means as functions of a public column. The page of --html also contains\n"
    "a sentence with the result of each question, the privacy guarantee, and tests for forged reports. It\n"
    "is for readers without knowledge of SQL or statistics. It contains no scripts and loads no other\n"
    "files, so it can be sent by mail. With --spec, the argument is a file of summaries as ldp summarize\n"
    "writes it, or a summary in bytes or in hexadecimal, or - for standard input. No server is used.",
    options,
    positional,
    run};

}  // namespace ldp::cli::estimate

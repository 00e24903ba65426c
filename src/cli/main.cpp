// The ldp command: runs the subcommand with its arguments, and prints its errors.

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <iostream>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/terms_options.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

namespace {

void tell(const std::string& error, const std::string& detail, const std::string& hint) {
    std::cerr << "error: " << error << "\n";
    if (!detail.empty()) std::cerr << "detail: " << detail << "\n";
    if (!hint.empty()) std::cerr << "hint: " << hint << "\n";
}

/// Hints of the command for errors of core.
constexpr RemedyWords command_words{
    "frequencies",
    "means",
    "Haar coefficients",
    "the distribution",
    "shares of strings (ldp estimate COLLECTION shows the frequent ones)",
    "Each round of a series has its own estimates.",
    "Name one attribute of the record.",
    "Use fewer attributes, or declare a marginal of these attributes in the next spec.",
    "Count the reports in a collection, which stores the round of each report.",
    "Use one round, as in --round 1.",
    "Use shares of one attribute, or joint shares.",
    "Use means.",
    "ldp estimate COLLECTION shows the ranges.",
    "Add the attributes to \"joint_tables\" in the next spec.",
    "Count shorter periods, and average their estimates with the numbers of reports as weights.",
    "ldp spec resolve SPEC makes the choices that a spec leaves open.",
};

/// Calls the function, prints its errors, and returns the exit code.
template <class Function>
int exit_code_of(const std::string& command, Function function) {
    try {
        return function();
    } catch (const UsageError& error) {
        tell(error.what(), {}, "ldp help " + command + " shows how it is used.");
        return Exit::misused;
    } catch (const Unavailable& error) {
        tell(error.what(), error.detail(), error.hint());
        return Exit::later;
    } catch (const UnwrittenOutput& error) {
        tell(error.what(), error.detail(), error.hint());
        return exit_unwritten;
    } catch (const Error& error) {
        tell(error.what(), error.detail(), error.hint(command_words));
        if (error.code() == ErrorCode::changed) return exit_changed;
    } catch (const std::exception& error) {
        tell(error.what(), {}, {});
    }
    return Exit::failed;
}

Arguments parse(const Command& command, const std::vector<std::string>& words) {
    namespace po = boost::program_options;
    po::positional_options_description places;
    const Options options = command.options();
    for (const char* name : command.positional)
        places.add(name, options.find(name, false).semantic()->is_composing() ? -1 : 1);
    Arguments arguments;
    try {
        // No guessing: an abbreviation that works today would break when an option is added.
        constexpr int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
        po::store(po::command_line_parser(words).options(options).positional(places).style(style).run(),
                  arguments);
        po::notify(arguments);
    } catch (const po::required_option& missing) {
        std::string name = missing.get_option_name();
        name.erase(0, name.find_first_not_of('-'));
        if (std::ranges::find(command.positional, name) == command.positional.end())
            throw UsageError(missing.what());
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
        throw UsageError(name + " is missing: ldp " + command.name + " " + command.synopsis);
    } catch (const po::error& error) {
        throw UsageError(error.what());
    }
    return arguments;
}

int run(std::vector<std::string> words) {
    if (words.empty() || words[0] == "--help" || words[0] == "-h") words = {"help"};
    if (words[0] == "--version") {
        return exit_code_of("help", [] {
            std::cout << "ldp " LDP_VERSION "\n";
            finish_output();
            return Exit::done;
        });
    }
    const auto found = std::ranges::find(commands(), words[0], &Command::name);
    if (found == commands().end()) {
        tell("there is no command \"" + words[0] + "\"", {}, "ldp help lists the commands.");
        return Exit::misused;
    }
    words.erase(words.begin());
    if (std::ranges::find(words, "--help") != words.end()) return run({"help", (*found)->name});
    return exit_code_of((*found)->name, [&] {
        const int code = (*found)->run(parse(**found, words));
        finish_output();
        return code;
    });
}

}  // namespace

}  // namespace ldp::cli

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    ldp::cli::need_standard_streams();
    // Exceeding the file size limit is then an error with a message, not a signal.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    // Messages quote labels, files and servers. What goes to a file or a pipe as output keeps its bytes.
    ldp::cli::PrintableBuffer errors(std::cerr.rdbuf()), output(std::cout.rdbuf());
    std::streambuf* const raw_errors = std::cerr.rdbuf(&errors);
    std::streambuf* const raw_output = std::cout.rdbuf();
    if (isatty(STDOUT_FILENO) == 1) std::cout.rdbuf(&output);
    const int code = ldp::cli::run({argv + 1, argv + argc});
    std::cout.flush();
    std::cout.rdbuf(raw_output);
    std::cerr.rdbuf(raw_errors);
    return code;
}

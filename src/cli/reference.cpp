// ldp reference man|bash|zsh|fish: the manual page and the shells' completion, from the tables that the
// command itself goes by, so that none of them can tell anything else.

#include <iostream>
#include <sstream>

#include "cli/command.hpp"

namespace ldp::cli::reference {

namespace {

Options options() {
    Options options;
    options.add_options()("form", boost::program_options::value<std::string>()->required());
    return options;
}

/// Options that are told of, which arguments without a dash are not.
template <class Take>
void for_each_option(const Command& command, Take take) {
    const Options all = command.options();
    for (const auto& option : all.options())
        if (!option->description().empty()) take(*option);
}

bool takes_argument(const boost::program_options::option_description& option) {
    return option.semantic()->max_tokens() != 0;
}

/// Text of a manual page (man(7)): no character of it is taken for a command.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
        out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    }
    return out;
}

/// Lines that belong together flow; those that begin with a space stand as they are.
void write_paragraphs(std::ostream& out, const char* text) {
    std::istringstream lines(text);
    bool flowing = true;
    for (std::string line; std::getline(lines, line);) {
        const bool flows = !line.starts_with(' ');
        if (flows != flowing) out << (flows ? ".fi\n" : ".br\n.nf\n");
        flowing = flows;
        out << roff(line) << "\n";
    }
    if (!flowing) out << ".fi\n";
}

void write_man(std::ostream& out) {
    out << ".TH LDP 1 \"\" \"ldp " LDP_VERSION
           "\" \"Private aggregate queries\"\n"
           ".SH NAME\nldp \\- private aggregate queries: randomizes, submits and answers\n"
           ".SH SYNOPSIS\n.B ldp\n.I COMMAND\n[\\fIOPTION\\fR...]\n"
           ".SH DESCRIPTION\nValues are randomized here, reports go to PostgreSQL, and answers come with "
           "their errors.\n"
           ".SH COMMANDS\n";
    for (const Command* command : commands()) {
        out << ".SS \"ldp " << roff(command->name) << " " << roff(command->synopsis) << "\"\n"
            << roff(command->purpose) << ".\n.PP\n";
        write_paragraphs(out, command->help);
        for_each_option(*command, [&](const auto& option) {
            // "arg (=10)", or nothing.
            const std::string argument = takes_argument(option) ? option.format_parameter() : "";
            out << ".TP\n\\fB\\-\\-" << roff(option.long_name()) << "\\fR " << roff(argument) << "\n"
                << roff(option.description()) << "\n";
        });
    }
    out << ".SH \"EXIT STATUS\"\n"
        << Exit::done << " done; " << Exit::failed << " failed; " << Exit::misused << " misused; "
        << Exit::refused << " done but for what the server refused; " << Exit::later
        << " to be run again later.\n"
        << ".SH \"SEE ALSO\"\n.BR psql (1)\n";
}

void write_bash(std::ostream& out) {
    std::string names;
    for (const Command* command : commands())
        names += (names.empty() ? "" : " ") + std::string(command->name);
    out << "_ldp() {\n    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ] || [ \"${COMP_WORDS[1]}\" = help ]; then\n"
           "        words=\""
        << names
        << "\"\n"
           "    elif [[ $word == -* ]]; then\n        case ${COMP_WORDS[1]} in\n";
    for (const Command* command : commands()) {
        out << "            " << command->name << ") words=\"--help";
        for_each_option(*command, [&](const auto& option) { out << " --" << option.long_name(); });
        out << "\" ;;\n";
    }
    out << "        esac\n    else\n        compopt -o default 2>/dev/null\n    fi\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
           "complete -F _ldp ldp\n";
}

/// Text between a shell's single quotes: these characters with a backslash before them, a quote as the shell
/// has it.
std::string in_quotes(std::string_view text, std::string_view escaped, std::string_view quote) {
    std::string out;
    for (const char c : text)
        out += c == '\''   ? std::string(quote)
               : c == '\n' ? " "
                           : (escaped.find(c) == std::string_view::npos ? "" : "\\") + std::string(1, c);
    return out;
}

void write_zsh(std::ostream& out) {
    const auto text = [](std::string_view words) { return in_quotes(words, "[]:\\", "'\\''"); };
    out << "#compdef ldp\n_ldp() {\n    local -a commands=(\n";
    for (const Command* command : commands())
        out << "        '" << command->name << ":" << text(command->purpose) << "'\n";
    out << "    )\n    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
           "        _describe command commands\n        return\n    fi\n    case $words[2] in\n";
    for (const Command* command : commands()) {
        out << "        " << command->name << ") _arguments '--help[what it does]'";
        for_each_option(*command, [&](const auto& option) {
            out << " \\\n            '--" << option.long_name() << "[" << text(option.description()) << "]"
                << (takes_argument(option) ? ":value:_files" : "") << "'";
        });
        out << " '*:file:_files' ;;\n";
    }
    out << "    esac\n}\n"
           "# Loaded as a file of fpath, this is the function's first call.\n"
           "if [[ $funcstack[1] == _ldp ]]; then _ldp; else compdef _ldp ldp; fi\n";
}

void write_fish(std::ostream& out) {
    const auto text = [](std::string_view words) { return in_quotes(words, "\\", "\\'"); };
    for (const Command* command : commands()) {
        for (const char* place : {"__fish_use_subcommand", "__fish_seen_subcommand_from help"})
            out << "complete -c ldp -n '" << place << "' -f -a " << command->name << " -d '"
                << text(command->purpose) << "'\n";
        const auto option = [&](const std::string& name, bool takes, std::string_view description) {
            out << "complete -c ldp -n '__fish_seen_subcommand_from " << command->name << "' -l " << name
                << (takes ? " -r" : "") << " -d '" << text(description) << "'\n";
        };
        option("help", false, "what it does");
        for_each_option(*command, [&](const auto& known) {
            option(known.long_name(), takes_argument(known), known.description());
        });
    }
}

const Words<void (*)(std::ostream&)> forms{
    "form", {{"man", write_man}, {"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}}};

int run(const Arguments& arguments) {
    forms.chosen(arguments)(std::cout);
    return std::cout.flush() ? Exit::done : Exit::failed;
}

constexpr const char* positional[] = {"form"};

}  // namespace

const Command command{
    "reference",
    "man|bash|zsh|fish",
    "writes the manual page, or the completion for a shell",
    "make install puts all of them in their places. Where a package cannot, for this user alone:\n"
    "    ldp reference man >~/.local/share/man/man1/ldp.1\n"
    "    ldp reference bash >~/.local/share/bash-completion/completions/ldp\n"
    "    ldp reference zsh >~/.zfunc/_ldp        # a folder of fpath\n"
    "    ldp reference fish >~/.config/fish/completions/ldp.fish",
    options,
    positional,
    run};

}  // namespace ldp::cli::reference

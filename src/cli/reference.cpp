// ldp reference man|bash|zsh|fish: the manual page and the shells' completion. They are generated from the
// command's own tables, so that they always agree with it.

#include <iostream>
#include <sstream>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/template.hpp"
#include "cli/terms_options.hpp"

namespace ldp::cli::reference {

namespace {

Options options() {
    Options options;
    options.add_options()("form", boost::program_options::value<std::string>()->required());
    return options;
}

/// Runs `take` for each option with a description; positional arguments have none.
template <class Take>
void for_each_option(const Command& command, Take take) {
    const Options all = command.options();
    for (const auto& option : all.options())
        if (!option->description().empty()) take(*option);
}

bool takes_argument(const boost::program_options::option_description& option) {
    return option.semantic()->max_tokens() != 0;
}

/// Escapes text for a manual page (man(7)), so that no line is a roff request.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
        out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    }
    return out;
}

/// Consecutive lines are filled; lines that begin with a space are kept.
std::string paragraphs(const char* text) {
    std::istringstream lines(text);
    std::string out;
    bool flowing = true;
    for (std::string line; std::getline(lines, line);) {
        const bool flows = !line.starts_with(' ');
        if (flows != flowing) out += flows ? ".fi\n" : ".br\n.nf\n";
        flowing = flows;
        out += roff(line) + "\n";
    }
    if (!flowing) out += ".fi\n";
    if (!out.empty()) out.pop_back();  // the template ends the line
    return out;
}

std::string unchanged(std::string_view text) {
    return std::string(text);
}

/// Text between a shell's single quotes, with a backslash before the characters `escaped`, and with `quote`
/// for each quote.
std::string in_quotes(std::string_view text, std::string_view escaped, std::string_view quote) {
    std::string out;
    for (const char c : text)
        out += c == '\''   ? std::string(quote)
               : c == '\n' ? " "
                           : (escaped.find(c) == std::string_view::npos ? "" : "\\") + std::string(1, c);
    return out;
}
std::string zsh(std::string_view text) {
    return in_quotes(text, "[]:\\", "'\\''");
}
std::string fish(std::string_view text) {
    return in_quotes(text, "\\", "\\'");
}

/// Returns the commands and their options.
Fields facts() {
    Fields all{.values = {{"version", LDP_VERSION},
                          {"names", ""},
                          {"done", std::to_string(Exit::done)},
                          {"failed", std::to_string(Exit::failed)},
                          {"misused", std::to_string(Exit::misused)},
                          {"refused", std::to_string(Exit::refused)},
                          {"later", std::to_string(Exit::later)},
                          {"changed", std::to_string(exit_changed)},
                          {"unwritten", std::to_string(exit_unwritten)},
                          {"no_power", std::to_string(Exit::no_power)},
                          {"problems", std::to_string(Exit::problems)},
                          {"differs", std::to_string(Exit::differs)}}};
    std::string& names = all.values["names"];
    for (const Command* command : commands()) {
        names += (names.empty() ? "" : " ") + std::string(command->name);
        Fields fields{.values = {{"name", command->name},
                                 {"command", command->name},
                                 {"synopsis", command->synopsis},
                                 {"purpose", command->purpose},
                                 {"help", paragraphs(command->help)}},
                      .sections = {{"options", {}}}};
        for_each_option(*command, [&](const auto& option) {
            // The argument is "arg (=10)" or empty.
            Fields one{
                .values = {{"name", option.long_name()},
                           {"argument", takes_argument(option) ? option.format_parameter() : std::string()},
                           {"description", option.description()}}};
            one.show("takes", takes_argument(option));
            fields.sections["options"].push_back(std::move(one));
        });
        all.sections["commands"].push_back(std::move(fields));
    }
    return all;
}

struct Form {
    const char* file;
    Escape escape;
};
const Choice<Form> forms{"form",
                         {{"man", {"ldp.1", roff}},
                          {"bash", {"ldp.bash", unchanged}},
                          {"zsh", {"ldp.zsh", zsh}},
                          {"fish", {"ldp.fish", fish}}}};

int run(const Arguments& arguments) {
    const Form form = forms.chosen(arguments);
    std::cout << filled(template_text(form.file), facts(), form.escape);
    return std::cout.flush() ? Exit::done : Exit::failed;
}

constexpr const char* positional[] = {"form"};

}  // namespace

const Command command{"reference",
                      "man|bash|zsh|fish",
                      "writes the manual page or a shell completion",
                      "make install installs all of them. To install them for the current user only:\n"
                      "    ldp reference man >~/.local/share/man/man1/ldp.1\n"
                      "    ldp reference bash >~/.local/share/bash-completion/completions/ldp\n"
                      "    ldp reference zsh >~/.zfunc/_ldp        # a folder of fpath\n"
                      "    ldp reference fish >~/.config/fish/completions/ldp.fish",
                      options,
                      positional,
                      run};

}  // namespace ldp::cli::reference

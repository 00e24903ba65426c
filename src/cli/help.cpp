// ldp help [COMMAND]

#include <algorithm>
#include <iostream>

#include "cli/command.hpp"

namespace ldp::cli::help {

namespace {

void overview(std::ostream& out) {
    out << "Private aggregate queries: randomizes values on this machine and sends reports to PostgreSQL.\n\n"
           "usage: ldp COMMAND [OPTION...]\n\n";
    for (const Command* command : commands()) {
        out << "  " << command->name << std::string(12 - std::string(command->name).size(), ' ')
            << command->purpose << "\n";
    }
    out << "\nldp help COMMAND describes a command. ldp --version prints the version.\n";
}

Options options() {
    Options options;
    options.add_options()("command", boost::program_options::value<std::string>());
    return options;
}

int run(const Arguments& arguments) {
    if (arguments.count("command") == 0) {
        overview(std::cout);
        return Exit::done;
    }
    const auto& name = arguments["command"].as<std::string>();
    const auto found = std::ranges::find(commands(), name, &Command::name);
    if (found == commands().end()) throw UsageError("there is no command \"" + name + "\"");
    const Command& command = **found;
    std::cout << "ldp " << command.name << ": " << command.purpose << "\n\nusage: ldp " << command.name << " "
              << command.synopsis << "\n\n"
              << command.help << "\n";
    Options shown("options");
    const Options all = command.options();
    for (const auto& option : all.options())
        if (!option->description().empty()) shown.add(option);
    if (!shown.options().empty()) std::cout << "\n" << shown;
    return Exit::done;
}

constexpr const char* positional[] = {"command"};

}  // namespace

const Command command{"help",
                      "[COMMAND]",
                      "describes a command and its options",
                      "Without COMMAND, the command lists all commands.",
                      options,
                      positional,
                      run};

}  // namespace ldp::cli::help

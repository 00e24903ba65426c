// ldp attach [--adopt | --from-extension] [--dsn DSN | --print]

#include <iostream>
#include <string>
#include <vector>

#include "cli/attached/server_session.hpp"
#include "cli/command.hpp"
#include "cli/template.hpp"

namespace ldp::cli::attach {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options;
    options.add_options()("dsn", po::value<std::string>()->default_value(""), dsn_help)(
        "adopt",
        "change a database that ldp attach prepared to the extension; the role must be allowed to create the extension")(
        "from-extension", "change a database with the extension to the tables of ldp attach")(
        "print", "print the SQL script instead of running it");
    return options;
}

/// The script of the chosen change. The way back creates the same tables as attach.
std::string script_of(bool adopts, bool leaves) {
    if (adopts) return std::string(template_text("adopt.sql"));
    std::string attach(template_text("attach.sql"));
    if (!leaves) return attach;
    Fields fields;
    fields.values["attach"] = std::move(attach);
    return filled(template_text("from_extension.sql"), fields,
                  [](std::string_view text) { return std::string(text); });
}

int run(const Arguments& arguments) {
    const bool adopts = arguments.count("adopt") != 0, leaves = arguments.count("from-extension") != 0;
    if (adopts && leaves) throw UsageError("--adopt and --from-extension exclude each other");
    const std::string script = script_of(adopts, leaves);
    if (arguments.count("print") != 0) {
        if (!arguments["dsn"].defaulted())
            throw UsageError("--print uses no server and cannot be combined with --dsn");
        std::cout << script;
        return Exit::done;
    }
    ServerSession server(arguments["dsn"].as<std::string>());
    server.begin();
    const std::vector<std::string> lines = server.run_script(script);
    server.commit();
    for (const std::string& line : lines) std::cerr << line << "\n";
    if (!adopts && !leaves) std::cerr << "created the schemas ldp and ldp_internal\n";
    return Exit::done;
}

}  // namespace

const Command command{
    "attach",
    "[--adopt | --from-extension] [--dsn DSN | --print]",
    "prepares a database for collections without the extension",
    "Creates the tables and functions that clients call, in plain SQL, for a server on which the extension\n"
    "cannot be installed. The role needs only the right to create schemas. A new collection takes a spec in\n"
    "canonical form (ldp spec resolve). All clients and the endpoint send reports as usual. Then ldp refresh\n"
    "counts the reports, and ldp estimate shows the results. Option --adopt changes such a database to the extension:\n"
    "reports, claims of batches and summaries stay, and clients continue without a change. Option --from-extension is the\n"
    "way back. Both are one transaction, which changes everything or nothing. Option --print prints the script for an\n"
    "administrator, who can run it in one transaction: ldp attach --print | psql -1.",
    options,
    {},
    run};

}  // namespace ldp::cli::attach

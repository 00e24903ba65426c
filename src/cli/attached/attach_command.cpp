// ldp attach --print, or ldp attach [--dsn DSN]

#include <iostream>

#include "cli/attached/server_session.hpp"
#include "cli/command.hpp"
#include "cli/template.hpp"

namespace ldp::cli::attach {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options;
    options.add_options()(
        "dsn", po::value<std::string>()->default_value(""),
        "connection string; missing parameters come from PGHOST, PGDATABASE, ... and ~/.pgpass")(
        "print", "print the SQL script instead of running it");
    return options;
}

int run(const Arguments& arguments) {
    const std::string_view script = template_text("attach.sql");
    if (arguments.count("print") != 0) {
        if (!arguments["dsn"].defaulted())
            throw UsageError("--print uses no server and cannot be combined with --dsn");
        std::cout << script;
        return Exit::done;
    }
    ServerSession server(arguments["dsn"].as<std::string>());
    server.begin();
    server.run_script(std::string(script));
    server.commit();
    std::cerr << "created the schemas ldp and ldp_internal\n";
    return Exit::done;
}

}  // namespace

const Command command{
    "attach",
    "[--dsn DSN | --print]",
    "prepares a database for collections without the extension",
    "Creates the tables and functions that clients call, in plain SQL, for a server on which the extension\n"
    "cannot be installed. The role needs only the right to create schemas. A new collection takes a spec in\n"
    "canonical form (ldp spec resolve). All clients and the endpoint send reports as usual. Then ldp refresh\n"
    "counts the reports, and ldp estimate shows the results. Option --print prints the script for an administrator, who can\n"
    "run it in one transaction: ldp attach --print | psql -1.",
    options,
    {},
    run};

}  // namespace ldp::cli::attach

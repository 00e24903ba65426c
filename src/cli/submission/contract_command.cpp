// ldp contract --collection C [--to URL] | FILE

#include <iostream>

#include "cli/public_options.hpp"
#include "cli/submission/agreed_contract.hpp"
#include "cli/submission/destination.hpp"
#include "cli/terms_options.hpp"
#include "client/sqlite_store.hpp"

namespace ldp::cli::contract {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options;
    options.add_options()("file", po::value<std::string>())("collection", po::value<std::string>(),
                                                            "name of the collection")(
        "dsn", po::value<std::string>()->default_value(""), "connection string, as for submit")(
        "method", po::value<std::string>()->default_value("insert"), "as for submit")(
        "to", po::value<std::string>(), "address of an endpoint, as for submit")(
        "json", po::bool_switch(), "print the contract as JSON, with the spec and all texts");
    add_public_options(options);
    return options;
}

void print(const Contract& contract, bool json) {
    if (json)
        std::cout << contract.to_json() << "\n";
    else
        std::cout << contract.summary() << "\ndigest " << contract.digest() << "\n";
}

/// Shows what a collection offers, and how it differs from the contract of this user.
int show_offer(const Arguments& arguments) {
    submit::Destination destination(arguments, {});
    const auto& name = arguments["collection"].as<std::string>();
    const std::vector<NamedColumn> in_clear = public_option(arguments);
    ContractTerms terms;
    terms.in_clear.emplace();
    for (const NamedColumn& one : in_clear) terms.in_clear->insert(one.name);
    const Offer offer{destination.spec(), destination.public_columns(), destination.address(), name};
    const submit::Agreement agreement(submit::UserFolder(), destination.address(), name);
    const auto& agreed = agreement.agreed();
    const Verdict verdict = compare(agreed ? &*agreed : nullptr, terms, offer);
    print(verdict.contract, arguments["json"].as<bool>());
    using Kind = ContractChange::Kind;
    for (const Kind kind : {Kind::refuse, Kind::ask, Kind::shown})
        if (const std::string lines = verdict.lines(kind); !lines.empty())
            std::cerr << word_of(kind) << ":\n" << lines << "\n";
    return verdict.kind() >= Kind::ask ? exit_changed : Exit::done;
}

int run(const Arguments& arguments) {
    const bool of_file = arguments.count("file") != 0;
    if (of_file == (arguments.count("collection") != 0))
        throw UsageError("name either --collection or a state file");
    if (!of_file) return show_offer(arguments);
    const auto& name = arguments["file"].as<std::string>();
    need_state_file(name);
    const std::string json = SqliteStore(name).contract();
    if (json.empty())
        throw Error(ErrorCode::environment, "state file " + name + " has no contract",
                    "This release has not yet made a report with this file.");
    print(Contract::from_json(json), arguments["json"].as<bool>());
    return Exit::done;
}

constexpr const char* positional[] = {"file"};

}  // namespace

const Command command{
    "contract",
    "--collection NAME [OPTION...] | FILE",
    "shows the contract of a collection and its digest",
    "Shows the contract that a collection offers, or the contract of a state file: the answers, the\n"
    "mechanism, epsilon, the columns that are sent unchanged, and the digest. Nothing is drawn or sent,\n"
    "and no file changes. The owner of a collection can publish the digest through another channel than\n"
    "the server, for example in a letter; submit --contract DIGEST then refuses any other contract. Name\n"
    "the same --public columns as for submit, because they are part of the digest. If the collection\n"
    "differs from the contract of earlier files, the command prints the differences and exits with code\n"
    "6.",
    options,
    positional,
    run};

}  // namespace ldp::cli::contract

// ldp queue FILE

#include <cmath>
#include <iostream>
#include <map>

#include "cli/command.hpp"
#include "client/in_quotes.hpp"
#include "client/sqlite_store.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp::cli::queue {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options;
    options.add_options()("file", po::value<std::string>()->required())(
        "retry", po::bool_switch(), "queue the dead-lettered reports again; the next submission sends them")(
        "drop", po::bool_switch(), "delete the dead-lettered reports")(
        "resend", po::bool_switch(),
        "mark the delivered reports that --keep stored; the next submission sends them again")(
        "continue", po::bool_switch(),
        "continue after the server reported another copy of the file: queue the dead-lettered reports again");
    return options;
}

/// Returns the epsilon that another copy of the file may have spent, as a text.
std::string most_epsilon_of(const Store& store) {
    const std::string json = store.contract();
    if (json.empty()) return "of all its reports";
    const Contract contract = Contract::from_json(json);
    return std::isinf(contract.life_epsilon) ? shortest(contract.report_epsilon) + " for each of its reports"
                                             : shortest(contract.life_epsilon);
}

int run(const Arguments& arguments) {
    const auto& name = arguments["file"].as<std::string>();
    const bool retry = arguments["retry"].as<bool>(), drop = arguments["drop"].as<bool>();
    const bool go_on = arguments["continue"].as<bool>();
    const bool resend = arguments["resend"].as<bool>();
    if (retry + drop + go_on + resend > 1)
        throw UsageError("--retry, --drop, --resend and --continue cannot be combined");
    need_state_file(name);
    SqliteStore store(name);
    if (go_on) {
        std::cout << "another copy of this file may have spent up to epsilon " << most_epsilon_of(store)
                  << "; a new file would certainly spend it again\n"
                  << grouped(store.requeue_refused()) << " reports queued again\n";
    }
    if (resend) std::cout << grouped(store.send_again()) << " reports will be sent again\n";
    if (retry) std::cout << grouped(store.requeue_refused()) << " reports queued again\n";
    if (drop) std::cout << grouped(store.drop_refused()) << " reports dropped\n";

    const std::vector<Refused> refused = store.refused();
    std::cout << "waiting     " << grouped(store.pending()) << "\n"
              << "set aside   " << grouped(refused.size()) << "\n";
    if (const std::uint64_t kept = store.kept(); kept > 0)
        std::cout << "delivered   " << grouped(kept) << " kept\n";
    std::map<std::string_view, std::uint64_t> reasons;
    for (const Refused& one : refused) ++reasons[one.reason];
    for (const auto& [reason, count] : reasons)
        std::cout << "  " << grouped(count) << ": " << in_quotes(reason, 400) << "\n";
    return Exit::done;
}

constexpr const char* positional[] = {"file"};

}  // namespace

const Command command{
    "queue",
    "[--retry | --drop | --resend | --continue] FILE",
    "shows the reports that wait to be submitted",
    "Reads the state file of a submission or a client. Shows the number of waiting reports, and the\n"
    "number and causes of dead-lettered reports. Dead-lettered reports are damaged, or were rejected\n"
    "permanently by the server. They were not counted. After removing the cause, queue the rejected\n"
    "reports again with --retry, or delete them with --drop. If the server reported that another copy of\n"
    "the file is in use, --continue shows the epsilon that the other copy may have spent, and queues the\n"
    "reports again.\n"
    "The client must not have the file open.",
    options,
    positional,
    run};

}  // namespace ldp::cli::queue

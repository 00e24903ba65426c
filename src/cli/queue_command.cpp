// ldp queue FILE

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
        "drop", po::bool_switch(), "delete the dead-lettered reports");
    return options;
}

int run(const Arguments& arguments) {
    const auto& name = arguments["file"].as<std::string>();
    const bool retry = arguments["retry"].as<bool>(), drop = arguments["drop"].as<bool>();
    if (retry && drop) throw UsageError("--retry and --drop cannot be combined");
    need_state_file(name);
    SqliteStore store(name);
    if (retry) std::cout << grouped(store.requeue_refused()) << " reports queued again\n";
    if (drop) std::cout << grouped(store.drop_refused()) << " reports dropped\n";

    const std::vector<Refused> refused = store.refused();
    std::cout << "waiting     " << grouped(store.pending()) << "\n"
              << "set aside   " << grouped(refused.size()) << "\n";
    std::map<std::string_view, std::uint64_t> reasons;
    for (const Refused& one : refused) ++reasons[one.reason];
    for (const auto& [reason, count] : reasons)
        std::cout << "  " << grouped(count) << ": " << in_quotes(reason, 400) << "\n";
    if (store.memory().outdated)
        std::cout << "outdated    this file is older than the server's counts; its reports are not sent\n";
    return Exit::done;
}

constexpr const char* positional[] = {"file"};

}  // namespace

const Command command{"queue",
                      "[--retry | --drop] FILE",
                      "shows the reports that wait to be submitted",
                      "Reads the state file of a submission or a client. Shows the number of waiting "
                      "reports, and the number and the\n"
                      "causes of dead-lettered reports, which are damaged or which the server rejected "
                      "permanently. None of them was\n"
                      "counted. After removing the cause, queue the rejected reports again with --retry, or "
                      "delete them with --drop.\n"
                      "The client must not have the file open.",
                      options,
                      positional,
                      run};

}  // namespace ldp::cli::queue

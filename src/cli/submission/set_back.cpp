#include "cli/submission/set_back.hpp"

#include <charconv>
#include <iostream>

#include "cli/command.hpp"
#include "cli/submission/destination.hpp"
#include "client/in_quotes.hpp"
#include "core/base/text.hpp"

namespace ldp::cli::submit {

std::chrono::seconds keep_option(const std::string& text) {
    constexpr std::int64_t longest = std::int64_t{10} * 366 * 86400;
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [unit, error] = std::from_chars(text.data(), end, number);
    const std::string_view named(unit, static_cast<std::size_t>(end - unit));
    const std::int64_t seconds = named == "d"                                     ? 86400
                                 : named == "h"                                   ? 3600
                                 : named == "m"                                   ? 60
                                 : named == "s" || (named.empty() && number == 0) ? 1
                                                                                  : 0;
    if (error != std::errc() || seconds == 0 || number < 0 || number > longest / seconds)
        throw UsageError("--keep must be a time of at most ten years, such as 7d, 12h, 30m or 90s, not " +
                         in_quotes(text));
    return std::chrono::seconds(number * seconds);
}

void keep_and_resend(SqliteStore& store, Destination& destination) {
    const bool keeps = destination.keep().count() > 0;
    auto kept = store.next_again();
    const std::string route = keeps || kept ? destination.route() : std::string();
    store.keep_delivered(destination.keep(), route);
    std::uint64_t reports = 0, missing = 0;
    for (kept = store.next_again(); kept; kept = store.next_again()) {
        if (kept->route != route)
            throw Error(ErrorCode::environment, "delivered reports cannot be sent again by another route",
                        "They were delivered by " + kept->route + ", and would now be sent by " + route + ".",
                        "Send them by the first route: another server does not recognize their ids.");
        const std::size_t count = kept->batch.reports.size();
        try {
            const bool fresh = destination.transport().deliver(kept->batch);
            store.sent_again(*kept);
            missing += fresh ? count : 0;
        } catch (const Undelivered& why) {
            if (why.outcome() == BatchOutcome::outdated) throw;
            store.queue_again(*kept);
            missing += count;
        }
        reports += count;
    }
    if (reports > 0)
        std::cerr << grouped(reports) << " delivered reports were sent again: " << grouped(missing)
                  << " were missing, " << grouped(reports - missing) << " were counted before\n";
}

int noted_set_back(const Flushed& flushed, const SqliteStore& store, const std::string& state,
                   int exit_code) {
    if (!flushed.set_back) return exit_code;
    const std::uint64_t kept = store.kept();
    const Error error = server_set_back();
    std::cerr << "error: " << error.what() << "\ndetail: " << error.detail() << " The state file has "
              << grouped(kept) << " delivered reports.\n"
              << (kept > 0
                      ? "hint: ldp queue --resend " + state +
                            ", followed by the same command, sends them again. No report counts twice.\n"
                      : std::string(
                            "hint: With --keep 7d, the state file keeps the reports of the last week.\n"));
    return exit_code == Exit::done ? Exit::failed : exit_code;
}

}  // namespace ldp::cli::submit

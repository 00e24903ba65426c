// ldp submit --dsn D --collection C values.csv
//
// A submission can be resumed because one transaction of the state file covers each range of rows: it adds
// the range's reports to the outbox and moves the checkpoint behind the range. After any interruption, each
// row is randomized for one report, and each report is sent in a batch that counts once.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <utility>

#include "cli/progress.hpp"
#include "cli/submission/destination.hpp"
#include "cli/submission/journal.hpp"
#include "client/in_quotes.hpp"
#include "client/sqlite_store.hpp"
#include "core/base/text.hpp"

namespace ldp::cli::submit {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t largest_batch = 1000000;
constexpr const char* go_on =
    "Run the same command again: it resumes where it stopped, and no report is lost or counted twice.";
constexpr const char* go_on_then =
    "Then run the same command again: it resumes where it stopped, and no report is lost or counted twice.";

std::string with(const std::string& hint, const char* more) {
    return hint + (hint.empty() ? "" : " ") + more;
}

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("file", po::value<std::string>()->required())(
        "collection", po::value<std::string>()->required(), "name of the collection (required)")(
        "dsn", po::value<std::string>()->default_value(""),
        "connection string; missing parameters come from PGHOST, PGDATABASE, ... and ~/.pgpass")(
        "batch", po::value<std::int64_t>()->default_value(10000), "reports in a transaction")(
        "round", po::value<std::int32_t>()->default_value(0), "round of the reports")(
        "method", po::value<std::string>()->default_value("insert"),
        "insert (fastest) or call (of ldp_submit_batch)")(
        "to", po::value<std::string>(),
        "address of an endpoint (ldp collect), such as http://127.0.0.1:8417, instead of a database")(
        "state", po::value<std::string>(), "state file (default: FILE.COLLECTION.ldp)")(
        "retry-for", real_number(60),
        "seconds to retry if the server cannot be reached, is full or is busy; 0: no retries");
    add_record_options(options);
    return options;
}

/// Reads all records without sending any, and returns their number. A run that would stop at a bad row stops
/// before the first report is sent, so the file can be corrected and submitted from its start.
std::int64_t check(const InputFile& source, const Collection& collection, BadRow policy,
                   const ColumnMap& columns) {
    std::ifstream in;
    open(in, source.name);
    CsvReader csv(in, source.name);
    Records records(csv, collection.spec(), policy, columns, &std::cerr);
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, "checking " + source.name, "bytes",
                      static_cast<std::uint64_t>(source.size));
    constexpr std::uint64_t now_and_then = 1024;  // reading the clock takes as long as reading a row
    while (records.next([&](std::span<const Value> record) { return collection.to_grid(record); }))
        if (records.done() % now_and_then == 0) progress.update(csv.position().offset);
    return static_cast<std::int64_t>(records.done());
}

std::string default_state(const std::string& file, std::string collection) {
    std::ranges::replace(collection, '/', '_');
    return file + "." + collection + ".ldp";
}

/// The queue of a submission, and its rows.
struct Rows {
    std::function<std::uint64_t()> pending;  ///< returns the number of queued reports
    std::function<bool()> queue_more;        ///< queues at most a batch of rows; returns whether rows remain
    std::function<std::uint64_t()> done;     ///< returns the number of rows, or people, that were read
    bool more;                               ///< whether rows remain
};

/// Submits the file's rows, starting where an earlier run stopped. Deliveries run in a thread of their own.
/// Meanwhile this thread randomizes and queues the rows of the next batch, and prepares that batch.
void submit_rows(const InputFile& source, std::uint64_t total, Destination& destination, Flush flush,
                 Rows rows, std::size_t batch) {
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, "submitting " + source.name, "records", total);
    const Destination::NotifyScope scope(destination, [&](const std::string& line) { progress.say(line); });
    BatchTransport& transport = destination.transport();
    BatchTransport::Delivery ready;  // of the next batch, if it was prepared
    for (;;) {
        const std::optional<Batch>& next = flush.next();
        if (!next && !rows.more) return;
        std::future<bool> delivery;  // its destructor waits for the delivery
        if (next)
            delivery = std::async(std::launch::async, ready ? std::move(ready) : transport.prepare(*next));
        ready = nullptr;
        if (rows.more && rows.pending() <= batch) rows.more = rows.queue_more();
        if (const std::optional<Batch>& ahead = flush.ahead()) ready = transport.prepare(*ahead);
        if (next) try {
                flush.delivered(!delivery.get());
            } catch (const Undelivered& why) {
                if (!flush.undelivered(why)) throw;
                ready = nullptr;
            }
        progress.update(rows.done());
    }
}

/// Returns the exit code of a submission with an empty queue, and prints the refused reports.
int verdict(const Store& store, const std::string& state) {
    const std::vector<Refused> refused = store.refused();
    if (refused.empty()) return Exit::done;
    std::cerr << "error: " << grouped(refused.size()) << " of these reports were refused and not counted\n"
              << "detail: " << in_quotes(refused.front().reason, 400) << "\n"
              << "hint: ldp queue " << state << " lists these reports, and requeues or drops them.\n";
    return Exit::refused;
}

std::chrono::milliseconds retry_limit(const Arguments& arguments) {
    const double seconds = arguments["retry-for"].as<double>();
    if (!(seconds >= 0 && seconds <= 1e6))
        throw UsageError("--retry-for must be 0 to 1000000 seconds, not " + shortest(seconds));
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// Calls the function, and adds a hint on resuming to errors of the environment.
void send(const std::function<void()>& sending) {
    try {
        sending();
    } catch (const TransportFailure&) {
        throw;  // run() adds the hint
    } catch (const Error& error) {
        if (error.code() != ErrorCode::environment) throw;
        throw Error(error.code(), error.what(), error.detail(), with(error.hint(), go_on_then));
    }
}

int submit(const Arguments& arguments) {
    const BadRow policy = bad_row_policy(arguments);
    const Outside outside = outside_policy(arguments);
    const auto batch = arguments["batch"].as<std::int64_t>();
    if (batch < 1 || batch > largest_batch)
        throw UsageError("--batch must be 1 to " + std::to_string(largest_batch) + ", not " +
                         std::to_string(batch));
    const auto& name = arguments["collection"].as<std::string>();

    const InputFile source(arguments["file"].as<std::string>());
    RetryPolicy retry_policy;
    retry_policy.limit = retry_limit(arguments);
    Destination destination(arguments, retry_policy);
    const Collection collection(destination.spec(), outside);
    const ColumnMap columns =
        record_columns(arguments, collection.spec(), [&] { return destination.side_columns(); });
    const std::string state = arguments.count("state") != 0 ? arguments["state"].as<std::string>()
                                                            : default_state(source.name, name);

    std::optional<std::int64_t> total;
    if (!fs::exists(state)) total = check(source, collection, policy, columns);
    Client client(collection, SqliteStore(state));
    const auto round = arguments["round"].as<std::int32_t>();
    const SubmissionKey key{destination.target(), round, static_cast<std::int64_t>(columns.hash())};
    Journal journal(client.store(), "", key, collection.spec().attributes().size());
    const Journal::Commit commit = [&](std::span<const Checkpoint> checkpoints) {
        client.commit(round, checkpoints);
    };

    std::ifstream in;
    open(in, source.name);
    CsvReader csv(in, source.name);
    Records records(csv, collection.spec(), policy, columns);
    if (!journal.started()) {
        if (!total) total = check(source, collection, policy, columns);
        journal.start(source, *total, records, commit);
    }
    journal.check(source, state);

    if (journal.finished() && client.pending() == 0) {
        std::cerr << source.name << " was submitted to collection " << in_quotes(name)
                  << " before; nothing was sent now.\n"
                  << "Earlier submission: " << summary(journal.tally(), collection.spec(), "submitted")
                  << "\n"
                  << "Do not delete " << state
                  << " to submit again: every person would count twice and spend epsilon twice.\n";
        return verdict(client.store(), state);
    }
    records.resume(journal.position(), journal.tally());
    const auto most = static_cast<std::size_t>(batch);
    const auto queue_more = [&] {
        bool more = true;
        const auto stage = [&](std::span<const Value> record) {
            return client.stage(record, records.columns());
        };
        while (client.staged() < most && (more = records.next(stage))) continue;
        journal.advance(records, !more, commit);
        return more;
    };
    send([&] {
        submit_rows(source, journal.total(), destination, Flush(client, most),
                    {[&] { return client.pending(); }, queue_more, [&] { return records.done(); },
                     !journal.finished()},
                    most);
    });
    std::cerr << summary(records.tally(), collection.spec(), "submitted") << "\n";
    return verdict(client.store(), state);
}

int run(const Arguments& arguments) {
    try {
        return submit(arguments);
    } catch (const TransportFailure& failure) {
        if (failure.passing()) throw Unavailable(failure.code(), failure.what(), failure.detail(), go_on);
        throw Error(failure.code(), failure.what(), failure.detail(), with(failure.hint(), go_on_then));
    }
}

constexpr const char* positional[] = {"file"};

}  // namespace

const Command command{
    "submit",
    "--collection NAME [OPTION...] FILE",
    "randomizes a CSV file and submits the reports",
    "Fetches the collection's spec, checks every row, then randomizes the rows and submits the reports in\n"
    "batches. The true values never leave this machine. A state file beside the CSV file holds the queued\n"
    "reports. After any interruption, the same command resumes where it stopped: no row is randomized for\n"
    "two reports, no report is lost, and none is counted twice. The state file stays after the submission\n"
    "and prevents a second submission by mistake.\n"
    "--column also fills side columns of the collection. Their values are public: they are sent and stored\n"
    "as they are, without protection.\n"
    "Exit codes: 0 all reports submitted; 1 failure that needs attention; 3 all submitted except reports\n"
    "that the server refused (see ldp queue); 4 the server was unavailable for --retry-for seconds: run the\n"
    "same command again later.",
    options,
    positional,
    run};

}  // namespace ldp::cli::submit

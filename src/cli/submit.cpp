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
#include <pqxx/pqxx>
#include <utility>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "client/http/http_uploader.hpp"
#include "client/in_quotes.hpp"
#include "client/sqlite_store.hpp"
#include "client/uploader.hpp"
#include "core/base/text.hpp"

namespace ldp::cli::submit {

namespace {

namespace fs = std::filesystem;

const Choice<Uploader::Method> method_choice{
    "method", {{"insert", Uploader::Method::insert}, {"call", Uploader::Method::call}}};
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

/// A file, with the size and the hash of its content.
struct InputFile {
    explicit InputFile(std::string file) : name(std::move(file)) {
        if (!fs::is_regular_file(name) && fs::exists(name))
            throw Error(ErrorCode::environment, name + " is not a regular file", {},
                        "A submission can only be resumed from a file; write the values to one first.");
        std::ifstream in;
        open(in, name);
        ContentHash content;
        std::vector<char> buffer(std::size_t{1} << 16);
        while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
            content.add({buffer.data(), static_cast<std::size_t>(in.gcount())});
            size += in.gcount();
        }
        hash = static_cast<std::int64_t>(content.value());
    }
    std::string name;
    std::int64_t size = 0;
    std::int64_t hash = 0;
};

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

/// The progress of a submission, stored as checkpoints in the state file.
class Journal {
  public:
    Journal(Client& client, std::int32_t round, const ColumnMap& columns)
        : client_(client), round_(round), columns_(static_cast<std::int64_t>(columns.hash())) {
        for (std::size_t j = 0; j < client.clamped().attributes.size(); ++j)
            clamped_names_.push_back("tally.moved." + std::to_string(j));
    }

    [[nodiscard]] bool started() const { return client_.store().checkpoint("file.size").has_value(); }
    [[nodiscard]] bool finished() const { return read("finished") != 0; }
    [[nodiscard]] std::uint64_t total() const { return count("file.rows"); }

    void start(const InputFile& source, std::int64_t target, std::int64_t total, const Records& records) {
        std::vector<Checkpoint> checkpoints{{"file.size", source.size}, {"file.hash", source.hash},
                                            {"file.rows", total},       {"columns", columns_},
                                            {"target", target},         {"round", round_}};
        add_position(checkpoints, records, false);
        client_.commit(round_, checkpoints);
    }
    /// Throws Error (environment) if the arguments differ from those of start().
    void check(const InputFile& source, std::int64_t target, const std::string& state) const {
        const auto refuse = [&](const std::string& what, const std::string& detail) {
            throw Error(ErrorCode::environment, "state file " + state + " belongs to another " + what, detail,
                        "Name another state file with --state for another submission.");
        };
        if (read("file.size") != source.size || read("file.hash") != source.hash)
            refuse("content of " + source.name, "The file has changed since its submission began: it had " +
                                                    grouped(count("file.size")) + " bytes and now has " +
                                                    grouped(static_cast<std::uint64_t>(source.size)) + ".");
        if (read("target") != target)
            refuse("collection", "Its submission began for a collection of another name or creation time.");
        if (read("round") != round_)
            refuse("round", "Its submission uses round " + std::to_string(read("round")) + ".");
        if (read("columns") != columns_)
            refuse("kind of record", "Its submission began with another --column or --average-by.");
    }
    /// Queues the staged reports and moves the checkpoint behind their rows.
    void advance(const Records& records, bool finished) {
        std::vector<Checkpoint> checkpoints;
        add_position(checkpoints, records, finished);
        client_.commit(round_, checkpoints);
    }

    [[nodiscard]] Records::RecordPosition position() const {
        return {{count("at.offset"), count("at.line")}, count("at.person")};
    }
    [[nodiscard]] Tally tally() const {
        Tally tally{count("tally.rows"),
                    count("tally.skipped"),
                    count("tally.people"),
                    count("tally.people_skipped"),
                    {{}, count("tally.coefficients")}};
        for (const std::string& name : clamped_names_) tally.clamped.attributes.push_back(count(name));
        return tally;
    }

  private:
    [[nodiscard]] std::int64_t read(std::string_view name) const {
        return client_.store().checkpoint(name).value_or(0);
    }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return static_cast<std::uint64_t>(read(name));
    }
    void add_position(std::vector<Checkpoint>& checkpoints, const Records& records, bool finished) const {
        const auto add = [&](std::string_view name, std::uint64_t value) {
            checkpoints.push_back({name, static_cast<std::int64_t>(value)});
        };
        const auto [row, person] = records.position();
        const Tally& tally = records.tally();
        add("at.offset", row.offset);
        add("at.line", row.line);
        add("at.person", person);
        add("tally.rows", tally.rows);
        add("tally.skipped", tally.skipped);
        add("tally.coefficients", tally.clamped.coefficients);
        add("tally.people", tally.people);
        add("tally.people_skipped", tally.people_skipped);
        for (std::size_t j = 0; j < clamped_names_.size(); ++j)
            add(clamped_names_[j], tally.clamped.attributes[j]);
        add("finished", finished ? 1 : 0);
    }

    Client& client_;
    std::int32_t round_;
    std::int64_t columns_;  ///< hash of the column map
    std::vector<std::string> clamped_names_;
};

/// Returns a hash that identifies a collection by name and creation time. A collection of the same name in
/// another database, or a replacement, has another creation time. A dump and restore preserves it.
std::int64_t target(const std::string& created, const std::string& collection) {
    ContentHash hash;
    hash.add(created);
    hash.add(" ");
    hash.add(collection);
    return static_cast<std::int64_t>(hash.value());
}

std::string fetch_created(Connection& link, const std::string& collection) {
    return link.persist("looking the collection up", [&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        return pq::run(transaction,
                       "SELECT extract(epoch FROM created)::text FROM ldp_collections WHERE name = $1",
                       collection)[0][0]
            .as<std::string>();
    });
}

/// The collection's database or endpoint.
class Destination {
  public:
    Destination(const Arguments& arguments, const RetryPolicy& retry_policy)
        : database_(arguments["dsn"].as<std::string>(), retry_policy),
          name_(arguments["collection"].as<std::string>()) {
        const auto waiting = [this, notified = false](const Error& why, std::chrono::milliseconds) mutable {
            if (!std::exchange(notified, true)) notify_(std::string(why.what()) + "; retrying");
        };
        const Uploader::Method method = method_choice.chosen(arguments);
        if (arguments.count("to") == 0) {
            database_.on_waiting(waiting);
            transport_ = std::make_unique<Uploader>(database_, name_, method);
            return;
        }
        if (!arguments["dsn"].defaulted() || !arguments["method"].defaulted())
            throw UsageError("--to is for an endpoint, --dsn and --method are for a database");
        endpoint_.emplace(arguments["to"].as<std::string>(), retry_policy);
        endpoint_->on_waiting(waiting);
        transport_ = std::make_unique<HttpUploader>(*endpoint_, name_);
    }
    // The handler `waiting` holds `this`.
    Destination(const Destination&) = delete;
    Destination& operator=(const Destination&) = delete;
    ~Destination() = default;

    using Notify = std::function<void(const std::string&)>;
    /// Replaces the handler of messages about retries during its own lifetime. The handler is called in the
    /// thread that waits.
    class NotifyScope {
      public:
        NotifyScope(Destination& destination, Notify handler)
            : current_(destination.notify_), before_(std::exchange(current_, std::move(handler))) {}
        NotifyScope(const NotifyScope&) = delete;
        NotifyScope& operator=(const NotifyScope&) = delete;
        ~NotifyScope() { current_.swap(before_); }

      private:
        Notify& current_;
        Notify before_;
    };

    [[nodiscard]] Spec spec() {
        return endpoint_ ? fetch_spec(*endpoint_, name_) : fetch_spec(database_, name_);
    }
    [[nodiscard]] std::int64_t target() {
        return submit::target(
            endpoint_ ? ldp::fetch_created(*endpoint_, name_) : fetch_created(database_, name_), name_);
    }
    [[nodiscard]] BatchTransport& transport() { return *transport_; }

  private:
    Connection database_;
    std::optional<HttpConnection> endpoint_;
    std::string name_;
    std::unique_ptr<BatchTransport> transport_;
    Notify notify_ = [](const std::string& line) { std::cerr << line << "\n"; };
};

std::string default_state(const std::string& file, std::string collection) {
    std::ranges::replace(collection, '/', '_');
    return file + "." + collection + ".ldp";
}

/// Submits the file's rows, starting where an earlier run stopped. Deliveries run in a thread of their own.
/// Meanwhile this thread randomizes and queues the rows of the next batch, and prepares that batch.
void submit_rows(const InputFile& source, Client& client, Destination& destination, Records& records,
                 Journal& journal, std::size_t batch) {
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, "submitting " + source.name, "records",
                      journal.total());
    const Destination::NotifyScope scope(destination, [&](const std::string& line) { progress.say(line); });
    BatchTransport& transport = destination.transport();
    const auto stage = [&](std::span<const Value> record) { return client.stage(record); };
    Flush flush(client, batch);
    BatchTransport::Delivery ready;  // of the next batch, if it was prepared
    for (bool more = !journal.finished();;) {
        const std::optional<Batch>& next = flush.next();
        if (!next && !more) return;
        std::future<bool> delivery;  // its destructor waits for the delivery
        if (next)
            delivery = std::async(std::launch::async, ready ? std::move(ready) : transport.prepare(*next));
        ready = nullptr;
        if (more && client.pending() <= batch) {
            while (client.staged() < batch && (more = records.next(stage))) continue;
            journal.advance(records, !more);
        }
        if (const std::optional<Batch>& ahead = flush.ahead()) ready = transport.prepare(*ahead);
        if (next) try {
                flush.delivered(!delivery.get());
            } catch (const Undelivered& why) {
                if (!flush.undelivered(why)) throw;
                ready = nullptr;
            }
        progress.update(records.done());
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
    const ColumnMap columns = record_columns(arguments, collection.spec());
    const std::string state = arguments.count("state") != 0 ? arguments["state"].as<std::string>()
                                                            : default_state(source.name, name);

    std::optional<std::int64_t> total;
    if (!fs::exists(state)) total = check(source, collection, policy, columns);
    Client client(collection, SqliteStore(state));
    Journal journal(client, arguments["round"].as<std::int32_t>(), columns);

    std::ifstream in;
    open(in, source.name);
    CsvReader csv(in, source.name);
    Records records(csv, collection.spec(), policy, columns);
    const std::int64_t target = destination.target();
    if (!journal.started()) {
        if (!total) total = check(source, collection, policy, columns);
        journal.start(source, target, *total, records);
    }
    journal.check(source, target, state);

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
    try {
        submit_rows(source, client, destination, records, journal, static_cast<std::size_t>(batch));
    } catch (const TransportFailure&) {
        throw;  // run() adds the hint
    } catch (const Error& error) {
        if (error.code() != ErrorCode::environment) throw;
        throw Error(error.code(), error.what(), error.detail(), with(error.hint(), go_on_then));
    }
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
    "Exit codes: 0 all reports submitted; 1 failure that needs attention; 3 all submitted except reports\n"
    "that the server refused (see ldp queue); 4 the server was unavailable for --retry-for seconds: run the\n"
    "same command again later.",
    options,
    positional,
    run};

}  // namespace ldp::cli::submit

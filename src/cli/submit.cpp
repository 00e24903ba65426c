// ldp submit --dsn D --collection C values.csv
//
// Everything that makes a submission resumable is in one transaction of the state file: a stretch of rows
// becomes reports in the outbox in the same step that moves the mark behind those rows. So whatever is
// interrupted, each row is randomized for one report, and each report leaves in a batch that counts once.

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

const Words<Uploader::Method> method_words{
    "method", {{"insert", Uploader::Method::insert}, {"call", Uploader::Method::call}}};
constexpr std::int64_t largest_batch = 1000000;
constexpr const char* go_on =
    "Run the same command again: it goes on where it stopped, and nothing is lost or counted twice.";
constexpr const char* go_on_then =
    "When that is done, the same command goes on where it stopped: nothing is lost or counted twice.";

std::string with(const std::string& hint, const char* more) {
    return hint + (hint.empty() ? "" : " ") + more;
}

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("file", po::value<std::string>()->required())(
        "collection", po::value<std::string>()->required(), "name of the collection (required)")(
        "dsn", po::value<std::string>()->default_value(""),
        "connection string; what it leaves out comes from PGHOST, PGDATABASE, ... and ~/.pgpass")(
        "batch", po::value<std::int64_t>()->default_value(10000), "reports in a transaction")(
        "round", po::value<std::int32_t>()->default_value(0), "round that the reports are filed under")(
        "method", po::value<std::string>()->default_value("insert"),
        "insert (fastest) or call (of ldp_submit_batch)")(
        "to", po::value<std::string>(),
        "address of an endpoint (ldp collect), such as http://127.0.0.1:8417, in place of a database")(
        "state", po::value<std::string>(), "state file (default: FILE.COLLECTION.ldp)")(
        "retry-for", real_number(60),
        "seconds to keep trying where the server cannot be reached, is full or is busy; 0: not at all");
    add_record_options(options);
    return options;
}

/// A file and what it held when it was looked at.
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

/// The file's records, read once without sending anything: a run that is going to stop at a bad row stops
/// before the first report leaves, and the file can be corrected and submitted from its start. Returns how
/// many there are.
std::int64_t check(const InputFile& source, const Collection& collection, BadRow policy,
                   const Columns& columns) {
    std::ifstream in;
    open(in, source.name);
    CsvReader csv(in, source.name);
    Records records(csv, collection.spec(), policy, columns, &std::cerr);
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, "checking " + source.name, "bytes",
                      static_cast<std::uint64_t>(source.size));
    constexpr std::uint64_t now_and_then = 1024;  // the clock takes as long to look at as a row
    while (records.next([&](std::span<const Value> record) { return collection.place(record); }))
        if (records.done() % now_and_then == 0) progress.update(csv.place().offset);
    return static_cast<std::int64_t>(records.done());
}

/// What the state file remembers beside the reports.
class Journal {
  public:
    Journal(Client& client, std::int32_t round, const Columns& columns)
        : client_(client), round_(round), columns_(static_cast<std::int64_t>(columns.hash())) {
        for (std::size_t j = 0; j < client.clamped().attributes.size(); ++j)
            clamped_names_.push_back("tally.moved." + std::to_string(j));
    }

    [[nodiscard]] bool started() const { return client_.store().mark("file.size").has_value(); }
    [[nodiscard]] bool finished() const { return read("finished") != 0; }
    [[nodiscard]] std::uint64_t total() const { return count("file.rows"); }

    void start(const InputFile& source, std::int64_t target, std::int64_t total, const Records& records) {
        std::vector<Mark> marks{{"file.size", source.size}, {"file.hash", source.hash}, {"file.rows", total},
                                {"columns", columns_},      {"target", target},         {"round", round_}};
        add_position(marks, records, false);
        client_.commit(round_, marks);
    }
    /// Throws Error (environment) unless this is what start() was told.
    void check(const InputFile& source, std::int64_t target, const std::string& state) const {
        const auto refuse = [&](const std::string& what, const std::string& detail) {
            throw Error(ErrorCode::environment, "state file " + state + " belongs to another " + what, detail,
                        "Use --state with another name for another submission.");
        };
        if (read("file.size") != source.size || read("file.hash") != source.hash)
            refuse("content of " + source.name,
                   "The file has changed since its submission began, with " + grouped(count("file.size")) +
                       " bytes then and " + grouped(static_cast<std::uint64_t>(source.size)) + " now.");
        if (read("target") != target)
            refuse("collection", "It was begun for one of another name, or created at another time.");
        if (read("round") != round_)
            refuse("round", "Its submission is filed under round " + std::to_string(read("round")) + ".");
        if (read("columns") != columns_)
            refuse("kind of record", "Its submission was begun with another --column or --average-by.");
    }
    /// Queues what is staged and moves behind it.
    void advance(const Records& records, bool finished) {
        std::vector<Mark> marks;
        add_position(marks, records, finished);
        client_.commit(round_, marks);
    }

    [[nodiscard]] Records::RecordPosition place() const {
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
        return client_.store().mark(name).value_or(0);
    }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return static_cast<std::uint64_t>(read(name));
    }
    void add_position(std::vector<Mark>& marks, const Records& records, bool finished) const {
        const auto add = [&](std::string_view name, std::uint64_t value) {
            marks.push_back({name, static_cast<std::int64_t>(value)});
        };
        const auto [row, person] = records.place();
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
    std::int64_t columns_;  ///< which make a record
    std::vector<std::string> clamped_names_;
};

/// Identifies where reports go. A collection of the same name in another database, or one that took its
/// place, was created at another time; one that was dumped and restored keeps its own.
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

/// The way to a database or to an endpoint, and what is known there of the collection.
class Destination {
  public:
    Destination(const Arguments& arguments, const RetryPolicy& retry_policy)
        : database_(arguments["dsn"].as<std::string>(), retry_policy),
          name_(arguments["collection"].as<std::string>()) {
        const auto waiting = [this, told = false](const Error& why, std::chrono::milliseconds) mutable {
            if (!std::exchange(told, true)) tell_(std::string(why.what()) + "; trying again");
        };
        const Uploader::Method method = method_words.chosen(arguments);
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
    // What waits tells it by `this`.
    Destination(const Destination&) = delete;
    Destination& operator=(const Destination&) = delete;
    ~Destination() = default;

    using Tell = std::function<void(const std::string&)>;
    /// Says who is told, in the thread that waits, that it has to; as long as it lives, then who was before.
    class Telling {
      public:
        Telling(Destination& destination, Tell whom)
            : told_(destination.tell_), before_(std::exchange(told_, std::move(whom))) {}
        Telling(const Telling&) = delete;
        Telling& operator=(const Telling&) = delete;
        ~Telling() { told_.swap(before_); }

      private:
        Tell& told_;
        Tell before_;
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
    Tell tell_ = [](const std::string& line) { std::cerr << line << "\n"; };
};

std::string default_state(const std::string& file, std::string collection) {
    std::ranges::replace(collection, '/', '_');
    return file + "." + collection + ".ldp";
}

/// Brings the file's rows to the server, from wherever an earlier run left off. While a batch is on its way,
/// the rows of the next one are drawn and queued, and it is named and made ready to be sent: deliveries have
/// a thread, and the client this one.
void submit_rows(const InputFile& source, Client& client, Destination& destination, Records& records,
                 Journal& journal, std::size_t batch) {
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, "submitting " + source.name, "records",
                      journal.total());
    const Destination::Telling telling(destination, [&](const std::string& line) { progress.say(line); });
    BatchTransport& transport = destination.transport();
    const auto stage = [&](std::span<const Value> record) { return client.stage(record); };
    Flush flush(client, batch);
    BatchTransport::Delivery ready;  // of the next batch, if that was known already
    for (bool more = !journal.finished();;) {
        const std::optional<Batch>& next = flush.next();
        if (!next && !more) return;
        std::future<bool> delivery;  // whatever happens here, it is waited for
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

/// The exit code of a submission of which nothing waits any more; says what was refused.
int verdict(const Store& store, const std::string& state) {
    const std::vector<Refused> refused = store.refused();
    if (refused.empty()) return Exit::done;
    std::cerr << "error: " << grouped(refused.size()) << " of these reports were refused and not counted\n"
              << "detail: " << in_quotes(refused.front().reason, 400) << "\n"
              << "hint: They were set aside: ldp queue " << state
              << " lists them, and has them sent again or dropped.\n";
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
    const Columns columns = record_columns(arguments, collection.spec());
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
                  << "That time: " << summary(journal.tally(), collection.spec(), "submitted") << "\n"
                  << "Who deletes " << state
                  << " and submits again counts everyone twice and spends epsilon twice.\n";
        return verdict(client.store(), state);
    }
    records.resume(journal.place(), journal.tally());
    try {
        submit_rows(source, client, destination, records, journal, static_cast<std::size_t>(batch));
    } catch (const TransportFailure&) {
        throw;  // run() says how to go on
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
    "batches; the true values never leave this machine. A state file beside the CSV file keeps what is on "
    "its\n"
    "way. After an interruption of any kind, the same command goes on where it stopped: no row is "
    "randomized\n"
    "for two reports, no report is lost, and none is counted twice. When all is submitted the state file "
    "stays,\n"
    "as the record that prevents a second submission by mistake.\n"
    "Exit codes: 0 all submitted; 1 failed, somebody has to look; 3 all but some that the server refused, "
    "see\n"
    "ldp queue; 4 the server could not be had for --retry-for seconds: run the same command again later.",
    options,
    positional,
    run};

}  // namespace ldp::cli::submit

// ldp submit --dsn D --collection C values.csv
// Length: one submission, whose steps share the journal and the destination.
//
// A submission can be resumed because one transaction of the state file covers each range of rows: it adds
// the range's reports to the outbox and moves the checkpoint behind the range. After any interruption, each
// row is randomized for one report, and each report is sent in a batch that counts once.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <utility>

#include "cli/file_options.hpp"
#include "cli/input/people_file.hpp"
#include "cli/progress.hpp"
#include "cli/submission/agreed_contract.hpp"
#include "cli/submission/destination.hpp"
#include "cli/submission/journal.hpp"
#include "cli/submission/panel.hpp"
#include "cli/submission/set_back.hpp"
#include "cli/submission/value_check.hpp"
#include "cli/terms_options.hpp"
#include "client/fleet/sqlite_ledger.hpp"
#include "client/in_quotes.hpp"
#include "client/sqlite_store.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"

namespace ldp::cli::submit {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t largest_batch = 1000000;
/// A batch has one value of each public column. With public columns, this number of rows is randomized before the
/// first of them is sent, so that rows with equal values fill their batches in any order of the file.
constexpr std::size_t most_rows_ahead = 500000;
/// With public columns, this number of reports is queued in the state file before the first of them is sent. The store
/// brings reports with equal columns together, so the batches are those of all queued reports.
constexpr std::size_t most_queued_ahead = 4 * most_rows_ahead;
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
        "dsn", po::value<std::string>()->default_value(""), dsn_help)(
        "batch", po::value<std::int64_t>()->default_value(10000), "number of reports per transaction")(
        "round", po::value<std::string>()->default_value("0"),
        "round of the reports; with --person, a round or the name of the column with the round")(
        "person", po::value<std::string>(),
        "column that identifies the person, for values that change; the state file contains the memoized "
        "responses")("method", po::value<std::string>()->default_value("insert"),
                     "insert (fastest) or call (uses ldp_submit_batch)")(
        "to", po::value<std::string>(),
        "address of an endpoint (ldp collect), such as http://127.0.0.1:8417, instead of a database")(
        "ledger", po::value<std::string>(),
        "file with the ledger of the group whose budget pays for the reports; all collections of the "
        "group share it")(
        "state", po::value<std::string>(),
        "state file (default: FILE.COLLECTION.ldp; with --person COLLECTION.panel.ldp in the same folder)")(
        "keep", po::value<std::string>()->default_value("0"),
        "time for which delivered reports stay in the state file, such as 7d or 12h, so that ldp queue --resend can send "
        "them again")("copy", po::bool_switch(),
                      "submit the file although the same content was submitted before")(
        "retry-for", real_number(60),
        "seconds to retry if the server cannot be reached, is full or is busy; 0: no retries");
    add_file_options(options);
    add_record_options(options);
    add_public_options(options);
    add_terms_options(options);
    options.add_options()(
        "spec", po::value<std::string>(),
        "a file with the spec, or the JSON itself, from a source other than the server; any other spec or "
        "text is refused")("accept", po::value<std::string>(),
                           "digest of a changed contract that you accept, at least 16 digits");
    return options;
}

/// A submission: its file, its collection and its options.
struct Submission {
    const UserFolder& user;
    const InputFile& source;
    const Collection& collection;
    BadRow policy;
    const ColumnMap& columns;
    std::int32_t round;  ///< of all rows, unless the file has a column of rounds
    std::size_t batch;
    std::string state;
    CsvFormat format;
    std::string ledger;  ///< file with the ledger of the spec's group; empty without a group
    bool copy;           ///< whether the file may be a copy of one that was submitted before
    Agreement& agreement;
    std::string accepted;  ///< digest of a changed contract that the user accepts; may be empty
    ValueCheck& values;

    /// Returns the number of rows that are queued in one step.
    [[nodiscard]] std::size_t rows_ahead() const noexcept {
        return columns.filled.empty() ? batch : std::max(batch, most_rows_ahead);
    }
};

/// Reads all records without sending any, and returns their number. A run that would stop at a bad row stops
/// before the first report is sent, so the file can be corrected and submitted from its start. `panel` has
/// the state of a panel; null if its state file does not exist.
std::int64_t check(const Submission& submission, Panel* panel = nullptr) {
    const auto& [user, source, collection, policy, columns, round, batch, state, format, ledger, copy,
                 agreement, accepted, values] = submission;
    PeopleFile file(source.name, format);
    CsvReader& csv = file.rows();
    Records records(csv, collection.spec(), policy, columns, &std::cerr);
    RoundCheck rounds(collection, panel);
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, "checking " + source.name, "bytes", source.size);
    constexpr std::uint64_t now_and_then = 1024;  // reading the clock takes as long as reading a row
    const auto take = [&](std::span<const Value> record) {
        auto taken = submission.collection.to_grid(record);
        if (!submission.columns.panel_person.empty())
            rounds.check(records.person(), records.round().value_or(submission.round));
        return taken;
    };
    while (records.next(take)) {
        values.add(records.columns(), records.line());
        values.ask(csv, policy, false);
        if (records.done() % now_and_then == 0 && csv.format().codebook == nullptr)
            progress.update(csv.position().offset);
    }
    values.ask(csv, policy, true);
    return static_cast<std::int64_t>(records.done());
}

/// Refuses to send a column in clear that has the values of an attribute. Also refuses a public column with the name of an
/// attribute, because the owner of the collection could add it.
void check_clear(const std::vector<NamedColumn>& named, const ColumnMap& columns, const Spec& spec) {
    for (const auto& [name, source] : named)
        for (const Attribute& attribute : spec.attributes()) {
            const std::vector<std::string> sources = columns.sources(attribute);
            if (name != attribute.name &&
                (attribute.derived() || std::ranges::find(sources, source) == sources.end()))
                continue;
            throw Error(
                ErrorCode::incompatible,
                "--public would send the values of attribute " + in_quotes(attribute.name, 63) + " unchanged",
                "The column " + in_quotes(source, 63) + " of the file would fill the public column " +
                    in_quotes(name, 63) + ".",
                "Nothing was drawn or sent. A column is either randomized or sent unchanged.");
        }
}

/// Refuses an offer with another spec, or with other texts, than the spec that the user has.
void check_spec(const std::string& text, const Offer& offer, const ContractTerms& terms) {
    const Contract mine = Contract::of({resolve(text)}, terms), offered = Contract::of(offer, terms);
    if (mine.digest() == offered.digest()) return;
    const Verdict verdict = compare(&mine, terms, offer);
    throw Error(ErrorCode::incompatible, "the spec of the collection differs from --spec",
                verdict.lines(ContractChange::Kind::refuse) + verdict.lines(ContractChange::Kind::ask) +
                    verdict.lines(ContractChange::Kind::shown),
                "Nothing was drawn or sent. Ask the owner of the collection about the difference, through "
                "another channel than this server.");
}

std::int64_t hash_of(const std::string& text) {
    if (text.empty()) return 0;
    ContentHash hash;
    hash.add(text);
    return static_cast<std::int64_t>(hash.value());
}

std::string default_state(const std::string& file, std::string collection) {
    std::ranges::replace(collection, '/', '_');
    return file + "." + collection + ".ldp";
}

/// People report for years, so their state is not that of one file.
std::string panel_state(const std::string& file, std::string collection) {
    std::ranges::replace(collection, '/', '_');
    return (fs::path(file).parent_path() / (collection + ".panel.ldp")).string();
}

/// The queue of a submission, and its rows.
struct Rows {
    std::function<std::uint64_t()> pending;  ///< returns the number of queued reports
    std::function<bool()> queue_more;        ///< queues at most a batch of rows; returns whether rows remain
    std::function<std::uint64_t()> done;     ///< returns the number of rows, or people, that were read
    bool more;                               ///< whether rows remain
    std::size_t ahead = 0;                   ///< number of reports that are queued before a batch is sent
};

/// Submits the file's rows, starting where an earlier run stopped. Deliveries run in a thread of their own.
/// Meanwhile this thread randomizes and queues the rows of the next batch, and prepares that batch.
/// Returns what was sent.
Flushed submit_rows(const InputFile& source, std::uint64_t total, Destination& destination, Flush flush,
                    Rows rows, std::size_t batch) {
    Progress progress(std::cerr, isatty(STDERR_FILENO) == 1, "submitting " + source.name, "records", total);
    const Destination::NotifyScope scope(destination, [&](const std::string& line) { progress.say(line); });
    BatchTransport& transport = destination.transport();
    BatchTransport::Delivery ready;  // of the next batch, if it was prepared
    for (;;) {
        const std::optional<Batch>& next = flush.next();
        if (!next && !rows.more) return flush.done();
        std::future<bool> delivery;  // its destructor waits for the delivery
        if (next)
            delivery = std::async(std::launch::async, ready ? std::move(ready) : transport.prepare(*next));
        ready = nullptr;
        if (rows.pending() <= batch)
            while (rows.more) {
                rows.more = rows.queue_more();
                progress.update(rows.done());
                if (rows.pending() >= rows.ahead) break;
            }
        if (const std::optional<Batch>& ahead = flush.ahead()) ready = transport.prepare(*ahead);
        if (next) try {
                const bool fresh = delivery.get();
                flush.delivered(!fresh, transport.history());
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

/// Reports that all rows of the file were submitted by an earlier run.
int repeated(const Submission& submission, const Journal& journal, const Store& store,
             const std::string& name) {
    std::cerr << submission.source.name << " was submitted to collection " << in_quotes(name)
              << " before; nothing was sent now.\n"
              << "Earlier submission: " << summary(journal.tally(), submission.collection.spec(), "submitted")
              << "\n"
              << "Do not delete " << submission.state
              << " to submit again: every person would count twice and spend epsilon twice.\n";
    return verdict(store, submission.state);
}

/// Submits rows that are each a record of a different person, or averages of people.
int submit_records(const Submission& submission, Destination& destination, const SubmissionKey& key,
                   const std::string& name) {
    const auto& [user, source, collection, policy, columns, round, most, state, format, ledger, copy,
                 agreement, accepted, values] = submission;
    std::optional<std::int64_t> total;
    if (!fs::exists(state)) {
        if (!copy) refuse_copy(user, source, key, state);
        total = check(submission);
    }
    auto owned = std::make_unique<SqliteStore>(state);
    SqliteStore& kept = *owned;
    Client client(collection, std::move(owned));
    if (client.waiting() != nullptr && !accepted.empty()) client.accept(accepted);
    Journal journal(client.store(), user, "", key, collection.spec().attributes().size());
    const Journal::Commit commit = [&](std::span<const Checkpoint> checkpoints) {
        client.commit(submission.round, checkpoints);
    };

    PeopleFile file(source.name, format);
    CsvReader& csv = file.rows();
    Records records(csv, collection.spec(), policy, columns);
    if (!journal.started()) {
        if (!total) total = check(submission);
        claim_submission(user, source, key, state, copy);
        agreement.keep();
        journal.start(source, *total, records, commit);
    }
    journal.check(source, state);
    // Of an earlier run, the values that the server refused are not kept.
    if (!total && policy == BadRow::skip && !columns.filled.empty() && !journal.finished()) check(submission);
    records.refuse_values(values.refused());
    send([&] { keep_and_resend(kept, destination); });
    if (journal.finished() && client.pending() == 0)
        return repeated(submission, journal, client.store(), name);

    records.resume(journal.position(), journal.tally());
    const auto queue_more = [&] {
        bool more = true;
        const auto stage = [&](std::span<const Value> record) {
            return client.stage(record, records.columns());
        };
        while (client.staged() < submission.rows_ahead() && (more = records.next(stage))) continue;
        journal.advance(records, !more, commit);
        return more;
    };
    Flushed flushed;
    send([&] {
        flushed = submit_rows(source, journal.total(), destination, Flush(client, submission.batch),
                              {[&] { return client.pending(); }, queue_more, [&] { return records.done(); },
                               !journal.finished(), columns.filled.empty() ? 0 : most_queued_ahead},
                              submission.batch);
    });
    std::cerr << summary(records.tally(), collection.spec(), "submitted") << "\n" << records.reasons();
    return records.exit_code(noted_set_back(flushed, kept, state, verdict(client.store(), state)));
}

/// Submits rows of people who report repeatedly. The state file serves all files of the panel. The names of
/// its checkpoints contain a code of the file and of the round under the user's secret, because files of two rounds may be equal.
int submit_panel(const Submission& submission, Destination& destination, const SubmissionKey& key,
                 const std::string& name) {
    const auto& [user, source, collection, policy, columns, round, most, state, format, ledger_file, copy,
                 agreement, accepted, values] = submission;
    std::shared_ptr<BudgetLedger> ledger;
    if (!ledger_file.empty()) ledger = std::make_shared<SqliteLedger>(ledger_file);
    std::optional<std::int64_t> total;
    if (!fs::exists(state)) {
        if (!copy) refuse_copy(user, source, key, state);
        total = check(submission);
        std::cerr << "The new state file " << state
                  << " starts without memoized responses; use this file for all later rounds.\n";
    }
    Panel panel(collection, state, ledger, accepted);
    Store& queue = panel.queue();
    const std::int64_t id = user.number("panel", {source.code_text(), std::to_string(key.round)});
    Journal journal(queue, user, std::to_string(id) + ".", key, collection.spec().attributes().size());
    constexpr const char* unfinished = "panel.unfinished";
    bool finished = false;
    const Journal::Commit commit = [&](std::span<const Checkpoint> checkpoints) {
        std::vector<Checkpoint> all(checkpoints.begin(), checkpoints.end());
        all.push_back({unfinished, finished ? 0 : id});
        queue.append({}, 0, all);
    };

    PeopleFile file(source.name, format);
    CsvReader& csv = file.rows();
    Records records(csv, collection.spec(), policy, columns);
    if (!journal.started()) {
        if (queue.checkpoint(unfinished).value_or(0) != 0)
            throw Error(
                ErrorCode::environment, "the submission of another file is unfinished",
                "State file " + state + " has rows of a file whose submission was interrupted.",
                "Run the earlier command again first. The rounds of a person must be in ascending order.");
        if (!total) total = check(submission, &panel);
        claim_submission(user, source, key, state, copy);
        agreement.keep();
        journal.start(source, *total, records, commit);
    }
    journal.check(source, state);
    // Of an earlier run, the values that the server refused are not kept.
    if (!total && policy == BadRow::skip && !columns.filled.empty() && !journal.finished()) check(submission);
    records.refuse_values(values.refused());
    auto& kept = dynamic_cast<SqliteStore&>(queue);
    send([&] { keep_and_resend(kept, destination); });
    if (journal.finished() && panel.pending() == 0) return repeated(submission, journal, queue, name);

    records.resume(journal.position(), journal.tally());
    PanelCount count = records.tally().panel.value_or(PanelCount{});
    panel.resume(count.spent, count.memoized);
    const auto take = [&](std::span<const Value> record) {
        return panel.report(records.person(), records.round().value_or(submission.round), record,
                            records.columns());
    };
    const auto queue_more = [&] {
        bool more = true;
        panel.together([&] {
            const std::uint64_t rows = records.done(), queued = panel.pending();
            while (records.done() - rows < submission.rows_ahead() && (more = records.next(take))) continue;
            count = {count.reports + panel.pending() - queued, panel.spent(), panel.memoized()};
            records.count_panel(count);
            finished = !more;
            journal.advance(records, finished, commit);
        });
        return more;
    };
    BatchSize batch_size;
    Flushed flushed;
    send([&] {
        flushed =
            submit_rows(source, journal.total(), destination, Flush(queue, batch_size, submission.batch),
                        {[&] { return panel.pending(); }, queue_more, [&] { return records.done(); },
                         !journal.finished()},
                        submission.batch);
    });
    std::cerr << summary(records.tally(), collection.spec(), "submitted") << "\n" << records.reasons();
    return records.exit_code(noted_set_back(flushed, kept, state, verdict(queue, state)));
}

/// The round of all rows, or the column of the round.
struct RoundOption {
    std::int32_t number = 0;
    std::string column = {};
};
RoundOption round_option(const Arguments& arguments) {
    const auto& given = arguments["round"].as<std::string>();
    RoundOption round;
    const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), round.number);
    if (problem == std::errc() && end == given.data() + given.size()) return round;
    if (arguments.count("person") == 0 || given.empty())
        throw UsageError("--round must be an integer, or with --person the name of a column, not " +
                         in_quotes(given));
    return {0, given};
}

/// Returns the file with the ledger of the spec's group or of the people of a panel; empty without a ledger.
std::string ledger_option(const Arguments& arguments, const Spec& spec) {
    const bool given = arguments.count("ledger") != 0;
    const bool needed = spec.budget() && spec.budget()->group;
    if (given && !needed && arguments.count("person") == 0)
        throw UsageError("without --person, --ledger is for specs whose budget belongs to a group");
    if (needed && !given)
        throw UsageError("the budget of this collection belongs to the group " +
                         in_quotes(spec.budget()->group->name) +
                         ": name the file with its ledger, --ledger FILE");
    return given ? arguments["ledger"].as<std::string>() : std::string();
}

int submit(const Arguments& arguments) {
    const BadRow policy = bad_row_policy(arguments);
    const Outside outside = outside_policy(arguments);
    const auto batch = arguments["batch"].as<std::int64_t>();
    if (batch < 1 || batch > largest_batch)
        throw UsageError("--batch must be 1 to " + std::to_string(largest_batch) + ", not " +
                         std::to_string(batch));
    const RoundOption round = round_option(arguments);
    const bool is_panel = arguments.count("person") != 0;
    if (is_panel && arguments.count("average-by") != 0)
        throw UsageError("--person and --average-by cannot be combined");
    const auto& name = arguments["collection"].as<std::string>();

    const UserFolder user;
    const InputFile source(arguments["file"].as<std::string>(), user);
    RetryPolicy retry_policy;
    retry_policy.limit = retry_limit(arguments);
    Destination destination(arguments, retry_policy);
    const Spec spec = destination.spec();
    check_fingerprint(arguments, spec);
    ColumnMap columns = record_columns(arguments, spec);
    const std::vector<NamedColumn> in_clear = public_option(arguments);
    check_clear(in_clear, columns, spec);
    const Offer offer{spec, destination.public_columns(), destination.address(), name};
    columns.filled = public_sources(in_clear, offer.columns);

    // The contract is compared before any row is read, and shown before the first report of it.
    const ContractTerms terms = terms_option(arguments, in_clear);
    if (arguments.count("spec") != 0)
        check_spec(spec_text(arguments["spec"].as<std::string>()), offer, terms);
    const std::string accepted = arguments.count("accept") != 0 ? arguments["accept"].as<std::string>() : "";
    Agreement agreement(user, destination.address(), name);
    const bool unknown = agreement.compare_with(offer, terms, accepted);
    if (!agreement.shown().empty())
        std::cerr << "changed since the last file:\n" << agreement.shown() << "\n";
    if (unknown) std::cerr << shown_contract(agreement.offered(), spec, columns);
    // Without a panel, each row is another person, and the limit of all reports of a person was compared above.
    ContractTerms of_rows = terms;
    if (!is_panel) of_rows.life_epsilon.reset();
    const Collection collection(offer, of_rows, outside);
    if (is_panel) {
        columns.panel_person = arguments["person"].as<std::string>();
        columns.panel_round = round.column;
        if (columns.panel_person.empty()) throw UsageError("--person must name a column");
    }
    const CsvFormat format = file_format(arguments);
    const std::string state = arguments.count("state") != 0 ? arguments["state"].as<std::string>()
                              : is_panel                    ? panel_state(source.name, name)
                                                            : default_state(source.name, name);
    ContentHash round_column;
    round_column.add(round.column);
    const SubmissionKey key{
        destination.address(), name,
        round.column.empty() ? round.number : static_cast<std::int64_t>(round_column.value()),
        static_cast<std::int64_t>(columns.hash()), hash_of(format_options(format))};
    ValueCheck values(destination);
    const Submission submission{user,
                                source,
                                collection,
                                policy,
                                columns,
                                round.number,
                                static_cast<std::size_t>(batch),
                                state,
                                format,
                                ledger_option(arguments, collection.spec()),
                                arguments["copy"].as<bool>(),
                                agreement,
                                accepted,
                                values};
    return is_panel ? submit_panel(submission, destination, key, name)
                    : submit_records(submission, destination, key, name);
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
    "randomizes the rows of a file and submits the reports",
    "Fetches the collection's spec, checks every row, then randomizes the rows and submits the reports in\n"
    "batches. Values of attributes are sent as randomized reports only. A state file next to the file\n"
    "contains the queued reports. After any interruption, the same command resumes where it stopped: no\n"
    "row is randomized twice, no report is lost, and no report is counted twice. The state file stays\n"
    "after the submission and prevents an accidental second submission. A file is recognized by its\n"
    "content. A copy under another name or in another folder is refused for the same collection and\n"
    "round. --copy accepts the copy.\n"
    "--public names a column that is sent and stored unchanged, without protection. A column is either\n"
    "randomized or sent unchanged. Public columns that are not named are not sent.\n"
    "Before the first report of a contract, the command shows the collection, epsilon, the columns that\n"
    "it reads, the columns that are sent unchanged, and a digest. The next files of the collection are\n"
    "compared with this contract.\n"
    "With --person, the rows are rows of a panel, under a spec with changing values: each person may have\n"
    "one row in each round, in ascending order of rounds. The state file contains the memoized responses\n"
    "of all people; use the same state file for the next file of the panel.\n"
    "Exit codes: 0 all reports submitted; 1 failure that needs attention; 3 all submitted except reports\n"
    "that the server rejected (see ldp queue); 4 the server was unavailable for --retry-for seconds: run\n"
    "the same command again later; 5 all submitted except rows that --on-bad-row skip omitted; 6 the\n"
    "collection differs from the contract of the earlier files, and nothing was drawn or sent (see ldp\n"
    "contract).",
    options,
    positional,
    run};

}  // namespace ldp::cli::submit

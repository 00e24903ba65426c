// ldp refresh [OPTION...] [COLLECTION...]

#include <algorithm>
#include <charconv>
#include <iostream>
#include <istream>
#include <thread>

#include "cli/attached/server_session.hpp"
#include "cli/command.hpp"
#include "cli/counting/parallel_count.hpp"
#include "client/in_quotes.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/contract/labels.hpp"
#include "core/contract/spec.hpp"
#include "core/results/json_query.hpp"

namespace ldp::cli::refresh {

namespace {

namespace po = boost::program_options;

using Names = std::vector<std::string>;

Options options() {
    Options options;
    options.add_options()(
        "collection", po::value<Names>()->composing(),
        "collections whose new reports are counted (default: all); may also be the arguments")(
        "dsn", po::value<std::string>()->default_value(""), dsn_help)(
        "by", po::value<std::string>(),
        "columns of the groups, separated by commas (default: those of the last refresh, at first the round); another list "
        "counts all reports again")("recount", "count all reports again");
    return options;
}

/// The columns of a text such as "country,round".
Names columns_in(const std::string& list) {
    Names names;
    for (std::size_t at = 0; !list.empty() && at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        if (end == at) throw UsageError("--by has an empty name");
        names.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

/// The key of a group as JSON: the round is a number, and other values are texts.
std::string json_of(const Names& by, const GroupValues& values) {
    Json group = Json::object();
    for (std::size_t i = 0; i < by.size(); ++i) {
        if (!values[i])
            group[by[i]] = nullptr;
        else if (by[i] == "round")
            group[by[i]] = std::stol(*values[i]);
        else
            group[by[i]] = *values[i];
    }
    return group.dump();
}

/// One collection in a transaction that holds its row of ldp_refresh.
class Refresh {
  public:
    Refresh(ServerSession& server, std::string name) : server_(server), name_(std::move(name)) {}

    /// Counts the new reports and returns a line about them.
    std::string run(const std::optional<Names>& by, bool recount) {
        server_.begin();
        find();
        if (by && *by != by_) {
            by_ = *by;
            (void)server_.run(
                "UPDATE ldp_internal.ldp_refresh SET by = ARRAY(SELECT pg_catalog.jsonb_array_elements_text("
                "$2::pg_catalog.jsonb)) WHERE collection = $1",
                {name_, Json(by_).dump()});
            recount = true;
        }
        check_state(recount);
        if (recount) forget();
        const std::string until = horizon();
        GroupMemory memory{std::size_t{1} << 30};
        GroupCounts counts(*mechanism_, memory);
        std::uint64_t skipped = 0;
        count(until, memory, counts, skipped);
        const std::uint64_t reports = counts.reports();
        const std::vector<std::string> keys = counts.keys();
        for (const std::string& key : keys) store(json_of(by_, GroupKey::values(key)), counts.take(key));
        (void)server_.run(
            "UPDATE ldp_internal.ldp_refresh SET watermark = $2::pg_catalog.int8, skipped = skipped + "
            "$3::pg_catalog.int8, history = ldp_internal.ldp_history(), refreshed = pg_catalog.now(), digest = "
            "ldp_internal.ldp_stored_digest($1) WHERE collection = $1",
            {name_, until, std::to_string(skipped)});
        server_.commit();
        return name_ + ": " + grouped(reports) + " new reports in " + grouped(keys.size()) + " groups" +
               (skipped > 0 ? ", " + grouped(skipped) + " invalid ones skipped" : "");
    }

  private:
    /// Waits for other refreshes of the collection, and reads its state.
    void find() {
        const ServerRows rows = server_.run(
            "SELECT c.spec::pg_catalog.text, pg_catalog.format('%I.%I', n.nspname, t.relname), CASE c.rows WHEN 'batches' THEN "
            "'batch' ELSE 'report' END, r.watermark::pg_catalog.text, r.history, pg_catalog.to_jsonb(r.by)::pg_catalog.text, "
            "pg_catalog.encode(r.digest, 'hex') FROM ldp_internal.ldp_refresh AS r JOIN ldp_internal.ldp_collection AS c ON "
            "c.name = r.collection JOIN pg_catalog.pg_class AS t ON t.oid = c.reports JOIN pg_catalog.pg_namespace AS n ON "
            "n.oid = t.relnamespace WHERE r.collection = $1 FOR UPDATE OF r",
            {name_});
        if (rows.count() != 1)
            raise(ErrorCode::environment, "the database has no collection " + in_quotes(name_), {},
                  "SELECT name FROM ldp.ldp_collections lists the collections.");
        spec_ = Spec::from_json(rows.text(0, 0));
        mechanism_ = make_mechanism(*spec_);
        table_ = rows.text(0, 1);
        held_ = rows.text(0, 2);
        watermark_ = rows.text(0, 3);
        history_ = rows.value(0, 4);
        by_ = Json::parse(rows.text(0, 5)).get<Names>();
        digest_ = rows.value(0, 6);
    }

    /// Throws Error (environment) if the summaries and the watermark do not belong together.
    void check_state(bool recount) {
        if (recount || !digest_) return;
        const ServerRows now = server_.run(
            "SELECT ldp_internal.ldp_history(), pg_catalog.encode(ldp_internal.ldp_stored_digest($1), 'hex')",
            {name_});
        const char* hint = "ldp refresh --recount counts all reports that are in the table.";
        if (now.value(0, 0) != history_)
            raise(ErrorCode::environment, "collection " + in_quotes(name_) + " is in a copy of its database",
                  "Transactions of a copy have other numbers, by which new reports are found.", hint);
        if (now.value(0, 1) != digest_)
            raise(ErrorCode::environment, "the summaries of collection " + in_quotes(name_) + " were changed",
                  "Their digest differs from that of the last refresh.", hint);
    }

    void forget() {
        (void)server_.run("DELETE FROM ldp.ldp_summaries WHERE collection = $1", {name_});
        (void)server_.run("DELETE FROM ldp.ldp_estimates WHERE collection = $1", {name_});
        (void)server_.run("UPDATE ldp_internal.ldp_refresh SET skipped = 0 WHERE collection = $1", {name_});
        watermark_ = "0";
    }

    /// Returns the first transaction that may not have ended. Later statements see all rows of earlier transactions. It is
    /// read after the lock was taken, because a statement that waits has an older snapshot.
    std::string horizon() {
        return server_
            .run(
                "SELECT GREATEST(pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::pg_catalog.text::"
                "pg_catalog.int8, $1::pg_catalog.int8)::pg_catalog.text",
                {watermark_})
            .text(0, 0);
    }

    std::string quoted(const std::string& column) {
        return server_.run("SELECT pg_catalog.quote_ident($1)", {column}).text(0, 0);
    }

    void count(const std::string& until, GroupMemory& memory, GroupCounts& counts, std::uint64_t& invalid) {
        ReportFileOptions file;
        file.columns = {held_, "round"};
        file.by = by_;
        std::string columns = held_ + "::pg_catalog.bytea, round";
        for (const std::string& column : by_) {
            if (column == "round") continue;
            file.columns.push_back(column);
            columns += ", " + quoted(column) + "::pg_catalog.text";
        }
        ServerSession::CopyBuffer buffer(
            server_, "COPY (SELECT " + columns + " FROM " + table_ + " WHERE ldp_arrival >= " + watermark_ +
                         " AND ldp_arrival < " + until + ") TO STDOUT (FORMAT binary)");
        std::istream in(&buffer);
        in.exceptions(std::ios::badbit);
        ReportFile reports(in, "collection " + name_, file, *mechanism_);
        SkippedRecords skipped([](const std::string& line) { std::cerr << line << "\n"; });
        const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
        count_in_parallel([&](RecordChunk& chunk) { return reports.next(chunk); }, threads, memory, &skipped,
                          counts);
        invalid = skipped.count();
        // The server's end of the COPY follows the end mark of the format.
        using Traits = std::char_traits<char>;
        while (!Traits::eq_int_type(buffer.sbumpc(), Traits::eof())) {
        }
    }

    /// Adds a summary to the stored one of its group, and computes the estimates again.
    void store(const std::string& group, std::vector<std::byte> summary) {
        const ServerRows before = server_.run(
            "SELECT pg_catalog.encode(summary, 'hex') FROM ldp.ldp_summaries WHERE collection = $1 AND "
            "\"group\" = $2::pg_catalog.jsonb",
            {name_, group});
        if (before.count() == 1) {
            const std::string digits = before.text(0, 0);
            std::vector<std::byte> stored(digits.size() / 2);
            if (!from_hex(digits, stored.data()))
                raise(ErrorCode::malformed, "a stored summary is not in hexadecimal");
            check_summary_of(*mechanism_, stored, "the group " + group);
            if (const Outcome outcome = merge(*mechanism_, summary, stored); outcome != Outcome::ok)
                raise_outcome(outcome, summary, stored);
        }
        const std::string n = std::to_string(SummaryFrame(mechanism_->block().size()).count(summary));
        (void)server_.run(
            "INSERT INTO ldp.ldp_summaries (collection, \"group\", n, summary) VALUES ($1, $2::pg_catalog.jsonb, "
            "$3::pg_catalog.int8, $4::pg_catalog.bytea) ON CONFLICT (collection, \"group\") DO UPDATE SET n = EXCLUDED.n, "
            "summary = EXCLUDED.summary",
            {name_, group, n, Bytes(summary)});
        (void)server_.run(
            "DELETE FROM ldp.ldp_estimates WHERE collection = $1 AND \"group\" = $2::pg_catalog.jsonb",
            {name_, group});
        (void)server_.run(
            "INSERT INTO ldp.ldp_estimates (collection, \"group\", attribute, label, estimate, stderr, lower, upper, n, note) "
            "SELECT $1, $2::pg_catalog.jsonb, e.* FROM pg_catalog.jsonb_to_recordset($3::pg_catalog.jsonb) AS e (attribute "
            "pg_catalog.text, label pg_catalog.text, estimate pg_catalog.float8, stderr pg_catalog.float8, lower "
            "pg_catalog.float8, upper pg_catalog.float8, n pg_catalog.int8, note pg_catalog.text)",
            {name_, group, estimates(summary)});
    }

    /// The rows of ldp_estimate as JSON; none if the mechanism has other estimates.
    [[nodiscard]] std::string estimates(Bytes summary) const {
        try {
            return rows_of_query(Labels(spec_->attributes()), mechanism_.get(), summary,
                                 Json{{"function", "estimate"}});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::unsupported) throw;
            return "[]";
        }
    }

    ServerSession& server_;
    std::string name_;
    std::optional<Spec> spec_;
    std::unique_ptr<const Mechanism> mechanism_;
    std::string table_, held_, watermark_;
    std::optional<std::string> history_, digest_;
    Names by_;
};

int run(const Arguments& arguments) {
    std::optional<Names> by;
    if (arguments.count("by") != 0) by = columns_in(arguments["by"].as<std::string>());
    ServerSession server(arguments["dsn"].as<std::string>());
    Names names;
    if (arguments.count("collection") != 0) {
        names = arguments["collection"].as<Names>();
    } else {
        const ServerRows rows =
            server.run("SELECT collection FROM ldp_internal.ldp_refresh ORDER BY collection");
        for (int i = 0; i < rows.count(); ++i) names.push_back(rows.text(i, 0));
    }
    for (const std::string& name : names)
        std::cerr << Refresh(server, name).run(by, arguments.count("recount") != 0) << std::endl;
    return Exit::done;
}

constexpr const char* positional[] = {"collection"};

}  // namespace

const Command command{
    "refresh",
    "[OPTION...] [COLLECTION...]",
    "counts new reports of collections without the extension",
    "Reads the reports that arrived since the last refresh from a database that ldp attach prepared, counts\n"
    "them outside the server, and stores the summary and the estimates of each group, in one transaction.\n"
    "Every report counts once, even if the command or the server is killed. Two refreshes of a collection at\n"
    "the same time run one after the other. A transaction that stays open on the server delays the reports\n"
    "that arrive after its beginning. Reports that no device can have made are skipped and counted.",
    options,
    positional,
    run};

}  // namespace ldp::cli::refresh

// ldp doctor [--dsn STRING] [--problems] [--json]

#include <charconv>
#include <cmath>
#include <iostream>

#include "cli/attached/server_session.hpp"
#include "cli/command.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

namespace ldp::cli::doctor {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options;
    options.add_options()("dsn", po::value<std::string>()->default_value(""), dsn_help)(
        "problems", po::bool_switch(), "show only warnings and errors")(
        "json", po::bool_switch(), "print the rows of ldp_status as JSON, one per line");
    return options;
}

/// The rows of ldp_status. The schema of this function is fixed, in contrast to the schema of the view.
constexpr const char* of_extension =
    "SELECT metric, object, value, unit, status, note FROM ldp_internal.ldp_status_rows()";

/// The same rows for collections without the extension, read with the rights of the session.
constexpr const char* of_attached = R"(
WITH one AS (
    SELECT c.name, t.oid IS NOT NULL AS present, pg_catalog.pg_stat_get_live_tuples(t.oid)::pg_catalog.float8 AS rows, r.skipped,
           pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - r.refreshed) AS age, r.history <> ldp_internal.ldp_history() AS copied
    FROM ldp_internal.ldp_collection AS c JOIN ldp_internal.ldp_refresh AS r ON r.collection = c.name LEFT JOIN pg_catalog.pg_class AS t ON t.oid = c.reports)
SELECT s.metric, s.object, s.value, s.unit, CASE WHEN s.problem IS NULL THEN 'ok' ELSE 'warning' END AS status, s.problem AS note
FROM (
    SELECT 'collections' AS metric, 'ldp' AS object, pg_catalog.count(*)::pg_catalog.float8 AS value, 'collections' AS unit, NULL AS problem FROM one
    UNION ALL SELECT 'batch_records', 'ldp', NULLIF(t.reltuples, -1), 'rows', NULL FROM pg_catalog.pg_class AS t
    WHERE t.oid = 'ldp_internal.ldp_batch'::pg_catalog.regclass
    UNION ALL SELECT 'collection_usable', name, present::pg_catalog.int4, 'bool',
        CASE WHEN NOT present THEN 'The table of the collection was dropped. Call ldp.ldp_drop_collection.' END FROM one
    UNION ALL SELECT 'collection_rows', name, rows, 'rows', NULL FROM one
    UNION ALL SELECT 'rollup_age', name, age, 'seconds',
        CASE WHEN copied THEN 'This database is a copy of another one. Run ldp refresh --recount.'
             WHEN age IS NULL AND rows > 0 THEN 'The collection has never been refreshed. Run ldp refresh at regular times.'
             WHEN age > 129600 THEN 'The last refresh is more than 36 hours old. Run ldp refresh, and check the timer that runs it.' END FROM one
    UNION ALL SELECT 'skipped_reports', name, skipped, 'reports',
        CASE WHEN skipped > 0 THEN 'Reports that no device can have made were not counted. A client may be broken.' END FROM one) AS s)";

/// Returns the statement for this database. Throws Error (environment) if it has no collections of ldp.
const char* statement_for(ServerSession& server) {
    const ServerRows found = server.run(
        "SELECT pg_catalog.to_regprocedure('ldp_internal.ldp_status_rows()') IS NOT NULL, EXISTS (SELECT FROM "
        "pg_catalog.pg_extension WHERE extname = 'ldp'), pg_catalog.to_regclass('ldp_internal.ldp_refresh') IS NOT NULL, "
        "pg_catalog.current_database(), CURRENT_USER, pg_catalog.pg_has_role('pg_monitor', 'USAGE')");
    const auto yes = [&](int column) { return found.text(0, column) == "t"; };
    const std::string database = "database \"" + found.text(0, 3) + "\"";
    if (yes(0)) {
        if (!yes(5))
            raise(ErrorCode::environment,
                  "role \"" + found.text(0, 4) + "\" may not read the status of " + database, {},
                  "Connect as a superuser, or as a member of pg_monitor: GRANT pg_monitor TO ROLE.");
        return of_extension;
    }
    if (yes(1))
        raise(ErrorCode::environment,
              database + " has an older version of the extension ldp, without a status", {},
              "Run ALTER EXTENSION ldp UPDATE.");
    if (yes(2)) return of_attached;
    raise(
        ErrorCode::environment, database + " has no collections of ldp",
        "The extension ldp is not installed in it.",
        "Check the name of the database. Otherwise run CREATE EXTENSION ldp, or ldp attach for a server without the extension.");
}

std::string rounded(double number, const char* unit) {
    const double tenths = std::round(number * 10) / 10;
    return shortest(number < 10 ? tenths : std::round(number)) + " " + unit;
}

/// A value for people: a duration or size in the largest suitable unit.
std::string readable(double value, const std::string& unit) {
    if (unit == "bool") return value != 0 ? "yes" : "no";
    if (unit == "seconds")
        return value < 120      ? rounded(value, "s")
               : value < 7200   ? rounded(value / 60, "min")
               : value < 172800 ? rounded(value / 3600, "h")
                                : rounded(value / 86400, "days");
    if (unit == "bytes")
        return value < 1e4    ? rounded(value, "B")
               : value < 1e7  ? rounded(value / 1e3, "kB")
               : value < 1e10 ? rounded(value / 1e6, "MB")
                              : rounded(value / 1e9, "GB");
    if (value < 0 || value != std::floor(value) || value > 1e15) return shortest(value);
    return unit == "round" ? shortest(value) : grouped(static_cast<std::uint64_t>(value));
}

/// A row of the status.
struct Finding {
    std::string status, metric, value, object, note;
};

std::optional<double> number_in(const std::optional<std::string>& text) {
    double number = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
        return {};
    return number;
}

void print(const std::vector<Finding>& findings) {
    std::size_t status = 0, metric = 0, value = 0;
    for (const Finding& one : findings) {
        status = std::max(status, one.status.size());
        metric = std::max(metric, one.metric.size());
        value = std::max(value, one.value.size());
    }
    const auto left = [](const std::string& text, std::size_t width) {
        return text + std::string(width - text.size() + 2, ' ');
    };
    for (const Finding& one : findings) {
        std::cout << left(one.status, status) << left(one.metric, metric)
                  << std::string(value - one.value.size(), ' ') << one.value << "  " << one.object << "\n";
        if (!one.note.empty()) std::cout << std::string(status + 2, ' ') << one.note << "\n";
    }
}

int run(const Arguments& arguments) {
    ServerSession server(arguments["dsn"].as<std::string>());
    const ServerRows rows = server.run(statement_for(server));
    const bool only_problems = arguments["problems"].as<bool>(), json = arguments["json"].as<bool>();
    std::vector<Finding> findings;
    std::size_t warnings = 0, errors = 0;
    for (int i = 0; i < rows.count(); ++i) {
        const std::optional<double> value = number_in(rows.value(i, 2));
        const std::string status = rows.text(i, 4);
        if (status == "warning") ++warnings;
        if (status == "error") ++errors;
        if (only_problems && status == "ok") continue;
        if (json) {
            Json row = {{"metric", rows.text(i, 0)}, {"object", rows.text(i, 1)}, {"value", nullptr},
                        {"unit", nullptr},           {"status", status},          {"note", nullptr}};
            if (value) row["value"] = *value;
            if (const auto unit = rows.value(i, 3)) row["unit"] = *unit;
            if (const auto note = rows.value(i, 5)) row["note"] = *note;
            std::cout << json_text(row, Unsound::allowed) << "\n";
            continue;
        }
        findings.push_back({status, rows.text(i, 0), value ? readable(*value, rows.text(i, 3)) : "-",
                            rows.text(i, 1), rows.text(i, 5)});
    }
    print(findings);
    std::cerr << grouped(static_cast<std::uint64_t>(rows.count())) << " checks: " << errors
              << (errors == 1 ? " error, " : " errors, ") << warnings
              << (warnings == 1 ? " warning" : " warnings") << std::endl;
    return errors + warnings > 0 ? Exit::problems : Exit::done;
}

}  // namespace

const Command command{
    "doctor",
    "[OPTION...]",
    "checks the collections of a database",
    "Shows the state of the collections, rollups, roles and budgets of a database, one line for each check, with\n"
    "the remedy of each problem. The command reads the view ldp_status. The role must be a superuser or a\n"
    "member of pg_monitor. In a database that ldp attach prepared, the role must own the collections, and there\n"
    "are fewer checks. The command reads no reports and changes nothing. The exit code is 9 if there is a warning\n"
    "or an error.",
    options,
    {},
    run};

}  // namespace ldp::cli::doctor

#include "cli/collect/session.hpp"

#include <sys/socket.h>

namespace ldp::collect {

namespace {

/// Replaces the settings that the session has from the catalogue of roles, for the session or (true) for the
/// transaction, and returns their number. Settings of the database and those that the connection requested
/// stay. Every name is qualified: the search path may be among these settings.
std::string without_role_settings(bool local) {
    return std::string(
               "SELECT pg_catalog.count(pg_catalog.set_config(s.name, COALESCE((SELECT "
               "pg_catalog.substr(d.setting, pg_catalog.strpos(d.setting, '=') OPERATOR(pg_catalog.+) 1) "
               "FROM (SELECT r.setdatabase, pg_catalog.unnest(r.setconfig) FROM "
               "pg_catalog.pg_db_role_setting AS r "
               "WHERE r.setrole OPERATOR(pg_catalog.=) 0::pg_catalog.oid) AS d (setdatabase, setting) "
               "WHERE d.setdatabase OPERATOR(pg_catalog.=) ANY (ARRAY[0::pg_catalog.oid, (SELECT b.oid FROM "
               "pg_catalog.pg_database AS b WHERE b.datname OPERATOR(pg_catalog.=) "
               "pg_catalog.current_database())]) "
               "AND pg_catalog.lower(pg_catalog.split_part(d.setting, '=', 1)) OPERATOR(pg_catalog.=) "
               "pg_catalog.lower(s.name) ORDER BY d.setdatabase DESC LIMIT 1), s.boot_val, ''), ") +
           (local ? "true" : "false") +
           ")) FROM pg_catalog.pg_settings AS s WHERE s.source OPERATOR(pg_catalog.=) ANY ('{user,database "
           "user}'::pg_catalog.text[]) " +
           "AND s.context OPERATOR(pg_catalog.=) 'user'::pg_catalog.text AND s.name OPERATOR(pg_catalog.<>) "
           "ALL ('{seed,transaction_isolation,transaction_read_only,transaction_deferrable}'"
           "::pg_catalog.text[])";
}

}  // namespace

Session::Running::Running(Session& session) : session_(session) {
    const std::lock_guard lock(session_.mutex_);
    session_.running_ = true;
    session_.overdue_ = false;
    session_.working_ = 0;
    session_.since_ = Clock::now();
}

Session::Running::~Running() {
    const std::lock_guard lock(session_.mutex_);
    session_.running_ = false;
    session_.socket_ = -1;
}

std::string Session::commands(bool local) const {
    std::string text;
    for (const auto& [name, value] : settings_)
        text +=
            (text.empty() ? "SET " : "; SET ") + std::string(local ? "LOCAL " : "") + name + " = " + value;
    return text;
}

void Session::prepare(pqxx::connection& connection, std::string_view doing) {
    const int process = connection.backendpid();
    {
        const std::lock_guard lock(mutex_);
        // A task that was terminated because of its duration is not retried.
        if (overdue_ || abandoned_)
            throw pq::Failure({BatchOutcome::later},
                              Error(ErrorCode::environment,
                                    std::string(doing) + ": the transaction exceeded the time limit", {},
                                    "A lock on the table or a trigger is the likely cause."));
        working_ = link_.direct() ? process : 0;  // a pooler has a process id of its own
        socket_ = connection.sock();
    }
    if (process == process_ && (!dirty_ || !link_.direct())) return;
    try {
        if (link_.direct()) pq::reset_session(connection, commands(false));
        if (process != process_) {
            pqxx::work transaction(connection);
            begin(transaction);
            schema_ = pq::extension_schema(transaction);
            if (link_.direct())
                altered_ = transaction.exec(without_role_settings(true))[0][0].as<std::int64_t>() > 0;
        }
        if (link_.direct() && altered_) pqxx::nontransaction(connection).exec(without_role_settings(false));
    } catch (const pqxx::sql_error& error) {
        // A session that cannot be reset is closed.
        throw pqxx::broken_connection(error.what());
    }
    process_ = process;
    dirty_ = false;
}

void Session::begin(pqxx::transaction_base& transaction, bool writes) {
    if (link_.direct()) return;
    link_.prepare(transaction, writes);
    transaction.exec(without_role_settings(true));
    transaction.exec(commands(true));
    const int process = transaction.exec("SELECT pg_catalog.pg_backend_pid()")[0][0].as<int>();
    const std::lock_guard lock(mutex_);
    working_ = process;
}

void Session::end(pqxx::transaction_base& transaction) {
    if (!link_.direct()) pq::reset_pooled(transaction);
    transaction.exec(commands(!link_.direct()));
}

void Session::clean() noexcept {
    if (!dirty_) return;
    try {
        const Running running(*this);
        link_.persist("resetting a session",
                      [&](pqxx::connection& connection) { prepare(connection, "resetting a session"); });
    } catch (const std::exception&) {
        dirty_ = true;
    }
}

int Session::overdue() {
    const std::lock_guard lock(mutex_);
    if (!running_ || overdue_ || working_ == 0 || Clock::now() - since_ <= limit_ + std::chrono::seconds(1))
        return 0;
    overdue_ = true;
    return working_;
}

void Session::abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    if (running_ && socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace ldp::collect

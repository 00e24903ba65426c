#include "cli/collect/session.hpp"

namespace ldp::collect {

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
}

void Session::prepare(pqxx::connection& connection, std::string_view doing) {
    const int process = connection.backendpid();
    {
        const std::lock_guard lock(mutex_);
        // A work that was terminated because of its duration is not retried.
        if (overdue_)
            throw pq::Failure({BatchOutcome::later},
                              Error(ErrorCode::environment,
                                    std::string(doing) + ": the transaction exceeded the time limit", {},
                                    "A lock on the table or a trigger is the likely cause."));
        working_ = process;
    }
    if (process == process_ && !dirty_) return;
    try {
        pq::reset_session(connection, settings_);
        pqxx::work transaction(connection);
        if (process != process_) schema_ = pq::extension_schema(transaction);
    } catch (const pqxx::sql_error& error) {
        // A session that cannot be reset is closed.
        throw pqxx::broken_connection(error.what());
    }
    process_ = process;
    dirty_ = false;
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

}  // namespace ldp::collect

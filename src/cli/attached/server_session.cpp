#include "cli/attached/server_session.hpp"

#include "cli/command.hpp"
#include "client/database/libpq_session.hpp"

namespace ldp::cli {

namespace {

std::string without_line_end(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

std::string field(const PGresult* result, int code) {
    const char* const text = PQresultErrorField(result, code);
    return text == nullptr ? "" : text;
}

/// Adds the text of a message with the severity INFO to the lines. Must not throw, because libpq calls it.
void take_information(void* lines, const PGresult* message) noexcept {
    if (field(message, PG_DIAG_SEVERITY_NONLOCALIZED) == "INFO")
        static_cast<std::vector<std::string>*>(lines)->push_back(field(message, PG_DIAG_MESSAGE_PRIMARY));
}

}  // namespace

ServerSession::ServerSession(const std::string& dsn)
    : connection_(PQconnectdb(pq::session_parameters(dsn, pq::session_options(0)).c_str())) {
    if (connection_ && PQstatus(connection_.get()) == CONNECTION_OK) {
        // A message of the server is read in the error, not on standard error.
        PQsetNoticeProcessor(
            connection_.get(), [](void*, const char*) {}, nullptr);
        return;
    }
    const std::string reason =
        connection_ ? without_line_end(PQerrorMessage(connection_.get())) : "out of memory";
    throw Unavailable(ErrorCode::environment, "there is no connection to the server", "libpq: " + reason,
                      "Check the connection parameters and that the server runs, then repeat the command.");
}

void ServerSession::fail(const std::string& message) const {
    if (PQstatus(connection_.get()) != CONNECTION_OK)
        throw Unavailable(ErrorCode::environment, "the connection to the server is lost", "libpq: " + message,
                          "Repeat the command: every report counts once.");
    raise(ErrorCode::environment, "the server rejected a statement", "libpq: " + message);
}

ServerRows ServerSession::run(const std::string& statement, const std::vector<ServerArgument>& arguments) {
    std::vector<const char*> values;
    std::vector<int> lengths, formats;
    for (const ServerArgument& one : arguments) {
        values.push_back(one.text ? one.text->data() : nullptr);
        lengths.push_back(one.text ? static_cast<int>(one.text->size()) : 0);
        formats.push_back(one.binary ? 1 : 0);
    }
    PGresult* const result =
        PQexecParams(connection_.get(), statement.c_str(), static_cast<int>(arguments.size()), nullptr,
                     values.data(), lengths.data(), formats.data(), 0);
    ServerRows rows(result);
    const auto status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
    if (PQstatus(connection_.get()) != CONNECTION_OK)
        fail(without_line_end(PQerrorMessage(connection_.get())));
    raise(ErrorCode::environment,
          "the server rejected a statement: " + field(result, PG_DIAG_MESSAGE_PRIMARY),
          field(result, PG_DIAG_MESSAGE_DETAIL), field(result, PG_DIAG_MESSAGE_HINT));
}

std::vector<std::string> ServerSession::run_script(const std::string& script) {
    std::vector<std::string> lines;
    const PQnoticeReceiver before = PQsetNoticeReceiver(connection_.get(), take_information, &lines);
    PGresult* const result = PQexec(connection_.get(), script.c_str());
    PQsetNoticeReceiver(connection_.get(), before, nullptr);
    const ServerRows rows(result);
    const auto status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return lines;
    if (PQstatus(connection_.get()) != CONNECTION_OK)
        fail(without_line_end(PQerrorMessage(connection_.get())));
    raise(ErrorCode::environment, "the server rejected the script: " + field(result, PG_DIAG_MESSAGE_PRIMARY),
          field(result, PG_DIAG_MESSAGE_DETAIL), field(result, PG_DIAG_MESSAGE_HINT));
}

ServerSession::CopyBuffer::CopyBuffer(ServerSession& session, const std::string& statement)
    : session_(session) {
    PGresult* const result = PQexec(session_.connection_.get(), statement.c_str());
    const ServerRows rows(result);
    if (PQresultStatus(result) != PGRES_COPY_OUT)
        session_.fail(without_line_end(PQerrorMessage(session_.connection_.get())));
}

ServerSession::CopyBuffer::~CopyBuffer() {
    PQfreemem(piece_);
}

ServerSession::CopyBuffer::int_type ServerSession::CopyBuffer::underflow() {
    if (ended_) return traits_type::eof();
    PQfreemem(piece_);
    piece_ = nullptr;
    PGconn* const connection = session_.connection_.get();
    const int size = PQgetCopyData(connection, &piece_, 0);
    if (size > 0) {
        setg(piece_, piece_, piece_ + size);
        return traits_type::to_int_type(*piece_);
    }
    ended_ = true;
    if (size == -1) {
        PGresult* const result = PQgetResult(connection);
        const ServerRows rows(result);
        if (PQresultStatus(result) == PGRES_COMMAND_OK && PQgetResult(connection) == nullptr)
            return traits_type::eof();
    }
    session_.fail(without_line_end(PQerrorMessage(connection)));
}

}  // namespace ldp::cli

// A session of libpq for the commands that keep collections without the extension. libpqxx has no binary COPY.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"

namespace ldp::cli {

/// The rows of a statement as text.
class ServerRows {
  public:
    explicit ServerRows(PGresult* result) : result_(result) {}
    [[nodiscard]] int count() const noexcept { return PQntuples(result_.get()); }
    /// Returns a value; nothing if it is NULL.
    [[nodiscard]] std::optional<std::string> value(int row, int column) const {
        if (PQgetisnull(result_.get(), row, column) == 1) return {};
        return std::string(PQgetvalue(result_.get(), row, column));
    }
    /// Returns a value that is not NULL.
    [[nodiscard]] std::string text(int row, int column) const { return value(row, column).value_or(""); }

  private:
    struct Clearing {
        void operator()(PGresult* result) const noexcept { PQclear(result); }
    };
    std::unique_ptr<PGresult, Clearing> result_;
};

/// An argument of a statement: text, bytes, or NULL.
struct ServerArgument {
    ServerArgument(const std::string& given) : text(given) {}
    ServerArgument(const char* given) : text(given) {}
    ServerArgument(Bytes bytes)
        : text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())), binary(true) {}
    ServerArgument(const std::optional<std::string>& given) : text(given) {}
    std::optional<std::string> text;
    bool binary = false;
};

/// A session. A transaction that is open at the end is rolled back.
class ServerSession {
  public:
    /// Connects with the options of pq::session_options(). Throws Unavailable.
    explicit ServerSession(const std::string& dsn);

    /// Runs one statement. Throws Error (environment), and Unavailable if the connection is lost.
    ServerRows run(const std::string& statement, const std::vector<ServerArgument>& arguments = {});
    /// Runs a script of several statements, and returns the lines of its RAISE INFO. Throws as run() does.
    std::vector<std::string> run_script(const std::string& script);
    /// Runs run() after BEGIN, and COMMIT.
    void begin() { (void)run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"); }
    void commit() { (void)run("COMMIT"); }

    /// Receives the output of a COPY … TO STDOUT. The session must outlive this object, and runs no other statement meanwhile.
    class CopyBuffer : public std::streambuf {
      public:
        CopyBuffer(ServerSession& session, const std::string& statement);
        CopyBuffer(const CopyBuffer&) = delete;
        CopyBuffer& operator=(const CopyBuffer&) = delete;
        ~CopyBuffer() override;

      protected:
        /// Throws Error (environment), also through a stream whose exceptions include badbit.
        int_type underflow() override;

      private:
        ServerSession& session_;
        char* piece_ = nullptr;
        bool ended_ = false;
    };

  private:
    [[noreturn]] void fail(const std::string& message) const;

    struct Finishing {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Finishing> connection_;
};

}  // namespace ldp::cli

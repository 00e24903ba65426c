// SQLite for state files: every failure is an Error (environment) that names the file.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/format/report_frame.hpp"

namespace ldp::sqlite {

/// The kind of a file that stores the memory and the queue of clients, for errors.
inline constexpr const char* state_file = "state file";

/// Throws Error (environment) about a file of ldp.
[[noreturn]] void fail(const std::string& path, const std::string& what, const std::string& detail,
                       const std::string& hint, const char* kind = state_file);
/// Throws Error (environment) about a damaged state file.
[[noreturn]] void damaged(const std::string& path, const std::string& detail);

/// An open database.
class Database {
  public:
    /// Opens an existing file. `kind` describes the file in errors.
    explicit Database(std::string path, const char* kind = state_file);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database() = default;

    void run(const char* sql) { check(sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr)); }
    void check(int code) const {
        if (code != SQLITE_OK) throw failure(code);
    }

    /// Throws Error (environment) if SQLite could not finish its work; the database is closed either way.
    void close() { check(sqlite3_close(handle_.release())); }

    [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    [[nodiscard]] Error failure(int code) const;

    struct Close {
        void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
    };
    std::string path_;
    const char* kind_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement that runs many times. It is compiled at its first run, because most clients use few
/// of the statements.
class Statement {
  public:
    /// Borrows the text, which must outlive this object.
    Statement(const Database& database, const char* sql) noexcept : database_(database), sql_(sql) {}
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(handle_); }

    /// One run of the statement. Its parameters must outlive it. Its destructor releases the locks.
    class Run {
      public:
        explicit Run(const Statement& statement) : statement_(statement) {}
        Run(const Run&) = delete;
        Run& operator=(const Run&) = delete;
        ~Run() { sqlite3_reset(statement_.handle_); }

        /// Moves to the next row. Returns false after the last one.
        [[nodiscard]] bool row() {
            const int code = sqlite3_step(statement_.handle_);
            if (code != SQLITE_ROW && code != SQLITE_DONE) statement_.database_.check(code);
            return code == SQLITE_ROW;
        }
        void finish() {
            while (row()) continue;
        }
        /// Returns the number in the first column of the first row, if a row exists.
        [[nodiscard]] std::optional<std::int64_t> number() { return row() ? optional(0) : std::nullopt; }

        [[nodiscard]] std::int64_t integer(int column) const {
            return sqlite3_column_int64(statement_.handle_, column);
        }
        /// Returns a number, or nothing if it is NULL.
        [[nodiscard]] std::optional<std::int64_t> optional(int column) const {
            if (sqlite3_column_type(statement_.handle_, column) == SQLITE_NULL) return std::nullopt;
            return integer(column);
        }
        [[nodiscard]] double real(int column) const {
            return sqlite3_column_double(statement_.handle_, column);
        }
        [[nodiscard]] std::string text(int column) const {
            const auto* at = reinterpret_cast<const char*>(sqlite3_column_text(statement_.handle_, column));
            return at == nullptr ? std::string() : std::string(at, size(column));
        }
        [[nodiscard]] Report blob(int column) const {
            const auto* at = static_cast<const std::byte*>(sqlite3_column_blob(statement_.handle_, column));
            return at == nullptr ? Report() : Report(at, at + size(column));
        }

      private:
        [[nodiscard]] std::size_t size(int column) const {
            return static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle_, column));
        }
        const Statement& statement_;
    };

    template <class... Parameters>
    [[nodiscard]] Run operator()(const Parameters&... parameters) const {
        if (handle_ == nullptr)
            database_.check(sqlite3_prepare_v3(database_.handle(), sql_, -1, SQLITE_PREPARE_PERSISTENT,
                                               &handle_, nullptr));
        [[maybe_unused]] int position = 0;  // unused without parameters
        (bind(++position, parameters), ...);
        return Run(*this);
    }

  private:
    // data() of an empty range may be null, which SQLite would store as NULL.
    void bind(int at, std::int64_t value) const { database_.check(sqlite3_bind_int64(handle_, at, value)); }
    void bind(int at, const std::optional<std::int64_t>& value) const {
        if (value)
            bind(at, *value);
        else
            database_.check(sqlite3_bind_null(handle_, at));
    }
    void bind(int at, std::string_view text) const {
        database_.check(sqlite3_bind_text64(handle_, at, text.empty() ? "" : text.data(), text.size(),
                                            SQLITE_STATIC, SQLITE_UTF8));
    }
    void bind(int at, double value) const { database_.check(sqlite3_bind_double(handle_, at, value)); }
    void bind(int at, Bytes blob) const {
        const void* bytes = blob.empty() ? "" : static_cast<const void*>(blob.data());
        database_.check(sqlite3_bind_blob64(handle_, at, bytes, blob.size(), SQLITE_STATIC));
    }

    const Database& database_;
    const char* sql_;
    mutable sqlite3_stmt* handle_ = nullptr;
};

}  // namespace ldp::sqlite

// A database session of the endpoint for collections of several owners.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/collect/batch_queue.hpp"
#include "client/uploader.hpp"

namespace ldp::collect {

/// A session that is reset before each work. Its functions must be called from one thread, except overdue()
/// and abandon(). Settings of the endpoint's role in the catalogue are replaced by those of the database or
/// of PostgreSQL, because the trigger of a table can change them (ALTER ROLE).
class Session {
  public:
    /// A setting of the session; the value is an SQL constant or list.
    using Setting = std::pair<const char*, std::string>;

    /// The settings hold after each reset. A task is overdue one second after `limit`.
    Session(const std::string& dsn, const RetryPolicy& retry_policy, std::vector<Setting> settings,
            Clock::duration limit)
        : link_(dsn, retry_policy), settings_(std::move(settings)), limit_(limit) {}

    /// Calls work(connection, schema of the extension) as Connection::persist does. Each transaction of the
    /// work must call begin() before anything else.
    template <class Work>
    auto persist(std::string_view doing, Work&& work) {
        const Running running(*this);
        return link_.persist(doing, [&](pqxx::connection& connection) {
            prepare(connection, doing);
            dirty_ = true;
            return work(connection, static_cast<const std::string&>(schema_));
        });
    }
    /// Begins a transaction. Behind a pooler, each transaction may run in another session, so the settings
    /// apply to the transaction only.
    void begin(pqxx::transaction_base& transaction, bool writes = false);
    /// Restores the settings before a COMMIT, so that they bound it. Behind a pooler, also resets the
    /// session.
    void end(pqxx::transaction_base& transaction);
    /// Resets the session after the last work. If this fails, the session is reset before the next work.
    void clean() noexcept;
    /// Returns the process id of the server's backend at the first call after the current work has become
    /// overdue, else 0. May be called from any thread.
    [[nodiscard]] int overdue();
    /// Breaks the connection of the current work and of each later one. May be called from any thread.
    void abandon();

  private:
    class Running {
      public:
        explicit Running(Session& session);
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        ~Running();

      private:
        Session& session_;
    };

    void prepare(pqxx::connection& connection, std::string_view doing);
    /// The settings as SQL commands; `local`: for the current transaction.
    [[nodiscard]] std::string commands(bool local) const;

    Connection link_;
    std::vector<Setting> settings_;
    Clock::duration limit_;
    std::string schema_;
    int process_ = 0;      ///< backend of the last reset
    bool altered_ = true;  ///< whether the session began with settings of the role
    bool dirty_ = true;

    std::mutex mutex_;  ///< protects the members below
    bool running_ = false, overdue_ = false, abandoned_ = false;
    int working_ = 0;  ///< backend of the current work
    int socket_ = -1;  ///< of the current work
    Clock::time_point since_;
};

}  // namespace ldp::collect

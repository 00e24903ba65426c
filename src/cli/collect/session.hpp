// A database session of the endpoint for collections of several owners.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "cli/collect/batch_queue.hpp"
#include "client/uploader.hpp"

namespace ldp::collect {

/// A session that is reset before each work. Its functions must be called from one thread, except overdue().
class Session {
  public:
    /// `settings` are SQL commands that run after each reset. A work is overdue one second after `limit`.
    Session(const std::string& dsn, const RetryPolicy& retry_policy, std::string settings,
            Clock::duration limit)
        : link_(dsn, retry_policy), settings_(std::move(settings)), limit_(limit) {}

    /// Calls work(connection, schema of the extension) as Connection::persist does.
    template <class Work>
    auto persist(std::string_view doing, Work&& work) {
        const Running running(*this);
        return link_.persist(doing, [&](pqxx::connection& connection) {
            prepare(connection, doing);
            dirty_ = true;
            return work(connection, static_cast<const std::string&>(schema_));
        });
    }
    /// Resets the session after the last work. If this fails, the session is reset before the next work.
    void clean() noexcept;
    [[nodiscard]] const std::string& settings() const noexcept { return settings_; }
    /// Returns the process id of the server's backend at the first call after the current work has become
    /// overdue, else 0. May be called from any thread.
    [[nodiscard]] int overdue();

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

    Connection link_;
    std::string settings_;
    Clock::duration limit_;
    std::string schema_;
    int process_ = 0;  ///< backend of the last reset
    bool dirty_ = true;

    std::mutex mutex_;  ///< protects the members below
    bool running_ = false, overdue_ = false;
    int working_ = 0;
    Clock::time_point since_;
};

}  // namespace ldp::collect

// A session of the endpoint with the database, which serves collections of several owners.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "cli/collect/batch_queue.hpp"
#include "client/uploader.hpp"

namespace ldp::collect {

/// Used from one thread, but for overdue(). Before work begins, the session is as it was when it was made,
/// with these settings; work may leave in it whatever it likes.
class Session {
  public:
    /// `settings` are SQL commands. No work lasts longer than `limit` and a second, if overdue() is asked.
    Session(const std::string& dsn, const RetryPolicy& retry_policy, std::string settings,
            Clock::duration limit)
        : link_(dsn, retry_policy), settings_(std::move(settings)), limit_(limit) {}

    /// As Link::persist, of work(connection, schema of the extension).
    template <class Work>
    auto persist(std::string_view doing, Work&& work) {
        const Running running(*this);
        return link_.persist(doing, [&](pqxx::connection& connection) {
            prepare(connection, doing);
            dirty_ = true;
            return work(connection, static_cast<const std::string&>(schema_));
        });
    }
    /// Removes what the last work left. If that fails, the next work does it.
    void clean() noexcept;
    [[nodiscard]] const std::string& settings() const noexcept { return settings_; }
    /// From another thread: the process of the server that works for this session, the first time that it
    /// does so for longer than the limit; else 0.
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
    int process_ = 0;  ///< that was last prepared
    bool dirty_ = true;

    std::mutex mutex_;  ///< of what follows
    bool running_ = false, overdue_ = false;
    int working_ = 0;
    Clock::time_point since_;
};

}  // namespace ldp::collect

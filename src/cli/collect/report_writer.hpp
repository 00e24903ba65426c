// Writes batches to the database, in separate threads. No other component of the endpoint uses the database.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/collect/batch_queue.hpp"
#include "cli/collect/session.hpp"

namespace ldp::collect {

/// Stores the queue's batches in several sessions until the queue is done, and queries the collections every
/// two seconds. Sessions are reset between transactions. The collections of an owner occupy at most one
/// session.
class ReportWriter {
  public:
    /// Handlers of events, called from the thread of run() and from the threads that run() starts.
    struct Observer {
        /// The collections have changed.
        std::function<void(std::shared_ptr<const Catalog>)> catalog;
        /// Called after a query of the collections, with the start of the query and whether it succeeded.
        std::function<void(Clock::time_point, bool)> looked;
        /// A transaction was committed: the number of batches and of reports, and its duration in seconds.
        std::function<void(std::size_t, std::uint64_t, double)> stored;
        /// An error for the operator, which contains no input of clients.
        std::function<void(const Error&)> complain;
    };
    struct WriterLimits {
        std::size_t sessions;           ///< number of sessions that store
        std::chrono::seconds duration;  ///< statement timeout
    };

    /// Connects, to serve the collections in `only`, or if it is empty all that the role may submit to.
    /// Throws Error (environment) if the connection fails, or if the role has more rights than submitting
    /// needs.
    ReportWriter(Queue& queue, const std::string& dsn, std::set<std::string> only, const WriterLimits& limits,
                 Observer observer);
    void run();
    /// Breaks the connections to the database, so that run() ends although the server does not respond. May
    /// be called from any thread, after the queue was stopped.
    void abandon();

  private:
    /// A session that stores batches.
    struct Worker {
        Worker(const std::string& dsn, const WriterLimits& limits);
        Session session;
        bool doubt = false;   ///< whether the outcome of a COMMIT is unknown
        std::string history;  ///< of the database of the last claim
    };

    template <class Query>
    auto look_up(const char* doing, Query query);
    void check_role();
    void work(Worker& worker);
    void end_overdue();
    void refresh();
    void check_settings();
    [[nodiscard]] std::vector<CatalogEntry> listed(const std::string& name);
    [[nodiscard]] std::vector<CatalogEntry> listed_singly();
    [[nodiscard]] std::shared_ptr<const CatalogEntry> read_collection(CatalogEntry&& listed);
    void store(Worker& worker, Group group);
    void attempt_to_store(Worker& worker, Group& group);
    /// Answers a check of values of a public column.
    void check_values(Worker& worker, const QueuedBatch& queued);
    /// Returns the outcome of each batch of the group. It is `later` for new batches if nothing was committed
    /// because they were too few, and `delivered` for a revoked id.
    [[nodiscard]] static std::vector<BatchOutcome> attempt(Worker& worker, pqxx::connection& connection,
                                                           const std::string& schema,
                                                           std::span<const QueuedBatch> group,
                                                           std::size_t hold);
    void end(std::span<const QueuedBatch> group, const pq::Failure& failure, bool doubt,
             Clock::duration took);

    Queue& queue_;
    WriterLimits limits_;
    Session control_;  ///< runs no code of table owners
    std::vector<std::unique_ptr<Worker>> workers_;
    std::set<std::string> only_;
    std::set<std::string> unknown_;  ///< collections whose last look-up failed
    Observer observer_;
    std::shared_ptr<const Catalog> catalog_ = std::make_shared<const Catalog>();
    std::mutex mutex_;
    std::condition_variable ended_;
    std::size_t working_ = 0;     ///< workers that have not ended
    std::exception_ptr failure_;  ///< of a worker that has no memory, so that the endpoint ends
};

}  // namespace ldp::collect

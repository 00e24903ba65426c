// Where batches are stored: the one place that talks to the database, in threads of its own.
#pragma once

#include <condition_variable>
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

/// Stores what the queue has until that is done, in several sessions, and looks every two seconds which
/// collections there are. No session carries anything over from one transaction to the next, and an owner's
/// collections occupy one session at most.
class ReportWriter {
  public:
    /// Called from the thread that run() is in, and those that it makes.
    struct Observer {
        /// The collections that are offered, whenever they are others than before.
        std::function<void(std::shared_ptr<const Catalog>)> catalog;
        /// The database was asked which collections there are, at this time, and answered or not.
        std::function<void(Clock::time_point, bool)> looked;
        /// A transaction was committed, with so many batches and reports, and took so many seconds.
        std::function<void(std::size_t, std::uint64_t, double)> stored;
        /// What the operator should know, without anything that a client sent.
        std::function<void(const Error&)> complain;
    };
    struct WriterLimits {
        std::size_t sessions;           ///< that store
        std::chrono::seconds duration;  ///< of a transaction
    };

    /// Offers these collections, or if none is named all that the role may submit to. Connects; throws Error
    /// (environment) if that fails, or if the role may do more than submit.
    ReportWriter(Queue& queue, const std::string& dsn, std::set<std::string> only, const WriterLimits& limits,
                 Observer observer);
    void run();

  private:
    /// A session that stores.
    struct Worker {
        Worker(const std::string& dsn, const WriterLimits& limits);
        Session session;
        bool doubt = false;  ///< whether a COMMIT was sent of which it is not known what it did
    };

    void check_role();
    void work(Worker& worker);
    void end_overdue();
    void refresh();
    [[nodiscard]] std::shared_ptr<const CatalogEntry> read_collection(CatalogEntry&& listed);
    void store(Worker& worker, Group group);
    /// Of each batch of the group: `later` if nothing was committed because too few were new. An id that is
    /// to be void is `delivered` once it is.
    [[nodiscard]] static std::vector<BatchOutcome> attempt(Worker& worker, pqxx::connection& connection,
                                                           const std::string& schema,
                                                           std::span<const QueuedBatch> group, bool singly,
                                                           std::size_t hold);
    void end(std::span<const QueuedBatch> group, const pq::Failure& failure, bool doubt,
             Clock::duration took);

    Queue& queue_;
    WriterLimits limits_;
    Session control_;  ///< in which no owner's code runs
    std::vector<std::unique_ptr<Worker>> workers_;
    std::set<std::string> only_;
    Observer observer_;
    std::shared_ptr<const Catalog> catalog_ = std::make_shared<const Catalog>();
    std::mutex mutex_;
    std::condition_variable ended_;
    std::size_t working_ = 0;  ///< workers that have not ended
};

}  // namespace ldp::collect

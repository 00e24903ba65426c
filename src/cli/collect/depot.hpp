// Where submissions are stored: the one place that talks to the database, in a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/collect/queue.hpp"
#include "client/transport.hpp"

namespace ldp::collect {

/// Stores what the queue has until that is done, and looks every two seconds which collections there are.
class Depot {
  public:
    /// Called from the thread that run() is in.
    struct Observer {
        /// The collections that are offered, whenever they are others than before.
        std::function<void(std::shared_ptr<const Catalog>)> catalog;
        /// Whether the database answers, whenever that changes.
        std::function<void(bool)> alive;
        /// A transaction was committed, with so many submissions and reports, and took so many seconds.
        std::function<void(std::size_t, std::uint64_t, double)> stored;
        /// What the operator should know, without anything that a client sent.
        std::function<void(const Error&)> complain;
    };

    /// Offers these collections, or if none is named all that the role may submit to. Connects; throws Error
    /// (environment) if that fails, or if the role is a superuser.
    Depot(Queue& queue, const std::string& dsn, std::set<std::string> only, Observer observer);
    void run();

  private:
    enum class Claim { fresh, known, other };  ///< other: known, with other content
    struct Attempt {
        std::vector<Claim> claims;
        bool committed;
    };

    void refresh();
    [[nodiscard]] std::shared_ptr<const Offered> read_collection(const Offered& listed);
    void store(Group group);
    [[nodiscard]] Attempt attempt(pqxx::connection& connection, std::span<const Waiting> group, bool singly);
    void end(std::span<const Waiting> group, const pq::Failure& failure);
    void set_alive(bool alive);

    Queue& queue_;
    Link link_;
    std::set<std::string> only_;
    Observer observer_;
    std::shared_ptr<const Catalog> catalog_ = std::make_shared<const Catalog>();
    std::optional<bool> alive_;
};

}  // namespace ldp::collect

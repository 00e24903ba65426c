// What waits to be stored, between the thread that talks to clients and those that talk to the database.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cli/collect/catalogue.hpp"
#include "cli/collect/http_response.hpp"

namespace ldp::collect {

using Clock = std::chrono::steady_clock;

/// A client that waits for the end of a batch.
struct Listener {
    /// Called exactly once, from any thread, unless the client is gone. Must not call the queue.
    std::function<void(const Answer&)> tell;
    /// Set by the client's thread when the client closed its connection. May be null.
    std::shared_ptr<const std::atomic<bool>> gone = {};

    [[nodiscard]] bool is_gone() const noexcept { return gone && gone->load(); }
};

struct QueuedBatch {
    ReceivedBatch batch;
    std::vector<Listener> listeners;  ///< several, if it was sent again while it waited
    Clock::time_point since = Clock::now();

    void end(const Answer& answer) const {
        for (const Listener& one : listeners) one.tell(answer);
    }
};
using Group = std::vector<QueuedBatch>;

/// Batches in lanes, one for each collection and round. What waits in a lane is stored together, in one
/// transaction. So while one transaction runs the next one fills, and the more there is to do, the less does
/// each batch cost. Groups of one owner are handed out one after another, and owners take turns: a
/// transaction that an owner's triggers make slow delays the groups of that owner alone, as long as there are
/// fewer slow owners than threads that store.
class Queue {
  public:
    struct Limits {
        std::size_t hold;          ///< the fewest batches that are stored together; 1: none waits
        Clock::duration hold_for;  ///< how long a batch waits for others, before it is sent back
        std::size_t bytes;         ///< of what waits; of one collection, half as many
        Clock::duration lag;       ///< more is taken of an owner only while none of his that could be stored
                                   ///< waits longer
        std::size_t share = ~std::size_t{0};  ///< clients that wait for one collection
        /// Reports of a group, but for those of its last batch and for what `hold` needs: so that no
        /// transaction is long.
        std::size_t group = 250000;
    };
    explicit Queue(const Limits& limits) : limits_(limits) {}

    /// Takes a batch in, or says at once why not.
    void add(ReceivedBatch batch, Listener listener);
    /// Takes in again what could not be stored with so few.
    void add_again(Group group);
    /// Removes batches that wait for others and whose clients are gone.
    void drop_gone();
    /// Sends back the batch that has waited longest for others, of the collection for which most clients
    /// wait. False if none waits for others.
    [[nodiscard]] bool crowd_out();

    /// The next group, as soon as there is one; none at this time, or when all is done after stop(). Groups
    /// of ids that are to stand for nothing are of these alone, and wait for no others. Until release(), the
    /// owner of the group's collection has no other.
    [[nodiscard]] Group take(Clock::time_point until);
    void release(const std::string& owner);
    /// From now on nothing is taken in, and what waits for others is sent back.
    void stop();
    /// Whether stop() was called and nothing is left to take.
    [[nodiscard]] bool done() const;
    /// How many batches wait.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

  private:
    /// Whether void, collection (as it was created, so that those of one lane have one spec), round.
    using Key = std::tuple<bool, std::string, std::int32_t>;
    /// By id, so that none stands twice in a transaction, or counts twice among those that wait together.
    using OwnerQueue = std::map<std::string, QueuedBatch>;
    using OwnerQueues = std::map<Key, OwnerQueue>;
    /// A lane that can be stored.
    struct Ready {
        Key key;
        std::string owner;
        Clock::time_point since;
    };
    /// What waits of a collection.
    struct Load {
        std::size_t clients = 0, bytes = 0;
    };

    void enter(QueuedBatch queued);
    void leave(const QueuedBatch& queued) noexcept;
    [[nodiscard]] bool held(const OwnerQueues::value_type& owner_queue) const noexcept;
    [[nodiscard]] std::optional<Answer> refused(const ReceivedBatch& batch) const;
    [[nodiscard]] std::deque<Ready>::iterator next();
    void send_back(Clock::time_point those_before, const Answer& answer);

    Limits limits_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    OwnerQueues owner_queues_;
    std::deque<Ready> ready_;
    std::set<std::string> busy_;                  ///< owners of groups that are being stored
    std::map<std::string, std::uint64_t> turns_;  ///< when each owner was last served, counted in groups
    std::map<std::string, Load> loads_;
    std::uint64_t turn_ = 0;
    std::size_t bytes_ = 0, size_ = 0;
    Clock::time_point looked_;  ///< when batches that wait too long were last sent back
    bool stopped_ = false;
};

}  // namespace ldp::collect

// The queue of batches between the thread that serves clients and the threads that write to the database.
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

/// A client that waits for the outcome of a batch.
struct Listener {
    /// Called exactly once, from any thread, unless the client is gone. Must not call the queue.
    std::function<void(const HttpResponse&)> notify;
    /// Set by the client's thread when the client has closed its connection. May be null.
    std::shared_ptr<const std::atomic<bool>> gone = {};

    [[nodiscard]] bool is_gone() const noexcept { return gone && gone->load(); }
};

struct QueuedBatch {
    ReceivedBatch batch;
    std::vector<Listener> listeners;  ///< several, if the batch was sent again while it waited
    Clock::time_point since = Clock::now();

    void end(const HttpResponse& answer) const {
        for (const Listener& one : listeners) one.notify(answer);
    }
};
using Group = std::vector<QueuedBatch>;

/// Queues of batches, one queue for each collection and round. If batches are held (Limits::hold), each set
/// of public columns has its own queue. A batch is then mixed only with batches of equal public columns, and a
/// refusal concerns only these. The batches of a queue are stored together in
/// one transaction. While a transaction runs, the next group grows, so the cost of a batch falls as the load
/// rises. Owners take turns, and at most one group of an owner is stored at a time. If an owner's triggers
/// make a transaction slow, only groups of that owner are delayed, as long as the slow owners are fewer than
/// the writing threads.
class Queue {
  public:
    struct Limits {
        std::size_t hold;  ///< minimum number of batches of a group; 1: no batch waits
        Clock::duration
            hold_for;       ///< maximum time that a batch waits for others; then the client must repeat it
        std::size_t bytes;  ///< maximum size of all queues; of one collection, half of it
        Clock::duration
            lag;  ///< an owner's batches are rejected while a complete group waits longer than this
        /// Maximum number of clients that wait for one collection. A further client replaces the client that
        /// has waited longest for others.
        std::size_t share = ~std::size_t{0};
        /// Maximum number of reports of a group, which bounds the transaction. The last batch may exceed it,
        /// and so may the batches that `hold` requires.
        std::size_t group = 250000;
    };
    explicit Queue(const Limits& limits) : limits_(limits) {}

    /// Queues a batch, or rejects it at once.
    void add(ReceivedBatch batch, Listener listener);
    /// Queues the batches of a group again, if the group had fewer new batches than `hold`.
    void add_again(Group group);
    /// Removes waiting batches without listeners.
    void drop_gone();
    /// Rejects the oldest batch that waits for others, of the collection with the most waiting clients.
    /// Returns false if no batch waits for others.
    [[nodiscard]] bool crowd_out();

    /// Returns whether the queues of a collection are full.
    [[nodiscard]] bool full(const std::string& collection) const;

    /// Waits for the next group and returns it. The group is empty at the time `until`, and after stop() when
    /// all queues are empty. Revoked ids form groups of their own, which do not wait for others. Until
    /// release(), no other group of the collection's owner is returned.
    [[nodiscard]] Group take(Clock::time_point until);
    void release(const std::string& owner);
    /// Rejects all further batches and those that wait for others.
    void stop();
    /// Ends without answers: take() returns no further group. Takes no memory.
    void abandon() noexcept;
    /// Returns whether stop() or abandon() was called and no group is left.
    [[nodiscard]] bool done() const;
    /// Returns the number of waiting batches.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

  private:
    /// Whether no reports are stored, because ids are revoked or values checked. The collection with its creation time, so
    /// that a queue has one spec, and whether values are checked; the round; the public columns if batches are held.
    using Key = std::tuple<bool, std::string, std::int32_t, PublicValues>;
    /// Batches by id, so that a transaction contains each id once.
    using RoundQueue = std::map<std::string, QueuedBatch>;
    using RoundQueues = std::map<Key, RoundQueue>;
    /// A queue with a complete group.
    struct Ready {
        Key key;
        std::string owner;
        Clock::time_point since;
    };
    /// Waiting clients and bytes of a collection.
    struct Load {
        std::size_t clients = 0, bytes = 0;
    };

    /// As crowd_out(), for the batches of this collection; of all collections if the name is empty. `close`:
    /// whether the connections of its clients are closed.
    bool crowd_out_of(const std::string& collection, bool close);
    /// As full(), under the lock.
    [[nodiscard]] bool is_full(const std::string& collection) const;
    void enter(QueuedBatch queued);
    void leave(const QueuedBatch& queued) noexcept;
    [[nodiscard]] bool held(const RoundQueues::value_type& round_queue) const noexcept;
    [[nodiscard]] std::optional<HttpResponse> refused(const ReceivedBatch& batch) const;
    [[nodiscard]] std::deque<Ready>::iterator next();
    void wake();
    void send_back(Clock::time_point those_before, const HttpResponse& answer);

    Limits limits_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    RoundQueues round_queues_;
    std::deque<Ready> ready_;
    std::set<std::string> busy_;                  ///< owners of groups that are being stored
    std::map<std::string, std::uint64_t> turns_;  ///< number of the last group of each owner
    std::map<std::string, Load> loads_;
    std::uint64_t turn_ = 0;
    std::size_t bytes_ = 0, size_ = 0;
    Clock::time_point looked_;  ///< time of the last check for batches that wait too long
    bool stopped_ = false;
};

}  // namespace ldp::collect

// What waits to be stored, between the thread that talks to clients and the one that talks to the database.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/collect/answer.hpp"
#include "cli/collect/offered.hpp"

namespace ldp::collect {

using Clock = std::chrono::steady_clock;

/// Told the end of a submission: exactly once, from whichever thread knows it. Must not call the queue.
using Tell = std::function<void(const Answer&)>;

struct Waiting {
    Submission submission;
    std::vector<Tell> tell;  ///< several, if it was sent again while it waited
    Clock::time_point since = Clock::now();

    void end(const Answer& answer) const {
        for (const Tell& one : tell) one(answer);
    }
};
using Group = std::vector<Waiting>;

/// Submissions in lanes, one for each collection and round: what waits in a lane is stored together, in one
/// transaction. So while one transaction runs the next one fills, and the more there is to do, the less does
/// each submission cost.
class Queue {
  public:
    struct Limits {
        std::size_t hold;          ///< the fewest submissions that are stored together; 1: none waits
        Clock::duration hold_for;  ///< how long a submission waits for others, before it is sent back
        std::size_t bytes;         ///< of what waits
        Clock::duration lag;       ///< more is taken only while what could be stored waits no longer
    };
    explicit Queue(const Limits& limits) : limits_(limits) {}

    /// Takes a submission in, or says at once why not.
    void add(Submission submission, Tell tell);
    /// Takes in again what could not be stored with so few.
    void add_again(Group group);

    /// The next group, as soon as there is one; none at this time, or when all is done after stop(). Groups
    /// of ids that are to stand for nothing are of these alone, and wait for no others.
    [[nodiscard]] Group take(Clock::time_point until);
    /// From now on nothing is taken in, and what waits for others is sent back.
    void stop();
    /// Whether stop() was called and nothing is left to take.
    [[nodiscard]] bool done() const;
    /// How many submissions wait.
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

  private:
    /// Whether void, collection, round.
    using Key = std::tuple<bool, std::string, std::int32_t>;
    /// By id, so that none stands twice in a transaction, or counts twice among those that wait together.
    using Lane = std::map<std::string, Waiting>;

    void enter(Waiting waiting);
    void leave(const Waiting& waiting) noexcept;
    void send_back(Clock::time_point those_before, const Answer& answer);

    Limits limits_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Key, Lane> lanes_;
    std::deque<std::pair<Key, Clock::time_point>> ready_;  ///< lanes that can be stored, and since when
    std::size_t bytes_ = 0, size_ = 0;
    Clock::time_point looked_;  ///< when submissions that wait too long were last sent back
    bool stopped_ = false;
};

}  // namespace ldp::collect

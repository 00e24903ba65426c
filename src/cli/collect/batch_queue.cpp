#include "cli/collect/batch_queue.hpp"

#include <algorithm>

namespace ldp::collect {

namespace {

/// Bytes of a waiting batch in addition to its reports.
constexpr std::size_t overhead = 512;

std::size_t weight(const QueuedBatch& queued) noexcept {
    std::size_t columns = 0;
    for (const auto& [name, value] : queued.batch.columns.values()) columns += overhead + value.capacity();
    if (queued.batch.asked)
        for (const std::string& value : queued.batch.asked->values)
            columns += sizeof(value) + value.capacity();
    return overhead + columns + queued.batch.frame.capacity();
}

int seconds(Clock::duration time) {
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

HttpResponse stopping() {
    return later(503, 5, "the endpoint is shutting down");
}

}  // namespace

void Queue::add(ReceivedBatch batch, Listener listener) {
    const std::lock_guard lock(mutex_);
    // Clients that only stay connected must not keep others of their collection out.
    if (is_full(batch.to->name)) (void)crowd_out_of(batch.to->name, false);
    if (const auto why = refused(batch)) return listener.notify(*why);
    enter({std::move(batch), {std::move(listener)}});
    wake();
}

/// Wakes a thread if a group can be stored now. A thread that is woken for each batch would mostly wait again.
void Queue::wake() {
    if (next() != ready_.end()) changed_.notify_one();
}

bool Queue::is_full(const std::string& collection) const {
    const auto load = loads_.find(collection);
    return load != loads_.end() &&
           (load->second.clients >= limits_.share || load->second.bytes >= limits_.bytes / 2);
}

std::optional<HttpResponse> Queue::refused(const ReceivedBatch& batch) const {
    if (stopped_) return stopping();
    const int wait = std::max(1, seconds(limits_.lag));
    const auto first = std::ranges::find(ready_, batch.to->owner, &Ready::owner);
    if (bytes_ >= limits_.bytes || (first != ready_.end() && Clock::now() - first->since > limits_.lag))
        return later(429, wait, "the database is overloaded");
    if (is_full(batch.to->name)) return later(429, wait, "too many batches of this collection are waiting");
    return {};
}

void Queue::add_again(Group group) {
    const std::lock_guard lock(mutex_);
    for (QueuedBatch& queued : group) {
        if (stopped_)
            queued.end(stopping());
        else
            enter(std::move(queued));
    }
    wake();
}

void Queue::enter(QueuedBatch queued) {
    const ReceivedBatch& batch = queued.batch;
    const bool is_void = batch.frame.empty();
    const CatalogEntry& to = *batch.to;
    const Key key{is_void,
                  to.name + "\n" + to.fingerprint + "\n" + to.created + (batch.asked ? "\nvalues" : ""),
                  batch.round, limits_.hold > 1 ? batch.columns : PublicValues()};
    RoundQueue& round_queue = round_queues_[key];
    if (const auto same = round_queue.find(batch.id); same != round_queue.end()) {
        if (same->second.batch.digest != batch.digest)
            return queued.end(later(503, 5, "another batch with this id is waiting to be stored"));
        loads_[to.name].clients += queued.listeners.size();
        std::ranges::move(queued.listeners, std::back_inserter(same->second.listeners));
        return;
    }
    Load& load = loads_[to.name];
    load.clients += queued.listeners.size();
    load.bytes += weight(queued);
    bytes_ += weight(queued);
    ++size_;
    std::string id = batch.id;
    round_queue.emplace(std::move(id), std::move(queued));
    if (round_queue.size() == (is_void ? 1 : limits_.hold)) ready_.push_back({key, to.owner, Clock::now()});
}

void Queue::leave(const QueuedBatch& queued) noexcept {
    const auto load = loads_.find(queued.batch.to->name);
    load->second.clients -= queued.listeners.size();
    load->second.bytes -= weight(queued);
    if (load->second.bytes == 0) loads_.erase(load);
    bytes_ -= weight(queued);
    --size_;
}

bool Queue::held(const RoundQueues::value_type& round_queue) const noexcept {
    return !std::get<bool>(round_queue.first) && round_queue.second.size() < limits_.hold;
}

void Queue::drop_gone() {
    const std::lock_guard lock(mutex_);
    for (auto round_queue = round_queues_.begin(); round_queue != round_queues_.end();) {
        const bool waits = held(*round_queue);
        for (auto one = round_queue->second.begin(); waits && one != round_queue->second.end();) {
            QueuedBatch& queued = one->second;
            loads_[queued.batch.to->name].clients -=
                std::erase_if(queued.listeners, [](const Listener& listener) { return listener.is_gone(); });
            const bool forgotten = queued.listeners.empty();
            if (forgotten) leave(queued);
            one = forgotten ? round_queue->second.erase(one) : std::next(one);
        }
        round_queue =
            waits && round_queue->second.empty() ? round_queues_.erase(round_queue) : std::next(round_queue);
    }
}

bool Queue::crowd_out() {
    const std::lock_guard lock(mutex_);
    return crowd_out_of({}, true);
}

bool Queue::full(const std::string& collection) const {
    const std::lock_guard lock(mutex_);
    return is_full(collection);
}

bool Queue::crowd_out_of(const std::string& collection, bool close) {
    auto worst = round_queues_.end();
    RoundQueue::iterator oldest;
    std::size_t most = 0;
    for (auto round_queue = round_queues_.begin(); round_queue != round_queues_.end(); ++round_queue) {
        if (!held(*round_queue)) continue;
        const auto first = std::ranges::min_element(round_queue->second, {},
                                                    [](const auto& one) { return one.second.since; });
        const std::string& name = first->second.batch.to->name;
        if (!collection.empty() && name != collection) continue;
        const std::size_t clients = loads_.at(name).clients;
        if (worst != round_queues_.end() &&
            (clients < most || (clients == most && first->second.since >= oldest->second.since)))
            continue;
        worst = round_queue;
        oldest = first;
        most = clients;
    }
    if (worst == round_queues_.end()) return false;
    HttpResponse answer = later(503, seconds(limits_.hold_for), "too many clients are waiting");
    answer.close = close;
    leave(oldest->second);
    oldest->second.end(answer);
    worst->second.erase(oldest);
    if (worst->second.empty()) round_queues_.erase(worst);
    return true;
}

/// Among queues whose owner is not being served, returns the first one of the least recently served owner.
std::deque<Queue::Ready>::iterator Queue::next() {
    auto best = ready_.end();
    std::uint64_t longest = 0;
    for (auto one = ready_.begin(); one != ready_.end(); ++one) {
        if (busy_.contains(one->owner)) continue;
        const auto served = turns_.find(one->owner);
        const std::uint64_t turn = served == turns_.end() ? 0 : served->second;
        if (best != ready_.end() && turn >= longest) continue;
        best = one;
        longest = turn;
    }
    return best;
}

Group Queue::take(Clock::time_point until) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [&] { return next() != ready_.end() || (stopped_ && ready_.empty()); });
    if (limits_.hold > 1 && Clock::now() - looked_ > std::chrono::seconds(1)) {
        looked_ = Clock::now();
        send_back(looked_ - limits_.hold_for,
                  later(503, seconds(limits_.hold_for), "fewer batches than --hold are waiting"));
    }
    Group group;
    const auto chosen = next();
    if (chosen == ready_.end()) return group;
    const Key key = chosen->key;
    ready_.erase(chosen);
    const auto round_queue = round_queues_.find(key);
    const std::size_t least = std::get<bool>(key) ? 1 : limits_.hold;
    RoundQueue& batches = round_queue->second;
    std::size_t reports = 0;
    while (!batches.empty() && (reports < limits_.group || group.size() < least)) {
        const auto first = batches.begin();
        leave(first->second);
        // Revoking an id costs as much as storing a report.
        reports += std::max<std::size_t>(1, first->second.batch.reports());
        group.push_back(std::move(first->second));
        batches.erase(first);
    }
    const std::string& owner = group.front().batch.to->owner;
    busy_.insert(owner);
    turns_[owner] = ++turn_;
    if (batches.size() >= least)
        ready_.push_back({key, owner, Clock::now()});
    else if (batches.empty())
        round_queues_.erase(round_queue);
    else if (stopped_)
        send_back(Clock::time_point::max(), stopping());
    wake();
    return group;
}

void Queue::release(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    busy_.erase(owner);
    if (turns_.size() > 1000) turns_.clear();  // drops owners that no longer exist
    if (stopped_)
        changed_.notify_all();
    else
        wake();
}

/// Answers and removes batches in queues that are too short to be stored.
void Queue::send_back(Clock::time_point those_before, const HttpResponse& answer) {
    for (auto round_queue = round_queues_.begin(); round_queue != round_queues_.end();) {
        const bool waits = held(*round_queue);
        if (waits)
            std::erase_if(round_queue->second, [&](const auto& entry) {
                const QueuedBatch& queued = entry.second;
                if (queued.since > those_before) return false;
                leave(queued);
                queued.end(answer);
                return true;
            });
        round_queue =
            waits && round_queue->second.empty() ? round_queues_.erase(round_queue) : std::next(round_queue);
    }
}

void Queue::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    send_back(Clock::time_point::max(), stopping());
    changed_.notify_all();
}

void Queue::abandon() noexcept {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ready_.clear();
    changed_.notify_all();
}

bool Queue::done() const {
    const std::lock_guard lock(mutex_);
    return stopped_ && ready_.empty();
}

std::size_t Queue::size() const {
    const std::lock_guard lock(mutex_);
    return size_;
}

}  // namespace ldp::collect

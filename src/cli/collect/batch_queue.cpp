#include "cli/collect/batch_queue.hpp"

#include <algorithm>

namespace ldp::collect {

namespace {

/// Of what waits, beside its reports.
constexpr std::size_t overhead = 512;

std::size_t weight(const QueuedBatch& queued) noexcept {
    return overhead + queued.batch.frame.capacity();
}

int seconds(Clock::duration time) {
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

Answer stopping() {
    return later(503, 5, "the endpoint is being stopped");
}

}  // namespace

void Queue::add(ReceivedBatch batch, Listener listener) {
    const std::lock_guard lock(mutex_);
    if (const auto why = refused(batch)) return listener.tell(*why);
    enter({std::move(batch), {std::move(listener)}});
    changed_.notify_one();
}

std::optional<Answer> Queue::refused(const ReceivedBatch& batch) const {
    if (stopped_) return stopping();
    const int wait = std::max(1, seconds(limits_.lag));
    const auto first = std::ranges::find(ready_, batch.to->owner, &Ready::owner);
    if (bytes_ >= limits_.bytes || (first != ready_.end() && Clock::now() - first->since > limits_.lag))
        return later(429, wait, "the database lags behind");
    const auto load = loads_.find(batch.to->name);
    if (load != loads_.end() &&
        (load->second.clients >= limits_.share || load->second.bytes >= limits_.bytes / 2))
        return later(429, wait, "too many batches of this collection wait");
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
    changed_.notify_one();
}

void Queue::enter(QueuedBatch queued) {
    const ReceivedBatch& batch = queued.batch;
    const bool is_void = batch.frame.empty();
    const CatalogEntry& to = *batch.to;
    const Key key{is_void, to.name + "\n" + to.fingerprint + "\n" + to.created, batch.round};
    OwnerQueue& owner_queue = owner_queues_[key];
    if (const auto same = owner_queue.find(batch.id); same != owner_queue.end()) {
        if (same->second.batch.digest != batch.digest)
            return queued.end(later(503, 5, "a batch of this id waits to be stored, and is another one"));
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
    owner_queue.emplace(std::move(id), std::move(queued));
    if (owner_queue.size() == (is_void ? 1 : limits_.hold)) ready_.push_back({key, to.owner, Clock::now()});
}

void Queue::leave(const QueuedBatch& queued) noexcept {
    const auto load = loads_.find(queued.batch.to->name);
    load->second.clients -= queued.listeners.size();
    load->second.bytes -= weight(queued);
    if (load->second.bytes == 0) loads_.erase(load);
    bytes_ -= weight(queued);
    --size_;
}

bool Queue::held(const OwnerQueues::value_type& owner_queue) const noexcept {
    return !std::get<bool>(owner_queue.first) && owner_queue.second.size() < limits_.hold;
}

void Queue::drop_gone() {
    const std::lock_guard lock(mutex_);
    for (auto owner_queue = owner_queues_.begin(); owner_queue != owner_queues_.end();) {
        const bool waits = held(*owner_queue);
        for (auto one = owner_queue->second.begin(); waits && one != owner_queue->second.end();) {
            QueuedBatch& queued = one->second;
            loads_[queued.batch.to->name].clients -=
                std::erase_if(queued.listeners, [](const Listener& listener) { return listener.is_gone(); });
            const bool forgotten = queued.listeners.empty();
            if (forgotten) leave(queued);
            one = forgotten ? owner_queue->second.erase(one) : std::next(one);
        }
        owner_queue =
            waits && owner_queue->second.empty() ? owner_queues_.erase(owner_queue) : std::next(owner_queue);
    }
}

bool Queue::crowd_out() {
    const std::lock_guard lock(mutex_);
    auto worst = owner_queues_.end();
    OwnerQueue::iterator oldest;
    std::size_t most = 0;
    for (auto owner_queue = owner_queues_.begin(); owner_queue != owner_queues_.end(); ++owner_queue) {
        if (!held(*owner_queue)) continue;
        const auto first = std::ranges::min_element(owner_queue->second, {},
                                                    [](const auto& one) { return one.second.since; });
        const std::size_t clients = loads_.at(first->second.batch.to->name).clients;
        if (worst != owner_queues_.end() &&
            (clients < most || (clients == most && first->second.since >= oldest->second.since)))
            continue;
        worst = owner_queue;
        oldest = first;
        most = clients;
    }
    if (worst == owner_queues_.end()) return false;
    Answer answer = later(503, seconds(limits_.hold_for), "too many wait for others");
    answer.close = true;
    leave(oldest->second);
    oldest->second.end(answer);
    worst->second.erase(oldest);
    if (worst->second.empty()) owner_queues_.erase(worst);
    return true;
}

/// Of the lanes whose owner is not being served, the first one of the owner who was served longest ago.
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
                  later(503, seconds(limits_.hold_for), "too few others reported to store this with them"));
    }
    Group group;
    const auto chosen = next();
    if (chosen == ready_.end()) return group;
    const Key key = chosen->key;
    ready_.erase(chosen);
    const auto owner_queue = owner_queues_.find(key);
    const std::size_t least = std::get<bool>(key) ? 1 : limits_.hold;
    OwnerQueue& batches = owner_queue->second;
    std::size_t reports = 0;
    while (!batches.empty() && (reports < limits_.group || group.size() < least)) {
        const auto first = batches.begin();
        leave(first->second);
        // An id that is to stand for nothing is as much work as a report.
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
        owner_queues_.erase(owner_queue);
    else if (stopped_)
        send_back(Clock::time_point::max(), stopping());
    return group;
}

void Queue::release(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    busy_.erase(owner);
    if (turns_.size() > 1000) turns_.clear();  // of owners that are gone
    changed_.notify_all();
}

/// Of the lanes that cannot be stored yet.
void Queue::send_back(Clock::time_point those_before, const Answer& answer) {
    for (auto owner_queue = owner_queues_.begin(); owner_queue != owner_queues_.end();) {
        const bool waits = held(*owner_queue);
        if (waits)
            std::erase_if(owner_queue->second, [&](const auto& entry) {
                const QueuedBatch& queued = entry.second;
                if (queued.since > those_before) return false;
                leave(queued);
                queued.end(answer);
                return true;
            });
        owner_queue =
            waits && owner_queue->second.empty() ? owner_queues_.erase(owner_queue) : std::next(owner_queue);
    }
}

void Queue::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    send_back(Clock::time_point::max(), stopping());
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

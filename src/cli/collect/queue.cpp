#include "cli/collect/queue.hpp"

#include <algorithm>

namespace ldp::collect {

namespace {

/// Of what waits, beside its reports.
constexpr std::size_t overhead = 512;

std::size_t weight(const Waiting& waiting) noexcept {
    return overhead + waiting.submission.frame.capacity();
}

int seconds(Clock::duration time) {
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

Answer stopping() {
    return later(503, 5, "the endpoint is being stopped");
}

}  // namespace

void Queue::add(Submission submission, Tell tell) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return tell(stopping());
    if (bytes_ >= limits_.bytes || (!ready_.empty() && Clock::now() - ready_.front().second > limits_.lag))
        return tell(later(429, std::max(1, seconds(limits_.lag)), "the database lags behind"));
    enter({std::move(submission), {std::move(tell)}});
    changed_.notify_one();
}

void Queue::add_again(Group group) {
    const std::lock_guard lock(mutex_);
    for (Waiting& waiting : group) {
        if (stopped_)
            waiting.end(stopping());
        else
            enter(std::move(waiting));
    }
}

void Queue::enter(Waiting waiting) {
    const Submission& submission = waiting.submission;
    const bool is_void = submission.frame.empty();
    const Key key{is_void, submission.to->name, submission.round};
    Lane& lane = lanes_[key];
    if (const auto same = lane.find(submission.id); same != lane.end()) {
        if (same->second.submission.digest != submission.digest)
            waiting.end(later(503, 5, "a batch of this id waits to be stored, and is another one"));
        else
            std::ranges::move(waiting.tell, std::back_inserter(same->second.tell));
        return;
    }
    bytes_ += weight(waiting);
    ++size_;
    std::string id = submission.id;
    lane.emplace(std::move(id), std::move(waiting));
    if (lane.size() == (is_void ? 1 : limits_.hold)) ready_.emplace_back(key, Clock::now());
}

void Queue::leave(const Waiting& waiting) noexcept {
    bytes_ -= weight(waiting);
    --size_;
}

Group Queue::take(Clock::time_point until) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [&] { return stopped_ || !ready_.empty(); });
    if (limits_.hold > 1 && Clock::now() - looked_ > std::chrono::seconds(1)) {
        looked_ = Clock::now();
        send_back(looked_ - limits_.hold_for,
                  later(503, seconds(limits_.hold_for), "too few others reported to store this with them"));
    }
    Group group;
    if (ready_.empty()) return group;
    const auto lane = lanes_.find(ready_.front().first);
    ready_.pop_front();
    for (auto& [id, waiting] : lane->second) {
        leave(waiting);
        group.push_back(std::move(waiting));
    }
    lanes_.erase(lane);
    return group;
}

/// Of the lanes that cannot be stored yet.
void Queue::send_back(Clock::time_point those_before, const Answer& answer) {
    for (auto lane = lanes_.begin(); lane != lanes_.end();) {
        const bool waits = !std::get<bool>(lane->first) && lane->second.size() < limits_.hold;
        if (waits)
            std::erase_if(lane->second, [&](const auto& entry) {
                const Waiting& waiting = entry.second;
                if (waiting.since > those_before) return false;
                leave(waiting);
                waiting.end(answer);
                return true;
            });
        lane = waits && lane->second.empty() ? lanes_.erase(lane) : std::next(lane);
    }
}

void Queue::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    send_back(Clock::time_point::max(), stopping());
    changed_.notify_one();
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

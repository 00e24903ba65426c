#include "client/memory_store.hpp"

#include <algorithm>
#include <iterator>

namespace ldp {

void MemoryStore::bind(std::uint64_t fingerprint) {
    if (memory_.outdated) refuse_outdated();
    auto& bound = memory_.fingerprint;
    if (bound.value_or(fingerprint) != fingerprint) refuse_spec(*bound, fingerprint);
    bound = fingerprint;
}

void MemoryStore::append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks,
                         const Notes& notes) {
    if (memory_.outdated) refuse_outdated();
    auto named = marks_;
    std::vector<std::byte> public_randomness(notes.public_randomness.begin(), notes.public_randomness.end());
    std::vector<std::byte> course(notes.course.begin(), notes.course.end());
    std::vector<Answer> answers(notes.answers.begin(), notes.answers.end());
    for (Answer& answer : answers) answer.round = round;
    if (const std::size_t needed = memory_.answers.size() + answers.size();
        needed > memory_.answers.capacity())
        memory_.answers.reserve(2 * needed);
    for (const Mark& mark : marks) named.insert_or_assign(std::string(mark.name), mark.value);
    const auto before = static_cast<std::ptrdiff_t>(queue_.size());
    try {
        for (const Report& report : reports) queue_.push_back({round, report});
    } catch (...) {
        queue_.erase(queue_.begin() + before, queue_.end());
        throw;
    }
    marks_.swap(named);
    if (!public_randomness.empty()) memory_.public_randomness.swap(public_randomness);
    if (!course.empty()) memory_.course.swap(course);
    std::ranges::move(answers, std::back_inserter(memory_.answers));
}

std::optional<std::int64_t> MemoryStore::mark(std::string_view name) const {
    const auto found = marks_.find(name);
    return found == marks_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Batch> MemoryStore::next_batch(std::size_t most) {
    if (memory_.outdated) refuse_outdated();
    if (queue_.empty()) return std::nullopt;
    const std::int32_t round = queue_.front().round;
    if (batch_.empty()) {
        const auto other = std::ranges::find_if(queue_, [&](const Queued& q) { return q.round != round; });
        taken_ = std::min(most, static_cast<std::size_t>(other - queue_.begin()));
        batch_ = batch_id(secret_, batches_++);
    }
    Batch batch{batch_, round, {}};
    batch.reports.reserve(taken_);
    for (std::size_t i = 0; i < taken_; ++i) batch.reports.push_back(queue_[i].report);
    return batch;
}

void MemoryStore::forget() noexcept {
    batch_.clear();
    taken_ = 0;
}

void MemoryStore::remove() noexcept {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(taken_));
    forget();
}

void MemoryStore::confirm(std::string_view id) {
    if (current(id)) remove();
}

void MemoryStore::release(std::string_view id) {
    if (current(id)) forget();
}

void MemoryStore::set_aside(std::string_view id, std::string_view reason) {
    if (!current(id)) return;
    std::vector<Refused> added;
    for (std::size_t i = 0; i < taken_; ++i)
        added.push_back({queue_[i].round, queue_[i].report, std::string(reason)});
    refused_.reserve(refused_.size() + added.size());
    std::ranges::move(added, std::back_inserter(refused_));
    remove();
}

std::uint64_t MemoryStore::requeue_refused() {
    auto queue = queue_;
    for (const Refused& refused : refused_) queue.push_back({refused.round, refused.report});
    queue_.swap(queue);
    return drop_refused();
}

std::uint64_t MemoryStore::drop_refused() {
    const std::uint64_t dropped = refused_.size();
    refused_.clear();
    return dropped;
}

}  // namespace ldp

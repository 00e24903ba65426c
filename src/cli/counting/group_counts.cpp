#include "cli/counting/group_counts.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp::cli {

namespace {

constexpr char null_mark = '\0', value_mark = '\1';

/// Orders values as people do: whole numbers by size, before other texts by their bytes.
bool precedes(const std::optional<std::string>& one, const std::optional<std::string>& other) {
    if (!one || !other) return one.has_value() && !other.has_value();
    const auto number = [](const std::string& text) -> std::optional<std::int64_t> {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) return {};
        return value;
    };
    const auto left = number(*one), right = number(*other);
    if (left && right && *left != *right) return *left < *right;
    if (left.has_value() != right.has_value()) return left.has_value();
    return *one < *other;
}

}  // namespace

void GroupKey::add(std::optional<std::string_view> value) {
    if (!value) {
        text_ += null_mark;
        return;
    }
    std::byte size[sizeof(std::uint32_t)];
    store(size, static_cast<std::uint32_t>(value->size()));
    text_ += value_mark;
    text_.append(reinterpret_cast<const char*>(size), sizeof(size)).append(*value);
}

GroupValues GroupKey::values(std::string_view text) {
    GroupValues values;
    while (!text.empty()) {
        const char mark = text[0];
        text.remove_prefix(1);
        if (mark == null_mark) {
            values.emplace_back();
            continue;
        }
        const auto size = load<std::uint32_t>(reinterpret_cast<const std::byte*>(text.data()));
        values.emplace_back(text.substr(sizeof(size), size));
        text.remove_prefix(sizeof(size) + size);
    }
    return values;
}

GroupCounts::GroupCounts(const Mechanism& mechanism, GroupMemory& memory)
    : mechanism_(mechanism),
      memory_(memory),
      counter_(mechanism),
      frame_(mechanism.block().size()),
      sent_size_(sent_size(mechanism)) {
    // Payloads are counted together, which is faster than one by one. Stored payloads take at most a quarter of a summary.
    constexpr std::size_t most = std::size_t{1} << 16, fewest = 16;
    most_sent_ = std::max(std::min(most, summary_size(mechanism) / 4) / sent_size_, fewest) * sent_size_;
}

GroupCounts::~GroupCounts() {
    for (const auto& [key, group] : groups_) release(group);
}

void GroupCounts::reserve(std::size_t bytes) {
    if (memory_.used.fetch_add(bytes, std::memory_order_relaxed) + bytes <= memory_.limit) return;
    memory_.used.fetch_sub(bytes, std::memory_order_relaxed);
    raise(ErrorCode::environment,
          "the groups need more than " + grouped(memory_.limit >> 20) + " MiB of memory",
          "A summary of this spec has " + grouped(summary_size(mechanism_)) + " bytes.",
          "Group by fewer columns, or increase --memory.");
}

void GroupCounts::release(const Group& group) noexcept {
    memory_.used.fetch_sub(group.sent.capacity() + group.summary.size(), std::memory_order_relaxed);
}

GroupCounts::Group& GroupCounts::group(std::string_view key) {
    const auto found = groups_.find(key);
    return found != groups_.end() ? found->second : groups_.try_emplace(std::string(key)).first->second;
}

void GroupCounts::count_more(Group& group, std::uint64_t more, const Rounds& rounds) {
    if (more > max_count - group.n) raise_full();
    group.n += more;
    group.rounds = group.rounds.with(rounds);
    reports_ += more;
}

void GroupCounts::settle(Group& group) {
    if (group.summary.empty()) {
        const std::size_t size = summary_size(mechanism_);
        reserve(size);
        group.summary.resize(size);
        start_summary(mechanism_, group.summary);
    }
    if (!group.sent.empty()) {
        const Payloads payloads(group.sent.data(), group.sent.size() / sent_size_, sent_size_, sent_size_);
        if (!counter_.count_all_sent(frame_.state(MutableBytes(group.summary)), payloads))
            raise(ErrorCode::malformed, "a report that was valid could not be counted");
        group.sent.clear();
    }
    frame_.start_head(group.summary, mechanism_.block());
    if (group.n > 0) frame_.add_count(group.summary, group.n, group.rounds);
}

void GroupCounts::add(Group& group, Bytes sent, const Rounds& rounds) {
    count_more(group, sent.size() / sent_size_, rounds);
    append(group, sent);
}

void GroupCounts::append(Group& group, Bytes sent) {
    while (!sent.empty()) {
        if (group.sent.size() == most_sent_) settle(group);
        const Bytes some = sent.first(std::min(sent.size(), most_sent_ - group.sent.size()));
        const std::size_t needed = group.sent.size() + some.size();
        if (needed > group.sent.capacity()) {
            const std::size_t capacity = std::min(most_sent_, std::max(needed, 2 * group.sent.capacity()));
            reserve(capacity - group.sent.capacity());
            group.sent.reserve(capacity);
        }
        group.sent.insert(group.sent.end(), some.begin(), some.end());
        sent = sent.subspan(some.size());
    }
}

void GroupCounts::add_summary(Group& group, Bytes summary) {
    count_more(group, frame_.count(summary), frame_.rounds(summary));
    settle(group);
    merge_counted(mechanism_, frame_.state(MutableBytes(group.summary)), frame_.state(summary));
}

void GroupCounts::absorb(GroupCounts& other) {
    for (auto& [key, theirs] : other.groups_) {
        Group& ours = group(key);
        count_more(ours, theirs.n, theirs.rounds);
        if (ours.summary.empty() && !theirs.summary.empty()) {
            ours.summary.swap(theirs.summary);
        } else if (!theirs.summary.empty()) {
            settle(ours);
            merge_counted(mechanism_, frame_.state(MutableBytes(ours.summary)),
                          frame_.state(Bytes(theirs.summary)));
        }
        append(ours, theirs.sent);
        release(theirs);
    }
    other.groups_.clear();
    other.reports_ = 0;
}

std::vector<std::string> GroupCounts::keys() const {
    std::vector<std::pair<GroupValues, std::string>> all;
    all.reserve(groups_.size());
    for (const auto& [key, group] : groups_) all.emplace_back(GroupKey::values(key), key);
    std::ranges::sort(all, [](const auto& one, const auto& other) {
        for (std::size_t i = 0; i < one.first.size(); ++i)
            if (one.first[i] != other.first[i]) return precedes(one.first[i], other.first[i]);
        return false;
    });
    std::vector<std::string> keys;
    keys.reserve(all.size());
    for (auto& [values, key] : all) keys.push_back(std::move(key));
    return keys;
}

std::vector<std::byte> GroupCounts::take(const std::string& key) {
    Group& found = group(key);
    settle(found);
    std::vector<std::byte> summary = std::move(found.summary);
    memory_.used.fetch_sub(found.sent.capacity() + summary.size(), std::memory_order_relaxed);
    reports_ -= found.n;
    groups_.erase(key);
    return summary;
}

}  // namespace ldp::cli

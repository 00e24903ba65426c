// Summaries of groups of reports, counted from payloads in bounded memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/summary/summary.hpp"

namespace ldp::cli {

/// The values of a group's columns; no value for NULL.
using GroupValues = std::vector<std::optional<std::string>>;

/// The key of a group: its values in one text, by which groups are found.
class GroupKey {
  public:
    void clear() noexcept { text_.clear(); }
    void add(std::optional<std::string_view> value);
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// Returns the values of a key's text.
    [[nodiscard]] static GroupValues values(std::string_view text);

  private:
    std::string text_;
};

/// The memory of all groups in bytes. Threads share it.
struct GroupMemory {
    std::size_t limit;
    std::atomic<std::size_t> used = 0;
};

/// Counts the reports of each group. The payloads of a group with few reports are stored, because they take less memory than
/// a summary. Summaries do not depend on the order of the reports, so several objects can count parts of them.
class GroupCounts {
  public:
    /// The reports of one group.
    struct Group {
        std::uint64_t n = 0;
        Rounds rounds = Rounds::none();
        std::vector<std::byte> sent = {};     ///< payloads that are not in the summary yet
        std::vector<std::byte> summary = {};  ///< empty while all payloads are in `sent`
    };

    /// Mechanism and memory must outlive this object.
    GroupCounts(const Mechanism& mechanism, GroupMemory& memory);
    GroupCounts(const GroupCounts&) = delete;
    GroupCounts& operator=(const GroupCounts&) = delete;
    ~GroupCounts();

    [[nodiscard]] const Mechanism& mechanism() const noexcept { return mechanism_; }
    /// Returns the group of a key, which may be new. The reference is valid until clear().
    [[nodiscard]] Group& group(std::string_view key);
    /// Adds valid reports of these rounds: what follows their blocks. Throws Error: full, environment if the groups need too
    /// much memory.
    void add(Group& group, Bytes sent, const Rounds& rounds);
    /// Adds a summary of the mechanism that check_summary() accepts. Throws as add() does.
    void add_summary(Group& group, Bytes summary);
    /// Adds the groups of another object, which is empty afterwards.
    void absorb(GroupCounts& other);

    /// Returns the number of reports.
    [[nodiscard]] std::uint64_t reports() const noexcept { return reports_; }
    /// Returns the keys of all groups, ordered by their values; NULL is last.
    [[nodiscard]] std::vector<std::string> keys() const;
    /// Returns the summary of a group, and removes the group.
    [[nodiscard]] std::vector<std::byte> take(const std::string& key);

  private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    using Groups = std::unordered_map<std::string, Group, Hash, std::equal_to<>>;

    void reserve(std::size_t bytes);
    void release(const Group& group) noexcept;
    void count_more(Group& group, std::uint64_t more, const Rounds& rounds);
    /// Stores payloads of reports that count_more() counted.
    void append(Group& group, Bytes sent);
    /// Counts the stored payloads of a group in its summary.
    void settle(Group& group);

    const Mechanism& mechanism_;
    GroupMemory& memory_;
    ReportCounter counter_;
    SummaryFrame frame_;
    std::size_t sent_size_, most_sent_;
    std::uint64_t reports_ = 0;
    Groups groups_;
};

}  // namespace ldp::cli

// What a client keeps: its reports between being drawn and known to be counted, and under specs of values
// that change all that it must remember.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/format/report_frame.hpp"

namespace ldp {

/// Reports that travel together, under an id that never stands for anything else.
struct Batch {
    std::string id;               ///< a random UUID (version 4) in its text form, 36 characters
    std::int32_t round;           ///< of all of them
    std::vector<Report> reports;  ///< at least one, the oldest first

    /// SHA-256 of round and reports, as ldp_submit_batch computes it: what tells a batch that is repeated
    /// from another one under its id.
    [[nodiscard]] std::array<std::byte, 32> digest() const;
    /// The reports as batches (core/format/batch_frame.hpp), for a collection that keeps them so: one, or
    /// several where one has no room for all. Nothing if what stands here is damaged, or of several specs.
    [[nodiscard]] std::optional<std::vector<std::vector<std::byte>>> packed() const;
};

/// A report that was refused for good and waits aside, for somebody to look into it.
struct Refused {
    std::int32_t round;  ///< in which it was to be counted
    Report report;       ///< its bytes
    std::string reason;  ///< what the server said
    bool sound = true;   ///< as it was drawn; if not, it is damaged, and cannot be queued again
    friend bool operator==(const Refused&, const Refused&) = default;
};

/// A named number that is set together with reports: how far into a source they reach, say.
struct Mark {
    std::string_view name;  ///< of the program's choice
    std::int64_t value;     ///< what it is from now on
};

/// An answer that was drawn once and is kept: an entry of the permanent response and of the ledger in one.
struct Answer {
    std::vector<Cell> key;  ///< of what: all that the randomizer sees of a record, the same length for all
    std::vector<std::byte> permanent;  ///< what was drawn, the same length for all
    double epsilon;                    ///< what drawing it cost
    std::int32_t round = 0;            ///< of the append that stored it
    friend bool operator==(const Answer&, const Answer&) = default;
};

/// What an append adds to a client's memory.
struct Notes {
    Bytes public_randomness = {};  ///< what a person draws once and keeps for ever; empty: nothing new
    Bytes course = {};  ///< how the values have moved, in place of what was known; empty: nothing new
    std::span<const Answer> answers = {};  ///< what was drawn
};

/// All that a store remembers.
struct Memory {
    std::optional<std::uint64_t> fingerprint;  ///< of the spec that it is tied to
    std::vector<std::byte>
        public_randomness;          ///< what was drawn once and is kept; empty if there was none yet
    std::vector<std::byte> course;  ///< how the values have moved; empty if there was none yet
    std::vector<Answer> answers;    ///< in the order in which they were drawn
    bool outdated = false;          ///< more was drawn than is remembered here: see Store::retire
};

/// Throws Error (environment): what a store remembers is not of its spec, for this reason.
[[noreturn]] void refuse_memory(const char* reason);

/// The outbox, a queue of reports, the oldest leaving first; and the memory of one person. Each call happens
/// whole or not at all, and what it did is as durable as the store is when it returns; a failure is an Error
/// (environment).
///
/// A store serves one spec, one client and one thread at a time. An append takes what was drawn and what it
/// cost in the same step as the reports that come of it.
class Store {
  public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    /// Ties the store to a spec for good. Throws Error (incompatible) if it is tied to another, or was
    /// retired.
    virtual void bind(std::uint64_t fingerprint) = 0;

    /// Queues all reports, of this round and in this order, sets all marks and takes all notes, or does
    /// nothing of it. Each of the three may be empty. All is copied.
    virtual void append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks = {},
                        const Notes& notes = {}) = 0;
    /// Throws Error (environment) if what it kept is damaged.
    [[nodiscard]] virtual Memory memory() const = 0;
    /// A mark as it was last set, if it ever was.
    [[nodiscard]] virtual std::optional<std::int64_t> mark(std::string_view name) const = 0;
    /// Reports queued and not confirmed.
    [[nodiscard]] virtual std::uint64_t pending() const = 0;

    /// The oldest reports, at most `most` (≥ 1) of one round. Their id is stored before it is returned, and
    /// the same batch comes back, whatever `most` is then, until it is confirmed. Nothing if the queue is
    /// empty.
    [[nodiscard]] virtual std::optional<Batch> next_batch(std::size_t most) = 0;
    /// The batch that will be next once the current one is confirmed: named and stored like that, so that it
    /// can be made ready while the current one is on its way. It must not leave before that is confirmed, and
    /// if that is released or set aside, its reports will leave under other ids. Nothing if there is no
    /// current batch, or no report behind it; a store need not look ahead.
    [[nodiscard]] virtual std::optional<Batch> batch_after([[maybe_unused]] std::size_t most) {
        return std::nullopt;
    }
    /// Removes a batch that was counted: sooner or later for good, since a batch that comes again counts
    /// once. An id that is not the current batch's changes nothing, here and in the two that follow.
    virtual void confirm(std::string_view id) = 0;

    /// The batch was not counted and never will be: its reports go back to the front of the queue, to leave
    /// under other ids, and this id is used no more.
    virtual void release(std::string_view id) = 0;
    /// The same, and its reports leave the queue: they are kept aside with the reason.
    virtual void move_to_dead_letters(std::string_view id, std::string_view reason) = 0;
    /// What was set aside, the oldest first.
    [[nodiscard]] virtual std::vector<Refused> refused() const = 0;
    /// Queues what was set aside and is sound anew; returns how many reports that were.
    virtual std::uint64_t requeue_refused() = 0;
    /// Forgets what was set aside; returns how many reports that were.
    virtual std::uint64_t drop_refused() = 0;

    /// The server knows a batch of this store's that the store does not: it is an older copy of one that went
    /// on. What it would send is what was sent in other words, so from now on it refuses bind(), append() and
    /// next_batch(), with an Error (incompatible), and remembers that for good.
    virtual void retire() = 0;

  protected:
    Store(Store&&) = default;             ///< for stores that can be moved
    Store& operator=(Store&&) = default;  ///< for stores that can be moved

    /// What the ids of a store's batches are made with.
    using Secret = std::array<std::byte, 32>;
    /// A new one, from the operating system.
    [[nodiscard]] static Secret draw_secret();
    /// The id of a store's batch with this number, under a secret of the store: a copy of the store that goes
    /// its own way arrives at the same ids, which is how it is noticed; nobody else can.
    [[nodiscard]] static std::string batch_id(const Secret& secret, std::int64_t number);
    /// Throws the Errors of bind().
    [[noreturn]] static void refuse_spec(std::uint64_t bound, std::uint64_t found);
    /// Throws the Error of a store that was retired.
    [[noreturn]] static void refuse_outdated();
};

}  // namespace ldp

// The file that a client keeps: made whole or not at all, opened only if it is ours and sound, changed in
// steps.
#pragma once

#include <array>

#include "client/sqlite/database.hpp"
#include "core/base/text.hpp"

namespace ldp::sqlite {

/// A digest of a row: of its columns one after another, and of the table's name, which tells rows of
/// different tables apart. SQLite's pages have no checksums of their own.
class RowDigest {
  public:
    template <class... Columns>
    [[nodiscard]] static std::int64_t of(std::string_view table, const Columns&... columns) {
        RowDigest digest;
        digest.add(table);
        (digest.add(columns), ...);
        return static_cast<std::int64_t>(digest.hash_.value());
    }

  private:
    void add(std::string_view text) {
        add(static_cast<std::int64_t>(text.size()));
        hash_.add(text);
    }
    void add(Bytes bytes) {
        add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    void add(std::int64_t value) { add_number(value); }
    void add(double value) { add_number(value); }
    void add(const std::optional<std::int64_t>& value) {
        add(std::int64_t{value.has_value()});
        add(value.value_or(0));
    }
    template <class Number>
    void add_number(Number value) {
        std::byte raw[sizeof value];
        store(raw, value);
        hash_.add({reinterpret_cast<const char*>(raw), sizeof raw});
    }
    ContentHash hash_;
};

/// What there is once in a file.
struct Head {
    std::array<std::byte, 32> secret{};       ///< of which batches have their ids
    std::optional<std::int64_t> fingerprint;  ///< of the spec that it is tied to
    std::int64_t reports = 0;                 ///< how many were queued, which numbers the newest
    std::int64_t waiting = 0;                 ///< how many of them are in the queue
    std::int64_t batches = 0;                 ///< how many were named
    std::optional<std::int64_t> last;         ///< the last row of the one on its way, until that is done with
    std::optional<std::int64_t> ahead;        ///< the last row of the one behind it, if that has its name
    std::int64_t outdated = 0;                ///< 1: retired
    std::int64_t rows = 0;                    ///< the sum, modulo 2^64, of the digests of all other rows
};

class Step;

/// A state file that is ours, writable, sound and locked: no row is missing that it was left with.
class StateFile : public Database {
  public:
    /// Opens the file, or makes it if there is none, with this secret. Throws Error (environment).
    StateFile(const std::string& path, const std::array<std::byte, 32>& secret);

    [[nodiscard]] const Head& head() const noexcept { return head_; }

  private:
    friend class Step;
    [[nodiscard]] std::int64_t pragma(const char* sql) const;
    /// Throws Error (environment) unless this release can read the file.
    void identify() const;
    /// Reads the head, and throws Error (environment) unless it sums up the rows.
    void read_head();

    Head head_;
    Step* step_ = nullptr;  ///< that is going on
};

/// When a step is durable.
enum class Durable {
    now,         ///< when commit() returns
    with_others  ///< with the next one that is durable now: until then a crash of the system may undo it
};

/// One change of the file, its head included: whole if commit() returns, else undone. A step within another
/// one is a part of it: done with the outer one, which cannot be done if a part was not.
class Step {
  public:
    explicit Step(StateFile& file, Durable durable = Durable::now);
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step();
    void commit();

    /// Whether it is a part of another one.
    [[nodiscard]] bool within() const noexcept { return outer_ != nullptr; }

    /// A row with this digest came, or went.
    void came(std::int64_t digest) noexcept { sum(static_cast<std::uint64_t>(digest)); }
    void went(std::int64_t digest) noexcept { sum(-static_cast<std::uint64_t>(digest)); }

    Head& head;  ///< of the file, as it will be; as it was, if this is undone

  private:
    void sum(std::uint64_t digest) noexcept {
        head.rows = static_cast<std::int64_t>(static_cast<std::uint64_t>(head.rows) + digest);
    }
    /// Throws Error (environment) if a part failed.
    void require_whole() const;

    StateFile& file_;
    Head before_;
    Step* outer_;  ///< that this is a part of, or null
    bool committed_ = false;
    bool spoiled_ = false;  ///< a part failed
};

}  // namespace ldp::sqlite

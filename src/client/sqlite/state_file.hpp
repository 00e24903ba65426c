// The state file of a client. It is created atomically, opened only if it is valid, and changed in
// transactions.
#pragma once

#include <algorithm>
#include <array>

#include "client/sqlite/database.hpp"
#include "core/base/text.hpp"
#include "core/format/fingerprint.hpp"

namespace ldp::sqlite {

/// A digest of a row: of the table's name and of all columns in order. The name distinguishes rows of
/// different tables. SQLite's pages have no checksums.
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

/// The head: values that a file has once.
struct Head {
    std::array<std::byte, 32> secret{};  ///< of the identity of the store
    std::array<std::byte, 32> ids{};     ///< key from which batch ids are derived
    std::vector<std::byte> fingerprint;  ///< of the spec of the file; empty before the first one
    std::int64_t reports = 0;            ///< number of reports ever queued, the number of the newest
    std::int64_t waiting = 0;            ///< number of reports in the queue
    std::int64_t batches = 0;            ///< number of named batches
    std::optional<std::int64_t> last;    ///< the last row of the current batch, until it is settled
    std::optional<std::int64_t> ahead;   ///< the last row of the next batch, if it is named
    std::int64_t rows = 0;               ///< the sum, modulo 2^64, of the digests of all other rows

    /// Returns the fingerprint; nothing before the first spec.
    [[nodiscard]] std::optional<Fingerprint> spec() const {
        if (fingerprint.empty()) return {};
        Fingerprint of;
        std::ranges::copy(fingerprint, of.digest.begin());
        return of;
    }
};

class Step;

/// A valid, writable and locked state file with all of its rows.
class StateFile : public Database {
  public:
    /// Opens the file, or creates it with this secret if it does not exist. Throws Error (environment).
    StateFile(const std::string& path, const std::array<std::byte, 32>& secret);

    [[nodiscard]] const Head& head() const noexcept { return head_; }

  private:
    friend class Step;
    [[nodiscard]] std::int64_t pragma(const char* sql) const;
    /// Throws Error (environment) unless this release can read the file. Upgrades a file of an earlier release.
    void identify();
    /// Returns the head of a file of this schema. Throws Error (environment) if it has changed.
    /// Reads the head. Throws Error (environment) unless its sum agrees with the rows.
    void read_head();

    Head head_;
    Step* step_ = nullptr;  ///< the current step
};

/// The time at which a step becomes durable.
enum class Durable {
    now,         ///< when commit() returns
    with_others  ///< with the next step of `now`; until then a crash of the system may undo it
};

/// One atomic change of the file and its head. It is complete if commit() returns, else rolled back. A step
/// within another one is a part of it and commits with it. The outer step cannot commit if a part failed.
class Step {
  public:
    explicit Step(StateFile& file, Durable durable = Durable::now);
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step();
    void commit();

    /// Whether the step is a part of another one.
    [[nodiscard]] bool within() const noexcept { return outer_ != nullptr; }

    /// Records that a row with this digest was added or removed.
    void came(std::int64_t digest) noexcept { sum(static_cast<std::uint64_t>(digest)); }
    void went(std::int64_t digest) noexcept { sum(-static_cast<std::uint64_t>(digest)); }

    Head& head;  ///< of the file after the step; restored if the step is rolled back

  private:
    void sum(std::uint64_t digest) noexcept {
        head.rows = static_cast<std::int64_t>(static_cast<std::uint64_t>(head.rows) + digest);
    }
    /// Throws Error (environment) if a part failed.
    void require_whole() const;

    StateFile& file_;
    Head before_;
    Step* outer_;  ///< the step of which this is a part, or null
    bool committed_ = false;
    bool spoiled_ = false;  ///< a part failed
};

}  // namespace ldp::sqlite

// A store in a file.
#pragma once

#include <memory>
#include <string>

#include "client/store.hpp"

namespace ldp {

namespace sqlite {
struct Contents;
}

/// Keeps its reports in an SQLite file that only its owner can read (mode 0600 from the moment it exists).
/// What its calls did survives a crash of the program, of the system and of its power; but that a batch was
/// confirmed may be undone with the system, until the next call that waits for the disk: the batch then comes
/// again, under its id, which counts once. What it remembers of a person's values is as secret as the values
/// themselves.
///
/// The file stays locked while the store is open: a second store on it, in this process or another, is
/// refused after a second's wait. The file must be on a local disk, and be moved or copied only together with
/// the file NAME-wal, if there is one. Many people's stores may share a file: see SqliteFleet.
class SqliteStore final : public Store {
  public:
    /// Opens the file, or creates it if there is none. Throws Error (environment) if it is in use, read-only,
    /// damaged, no state file of ldp, or written by another release whose files this one cannot read: it is
    /// never replaced by an empty one, because what it holds cannot be had again.
    explicit SqliteStore(const std::string& path);
    SqliteStore(SqliteStore&&) noexcept;             ///< the file stays locked
    SqliteStore& operator=(SqliteStore&&) noexcept;  ///< the file that this had is closed
    ~SqliteStore() override;

    void bind(std::uint64_t fingerprint) override;
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks = {},
                const Notes& notes = {}) override;
    [[nodiscard]] Memory memory() const override;
    [[nodiscard]] std::optional<std::int64_t> mark(std::string_view name) const override;
    [[nodiscard]] std::uint64_t pending() const override;
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override;
    [[nodiscard]] std::optional<Batch> batch_after(std::size_t most) override;
    void confirm(std::string_view id) override;
    void release(std::string_view id) override;
    void move_to_dead_letters(std::string_view id, std::string_view reason) override;
    [[nodiscard]] std::vector<Refused> refused() const override;
    std::uint64_t requeue_refused() override;
    std::uint64_t drop_refused() override;
    void retire() override;

  private:
    friend class SqliteFleet;
    [[nodiscard]] static std::shared_ptr<sqlite::Contents> open(const std::string& path);
    /// Of one person in a file that is open. Throws Error (environment) if their store is open already.
    SqliteStore(std::shared_ptr<sqlite::Contents> contents, std::string_view person);

    /// Throws Error unless reports may leave.
    void require_leaving() const;
    /// A batch that was named: what stands behind the first of these rows, up to and with the other one.
    [[nodiscard]] Batch named(std::string id, std::optional<std::int64_t> after, std::int64_t last) const;
    /// Names the oldest reports that are in no batch yet, if there are any.
    [[nodiscard]] std::optional<Batch> name_next(std::size_t most);

    class Opened;
    std::unique_ptr<Opened> opened_;
};

}  // namespace ldp

// Submission of a panel: a file with rows of people who report repeatedly. The state file contains the
// memoized responses of each person, so all files of a panel use the same state file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "client/client.hpp"
#include "client/fleet/sqlite_fleet.hpp"

namespace ldp::cli::submit {

/// The clients of a panel's people in one state file.
class Panel {
  public:
    /// Opens the state file, or creates it if it does not exist. Throws as SqliteFleet does, and Error
    /// (incompatible) if the file belongs to another spec.
    /// `ledger` is the ledger of the group that pays for the reports; null without a group.
    /// `accepted` is the digest of a changed contract that the user accepts, or empty.
    Panel(const Collection& collection, const std::string& state, std::shared_ptr<BudgetLedger> ledger,
          const std::string& accepted);

    /// Returns the last round of a person's rows; nothing if no row of the person was reported.
    [[nodiscard]] std::optional<std::int32_t> last_round(const std::string& person);

    /// Randomizes a record and queues the report. Throws Error (invalid_value) as require_later() and
    /// Client::report do. If the person's budget is spent, no report is queued and spent() increases.
    Receipt report(const std::string& person, std::int32_t round, std::span<const Value> record,
                   const PublicValues& columns);
    /// Runs `work` in one durable step. An exception of `work` undoes all its reports; the panel must not be
    /// used afterwards.
    void together(const std::function<void()>& work);

    /// Returns the number of records without a report because the person's budget was spent.
    [[nodiscard]] std::uint64_t spent() const noexcept { return spent_; }
    /// Returns the number of reports that repeat a memoized response.
    [[nodiscard]] std::uint64_t memoized() const noexcept { return memoized_; }
    /// Sets these numbers to those of an earlier run.
    void resume(std::uint64_t spent, std::uint64_t memoized) noexcept {
        spent_ = spent;
        memoized_ = memoized;
    }
    /// Returns the store with the queue of all people, and with checkpoints of the submission.
    [[nodiscard]] Store& queue() noexcept { return fleet_.queue(); }
    [[nodiscard]] std::uint64_t pending() const { return fleet_.pending(); }

  private:
    /// A person's client.
    struct Member {
        Client client;
        std::optional<std::int32_t> last;
    };
    Member& member(const std::string& person);

    Collection collection_;
    SqliteFleet fleet_;
    std::shared_ptr<BudgetLedger> ledger_;
    std::unordered_map<std::string, Member> members_;  ///< recently used clients
    std::uint64_t spent_ = 0, memoized_ = 0;
};

/// Throws Error (invalid_value) unless a person's round is later than the person's last round.
void require_later(const std::string& person, std::optional<std::int32_t> last, std::int32_t round);

/// Checks the rounds of a file's rows before any of them is reported.
class RoundCheck {
  public:
    /// `panel` has the last rounds of earlier files; null if no file was submitted.
    RoundCheck(const Collection& collection, Panel* panel);
    /// Checks the next row. Throws Error (invalid_value) as require_later() does, and if a series does not
    /// have the round.
    void check(const std::string& person, std::int32_t round);

  private:
    std::optional<std::uint32_t> rounds_;  ///< number of rounds of a series
    Panel* panel_;
    std::unordered_map<std::string, std::optional<std::int32_t>> last_;
};

}  // namespace ldp::cli::submit

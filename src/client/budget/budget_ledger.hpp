// The ledger of a group: one budget of each person over several collections.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/format/fingerprint.hpp"

namespace ldp {

/// The ε that a person allows each group, by name. The empty name stands for all accounts of the person together.
using LedgerLimits = std::map<std::string, double>;

/// The account of one person for one collection of a group.
struct LedgerEntry {
    std::string group;             ///< name of the group; empty without one
    double limit = 0;              ///< ε of a person in all collections of the group
    std::string person;            ///< name of the person in the store; empty in a store of one person
    Fingerprint fingerprint = {};  ///< of the collection's spec
    std::string store;             ///< 32 hexadecimal digits that identify the store with the person's memory
    /// Title of the collection at the first report, or its mechanism, for display.
    std::string title = {};
    double spent = 0;     ///< ε of the responses that were drawn
    double reserved = 0;  ///< ε that the collection may cost the person at most, with later responses

    /// Whether both are about one person in one store of one collection.
    [[nodiscard]] bool same_account(const LedgerEntry& other) const noexcept {
        return group == other.group && person == other.person && fingerprint == other.fingerprint &&
               store == other.store;
    }
    friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

/// The ledger that pays for the reports of all collections of a group. A client writes the cost of a report here before it
/// writes the report to its store. If the program stops between the two steps, the entry is in the ledger and the report
/// was neither stored nor sent. The client's next report then has the same cost in total, so that repeating the step
/// changes nothing.
///
/// For each person, the sum of what all collections of a group have reserved never exceeds the group's ε. The sum of all
/// accounts never exceeds the person's limit of all accounts, if the ledger has one. With such a limit, reports of specs
/// without a group also have an account.
class BudgetLedger {
  public:
    BudgetLedger() = default;
    BudgetLedger(const BudgetLedger&) = delete;
    BudgetLedger& operator=(const BudgetLedger&) = delete;
    virtual ~BudgetLedger() = default;

    /// Raises the spent and the reserved ε of an account to at least the values of the entry, as durably as the ledger can, and
    /// returns nothing. If the budget of the group does not pay for the entry, changes nothing and returns the ε that is left
    /// for the account. Throws Error (incompatible) if the ledger has another ε for the group, and Error (environment) if the
    /// ledger fails; then nothing has changed.
    [[nodiscard]] virtual std::optional<double> reserve(const LedgerEntry& entry) = 0;
    /// Returns all entries, sorted by group, collection, person and store. Throws Error (environment).
    [[nodiscard]] virtual std::vector<LedgerEntry> entries() const = 0;
    /// Returns the limits that the person has set. Throws Error (environment).
    [[nodiscard]] virtual LedgerLimits limits() const { return {}; }
    /// Sets the ε of a group, or of all accounts together if the name is empty, before or after the first account. Reports of
    /// specs with another ε of the group are then refused. A limit of all accounts applies to clients that receive the ledger
    /// later. Throws Error (invalid_value) unless ε is positive and finite, Error (incompatible) if accounts of the group were
    /// opened with another ε, and Error (unsupported) if the ledger has no limits.
    virtual void set_limit(const std::string& group, double epsilon);
};

/// A ledger in memory, for programs that persist snapshots of it themselves, or do not need it later. Several
/// clients of one process may share it.
class MemoryLedger final : public BudgetLedger {
  public:
    MemoryLedger() = default;
    /// Restores a snapshot. Throws Error (environment) if it is damaged.
    explicit MemoryLedger(Bytes snapshot);
    /// Returns the complete state. It must be durable before the state of the client that reported.
    [[nodiscard]] std::vector<std::byte> snapshot() const;

    [[nodiscard]] std::optional<double> reserve(const LedgerEntry& entry) override;
    [[nodiscard]] std::vector<LedgerEntry> entries() const override { return entries_; }
    [[nodiscard]] LedgerLimits limits() const override { return limits_; }
    void set_limit(const std::string& group, double epsilon) override;

    /// The first number of a snapshot's content. The letter L in its highest byte distinguishes it from the
    /// snapshot of a store.
    static constexpr std::uint32_t snapshot_version = std::uint32_t{'L'} << 24 | 3;

  private:
    std::vector<LedgerEntry> entries_;
    LedgerLimits limits_;
};

/// Throws the errors of BudgetLedger::set_limit for these entries.
void check_limit(const std::vector<LedgerEntry>& entries, const std::string& group, double epsilon);

/// Raises `wanted` to at least the values that its account has, and returns nothing if the group's budget and the
/// limit of all accounts pay for it; otherwise returns the ε that is left. `entries` has all entries of the person,
/// and `known` is the ε of an account of the group, or 0. Throws Error (incompatible) if the group has another ε.
[[nodiscard]] std::optional<double> raise_entry(const std::vector<LedgerEntry>& entries,
                                                const LedgerLimits& limits, double known,
                                                LedgerEntry& wanted);

}  // namespace ldp

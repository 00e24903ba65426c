// The ledger of a group in an SQLite file.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "client/budget/budget_ledger.hpp"

namespace ldp {

/// Keeps a ledger in an SQLite file that only its owner can read (created with mode 0600). Its effects survive
/// crashes of the program and of the system, and power failures. It is locked only during a call, so that
/// several programs may use one file, each with the state files of its own collections. A call waits up to ten
/// seconds for the others. The file must be on a local disk.
class SqliteLedger final : public BudgetLedger {
  public:
    /// Opens the file, or creates it if it does not exist. Throws Error (environment) if it is read-only,
    /// damaged or no ledger of ldp.
    explicit SqliteLedger(const std::string& path);
    ~SqliteLedger() override;

    [[nodiscard]] std::optional<double> reserve(const LedgerEntry& entry) override;
    [[nodiscard]] std::vector<LedgerEntry> entries() const override;

    /// Sets the ε of a group, as the person decides, before or after its first account. Reports of specs with another ε of
    /// the group are then refused. Throws Error (invalid_value) unless ε is positive and finite, and Error
    /// (incompatible) if accounts of the group were opened with another ε.
    void set_group(const std::string& name, double epsilon);
    /// Returns the ε of the groups that set_group() has set, by name.
    [[nodiscard]] std::map<std::string, double> groups() const;

  private:
    class LedgerFile;
    std::unique_ptr<LedgerFile> file_;
};

}  // namespace ldp

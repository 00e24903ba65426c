// The ledger of a group in an SQLite file.
#pragma once

#include <memory>
#include <string>

#include "client/budget/budget_ledger.hpp"

namespace ldp {

/// Keeps a ledger in an SQLite file that only its owner can read (created with mode 0600). Its effects survive
/// crashes of the program and of the system, and power failures. It is locked only during a call, so that
/// several programs may use one file, each with the state files of its own collections. A call waits up to
/// ten seconds for calls of other programs. The file must be on a local disk.
class SqliteLedger final : public BudgetLedger {
  public:
    /// Opens the file, or creates it if it does not exist. Throws Error (environment) if it is read-only, damaged or not a
    /// ledger of ldp.
    explicit SqliteLedger(const std::string& path);
    ~SqliteLedger() override;

    [[nodiscard]] std::optional<double> reserve(const LedgerEntry& entry) override;
    [[nodiscard]] std::vector<LedgerEntry> entries() const override;
    [[nodiscard]] LedgerLimits limits() const override;
    void set_limit(const std::string& group, double epsilon) override;

  private:
    class LedgerFile;
    std::unique_ptr<LedgerFile> file_;
};

}  // namespace ldp

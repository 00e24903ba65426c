// Reports that are drawn anew, without memoization.
#pragma once

#include "client/reporter.hpp"

namespace ldp {

/// Draws each report anew. A person who reports twice spends ε twice.
class FreshReporter final : public Reporter {
  public:
    explicit FreshReporter(Collection collection) : collection_(std::move(collection)) {}

    [[nodiscard]] Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                  BitSource& bits) override;
    [[nodiscard]] std::span<const PermanentResponse> ledger() const override;

  private:
    Collection collection_;
};

}  // namespace ldp

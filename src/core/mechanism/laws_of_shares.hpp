// Capability of mechanisms whose shares have a law each, which depends on the reports.
#pragma once

#include <vector>

#include "core/mechanism/error_law.hpp"

namespace ldp {

/// For example, each share is estimated from those reports only that are about its value.
class LawsOfShares : public Capability {
  public:
    static constexpr const char* offers = "a distribution of the error of each share";

    /// Returns the law of each share that estimate() returns. Requires n ≥ 1 reports, one per user.
    [[nodiscard]] virtual std::vector<ErrorLaw> laws_of_shares(const Counts& counts) const = 0;
};

}  // namespace ldp

// Intervals that hold although some reports are forged.
#pragma once

#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// Computes an interval for the honest people's share of a value, or mean of an attribute, if at most the
/// share `forged` of all reports is forged. `errors` is the number of standard errors. For an attribute of a
/// record, all forged reports may be about this attribute. The number of reports about it is known, so that
/// the interval is exact.
class RobustInterval {
  public:
    /// Error (invalid_value) unless 0 ≤ forged < 1. The mechanism must support the requested quantity.
    RobustInterval(const SummaryView& view, const Question& question, double forged, double errors);

    [[nodiscard]] Interval operator()(const Estimate& estimate) const;

  private:
    std::vector<Contribution> contributions_;
    double forged_, errors_;
};

}  // namespace ldp

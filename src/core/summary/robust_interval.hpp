// Answers that hold although some reports are forged.
#pragma once

#include "core/mechanism/capability.hpp"

namespace ldp {

/// What honest people's share of a value, or mean, of an attribute lies in, at this many standard errors of
/// its estimate, if at most the share `forged` of all reports is forged, whatever those say. Of an attribute
/// of a record all of them may be about it: those counted are known, so that this is exact.
class RobustInterval {
  public:
    /// Throws Error (invalid_value) unless 0 ≤ forged < 1. The question is one that the mechanism answers.
    RobustInterval(const SummaryView& view, const Question& question, double forged, double errors);

    [[nodiscard]] Interval operator()(const Estimate& estimate) const;

  private:
    std::vector<Contribution> contributions_;
    double forged_, errors_;
};

}  // namespace ldp

// Values that are picked among many candidates, where reports overlap.
#pragma once

#include <vector>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// How values are picked.
enum class CandidateMethod {
    nnls,   ///< non-negative least squares
    lasso,  ///< least squares with a penalty on the sum of the shares
};

/// A value that was picked.
struct Picked {
    std::size_t value;
    Estimate estimate;
    double p_value;  ///< of this value alone, one-sided
};

class CandidateSearch : public Capability {
  public:
    static constexpr const char* offers = "candidates: each value has an estimate of its own";

    /// The values that the reports speak for, by ascending number, where there may be too many for each to
    /// have an estimate. n ≥ 1.
    [[nodiscard]] virtual std::vector<Picked> pick(const Counts& counts, CandidateMethod method) const = 0;
};

}  // namespace ldp

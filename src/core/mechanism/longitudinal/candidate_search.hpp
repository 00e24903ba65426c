// Selection among many candidate values if reports overlap.
#pragma once

#include <vector>

#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// The selection method.
enum class CandidateMethod {
    nnls,   ///< non-negative least squares
    lasso,  ///< least squares with a penalty on the sum of the shares
};

/// A selected value.
struct Picked {
    std::size_t value;
    Estimate estimate;
    double p_value;  ///< of this value alone, one-sided
};

class CandidateSearch : public Capability {
  public:
    static constexpr const char* offers = "candidates: each value has an estimate";

    /// Returns the selected values in ascending order. There may be too many values for individual estimates.
    /// Requires n ≥ 1.
    [[nodiscard]] virtual std::vector<Picked> pick(const Counts& counts, CandidateMethod method) const = 0;
};

}  // namespace ldp

#include "core/mechanism/estimate.hpp"

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

double reach(double confidence) {
    if (!(confidence > 0 && confidence < 1))
        raise(ErrorCode::invalid_value, "the confidence must lie between 0 and 1",
              "Found " + shortest(confidence) + ".", "For a 95 % interval ask for 0.95.");
    // Above it a double holds nothing but 1, which no interval of finite length reaches.
    const double below = (1 + confidence) / 2;
    if (below >= 1)
        raise(ErrorCode::invalid_value, "the confidence is too near to 1",
              "Found " + shortest(confidence) + "; the greatest is 0.9999999999999998.",
              "For a 95 % interval ask for 0.95.");
    return normal_quantile(below);
}

Interval interval(const Estimate& estimate, double confidence) {
    const double z = reach(confidence);
    return {estimate.value - z * estimate.standard_error, estimate.value + z * estimate.standard_error};
}

}  // namespace ldp

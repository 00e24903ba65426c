#include "core/mechanism/estimate.hpp"

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

double reach(double confidence) {
    if (!(confidence > 0 && confidence < 1))
        raise(ErrorCode::invalid_value, "the confidence must lie between 0 and 1",
              "Found " + shortest(confidence) + ".", "For a 95 % interval ask for 0.95.");
    return normal_quantile((1 + confidence) / 2);
}

Interval interval(const Estimate& estimate, double confidence) {
    const double z = reach(confidence);
    return {estimate.value - z * estimate.standard_error, estimate.value + z * estimate.standard_error};
}

}  // namespace ldp

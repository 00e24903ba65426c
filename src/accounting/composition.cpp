#include "accounting/composition.hpp"

#include "core/base/error.hpp"

namespace ldp {

Spent spent(std::uint64_t answers, double epsilon, double delta) {
    if (!(delta > 0 && delta < 1))
        raise(ErrorCode::invalid_value, "delta must be between 0 and 1",
              "It is the probability with which the advanced figure may not hold.");
    return {answers, epsilon, static_cast<double>(answers) * epsilon,
            advanced_composition(answers, epsilon, delta), delta};
}

}  // namespace ldp

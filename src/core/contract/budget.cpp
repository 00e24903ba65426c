#include "core/contract/budget.hpp"

#include <cmath>

namespace ldp {

std::uint64_t Budget::responses(double each) const noexcept {
    const double count = std::floor(epsilon / each);
    const bool another = (count + 1) * each <= epsilon * (1 + 1e-15);
    return static_cast<std::uint64_t>(another ? count + 1 : count);
}

}  // namespace ldp

// The smallest worst-case variance of one number that any mechanism can have.

#include "limit.hpp"
#include "panels.hpp"

namespace evaluation {

Figure limit_figure() {
    Curve curve{"the limit", {}};
    for (const double epsilon : epsilons) {
        const double least = least_worst_variance(epsilon, 17);
        curve.points.push_back({epsilon, {least, least}, {}});
    }
    return {"limit",
            {{"the limit of one number",
              "epsilon",
              "n times the largest variance",
              {curve},
              {std::begin(epsilons), std::end(epsilons)}}}};
}

}  // namespace evaluation

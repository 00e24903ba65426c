// What stands for a number that the reports do not tell.
#pragma once

#include <limits>

namespace ldp {

/// NaN, in place of which SQL has NULL.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace ldp

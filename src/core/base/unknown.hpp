// The representation of unknown numbers.
#pragma once

#include <limits>

namespace ldp {

/// NaN, which becomes NULL in SQL.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace ldp

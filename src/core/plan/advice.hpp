// Which mechanisms suit what is asked for, those for cross tables included.
#pragma once

#include <string_view>

#include "core/spec/spec.hpp"

namespace ldp {

/// advise(), but of a spec about cross tables (its "mechanism" is "joint", or it has "views") `joint` comes
/// first, with the options that the spec gives it, and its obstacle if it cannot be; all others have that
/// they tell no tables. Its variance is the exact one of a cell's share, in the table of two attributes that
/// is told worst, of people who are spread evenly over the cells; where views have one attribute each, of a
/// value's share. Throws Error as advise() does.
[[nodiscard]] Ranking ranking_for(std::string_view spec);

}  // namespace ldp

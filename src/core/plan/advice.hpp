// Which mechanisms suit what is asked for, those for cross tables included.
#pragma once

#include <string_view>

#include "core/spec/spec.hpp"

namespace ldp {

/// advise(), but of a spec about several attributes together (its "mechanism" is "joint" or "joint_haar", or
/// it has "views") those two come first, the better one before, with the options that the spec gives them,
/// and their obstacles if they cannot be; all others have that they tell no tables. Their variance is the
/// exact one in the table of two attributes that is told worst, of people who are spread evenly over the
/// cells: of a cell's share, or, if the spec's "target" is "ranges", of boxes half as wide as both
/// attributes, on average; where views have one attribute each, of a value's share. Throws Error as advise()
/// does.
[[nodiscard]] Ranking ranking_for(std::string_view spec);

}  // namespace ldp

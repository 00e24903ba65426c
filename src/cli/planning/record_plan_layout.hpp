// The plan of a record as text.
#pragma once

#include <iosfwd>

#include "core/choice/plan/record_plan.hpp"

namespace ldp::cli {

/// Writes a plan as a table for people to read, or as CSV with all digits.
void write_record_plan(std::ostream& out, const RecordPlan& plan, bool csv);

}  // namespace ldp::cli

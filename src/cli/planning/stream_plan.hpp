// ldp plan for values that change: the predicted error and cost of every protocol.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace ldp::cli {

/// Adds the options of a stream: --series, --columns, --change-rate, --jitter, --budget, --report-epsilon and
/// --max-exhausted.
void add_stream_options(Options& options);

/// Returns whether the arguments describe a stream, or the spec has "evolving": "auto".
[[nodiscard]] bool plans_stream(const Arguments& arguments, const std::string& spec);

/// Prints the protocols by predicted error, and the spec of the best one.
int plan_stream(const Arguments& arguments, const std::string& spec);

}  // namespace ldp::cli

// A summary of a server, as a file written by psql.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/contract/spec.hpp"
#include "core/models/graphical_model.hpp"

namespace ldp::cli {

/// A spec, and the estimates from a summary of its reports.
struct Counted {
    Spec spec;
    Measured measured;
};

/// Reads a spec, as spec_text() does, and a summary in hexadecimal, from a file or, for "-", from standard
/// input. Throws Error: environment if the file does not exist, malformed if it has no summary, incompatible
/// if the summary belongs to another spec. Throws Error (unsupported) if the summary has too few reports, or
/// no tables of several attributes.
[[nodiscard]] Counted counted(const Arguments& arguments);

/// Returns the options SPEC, SUMMARY and those of a model.
[[nodiscard]] Options model_options();
inline constexpr const char* counted_arguments[] = {"spec", "summary"};
[[nodiscard]] Model model_of(const Counted& counted, const Arguments& arguments);

}  // namespace ldp::cli

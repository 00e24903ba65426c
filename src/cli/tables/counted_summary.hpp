// What a server has counted, as a file that psql wrote.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/spec/spec.hpp"
#include "core/tables/model/graphical_model.hpp"

namespace ldp::cli {

/// A spec, and what a summary of its reports tells.
struct Counted {
    Spec spec;
    Measured measured;
};

/// Reads a spec, as spec_text() does, and a summary in hexadecimal, from a file or, of "-", from standard
/// input. Throws Error: environment if there is no such file, malformed if it holds no summary, incompatible
/// if it is another spec's, unsupported if there are too few reports, or none about several attributes.
[[nodiscard]] Counted counted(const Arguments& arguments);

/// SPEC, SUMMARY, and the options of a model.
[[nodiscard]] Options model_options();
inline constexpr const char* counted_arguments[] = {"spec", "summary"};
[[nodiscard]] Model model_of(const Counted& counted, const Arguments& arguments);

}  // namespace ldp::cli

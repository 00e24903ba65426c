// The summaries of a collection in a database without the extension, as ldp refresh stored them.
#pragma once

#include <optional>
#include <string>

#include "cli/input/summary_file.hpp"
#include "client/pqxx_compat.hpp"
#include "core/contract/spec.hpp"

namespace ldp::cli {

/// A collection and its summaries.
struct AttachedCollection {
    Spec spec;
    SummaryTable summaries;
};

/// Returns a collection of a database that ldp attach prepared; nothing in a database with the extension. Throws Error
/// (environment) if the collection does not exist, or was not refreshed yet.
[[nodiscard]] std::optional<AttachedCollection> attached_collection(pqxx::connection& connection,
                                                                    const std::string& name);

}  // namespace ldp::cli

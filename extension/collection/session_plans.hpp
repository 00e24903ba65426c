// Plans of statements that a session runs repeatedly. Planning takes longer than the insertion of a report.
#pragma once

#include <cstdint>

#include "boundary.hpp"

namespace ldp {

/// A parameter of a statement.
struct StatementParameter {
    Oid type;
    Datum value;
    bool null = false;
};

/// The plans of a session belong to two caches, so that insertions into many tables evict no plan of ldp's own tables.
enum class PlanCache : std::uint8_t { insertions, catalog };

/// Runs a statement with these parameters, $1 and on, and returns the number of its rows (SPI_processed). The session
/// keeps the plans of its last statements. PostgreSQL replans if a table, the role or the search path has changed. Must
/// be called between SPI_connect() and SPI_finish(). May jump.
std::uint64_t run_kept(PlanCache cache, const char* statement, const StatementParameter* parameters,
                       int count);

}  // namespace ldp

// The tables that store reports: their columns, and whether they can store the reports of a spec.
#pragma once

#include "boundary.hpp"

extern "C" {
#include "access/attnum.h"
#include "utils/rel.h"
}

namespace ldp {

/// The schema that has the public objects of the extension. It may have been renamed since a function was
/// called first. May jump.
[[nodiscard]] Oid extension_schema();

/// The columns for reports: report or batch, and round.
struct ReportColumns {
    AttrNumber report, round;
};

/// The columns of a table: the first one by name and type, the second one "round". A missing column has
/// the number 0. May jump.
[[nodiscard]] ReportColumns report_columns(Oid table, const char* name, Oid type);

/// The problem of a table that has the role of a collection's table; null if it has none. If `block` is NULL,
/// the CHECK is not examined. May jump.
[[nodiscard]] const char* table_problem(Relation table, Oid schema, const varlena* block);

/// Whether a locked table has no problem with the spec with this fingerprint and this block. The session remembers the
/// tables that have none until PostgreSQL announces a change of the table. The block of a remembered table is not read,
/// because a long one is stored outside its row. May jump.
[[nodiscard]] bool stores_spec(Relation table, std::string_view fingerprint, Datum block);

/// Whether a role may submit reports to this table: whether it may insert into the table, or its column of
/// reports, and use the schema. False for a table that does not exist. May jump.
[[nodiscard]] bool may_submit(Oid table, Oid role);

}  // namespace ldp

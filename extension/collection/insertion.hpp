// Insertion of the reports of a call into a table, for ldp_submit and ldp_submit_batch.
#pragma once

#include "boundary.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace ldp {

/// The rows that an insertion stored, and the number that it should have stored.
struct InsertedRows {
    std::uint64_t stored;
    std::uint64_t expected;  ///< `unknown` if it depends on the reports: ldp_check_inserted() determines it

    static constexpr std::uint64_t unknown = ~std::uint64_t{0};
};

/// Inserts the report of argument `first`, with the round and the public columns of the next two arguments. Runs
/// with the rights of the current user. May jump, and throws Error.
InsertedRows insert_report(FunctionCallInfo fcinfo, Relation table, Oid schema, int first);

/// The same for an array of reports, in random order or in batches.
InsertedRows insert_reports(FunctionCallInfo fcinfo, Relation table, Oid schema, int first);

}  // namespace ldp

// Rows with summaries that a query fetches from the shards of a distributed rollup, as a table of the following query.
#pragma once

#include "boundary.hpp"

namespace ldp {

/// Runs a query in the current SPI session, and makes its rows the table ldp_shard_rows for the next queries of the
/// session. The last column of the query is a summary in the form in which servers send states; the table has it as
/// an ldp_summary. If the first column is named bucket, the table has one row for each value: the columns of the
/// first row, and the sum of the summaries. The column bucket itself is omitted. Throws Error. May jump.
void register_shard_rows(FunctionCallInfo fcinfo, const char* query);

}  // namespace ldp

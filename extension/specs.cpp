// Specs as SQL sees them, and the check that keeps a collection's table to its spec.

#include "../src/core/spec.hpp"

#include <algorithm>

#include "boundary.hpp"

using namespace ldp;

namespace {

char* canonical(const char* text) {
    return keep(Spec::from_json(text).to_json());
}

varlena* parameters(const char* text) {
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(Spec::from_json(text));
    varlena* block = new_value(mechanism->block().size());
    std::ranges::copy(mechanism->block(), writable(block).begin());
    return block;
}

char* described(Bytes bytes) {
    return keep(describe(bytes));
}

}  // namespace

LDP_FUNCTION_READING(ldp_spec_canonical, ERRCODE_INVALID_PARAMETER_VALUE) {
    return json_value(canonical(json_argument(fcinfo, 0)));
}

LDP_FUNCTION_READING(ldp_spec_parameters, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_POINTER(parameters(json_argument(fcinfo, 0)));
}

/// (report, parameter block): true, or an error. It runs for every row inserted; the type's input function
/// has checked the payload, so what is left is whether the report is one of these.
LDP_FUNCTION(ldp_check_report) {
    const Bytes report = contents(PG_GETARG_VARLENA_PP(0));
    const Bytes block = contents(PG_GETARG_VARLENA_PP(1));
    const Mechanism& mechanism = mechanism_of_block(fcinfo, block);
    if (block.size() != mechanism.block().size())
        throw Error(ErrorCode::malformed, "these bytes are no parameter block",
                    "Found " + std::to_string(block.size()) + " bytes; the block says " +
                        std::to_string(mechanism.block().size()) + ".");
    if (likely(begins_with_block(report, block) && report.size() == block.size() + mechanism.payload_size()))
        PG_RETURN_BOOL(true);
    // What is no report at all is reported as that.
    check_report(mechanism_of(fcinfo, report, Kind::report), report);
    const char* ours = described(block);
    const char* theirs = described(report);
    ereport(ERROR, (errcode(ERRCODE_CHECK_VIOLATION),
                    errmsg("the report was made for another collection or another version of its spec"),
                    errdetail("The collection takes %s; the report is %s.", ours, theirs),
                    errhint("Make reports with the spec that ldp_client_spec gives for this collection.")));
    pg_unreachable();
}

// The two functions all aggregates are made of. Their state is an ldp_summary, flat, and changed in place, so
// that counting a report costs about what built-in sum costs, and any node, worker or table can hold a state.
//
// Anyone may call these functions with any arguments: a state is believed only as far as its size and block,
// which bound every write, and it is changed in place only when the executor says that it is the executor's.

#include "boundary.hpp"

using namespace ldp;

namespace {

/// The first argument as a summary that may be changed: itself if it is an aggregate's state, else a copy.
/// A state that lost its full header (on its way through a tuple, say) is copied too.
varlena* changeable_state(FunctionCallInfo fcinfo) {
    auto* state = reinterpret_cast<varlena*>(PG_GETARG_POINTER(0));
    if (VARATT_IS_4B_U(state) && AggCheckCallContext(fcinfo, nullptr) != 0) return state;
    return reinterpret_cast<varlena*>(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)));
}

const Mechanism& mechanism_of_state(FunctionCallInfo fcinfo, Bytes state) {
    const Mechanism& mechanism = mechanism_of(fcinfo, state, Kind::summary);
    if (state.size() != summary_size(mechanism)) check_summary(mechanism, state);  // says what is wrong
    return mechanism;
}

}  // namespace

/// (ldp_summary, ldp_report) → ldp_summary: counts a report. NULL reports are skipped.
LDP_FUNCTION(ldp_summary_accumulate) {
    if (PG_ARGISNULL(1)) {
        if (PG_ARGISNULL(0)) PG_RETURN_NULL();
        PG_RETURN_DATUM(PG_GETARG_DATUM(0));
    }
    const Bytes report = contents(PG_GETARG_VARLENA_PP(1));
    varlena* state;
    const Mechanism* mechanism;
    if (PG_ARGISNULL(0)) {
        // In the caller's short-lived memory: the executor copies a new state to where it keeps its states,
        // so one made there by us would stay behind as a second copy in every group.
        mechanism = &mechanism_of(fcinfo, report, Kind::report);
        state = new_value(summary_size(*mechanism));
        start_summary(*mechanism, writable(state));
    } else {
        state = changeable_state(fcinfo);
        mechanism = &mechanism_of_state(fcinfo, contents(state));
    }
    const Outcome outcome = accumulate(*mechanism, writable(state), report);
    if (unlikely(outcome != Outcome::ok)) {
        // What is no report at all is reported as that, not as one of another spec.
        check_report(mechanism_of(fcinfo, report, Kind::report), report);
        throw_outcome(outcome, contents(state), report);
    }
    PG_RETURN_POINTER(state);
}

/// (ldp_summary, ldp_summary) → ldp_summary: adds two summaries. NULL is the empty summary of any spec.
LDP_FUNCTION(ldp_summary_merge) {
    if (PG_ARGISNULL(1)) {
        if (PG_ARGISNULL(0)) PG_RETURN_NULL();
        PG_RETURN_DATUM(PG_GETARG_DATUM(0));
    }
    if (PG_ARGISNULL(0)) {
        auto* first = reinterpret_cast<varlena*>(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(1)));
        (void)mechanism_of_state(fcinfo, contents(first));
        PG_RETURN_POINTER(first);
    }
    const Bytes other = contents(PG_GETARG_VARLENA_PP(1));
    varlena* state = changeable_state(fcinfo);
    const Mechanism& mechanism = mechanism_of_state(fcinfo, contents(state));
    const Outcome outcome = merge(mechanism, writable(state), other);
    if (unlikely(outcome != Outcome::ok)) {
        // What is no summary at all is reported as that, not as one of another spec.
        (void)mechanism_of_state(fcinfo, other);
        throw_outcome(outcome, contents(state), other);
    }
    PG_RETURN_POINTER(state);
}

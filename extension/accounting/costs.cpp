// Privacy costs: composition of several reports, shuffled reports, divergences between reports, and the posterior odds for
// one person. Lower bounds of the error, beside the error of a spec's mechanism.

#include "accounting/spec_rows.hpp"
#include "summary_rows.hpp"

using namespace ldp;

/// (epsilons, delta, deltas or NULL): a row per composition theorem. There is one delta for each report, or one for all.
LDP_FUNCTION_OF_REPORTS(ldp_compose, ERRCODE_INVALID_PARAMETER_VALUE) {
    return result_rows(fcinfo, [=](KeptResults& kept) {
        if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) return;
        constexpr double pure[] = {0};
        const Numbers epsilons = numbers_argument(fcinfo, 0);
        const Numbers deltas = PG_ARGISNULL(2) ? Numbers{pure, 1} : numbers_argument(fcinfo, 2);
        // Without missing elements, an epsilon and its delta have the same position.
        if (!PG_ARGISNULL(2) && (array_contains_nulls(PG_GETARG_ARRAYTYPE_P(0)) ||
                                 array_contains_nulls(PG_GETARG_ARRAYTYPE_P(2))))
            ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                    errmsg("epsilons and deltas must not contain NULL"));
        kept.results = composition_rows({epsilons.numbers, epsilons.count}, {deltas.numbers, deltas.count},
                                        PG_GETARG_FLOAT8(1));
    });
}

/// (epsilon, people, delta): one row.
LDP_FUNCTION_OF_REPORTS(ldp_shuffled, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo, [=](KeptResults& kept) {
        kept.results = shuffled_rows(PG_GETARG_FLOAT8(0), PG_GETARG_INT64(1), PG_GETARG_FLOAT8(2));
    });
}

/// (spec, people, delta): one row.
LDP_FUNCTION_OF_REPORTS(ldp_shuffled_reports, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo, [=](KeptResults& kept) {
        kept.results = shuffled_rows(json_argument(fcinfo, 0), PG_GETARG_INT64(1), PG_GETARG_FLOAT8(2));
    });
}

/// (spec, rounds): a row per divergence.
LDP_FUNCTION_OF_REPORTS(ldp_divergences, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo, [=](KeptResults& kept) {
        kept.results = divergence_rows(json_argument(fcinfo, 0), PG_GETARG_INT64(1));
    });
}

/// (spec): a row per bound of the privacy statement.
LDP_FUNCTION_OF_REPORTS(ldp_privacy, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo,
                       [=](KeptResults& kept) { kept.results = privacy_rows(json_argument(fcinfo, 0)); });
}

/// (epsilon, prior, people): one row.
LDP_FUNCTION_OF_REPORTS(ldp_odds, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo, [=](KeptResults& kept) {
        kept.results = odds_rows(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT32(2));
    });
}

/// (spec, users): standard error of each estimate, and its lower bounds.
LDP_FUNCTION_OF_REPORTS(ldp_minimax_bound, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo, [=](KeptResults& kept) {
        kept.results = bound_rows(json_argument(fcinfo, 0), PG_GETARG_INT64(1),
                                  "Use ldp_plan or ldp_required_n for the errors of the mechanism.");
    });
}

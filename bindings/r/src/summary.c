/* Summaries, their results, and simulations. */
#include "ldp_r.h"

SEXP r_summarize(SEXP collection, SEXP reports, SEXP rounds) {
    const ldp_collection *of = (const ldp_collection *)object_of(collection, "collection");
    const size_t count = (size_t)XLENGTH(reports) / ldp_collection_report_size(of);
    uint8_t *summary = NULL;
    size_t size = 0;
    ldp_error *error = NULL;
    if (ldp_summarize(of, RAW(reports), count, Rf_isNull(rounds) ? NULL : INTEGER(rounds), &summary, &size, &error) != LDP_OK)
        return failure(error, -1);
    return bytes_taken(summary, size);
}

SEXP r_merge(SEXP one, SEXP other) {
    uint8_t *summary = NULL;
    size_t size = 0;
    ldp_error *error = NULL;
    if (ldp_merge_summaries(RAW(one), (size_t)XLENGTH(one), RAW(other), (size_t)XLENGTH(other), &summary, &size, &error) !=
        LDP_OK)
        return failure(error, -1);
    return bytes_taken(summary, size);
}

SEXP r_query(SEXP collection, SEXP summary, SEXP query) {
    const ldp_collection *of =
        Rf_isNull(collection) ? NULL : (const ldp_collection *)object_of(collection, "collection");
    const int whole = !Rf_isNull(summary);
    char *rows = NULL;
    ldp_error *error = NULL;
    if (ldp_query_summary(of, whole ? RAW(summary) : NULL, whole ? (size_t)XLENGTH(summary) : 0, text_in(query), LDP_TO_END,
                          &rows, &error) != LDP_OK)
        return failure(error, -1);
    return text_taken(rows);
}

SEXP r_plan(SEXP spec, SEXP target, SEXP people) {
    char *rows = NULL;
    ldp_error *error = NULL;
    if (ldp_plan(text_in(spec), LDP_TO_END, text_in(target), LDP_TO_END, (uint64_t)Rf_asReal(people), &rows, &error) != LDP_OK)
        return failure(error, -1);
    return text_taken(rows);
}

SEXP r_simulate(SEXP collection, SEXP columns, SEXP labelled, SEXP runs, SEXP seed) {
    const ldp_collection *of = (const ldp_collection *)object_of(collection, "collection");
    const R_xlen_t records = records_in(columns);
    const ldp_value *values = values_in(columns, labelled, 0, records);
    char *rows = NULL;
    ldp_error *error = NULL;
    if (ldp_simulate(of, values, (size_t)(records * XLENGTH(columns)), (uint64_t)Rf_asReal(runs), (uint64_t)Rf_asReal(seed),
                     &rows, &error) != LDP_OK)
        return failure(error, -1);
    return text_taken(rows);
}

SEXP r_simulate_summary(SEXP collection, SEXP columns, SEXP labelled, SEXP seed) {
    const ldp_collection *of = (const ldp_collection *)object_of(collection, "collection");
    const R_xlen_t records = records_in(columns);
    const ldp_value *values = values_in(columns, labelled, 0, records);
    uint8_t *summary = NULL;
    size_t size = 0;
    ldp_error *error = NULL;
    if (ldp_simulate_summary(of, values, (size_t)(records * XLENGTH(columns)), (uint64_t)Rf_asReal(seed), &summary, &size,
                             &error) != LDP_OK)
        return failure(error, -1);
    return bytes_taken(summary, size);
}

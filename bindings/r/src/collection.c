/* Collections, records and fresh reports. */
#include "ldp_r.h"

#include <string.h>

R_xlen_t records_in(SEXP columns) {
    return XLENGTH(columns) == 0 ? 0 : XLENGTH(VECTOR_ELT(columns, 0));
}

ldp_value *values_in(SEXP columns, SEXP labelled, R_xlen_t from, R_xlen_t count) {
    const R_xlen_t width = XLENGTH(columns);
    ldp_value *values = (ldp_value *)R_alloc((size_t)(width * count) + 1, sizeof(ldp_value));
    R_xlen_t i, j;
    for (j = 0; j < width; ++j) {
        SEXP column = VECTOR_ELT(columns, j);
        const int texts = TYPEOF(column) == STRSXP, labels = LOGICAL(labelled)[j];
        for (i = 0; i < count; ++i) {
            ldp_value *value = values + i * width + j;
            if (texts) {
                SEXP text = STRING_ELT(column, from + i);
                *value = ldp_label(text == NA_STRING ? "" : CHAR(text));
            } else {
                const double number = REAL(column)[from + i];
                *value = labels && ISNAN(number) ? ldp_label("") : ldp_number(number);
            }
        }
    }
    return values;
}

static double number_in(SEXP terms, R_xlen_t i) {
    return Rf_isNull(VECTOR_ELT(terms, i)) ? 0 : Rf_asReal(VECTOR_ELT(terms, i));
}

/* An array of names, or null. An array without names is not null: it restricts. */
static const char *const *names_in(SEXP names, size_t *count) {
    const char **all;
    R_xlen_t i;
    *count = 0;
    if (Rf_isNull(names)) return NULL;
    *count = (size_t)XLENGTH(names);
    all = (const char **)R_alloc(*count + 1, sizeof(char *));
    for (i = 0; i < XLENGTH(names); ++i) all[i] = CHAR(STRING_ELT(names, i));
    return all;
}

static void free_collection(void *collection) {
    ldp_collection_free((ldp_collection *)collection);
}

/* `terms` is a list in the order of R/collection.R. */
SEXP r_collection_new(SEXP spec, SEXP refuse, SEXP terms, SEXP endpoint, SEXP name) {
    ldp_terms limits;
    ldp_collection *collection = NULL;
    ldp_error *error = NULL;
    memset(&limits, 0, sizeof limits);
    limits.size = sizeof limits;
    limits.report_epsilon = number_in(terms, 0);
    limits.life_epsilon = number_in(terms, 1);
    limits.reports = (uint64_t)number_in(terms, 2);
    limits.group_epsilon = number_in(terms, 3);
    limits.attributes = names_in(VECTOR_ELT(terms, 4), &limits.attribute_count);
    limits.in_clear = names_in(VECTOR_ELT(terms, 5), &limits.in_clear_count);
    limits.digest = text_in(VECTOR_ELT(terms, 6));
    limits.endpoint = text_in(endpoint);
    limits.collection = text_in(name);
    if (ldp_collection_new_under(text_in(spec), LDP_TO_END, Rf_asLogical(refuse) ? LDP_REFUSE : LDP_CLAMP, &limits,
                                 &collection, &error) != LDP_OK)
        return failure(error, -1);
    return held("collection", collection, free_collection, R_NilValue);
}

SEXP r_collection_facts(SEXP pointer) {
    static const char *const names[] = {"json", "texts", "contract", "shown", "fingerprint", "report_size", "names", NULL};
    const ldp_collection *collection = (const ldp_collection *)object_of(pointer, "collection");
    const size_t count = ldp_collection_values(collection);
    SEXP facts = PROTECT(named_list(names)), values;
    size_t i;
    SET_VECTOR_ELT(facts, 0, text_of(ldp_collection_spec(collection)));
    SET_VECTOR_ELT(facts, 1, text_of(ldp_collection_texts(collection)));
    SET_VECTOR_ELT(facts, 2, text_of(ldp_collection_contract(collection)));
    SET_VECTOR_ELT(facts, 3, text_of(ldp_collection_summary(collection)));
    SET_VECTOR_ELT(facts, 4, text_of(ldp_collection_fingerprint(collection)));
    SET_VECTOR_ELT(facts, 5, Rf_ScalarReal((double)ldp_collection_report_size(collection)));
    SET_VECTOR_ELT(facts, 6, values = Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (i = 0; i < count; ++i)
        SET_STRING_ELT(values, (R_xlen_t)i, Rf_mkCharCE(ldp_collection_name(collection, i), CE_UTF8));
    UNPROTECT(1);
    return facts;
}

/* Reports as a matrix of bytes with a column for each record. */
SEXP r_perturb(SEXP pointer, SEXP columns, SEXP labelled) {
    const ldp_collection *collection = (const ldp_collection *)object_of(pointer, "collection");
    const size_t size = ldp_collection_report_size(collection), width = (size_t)XLENGTH(columns);
    const R_xlen_t records = records_in(columns), step = 65536;
    SEXP reports = PROTECT(Rf_allocMatrix(RAWSXP, (int)size, (int)records));
    R_xlen_t from;
    for (from = 0; from < records; from += step) {
        const size_t count = (size_t)(records - from < step ? records - from : step);
        const void *start = vmaxget();
        const ldp_value *values = values_in(columns, labelled, from, (R_xlen_t)count);
        size_t done = 0;
        ldp_error *error = NULL;
        if (ldp_collection_perturb(collection, values, count * width, RAW(reports) + (size_t)from * size, count * size, &done,
                                   &error) != LDP_OK) {
            UNPROTECT(1);
            return failure(error, (double)from + (double)done);
        }
        vmaxset(start);
        R_CheckUserInterrupt();
    }
    UNPROTECT(1);
    return reports;
}

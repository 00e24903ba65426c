/* Clients, and fleets: the clients of many people in one file. */
#include "ldp_r.h"

#include <string.h>

static void free_client(void *client) {
    ldp_client_free((ldp_client *)client);
}
static void free_fleet(void *fleet) {
    ldp_fleet_free((ldp_fleet *)fleet);
}

/* A file of R: in the encoding of the system. */
static const char *path_in(SEXP path) {
    return Rf_isNull(path) ? NULL : Rf_translateChar(STRING_ELT(path, 0));
}

SEXP r_client_new(SEXP collection, SEXP path, SEXP state, SEXP once, SEXP ledger) {
    const ldp_collection *of = (const ldp_collection *)object_of(collection, "collection");
    const char *file = path_in(path), *budget = path_in(ledger);
    ldp_client *client = NULL;
    ldp_ledger *payer = NULL;
    ldp_error *error = NULL;
    ldp_status status = file != NULL ? ldp_client_in_file(of, file, &client, &error)
                                     : ldp_client_in_memory(of, RAW(state), (size_t)XLENGTH(state), &client, &error);
    if (status == LDP_OK) status = ldp_client_once_per_round(client, Rf_asLogical(once), &error);
    if (status == LDP_OK && budget != NULL) status = ldp_ledger_in_file(budget, &payer, &error);
    if (status == LDP_OK && budget != NULL) status = ldp_client_use_ledger(client, payer, &error);
    ldp_ledger_free(payer); /* the client may continue */
    if (status != LDP_OK) {
        ldp_client_free(client);
        return failure(error, -1);
    }
    return held("client", client, free_client, R_NilValue);
}

SEXP r_fleet_new(SEXP collection, SEXP path, SEXP once, SEXP ledger) {
    const ldp_collection *of = (const ldp_collection *)object_of(collection, "collection");
    const char *file = path_in(path), *budget = path_in(ledger);
    ldp_fleet *fleet = NULL;
    ldp_ledger *payer = NULL;
    ldp_error *error = NULL;
    ldp_status status = ldp_fleet_in_file(of, file, &fleet, &error);
    if (status == LDP_OK) status = ldp_fleet_once_per_round(fleet, Rf_asLogical(once), &error);
    if (status == LDP_OK && budget != NULL) status = ldp_ledger_in_file(budget, &payer, &error);
    if (status == LDP_OK && budget != NULL) status = ldp_fleet_use_ledger(fleet, payer, &error);
    ldp_ledger_free(payer);
    if (status != LDP_OK) {
        ldp_fleet_free(fleet);
        return failure(error, -1);
    }
    return held("fleet", fleet, free_fleet, R_NilValue);
}

/* The public columns of the record `i`, without missing values. `names` has the names, `texts` a vector for each. */
static ldp_column *columns_in(SEXP names, SEXP texts, R_xlen_t i, size_t *count) {
    const R_xlen_t all = XLENGTH(names);
    ldp_column *columns = (ldp_column *)R_alloc((size_t)all + 1, sizeof(ldp_column));
    R_xlen_t j;
    *count = 0;
    for (j = 0; j < all; ++j) {
        SEXP text = STRING_ELT(VECTOR_ELT(texts, j), i);
        if (text == NA_STRING) continue;
        columns[*count].name = CHAR(STRING_ELT(names, j));
        columns[*count].text = CHAR(text);
        columns[*count].length = LDP_TO_END;
        ++*count;
    }
    return columns;
}

SEXP r_client_report(SEXP client, SEXP columns, SEXP labelled, SEXP names, SEXP texts, SEXP round) {
    static const char *const facts[] = {"origin", "clamped", "coefficients", NULL};
    size_t count = 0;
    const ldp_value *values = values_in(columns, labelled, 0, 1);
    const ldp_column *beside = columns_in(names, texts, 0, &count);
    ldp_receipt receipt;
    ldp_error *error = NULL;
    SEXP made;
    if (ldp_client_report_columns((ldp_client *)object_of(client, "client"), values, (size_t)XLENGTH(columns), beside, count,
                                  Rf_asInteger(round), &receipt, &error) != LDP_OK)
        return failure(error, -1);
    made = PROTECT(named_list(facts));
    SET_VECTOR_ELT(made, 0, Rf_ScalarInteger((int)receipt.origin));
    SET_VECTOR_ELT(made, 1, Rf_ScalarReal((double)receipt.clamped));
    SET_VECTOR_ELT(made, 2, Rf_ScalarReal((double)receipt.coefficients));
    UNPROTECT(1);
    return made;
}

/* Stages `count` records from the record `from` on, which have the same public columns. */
SEXP r_client_stage(SEXP client, SEXP columns, SEXP labelled, SEXP from, SEXP count, SEXP names, SEXP texts) {
    const R_xlen_t first = (R_xlen_t)Rf_asReal(from), records = (R_xlen_t)Rf_asReal(count);
    size_t beside_count = 0, done = 0;
    const ldp_value *values = values_in(columns, labelled, first, records);
    const ldp_column *beside = columns_in(names, texts, first, &beside_count);
    ldp_error *error = NULL;
    if (ldp_client_stage_columns((ldp_client *)object_of(client, "client"), values, (size_t)(records * XLENGTH(columns)), beside,
                                 beside_count, &done, &error) != LDP_OK)
        return failure(error, (double)first + (double)done);
    return R_NilValue;
}

SEXP r_client_commit(SEXP client, SEXP round) {
    ldp_error *error = NULL;
    if (ldp_client_commit((ldp_client *)object_of(client, "client"), Rf_asInteger(round), &error) != LDP_OK)
        return failure(error, -1);
    return R_NilValue;
}

SEXP r_client_discard(SEXP client) {
    ldp_error *error = NULL;
    if (ldp_client_discard((ldp_client *)object_of(client, "client"), &error) != LDP_OK) return failure(error, -1);
    return R_NilValue;
}

SEXP r_fleet_report(SEXP fleet, SEXP columns, SEXP labelled, SEXP people, SEXP rounds, SEXP names, SEXP texts) {
    const R_xlen_t records = records_in(columns);
    const ldp_value *values = values_in(columns, labelled, 0, records);
    ldp_entry *entries = (ldp_entry *)R_alloc((size_t)records + 1, sizeof(ldp_entry));
    size_t done = 0;
    ldp_error *error = NULL;
    R_xlen_t i;
    for (i = 0; i < records; ++i) {
        entries[i].person = CHAR(STRING_ELT(people, i));
        entries[i].round = INTEGER(rounds)[i];
        entries[i].columns = columns_in(names, texts, i, &entries[i].column_count);
    }
    if (ldp_fleet_report((ldp_fleet *)object_of(fleet, "fleet"), entries, (size_t)records, values,
                         (size_t)(records * XLENGTH(columns)), &done, &error) != LDP_OK)
        return failure(error, (double)done);
    return R_NilValue;
}

/* The number of pending reports and, for a fleet, of people. */
SEXP r_pending(SEXP sender, SEXP fleet) {
    SEXP counts;
    if (!Rf_asLogical(fleet)) return Rf_ScalarReal((double)ldp_client_pending((ldp_client *)object_of(sender, "client")));
    counts = PROTECT(Rf_allocVector(REALSXP, 2));
    REAL(counts)[0] = (double)ldp_fleet_pending((ldp_fleet *)object_of(sender, "fleet"));
    REAL(counts)[1] = (double)ldp_fleet_people((ldp_fleet *)object_of(sender, "fleet"));
    UNPROTECT(1);
    return counts;
}

/* The number of clamped values of each attribute, and that of clamped coefficients. */
SEXP r_clamped(SEXP client, SEXP attributes) {
    const ldp_client *one = (const ldp_client *)object_of(client, "client");
    const int count = Rf_asInteger(attributes);
    SEXP clamped = PROTECT(Rf_allocVector(REALSXP, count + 1));
    int i;
    for (i = 0; i < count; ++i) REAL(clamped)[i] = (double)ldp_client_clamped(one, (size_t)i);
    REAL(clamped)[count] = (double)ldp_client_clamped_coefficients(one);
    UNPROTECT(1);
    return clamped;
}

SEXP r_state(SEXP client) {
    uint8_t *state = NULL;
    size_t size = 0;
    ldp_error *error = NULL;
    if (ldp_client_state((ldp_client *)object_of(client, "client"), &state, &size, &error) != LDP_OK) return failure(error, -1);
    return bytes_taken(state, size);
}

SEXP r_contract(SEXP sender, SEXP fleet) {
    char *json = NULL;
    ldp_error *error = NULL;
    const ldp_status status = Rf_asLogical(fleet)
                                  ? ldp_fleet_contract((ldp_fleet *)object_of(sender, "fleet"), &json, &error)
                                  : ldp_client_contract((ldp_client *)object_of(sender, "client"), &json, &error);
    return status == LDP_OK ? text_taken(json) : failure(error, -1);
}

SEXP r_accept(SEXP sender, SEXP fleet, SEXP digest) {
    ldp_error *error = NULL;
    const ldp_status status =
        Rf_asLogical(fleet) ? ldp_fleet_accept((ldp_fleet *)object_of(sender, "fleet"), text_in(digest), &error)
                            : ldp_client_accept((ldp_client *)object_of(sender, "client"), text_in(digest), &error);
    return status == LDP_OK ? R_NilValue : failure(error, -1);
}

/* The reasons of the dead letters; or queues them again ("requeue") or deletes them ("drop"), and returns their number. */
SEXP r_refused(SEXP pointer, SEXP action) {
    ldp_client *client = (ldp_client *)object_of(pointer, "client");
    const char *asked = text_in(action);
    ldp_error *error = NULL;
    uint64_t changed = 0;
    size_t count = 0, i;
    SEXP reasons;
    if (strcmp(asked, "list") != 0) {
        const ldp_status status = strcmp(asked, "requeue") == 0 ? ldp_client_requeue_refused(client, &changed, &error)
                                                                : ldp_client_drop_refused(client, &changed, &error);
        return status == LDP_OK ? Rf_ScalarReal((double)changed) : failure(error, -1);
    }
    if (ldp_client_refused(client, &count, &error) != LDP_OK) return failure(error, -1);
    reasons = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (i = 0; i < count; ++i) {
        char *reason = NULL;
        if (ldp_client_refusal(client, i, &reason, &error) != LDP_OK) {
            UNPROTECT(1);
            return failure(error, -1);
        }
        SET_STRING_ELT(reasons, (R_xlen_t)i, Rf_mkCharCE(reason, CE_UTF8));
        ldp_free(reason);
    }
    UNPROTECT(1);
    return reasons;
}

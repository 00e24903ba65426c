/* Flushes, and delivery to an endpoint with ldp_curl.h. */
#include "ldp_r.h"

#include <ldp/ldp_curl.h>

/* A flush with its destination, which lives as long as the flush. */
struct sending {
    ldp_flush *flush;
    const ldp_batch *batch; /* to be settled; or null */
    ldp_endpoint server;    /* without a handle if R delivers */
    ldp_destination to;
    char *url, *name;
};

static void check_interrupt(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}
/* Ends a transfer if the user interrupts R: libcurl must not be left by a jump. */
static int stop_if_interrupted(void *unused, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    return !R_ToplevelExec(check_interrupt, unused);
}

static CURL *new_curl(double timeout) {
    CURL *curl = curl_easy_init();
    if (curl == NULL) return NULL;
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(1000 * timeout));
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "ldp");
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, stop_if_interrupted);
    return curl;
}

/* The spec of a collection, or a list with the reason of the failure. */
SEXP r_spec_at(SEXP url, SEXP name, SEXP timeout) {
    static const char *const names[] = {"reason", NULL};
    ldp_endpoint server;
    char reason[LDP_REASON_SIZE] = "", *spec;
    SEXP made;
    memset(&server, 0, sizeof server);
    server.curl = new_curl(Rf_asReal(timeout));
    server.url = text_in(url);
    server.collection = text_in(name);
    spec = server.curl == NULL ? NULL : ldp_endpoint_spec(&server, reason);
    curl_easy_cleanup(server.curl);
    if (spec == NULL) {
        made = PROTECT(named_list(names));
        SET_VECTOR_ELT(made, 0, text_of(reason));
    } else {
        made = PROTECT(text_of(spec));
        free(spec);
    }
    UNPROTECT(1);
    return made;
}

static void free_sending(void *object) {
    struct sending *one = (struct sending *)object;
    ldp_flush_free(one->flush);
    curl_easy_cleanup(one->server.curl);
    free(one->url);
    free(one->name);
    free(one);
}

static char *copied(SEXP text) {
    return Rf_isNull(text) ? NULL : strdup(text_in(text));
}

SEXP r_flush_start(SEXP sender, SEXP fleet, SEXP url, SEXP name, SEXP most, SEXP timeout) {
    const int many = Rf_asLogical(fleet);
    void *of = object_of(sender, many ? "fleet" : "client");
    struct sending *one = (struct sending *)calloc(1, sizeof(struct sending));
    ldp_error *error = NULL;
    ldp_status status;
    if (one == NULL) Rf_error("there is no memory");
    one->url = copied(url);
    one->name = copied(name);
    if (one->url != NULL) one->server.curl = new_curl(Rf_asReal(timeout));
    one->server.url = one->to.endpoint = one->url;
    one->server.collection = one->to.collection = one->name;
    one->to.size = sizeof one->to;
    one->to.history = one->server.history;
    status = many ? ldp_fleet_flush_start((ldp_fleet *)of, &one->to, (size_t)Rf_asReal(most), &one->flush, &error)
                  : ldp_flush_start((ldp_client *)of, &one->to, (size_t)Rf_asReal(most), &one->flush, &error);
    if (status != LDP_OK) {
        free_sending(one);
        return failure(error, -1);
    }
    return held("flush", one, free_sending, sender);
}

/* The batch to send, or NULL if none is left. Unless it is needed as a whole, TRUE. */
SEXP r_flush_next(SEXP flush, SEXP whole) {
    static const char *const names[] = {"id", "fingerprint", "round", "reports", "columns", NULL};
    struct sending *one = (struct sending *)object_of(flush, "flush");
    ldp_error *error = NULL;
    size_t size = 0, count, i;
    SEXP batch, reports;
    if (ldp_flush_next(one->flush, &one->batch, &error) != LDP_OK) return failure(error, -1);
    if (one->batch == NULL) return R_NilValue;
    if (!Rf_asLogical(whole)) return Rf_ScalarLogical(1);
    batch = PROTECT(named_list(names));
    SET_VECTOR_ELT(batch, 0, text_of(ldp_batch_id(one->batch)));
    SET_VECTOR_ELT(batch, 1, text_of(ldp_batch_fingerprint(one->batch)));
    SET_VECTOR_ELT(batch, 2, Rf_ScalarInteger(ldp_batch_round(one->batch)));
    count = ldp_batch_reports(one->batch);
    SET_VECTOR_ELT(batch, 3, reports = Rf_allocVector(VECSXP, (R_xlen_t)count));
    for (i = 0; i < count; ++i) { /* damaged reports may have other sizes */
        const uint8_t *report = ldp_batch_report(one->batch, i, &size);
        SEXP bytes = Rf_allocVector(RAWSXP, (R_xlen_t)size);
        SET_VECTOR_ELT(reports, (R_xlen_t)i, bytes);
        if (size > 0) memcpy(RAW(bytes), report, size);
    }
    SET_VECTOR_ELT(batch, 4, text_of(ldp_batch_columns(one->batch)));
    UNPROTECT(1);
    return batch;
}

/* The body of a POST of the current batch, and its type. */
SEXP r_flush_body(SEXP flush) {
    static const char *const names[] = {"body", "type", NULL};
    struct sending *one = (struct sending *)object_of(flush, "flush");
    uint8_t *body = NULL;
    size_t size = 0;
    const char *type = NULL;
    ldp_error *error = NULL;
    SEXP made;
    if (ldp_batch_body(one->batch, &body, &size, &type, &error) != LDP_OK) return failure(error, -1);
    made = PROTECT(named_list(names));
    SET_VECTOR_ELT(made, 0, bytes_taken(body, size));
    SET_VECTOR_ELT(made, 1, text_of(type));
    UNPROTECT(1);
    return made;
}

/* Posts the current batch, and returns the outcome and the reason. */
SEXP r_flush_deliver(SEXP flush) {
    static const char *const names[] = {"outcome", "reason", NULL};
    struct sending *one = (struct sending *)object_of(flush, "flush");
    char reason[LDP_REASON_SIZE] = "";
    const ldp_outcome outcome =
        one->server.curl == NULL ? LDP_LATER : ldp_endpoint_deliver(&one->server, one->batch, reason);
    SEXP made = PROTECT(named_list(names));
    SET_VECTOR_ELT(made, 0, Rf_ScalarInteger((int)outcome));
    SET_VECTOR_ELT(made, 1, text_of(reason));
    UNPROTECT(1);
    return made;
}

SEXP r_flush_settle(SEXP flush, SEXP outcome, SEXP reason) {
    struct sending *one = (struct sending *)object_of(flush, "flush");
    ldp_error *error = NULL;
    const ldp_status status = ldp_flush_settle(one->flush, (ldp_outcome)Rf_asInteger(outcome), text_in(reason), &error);
    one->batch = NULL;
    return status == LDP_OK ? R_NilValue : failure(error, -1);
}

SEXP r_flush_done(SEXP flush) {
    static const char *const names[] = {"batches", "reports", "repeated", "refused", NULL};
    struct sending *one = (struct sending *)object_of(flush, "flush");
    ldp_flushed flushed;
    ldp_error *error = NULL;
    SEXP made;
    if (ldp_flush_done(one->flush, &flushed, &error) != LDP_OK) return failure(error, -1);
    made = PROTECT(named_list(names));
    SET_VECTOR_ELT(made, 0, Rf_ScalarReal((double)flushed.batches));
    SET_VECTOR_ELT(made, 1, Rf_ScalarReal((double)flushed.reports));
    SET_VECTOR_ELT(made, 2, Rf_ScalarReal((double)flushed.repeated));
    SET_VECTOR_ELT(made, 3, Rf_ScalarReal((double)flushed.refused));
    UNPROTECT(1);
    return made;
}

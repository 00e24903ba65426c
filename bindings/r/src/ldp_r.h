/* The C side of the package: calls of ldp.h with the vectors of R. A function returns its result, or an object of the class
 * "ldp_failure" that R/errors.R raises as a condition: no condition is raised while objects of the library are held. */
#ifndef LDP_R_H
#define LDP_R_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <ldp/ldp.h>

/* Objects of the library as external pointers of R. `kind` is one of "collection", "client", "fleet" and "flush". `keep` lives as
 * long as the pointer. */
SEXP held(const char *kind, void *object, void (*release)(void *), SEXP keep);
/* Returns the object. Raises a condition for a freed object, one of another kind and one of another process, whose locks a fork
 * does not own. */
void *object_of(SEXP pointer, const char *kind);
SEXP r_usable(SEXP pointer);
SEXP r_release(SEXP pointer);

/* Frees the error and returns it as an "ldp_failure". `record` is the index of the failed record from 0, or negative. */
SEXP failure(ldp_error *error, double record);

/* Text of the library as a text of R; NULL for null. */
SEXP text_of(const char *text);
/* Text that the library allocated, and frees it. */
SEXP text_taken(char *text);
/* Bytes that the library allocated, and frees them. */
SEXP bytes_taken(uint8_t *bytes, size_t size);
/* A text in UTF-8, or null for NULL and NA. R/values.R has converted it. */
const char *text_in(SEXP text);
/* A list with these names, the last of which is null. */
SEXP named_list(const char *const *names);

/* `count` records from the record `from` on: a value of each column for each record. `columns` is a list of vectors of numbers or
 * texts. `labelled` states for each column whether its values are labels: a missing value is then an empty label. */
ldp_value *values_in(SEXP columns, SEXP labelled, R_xlen_t from, R_xlen_t count);
/* The number of records in the columns. */
R_xlen_t records_in(SEXP columns);

SEXP r_version(void);
SEXP r_collection_new(SEXP spec, SEXP refuse, SEXP terms, SEXP endpoint, SEXP name);
SEXP r_collection_facts(SEXP collection);
SEXP r_perturb(SEXP collection, SEXP columns, SEXP labelled);

SEXP r_summarize(SEXP collection, SEXP reports, SEXP rounds);
SEXP r_merge(SEXP one, SEXP other);
SEXP r_query(SEXP collection, SEXP summary, SEXP query);
SEXP r_plan(SEXP spec, SEXP target, SEXP people);
SEXP r_simulate(SEXP collection, SEXP columns, SEXP labelled, SEXP runs, SEXP seed);
SEXP r_simulate_summary(SEXP collection, SEXP columns, SEXP labelled, SEXP seed);

SEXP r_client_new(SEXP collection, SEXP path, SEXP state, SEXP once, SEXP ledger);
SEXP r_fleet_new(SEXP collection, SEXP path, SEXP once, SEXP ledger);
SEXP r_client_report(SEXP client, SEXP columns, SEXP labelled, SEXP names, SEXP texts, SEXP round);
SEXP r_client_stage(SEXP client, SEXP columns, SEXP labelled, SEXP from, SEXP count, SEXP names, SEXP texts);
SEXP r_client_commit(SEXP client, SEXP round);
SEXP r_client_discard(SEXP client);
SEXP r_fleet_report(SEXP fleet, SEXP columns, SEXP labelled, SEXP people, SEXP rounds, SEXP names, SEXP texts);
SEXP r_pending(SEXP sender, SEXP fleet);
SEXP r_clamped(SEXP client, SEXP attributes);
SEXP r_state(SEXP client);
SEXP r_contract(SEXP sender, SEXP fleet);
SEXP r_accept(SEXP sender, SEXP fleet, SEXP digest);
SEXP r_refused(SEXP client, SEXP action);

SEXP r_spec_at(SEXP url, SEXP name, SEXP timeout);
SEXP r_flush_start(SEXP sender, SEXP fleet, SEXP url, SEXP name, SEXP most, SEXP timeout);
SEXP r_flush_next(SEXP flush, SEXP whole);
SEXP r_flush_body(SEXP flush);
SEXP r_flush_deliver(SEXP flush);
SEXP r_flush_settle(SEXP flush, SEXP outcome, SEXP reason);
SEXP r_flush_done(SEXP flush);

#endif

/* The client of ldp for C, and for whatever can call C: randomize a person's values on their device, keep the
 * reports until the server has counted them, send them.
 *
 *     gcc app.c $(pkg-config --cflags --libs ldp-c)
 *
 * Results. A function that can fail returns LDP_OK or what went wrong. Its last parameter is where to put an
 * error that says more, which the caller frees with ldp_error_free(); null if nobody wants to know. A function
 * that failed changed nothing, except where it says so, and set its results to null or 0. No exception leaves
 * the library. Null where an object or a result is due is LDP_INVALID_VALUE; the getters that return no status
 * answer 0 or null for a null object. Every ..._free() takes null.
 *
 * Text is UTF-8. Where a length stands beside it, the text has so many bytes and may hold zeros, or ends with a
 * zero if the length is LDP_TO_END. Arguments are copied, and need not outlive the call. Text and bytes that a
 * getter returns belong to the object, and live until it is freed or, of a batch, settled. What a caller has to
 * free says so: ldp_free() for text and bytes.
 *
 * Threads. A collection never changes, and any number of threads may use it at once. A client, with its flushes
 * and their batches, belongs to one thread at a time; clients of their own, each with its own file, may run side
 * by side. A client does not survive fork(): make it in the child. Nothing may be freed that a call still uses.
 *
 * Randomness comes from the operating system and from nowhere else: no function here takes any. */
#ifndef LDP_H
#define LDP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. A library with the same number has all that stands here, and takes programs that were compiled
 * with it; functions may be added, none changes or goes. */
#define LDP_API_VERSION 1

/* What the library exports. */
#define LDP_API __attribute__((visibility("default")))

/* In C++ an enumeration that says so holds every int, and a wrong one can be refused. */
#ifdef __cplusplus
#define LDP_INT : int
#else
#define LDP_INT
#endif

/* The number of the library, to be compared with LDP_API_VERSION. */
LDP_API int ldp_api_version(void);
/* Its version, such as "1.0.0". */
LDP_API const char *ldp_version(void);

/* Errors ---------------------------------------------------------------------------------------------------- */

/* What became of a call. */
typedef enum ldp_status LDP_INT {
    LDP_OK = 0,            /* done */
    LDP_INVALID_SPEC = 1,  /* a spec that cannot be honoured */
    LDP_INVALID_VALUE = 2, /* a person's value outside what the spec declares, or an argument out of range */
    LDP_MALFORMED = 3,     /* bytes or text that are not what they should be */
    LDP_INCOMPATIBLE = 4,  /* a store of another spec, or older than what the server counted */
    LDP_UNSUPPORTED = 5,   /* a question that the mechanism cannot answer */
    LDP_FULL = 6,          /* a summary that cannot count further */
    LDP_SPENT = 7,         /* a new answer that the person's budget does not pay for */
    LDP_ENVIRONMENT = 8,   /* a file, the operating system or the server failed; most can be repeated */
    LDP_NO_MEMORY = 9      /* the system gave none */
} ldp_status;

/* What went wrong, in sentences. */
typedef struct ldp_error ldp_error;

/* The status of the call that failed. */
LDP_API ldp_status ldp_error_code(const ldp_error *error);
/* What happened. */
LDP_API const char *ldp_error_message(const ldp_error *error);
/* What was found and what is allowed; may be empty. */
LDP_API const char *ldp_error_detail(const ldp_error *error);
/* What to do; may be empty. */
LDP_API const char *ldp_error_hint(const ldp_error *error);
/* Takes null. */
LDP_API void ldp_error_free(ldp_error *error);

/* Text and bytes that a function handed over. */
LDP_API void ldp_free(void *memory);

/* Collections ----------------------------------------------------------------------------------------------- */

/* The length of a text that ends with a zero. */
#define LDP_TO_END ((size_t)-1)

/* One value of a record: a number, in the attribute's own unit, or the label of a category, of which an empty one
 * says that there is no answer. */
typedef struct ldp_value {
    const char *text; /* null: a number */
    size_t length;    /* of the text, in bytes; or LDP_TO_END */
    double number;    /* if there is no text */
} ldp_value;

/* A value that is a number. */
static inline ldp_value ldp_number(double number) {
    ldp_value value;
    value.text = NULL;
    value.length = 0;
    value.number = number;
    return value;
}
/* A value that is a label, whose text must live until the value was used. */
static inline ldp_value ldp_label(const char *text) {
    ldp_value value;
    value.text = text;
    value.length = LDP_TO_END;
    value.number = 0;
    return value;
}

/* What becomes of a number outside its declared range. (A label outside the domain goes where the spec says.) */
typedef enum ldp_outside LDP_INT {
    LDP_CLAMP = 0, /* it is clamped to the nearer end, and counted as clamped */
    LDP_REFUSE = 1 /* the record is LDP_INVALID_VALUE */
} ldp_outside;

/* A spec and its mechanism. */
typedef struct ldp_collection ldp_collection;

/* Of a spec in JSON, of 1 MiB at most. LDP_MALFORMED, LDP_INVALID_SPEC: the error names the key. Clients keep what
 * they need of a collection, so it may be freed before they are. */
LDP_API ldp_status ldp_collection_new(const char *spec, size_t length, ldp_outside outside,
                                      ldp_collection **collection, ldp_error **error);
/* Takes null. */
LDP_API void ldp_collection_free(ldp_collection *collection);

/* The spec's canonical form, in JSON. */
LDP_API const char *ldp_collection_spec(const ldp_collection *collection);
/* The spec's fingerprint, 16 hexadecimal digits, which every report carries. */
LDP_API const char *ldp_collection_fingerprint(const ldp_collection *collection);
/* How many values a record has: one for each attribute of the spec but its products, in the spec's order. */
LDP_API size_t ldp_collection_values(const ldp_collection *collection);
/* The name of the attribute that the i-th value is of, from 0, or null if there is none. */
LDP_API const char *ldp_collection_name(const ldp_collection *collection, size_t i);
/* Bytes of every report. */
LDP_API size_t ldp_collection_report_size(const ldp_collection *collection);

/* The values of a record that is a JSON object, such as {"wage": 612.5, "region": "south"}: numbers and strings
 * under the attributes' names, null for "no answer". Other keys are ignored. The caller frees `values`, texts and
 * all, with one ldp_free(). LDP_MALFORMED, LDP_INVALID_VALUE. */
LDP_API ldp_status ldp_collection_record(const ldp_collection *collection, const char *json, size_t length,
                                         ldp_value **values, size_t *count, ldp_error **error);

/* Draws a report of each record, afresh, at the cost of epsilon each, without a client that keeps or remembers
 * anything: for simulations, and for programs with queues of their own. `count` values are the records one after
 * another; `reports` has room for `capacity` bytes, and gets the reports one after another. `done`, which may be
 * null, is how many there are, also after an error: then the record after them is the one that it is about.
 * Give many records at once: each call asks the system for random words of its own, some hundreds at the least.
 * LDP_INVALID_VALUE, also for mechanisms of series, whose reports need a client. */
LDP_API ldp_status ldp_collection_perturb(const ldp_collection *collection, const ldp_value *values, size_t count,
                                          uint8_t *reports, size_t capacity, size_t *done, ldp_error **error);

/* Clients --------------------------------------------------------------------------------------------------- */

/* Turns records into reports and keeps them until the server has counted them. The order is fixed: draw, write
 * durably, then send. Under a spec with "evolving", and under a mechanism of series, a client is one person's and
 * remembers what it must. Otherwise each report is a fresh draw, and records may be different people's. */
typedef struct ldp_client ldp_client;

/* A client whose store is an SQLite file, which is created if there is none and locked until the client is freed:
 * what it did survives crashes of program, system and power. LDP_INCOMPATIBLE for the file of another spec;
 * LDP_ENVIRONMENT if it is in use, damaged or no such file: it is never replaced. */
LDP_API ldp_status ldp_client_in_file(const ldp_collection *collection, const char *path, ldp_client **client,
                                      ldp_error **error);

/* A client whose store is memory, which goes on from a state that ldp_client_state() gave, or begins anew if `size`
 * is 0. LDP_INCOMPATIBLE for the state of another spec, LDP_ENVIRONMENT if it is damaged. */
LDP_API ldp_status ldp_client_in_memory(const ldp_collection *collection, const uint8_t *state, size_t size,
                                        ldp_client **client, ldp_error **error);

/* All that such a client holds, in bytes that the caller frees with ldp_free(): for programs that keep it where no
 * file is, as a browser does. The promise of a file is then theirs to keep: after each change write the whole
 * state durably, in one step, before anything is sent and before anything is changed again; and where that
 * failed, free the client and go on from the state before. The bytes are as secret as the values, and may be
 * used once: two clients that go on from one state spend twice. LDP_UNSUPPORTED for a client in a file. */
LDP_API ldp_status ldp_client_state(const ldp_client *client, uint8_t **state, size_t *size, ldp_error **error);

/* Takes null. */
LDP_API void ldp_client_free(ldp_client *client);

/* Where a report's answer comes from. */
typedef enum ldp_origin LDP_INT {
    LDP_DRAWN = 0,   /* drawn for it, at a cost */
    LDP_MEMOIZED = 1,    /* kept from an earlier report */
    LDP_NEAREST = 2, /* kept of the nearest value that has one, because the budget is spent */
    LDP_SILENT = 3   /* none: in a series nothing was due yet */
} ldp_origin;

/* What became of a record. */
typedef struct ldp_receipt {
    ldp_origin origin;     /* where its answer comes from */
    uint32_t clamped;        /* how many values: numbers into their range, labels to "other" */
    uint64_t coefficients; /* how many coefficients of haar were clamped into their range, or numbers of a vector
                              to the norm of gaussian */
} ldp_receipt;

/* Randomizes a record and queues the report as durably as the store can: one report, or of a series none or
 * several. `round` tells repeated surveys of the same people apart (0 if there is one); of a series it is the round
 * whose value this is, from 1 on, in order. `receipt` may be null. LDP_INVALID_VALUE, LDP_SPENT, LDP_ENVIRONMENT:
 * then nothing was queued, and nothing spent. */
LDP_API ldp_status ldp_client_report(ldp_client *client, const ldp_value *values, size_t count, int32_t round,
                                     ldp_receipt *receipt, ldp_error **error);

/* The same of many records, at the price of one durable write: stage() randomizes records, one after another, and
 * holds them in memory; commit() queues all that is staged, or does nothing and keeps it staged; discard() forgets
 * it, and the answers that were drawn for it. `done`, which may be null, is how many records stage() staged, also
 * after an error: then the record after them is the one that it is about. LDP_UNSUPPORTED under a mechanism of
 * series. */
LDP_API ldp_status ldp_client_stage(ldp_client *client, const ldp_value *values, size_t count, size_t *done,
                                    ldp_error **error);
/* Queues what is staged, in this round: see ldp_client_stage(). */
LDP_API ldp_status ldp_client_commit(ldp_client *client, int32_t round, ldp_error **error);
/* Forgets what is staged: see ldp_client_stage(). */
LDP_API ldp_status ldp_client_discard(ldp_client *client, ldp_error **error);

/* Reports queued and not known to be counted. */
LDP_API uint64_t ldp_client_pending(const ldp_client *client);
/* Reports staged and not committed. */
LDP_API uint64_t ldp_client_staged(const ldp_client *client);

/* How many values this client has clamped since it was made: of the spec's i-th attribute, from 0, products among
 * them. 0 for an attribute that there is not. */
LDP_API uint64_t ldp_client_clamped(const ldp_client *client, size_t i);
/* How many coefficients of haar it has clamped since, or numbers of vectors to the norm of gaussian. */
LDP_API uint64_t ldp_client_clamped_coefficients(const ldp_client *client);

/* The ledger ------------------------------------------------------------------------------------------------ */

/* An answer that was drawn for this person and is kept. */
typedef struct ldp_answer {
    double epsilon; /* what drawing it cost */
    int32_t round;  /* in which it was first reported */
} ldp_answer;

/* What all answers cost together. Both figures are true; the smaller one counts. */
typedef struct ldp_spending {
    uint64_t answers; /* how many there are */
    uint64_t most;   /* how many the budget pays for */
    double epsilon;  /* of each */
    double sum;      /* of all, for certain */
    double advanced; /* of all but for a probability of delta (Dwork, Roth 2014, doi:10.1561/0400000042) */
} ldp_spending;

/* Writes the first `capacity` answers, in the order in which they were drawn; `answers` may be null if that is 0.
 * `count` is how many there are. LDP_UNSUPPORTED unless the spec has "evolving". */
LDP_API ldp_status ldp_client_ledger(const ldp_client *client, ldp_answer *answers, size_t capacity, size_t *count,
                                     ldp_error **error);
/* What the answers cost together. 0 < delta < 1, else LDP_INVALID_VALUE; LDP_UNSUPPORTED as before. */
LDP_API ldp_status ldp_client_spent(const ldp_client *client, double delta, ldp_spending *spending,
                                    ldp_error **error);

/* Sending --------------------------------------------------------------------------------------------------- */

/* Reports of one spec and one round that travel together, under an id that never stands for others. */
typedef struct ldp_batch ldp_batch;

LDP_API const char *ldp_batch_id(const ldp_batch *batch);          /* a UUID: 36 characters */
LDP_API const char *ldp_batch_fingerprint(const ldp_batch *batch); /* of the spec: 16 hexadecimal digits */
LDP_API int32_t ldp_batch_round(const ldp_batch *batch); /* of all its reports */
LDP_API size_t ldp_batch_reports(const ldp_batch *batch); /* how many, at least 1 */
/* The i-th report, from 0, and its bytes in `size`, which may be null; null if there is none. */
LDP_API const uint8_t *ldp_batch_report(const ldp_batch *batch, size_t i, size_t *size);
/* All of them as one value, as an endpoint takes it (doc/collect.md); the caller frees it with ldp_free(). LDP_MALFORMED
 * for a report that is damaged: then the batch is LDP_REFUSED. LDP_FULL if they are too many: then it is
 * LDP_TOO_LARGE. */
LDP_API ldp_status ldp_batch_frame(const ldp_batch *batch, uint8_t **frame, size_t *size, ldp_error **error);

/* The outcome of a batch. The last three must be certain: its reports go into other batches. */
typedef enum ldp_outcome LDP_INT {
    LDP_DELIVERED = 0, /* it was counted now */
    LDP_REPEATED = 1,  /* it had been counted before */
    LDP_LATER = 2,     /* not known: the same batch will be offered again */
    LDP_REFUSED = 3,   /* not counted, nor ever will be as long as a report is in it that the server refuses */
    LDP_TOO_LARGE = 4, /* not counted, nor will be as a whole; parts of it may */
    LDP_OUTDATED = 5   /* its id was counted with other reports: the store is older than what the server counted */
} ldp_outcome;

/* What a flush did. */
typedef struct ldp_flushed {
    uint64_t batches;  /* now known to be counted */
    uint64_t reports;  /* in them */
    uint64_t repeated; /* of the batches, those that had been counted before */
    uint64_t refused;  /* reports that were set aside */
} ldp_flushed;

/* Bytes that a transport has for its reason. */
#define LDP_REASON_SIZE 1024
/* Brings a batch to the server and returns when it is counted, or with what else became of it. `reason` has
 * LDP_REASON_SIZE bytes for a text that ends with a zero and says why, if it is not; it is empty before. Must
 * neither throw nor longjmp, and not use the client. */
typedef ldp_outcome (*ldp_transport)(void *context, const ldp_batch *batch, char *reason);

/* Sends what is queued, the oldest first, in batches of at most `most` ≥ 1 reports, 10000 say. Safe to repeat, after
 * any failure and from a new process: nothing queued is lost, and nothing counted twice. `flushed`, which may be
 * null, tells what was done, also after an error. LDP_ENVIRONMENT after LDP_LATER, or if the server refuses all;
 * LDP_INCOMPATIBLE after LDP_OUTDATED. */
LDP_API ldp_status ldp_client_flush(ldp_client *client, ldp_transport transport, void *context, size_t most,
                                    ldp_flushed *flushed, ldp_error **error);

/* The same in steps, for programs that cannot wait inside a function: take a batch, bring it to the server, say what
 * became of it, until there is none. A batch that is not settled is offered again by the next flush. */
typedef struct ldp_flush ldp_flush;

/* Begins one. The client must outlive it, and have one flush at a time. */
LDP_API ldp_status ldp_flush_start(ldp_client *client, size_t most, ldp_flush **flush, ldp_error **error);
/* The batch to bring to the server: the same one until it is settled, null if nothing is queued. */
LDP_API ldp_status ldp_flush_next(ldp_flush *flush, const ldp_batch **batch, ldp_error **error);
/* Says what became of it; `reason` says why, and may be null. LDP_LATER settles nothing. Errors as those of ldp_client_flush(), after all
 * was done that the outcome asks for. */
LDP_API ldp_status ldp_flush_settle(ldp_flush *flush, ldp_outcome outcome, const char *reason, ldp_error **error);
/* What it did so far; `refused` is told at the end, when there is no batch left. */
LDP_API ldp_status ldp_flush_done(const ldp_flush *flush, ldp_flushed *flushed, ldp_error **error);
/* Takes null. */
LDP_API void ldp_flush_free(ldp_flush *flush);

/* The rule of delivery, for transports (doc/collect.md describes it) ------------------------------------------- */

/* A request about a batch. */
typedef enum ldp_request LDP_INT {
    LDP_SUBMIT = 0, /* POST, or a call of ldp_submit_batch */
    LDP_REVOKE = 1  /* DELETE, or a call of ldp_claim_batch in a transaction that is rolled back */
} ldp_request;

/* The next action of a transport. */
typedef enum ldp_action LDP_INT {
    LDP_SETTLE = 0,  /* none: the outcome is final */
    LDP_REPEAT = 1,  /* the same request again, after a pause; LDP_LATER if there is no time left */
    LDP_THEN_REVOKE = 2, /* LDP_REVOKE next, with the outcome as it is */
    LDP_STOP = 3     /* none now: return LDP_LATER */
} ldp_action;

/* The next action after an answer over HTTP. `status` is that of HTTP, or 0 if there was no answer. `receipt` says
 * whether the answer has the receipt of ldp_delivery_receipt(). `outcome` is LDP_LATER at first and is updated. */
LDP_API ldp_action ldp_http_step(ldp_request request, int status, int receipt, ldp_outcome *outcome);
/* The same of a GET of a spec: LDP_SETTLE if the answer is the spec. */
LDP_API ldp_action ldp_spec_step(int status, int receipt);
/* The next action after a statement. `sqlstate` is "00000" if it succeeded, then `fresh` says whether it counted or
 * claimed the batch; null or "" if the connection broke. */
LDP_API ldp_action ldp_sql_step(ldp_request request, const char *sqlstate, int fresh, ldp_outcome *outcome);

/* Bytes of a receipt, with the zero at its end. */
#define LDP_RECEIPT_SIZE 65
/* The receipt that the endpoint gives in the header Ldp-Receipt of an answer to this request. `method` is "GET", "POST"
 * or "DELETE". `batch` is the batch's id, empty for a GET. `content` is the body of a POST, or of the answer to a GET.
 * A DELETE has no content; its round and that of a GET are 0. */
LDP_API ldp_status ldp_delivery_receipt(const char *method, int status, const char *collection, const char *batch,
                                        int32_t round, const uint8_t *content, size_t size, char *receipt,
                                        ldp_error **error);
/* Describes an answer that something other than the endpoint gave, such as a redirect or a login page; null for any
 * other. The text is static. */
LDP_API const char *ldp_foreign_answer(int status, int receipt);
/* A hint for ldp_foreign_answer(): what to check. The text is static. */
LDP_API const char *ldp_foreign_hint(void);

/* How many reports were refused for good and wait aside. */
LDP_API ldp_status ldp_client_refused(const ldp_client *client, size_t *count, ldp_error **error);
/* Why the i-th of them was, from 0; the caller frees it with ldp_free(). */
LDP_API ldp_status ldp_client_refusal(const ldp_client *client, size_t i, char **reason, ldp_error **error);
/* Queues those anew that are not damaged; `count`, which may be null, is how many that were. */
LDP_API ldp_status ldp_client_requeue_refused(ldp_client *client, uint64_t *count, ldp_error **error);
/* Forgets all of them; `count`, which may be null, is how many that were. */
LDP_API ldp_status ldp_client_drop_refused(ldp_client *client, uint64_t *count, ldp_error **error);

#ifdef __cplusplus
}
#endif

#endif

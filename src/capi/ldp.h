/* The client of ldp for C and for languages that can call C. It randomizes a person's values on their device,
 * stores the reports until the server has counted them, and sends them.
 *
 *     gcc app.c $(pkg-config --cflags --libs ldp-c)
 *
 * Length: one header declares the whole interface.
 *
 * Results. A function that can fail returns LDP_OK or the status of the failure. Its last parameter receives an
 * error object with details; it may be null. The caller frees the error with ldp_error_free(). A function that
 * failed changed nothing unless documented, and set its results to null or 0. No exception leaves the library.
 * A null pointer for a required object or result is LDP_INVALID_VALUE. Getters without a status return 0 or
 * null for a null object. Every ..._free() accepts null.
 *
 * Text is UTF-8. If a parameter has a length, the text has this number of bytes and may contain zeros. If the
 * length is LDP_TO_END, the text ends with a zero. Arguments are copied and need not outlive the call. Text and
 * bytes that a getter returns belong to the object. They remain valid until the object is freed or, for a batch,
 * settled. If the caller owns a result, the comment of the function states this; ldp_free() frees text and bytes.
 *
 * Threads. A collection is immutable, and threads may share it. A client, with its flushes and their batches,
 * belongs to one thread at a time. Different clients, each with its own file, may run in parallel. A client does
 * not survive fork(): create it in the child. Do not free an object while a call uses it.
 *
 * Randomness of reports comes from the operating system only. No function that returns reports accepts random numbers or a
 * seed. Simulations accept a seed, and return only errors or a summary.
 *
 * Devices. The library libldp-device has a subset of these functions: the functions that are declared if LDP_DEVICE is defined.
 * Programs for it include ldp_device.h, which defines LDP_DEVICE.
 *
 * A ledger and its clients belong to one thread at a time.
 */
#ifndef LDP_H
#define LDP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header's interface. A library with the same number provides all functions declared here and
 * runs programs that were compiled with this header. Functions may be added; none is changed or removed. */
#define LDP_API_VERSION 1

/* Marks the exported functions of the library. */
#define LDP_API __attribute__((visibility("default")))

/* In C++, an enumeration with this underlying type holds every int, so that the library can reject wrong values. */
#ifdef __cplusplus
#define LDP_INT : int
#else
#define LDP_INT
#endif

/* Returns the interface version of the library, to be compared with LDP_API_VERSION. */
LDP_API int ldp_api_version(void);
/* Returns the version of the library, such as "1.0.0". */
LDP_API const char *ldp_version(void);

/* Errors ---------------------------------------------------------------------------------------------------- */

/* The status of a call. */
typedef enum ldp_status LDP_INT {
    LDP_OK = 0,            /* success */
    LDP_INVALID_SPEC = 1,  /* the spec is invalid or cannot be implemented */
    LDP_INVALID_VALUE = 2, /* a value is outside its declared domain, or an argument is out of range */
    LDP_MALFORMED = 3,     /* bytes or text have a wrong format */
    LDP_INCOMPATIBLE = 4,  /* the store belongs to another spec, or is older than the server's counts */
    LDP_UNSUPPORTED = 5,   /* the mechanism does not support the operation */
    LDP_FULL = 6,          /* the summary has reached its largest count */
    LDP_SPENT = 7,         /* the budget of a group does not pay for the report; see ldp_client_use_ledger() */
    LDP_ENVIRONMENT = 8,   /* a file, the operating system or the server failed; most calls can be repeated */
    LDP_NO_MEMORY = 9,     /* the system provided no memory */
    LDP_CHANGED = 10       /* the collection has changed since the contract was accepted; see ldp_client_accept() */
} ldp_status;

/* An error with message, detail and hint. */
typedef struct ldp_error ldp_error;

/* Returns the status of the failed call. */
LDP_API ldp_status ldp_error_code(const ldp_error *error);
/* Returns the primary message. */
LDP_API const char *ldp_error_message(const ldp_error *error);
/* Returns the actual and the allowed values; may be empty. */
LDP_API const char *ldp_error_detail(const ldp_error *error);
/* Returns a suggested action; may be empty. */
LDP_API const char *ldp_error_hint(const ldp_error *error);
/* Frees an error. Accepts null. */
LDP_API void ldp_error_free(ldp_error *error);

/* Frees text or bytes that a function returned to the caller. Accepts null. */
LDP_API void ldp_free(void *memory);

/* Collections ----------------------------------------------------------------------------------------------- */

/* As a length: the text ends with a zero. */
#define LDP_TO_END ((size_t)-1)

/* One value of a record: a number in the attribute's unit, or the label of a category. An empty label is a missing
 * value, and so is NaN for a number that the spec allows to be missing. A set of labels is one text with semicolons
 * between the labels, and an empty text is the empty set. */
typedef struct ldp_value {
    const char *text; /* the label; null if the value is a number */
    size_t length;    /* of the text, in bytes; or LDP_TO_END */
    double number;    /* used if text is null */
} ldp_value;

/* Returns a value that is a number. */
static inline ldp_value ldp_number(double number) {
    ldp_value value;
    value.text = NULL;
    value.length = 0;
    value.number = number;
    return value;
}
/* Returns a value that is a label. The text must remain valid while the value is used. */
static inline ldp_value ldp_label(const char *text) {
    ldp_value value;
    value.text = text;
    value.length = LDP_TO_END;
    value.number = 0;
    return value;
}

/* The treatment of numbers outside their declared range. (The spec defines the treatment of labels outside the domain.) */
typedef enum ldp_outside LDP_INT {
    LDP_CLAMP = 0, /* the number is clamped to the nearer end, and counted as clamped */
    LDP_REFUSE = 1 /* the call returns LDP_INVALID_VALUE */
} ldp_outside;

/* A spec and its mechanism. */
typedef struct ldp_collection ldp_collection;

/* Creates a collection from a spec in JSON of at most 1 MiB. The spec has no open choices such as "auto": servers
 * deliver such specs, and `ldp spec resolve` writes them. LDP_MALFORMED, LDP_INVALID_SPEC: the error names the key.
 * Clients copy what they use of a collection, so it may be freed before its clients. */
LDP_API ldp_status ldp_collection_new(const char *spec, size_t length, ldp_outside outside,
                                      ldp_collection **collection, ldp_error **error);
/* The limits of the caller, which no server can change, and the origin of the spec. Set all bytes to 0, and then set `size`. A
 * member that is 0 or null sets no limit. */
typedef struct ldp_terms {
    size_t size;                   /* sizeof(ldp_terms) */
    const char *digest;            /* digest of the contract from another source than the server, 16 to 64 hexadecimal digits */
    double report_epsilon;         /* largest epsilon of one report */
    double life_epsilon;           /* largest epsilon of all reports of a client */
    uint64_t reports;              /* largest number of reports of a client, if each is a fresh draw */
    double group_epsilon;          /* epsilon of the group in the person's ledger */
    const char *const *attributes; /* the only attributes that may be asked for */
    size_t attribute_count;        /* number of these attributes */
    const char *const *in_clear;   /* the only public columns that are filled; not null with a count of 0: none */
    size_t in_clear_count;         /* number of these columns */
    const char *endpoint;          /* address of the server */
    const char *collection;        /* name of the collection */
    const char *public_columns;    /* the public columns that the server offers, in its JSON */
} ldp_terms;

/* Creates a collection as ldp_collection_new() does, under these terms. LDP_INCOMPATIBLE if they do not allow the collection,
 * with a line for each difference in the detail; then nothing can be drawn. Clients of the collection count fresh draws and
 * return LDP_SPENT after the last one that the terms allow. */
LDP_API ldp_status ldp_collection_new_under(const char *spec, size_t length, ldp_outside outside, const ldp_terms *terms,
                                            ldp_collection **collection, ldp_error **error);
/* Returns the contract that the collection offers, a JSON object: "digest", "spec" with its texts, "report_epsilon",
 * "life_epsilon" (null without a bound), "remembers", "attributes", "in_clear" (null if not stated), "endpoint" and others. */
LDP_API const char *ldp_collection_contract(const ldp_collection *collection);
/* Returns the contract as four readable lines: collection, mechanism and epsilon; attributes; columns that are sent unchanged;
 * digest. */
LDP_API const char *ldp_collection_summary(const ldp_collection *collection);
/* Frees a collection. Accepts null. */
LDP_API void ldp_collection_free(ldp_collection *collection);

/* Returns the canonical form of the spec in JSON. */
LDP_API const char *ldp_collection_spec(const ldp_collection *collection);
/* Returns the texts of the spec for people in JSON: title, description and people_asked, and in "attributes", by the name of
 * an attribute or a vector, title, question, unit, description, scale and display. Keys without a text are missing. The
 * texts were written by the owner of the collection: escape them before you put them into a page. */
LDP_API const char *ldp_collection_texts(const ldp_collection *collection);
/* Returns the fingerprint of the spec, 64 hexadecimal digits. Every report contains the first 8 of its 32 bytes. */
LDP_API const char *ldp_collection_fingerprint(const ldp_collection *collection);
/* Returns the number of values of a record: one for each attribute of the spec except products, in the spec's
 * order. */
LDP_API size_t ldp_collection_values(const ldp_collection *collection);
/* Returns the name of the i-th value's attribute, counted from 0; null if i is too large. */
LDP_API const char *ldp_collection_name(const ldp_collection *collection, size_t i);
/* Returns the size of every report in bytes. */
LDP_API size_t ldp_collection_report_size(const ldp_collection *collection);

/* Reads the values of a record from a JSON object, such as {"wage": 612.5, "region": "south"}. The keys are the
 * attributes' names; null is a missing value; other keys are ignored. A vector is an array of its elements, an object
 * with their labels, or a key for each element ("hours.8h"). The caller frees `values`, including their texts, with
 * one ldp_free(). LDP_MALFORMED, LDP_INVALID_VALUE. */
LDP_API ldp_status ldp_collection_record(const ldp_collection *collection, const char *json, size_t length,
                                         ldp_value **values, size_t *count, ldp_error **error);

/* Draws a fresh report of each record, at the cost of epsilon each, without a client. Use it for simulations and for
 * programs with their own queues. The `count` values are consecutive records; `reports` has `capacity` bytes and
 * receives consecutive reports. `done` receives the number of reports, also after an error, and may be null. The
 * error then concerns the next record. Pass many records in one call: each call reads at least some hundreds of
 * random words from the system. LDP_INVALID_VALUE, also for mechanisms of series, whose reports need a client. */
LDP_API ldp_status ldp_collection_perturb(const ldp_collection *collection, const ldp_value *values, size_t count,
                                          uint8_t *reports, size_t capacity, size_t *done, ldp_error **error);

#ifndef LDP_DEVICE
/* Results --------------------------------------------------------------------------------------------------- */

/* Counts reports of the collection, without a server. `reports` has `count` consecutive reports, each of
 * ldp_collection_report_size() bytes. `rounds` has the round of each report, or is null if rounds are not recorded. The
 * caller frees the summary with ldp_free(). LDP_MALFORMED, LDP_INCOMPATIBLE. */
LDP_API ldp_status ldp_summarize(const ldp_collection *collection, const uint8_t *reports, size_t count,
                                 const int32_t *rounds, uint8_t **summary, size_t *size, ldp_error **error);

/* Merges two summaries of one spec into the summary of all their reports. The caller frees `summary` with ldp_free().
 * LDP_MALFORMED, LDP_INCOMPATIBLE, LDP_FULL. */
LDP_API ldp_status ldp_merge_summaries(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                       uint8_t **summary, size_t *size, ldp_error **error);

/* Computes the rows of a query of a summary, as the SQL functions return them: the same functions without "ldp_", the same
 * arguments, columns and numbers. `query` is a JSON object: "function" is the name, the other keys are arguments, such as
 * {"function": "quantiles", "attribute": "wage", "probabilities": [0.5]}. A single value stands for an array of one. A second
 * summary is text in hexadecimal. `rows` is a JSON array with an object for each row. Numbers are the shortest text of the same double; infinite numbers are the texts
 * "Infinity" and "-Infinity". `collection` has the labels; if it is null, numbers replace them. For a
 * function of groups, such as "compare_groups", `summary` is null, and the query has "groups", an array of their names, and
 * "summaries", an array of their summaries. For "calibrate", a name may be a JSON object with the values of several columns,
 * in a text. The caller frees `rows` with ldp_free(). LDP_INVALID_VALUE, LDP_MALFORMED, LDP_INCOMPATIBLE, LDP_UNSUPPORTED. */
LDP_API ldp_status ldp_query_summary(const ldp_collection *collection, const uint8_t *summary, size_t size,
                                     const char *query, size_t length, char **rows, ldp_error **error);

/* Predicts the error of an estimate before there are reports, as the SQL function ldp_plan does. `spec` may have open choices
 * such as "auto", and may lack "epsilon". `target` is a planning target in JSON (doc/planning.md); null means "{}". `people` is
 * the number of people, or 0 if it is to be computed. `rows` is a JSON array with an object for the error ("source": "all")
 * and for each of its sources: source, stderr, part, margin, effect, n, epsilon, mechanism, and canonical, the spec without open
 * choices. The caller frees `rows` with ldp_free(). LDP_INVALID_SPEC, LDP_INVALID_VALUE, LDP_MALFORMED, LDP_UNSUPPORTED. */
LDP_API ldp_status ldp_plan(const char *spec, size_t spec_length, const char *target, size_t target_length, uint64_t people,
                            char **rows, ldp_error **error);

/* Predicts the error of every estimate of a record whose attributes are reported in parts, as `ldp plan` does for such a spec:
 * means, shares, medians and cells of joint tables. `spec` and `people` are as for ldp_plan(); people are distributed evenly
 * over the values. `target` may be null, and has only the keys target, confidence and response_rate. If `people` is 0, the
 * number is "people" of the spec, or the number that "max_margin_of_error" needs. `rows` is a JSON array with an object for
 * each estimate. Keys of the estimate are "attribute", "estimate", "mechanism", "stderr" and "margin". The key "reports" is the
 * expected number of its reports, and "people" the number of people that the margin of the spec needs, or null. Keys of the plan are
 * "n", "epsilon" and "canonical", the spec without open choices. The caller frees `rows` with ldp_free(). LDP_INVALID_SPEC, also if the spec is no such record; LDP_INVALID_VALUE, LDP_MALFORMED. */
LDP_API ldp_status ldp_plan_record(const char *spec, size_t spec_length, const char *target, size_t target_length, uint64_t people,
                                   char **rows, ldp_error **error);

/* Draws rows of ldp_query_summary() as an SVG document: shares as bars, means and quantiles with their intervals, histograms,
 * lines by round, comparisons of groups, and tables of two attributes. It has a figure for each attribute and statistic. The
 * drawings are those of `ldp estimate`. `rows` is a JSON array of 1 to 10,000 objects with the key "estimate"; the keys
 * "attribute", "label", "statistic", "lower", "upper", "group_key", "round", "low", "high", "cell" and "note" are used if
 * present. `collection` has the titles, units and ranges of attributes; it may be null. `title` ends with a zero, and may be
 * null. Labels are escaped. The document loads no other file and runs no script. The caller frees `svg` with ldp_free().
 * LDP_INVALID_VALUE, LDP_MALFORMED. */
LDP_API ldp_status ldp_plot(const ldp_collection *collection, const char *rows, size_t length, const char *title, char **svg,
                            ldp_error **error);

/* Simulates a collection `runs` times, 1 to 1,000,000: randomizes all records in each run and estimates from the reports, as
 * `ldp simulate once` does. All randomness comes from `seed`; the reports are not returned and must not be. `values` has `count`
 * values of at least two records, one after another. `rows` is a JSON array with an object for each estimate. The keys "attribute"
 * and "asked" name it, such as "mean" or "shares of 4 values". The key "truth" is null for shares. The key "predicted" is the
 * predicted standard error, and "error" the root mean square error of all runs. The key "claimed" is the root mean square of
 * the reported standard errors, null for quantiles. The key "covered" is the share of the 95 % intervals that contain the truth. The caller frees `rows` with
 * ldp_free(). LDP_INVALID_VALUE; LDP_UNSUPPORTED, for example for strings and series. */
LDP_API ldp_status ldp_simulate(const ldp_collection *collection, const ldp_value *values, size_t count, uint64_t runs, uint64_t seed,
                                char **rows, ldp_error **error);

/* Simulates a collection once, as ldp_simulate() does, and returns the summary of its reports, for queries by
 * ldp_query_summary(). For ddrm and threshold_series, `values` has a record of each person in each round, and the records of a
 * person are consecutive. Equal seeds return equal summaries. Do not merge the summary with those of real reports: its noise
 * follows from `seed`, so it protects nobody. The caller frees `summary` with ldp_free(). LDP_INVALID_VALUE, LDP_FULL;
 * LDP_UNSUPPORTED for series in a record. */
LDP_API ldp_status ldp_simulate_summary(const ldp_collection *collection, const ldp_value *values, size_t count, uint64_t seed,
                                        uint8_t **summary, size_t *size, ldp_error **error);

#endif
/* Clients --------------------------------------------------------------------------------------------------- */

/* Randomizes records and stores the reports until the server has counted them. The order is fixed: draw, write
 * durably, then send. If the spec has "evolving", or if the mechanism is for series, a client belongs to one
 * person and stores permanent responses. Otherwise each report is a fresh draw, and records may belong to
 * different people. */
typedef struct ldp_client ldp_client;

#ifndef LDP_DEVICE
/* Creates a client whose store is an SQLite file. The file is created if it does not exist, and locked until the
 * client is freed. Its state survives crashes of the program, the system and the power supply. LDP_INCOMPATIBLE for
 * the file of another spec. LDP_ENVIRONMENT if the file is in use, damaged or of another format; it is never
 * replaced. */
LDP_API ldp_status ldp_client_in_file(const ldp_collection *collection, const char *path, ldp_client **client,
                                      ldp_error **error);
#endif

/* Creates a client whose store is memory. It starts from a state that ldp_client_state() returned, or without a
 * state if `size` is 0. LDP_INCOMPATIBLE for the state of another spec, LDP_ENVIRONMENT if it is damaged. */
LDP_API ldp_status ldp_client_in_memory(const ldp_collection *collection, const uint8_t *state, size_t size,
                                        ldp_client **client, ldp_error **error);

/* Returns the state of a client in memory; the caller frees the bytes with ldp_free(). It is for programs that store
 * the state outside of files, as browsers do. After each change, such a program must write the whole state durably
 * and atomically, before it sends a batch or changes the client again. If writing fails, free the client and
 * continue from the previous state. The bytes are as secret as the values. Use a state for one client only: two
 * clients from the same state spend the budget twice. LDP_UNSUPPORTED for a client in a file. */
LDP_API ldp_status ldp_client_state(const ldp_client *client, uint8_t **state, size_t *size, ldp_error **error);

/* Returns the contract that the client's store keeps from its first use on, as ldp_collection_contract() does, with two further
 * keys. "changes" is an array of its differences to the collection, each with "kind" ("shown" or "ask"), "field", "before" and
 * "now". "waiting" is the digest to pass to ldp_client_accept(), or null. The caller frees `json` with ldp_free(). */
LDP_API ldp_status ldp_client_contract(const ldp_client *client, char **json, ldp_error **error);
/* Accepts the collection's contract in place of the stored one. While it waits, reports and flushes return LDP_CHANGED, and
 * nothing is drawn or sent. `digest` is its digest, or at least the first 16 digits. Accept a new wording of the same question
 * only: a new question needs a new collection. LDP_INVALID_VALUE for another digest. */
LDP_API ldp_status ldp_client_accept(ldp_client *client, const char *digest, ldp_error **error);

/* Frees a client. Accepts null. */
LDP_API void ldp_client_free(ldp_client *client);

/* Sets whether the client accepts one record per round; initially it accepts any number. If `once` is not 0,
 * ldp_client_report() ignores every further record of a round: nothing is drawn, queued or spent, and the origin is
 * LDP_IGNORED. ldp_client_stage() then returns LDP_UNSUPPORTED. The store records the rounds in which such a client has
 * reported, so the rule also applies after a restart. Use this setting if one person reports and may press a button twice. */
LDP_API ldp_status ldp_client_once_per_round(ldp_client *client, int once, ldp_error **error);

/* The ledger of a group: one budget of each person over several collections, whose specs have the same
 * "budget": {"group": ..., "epsilon": ...}. All of them must use one ledger. */
typedef struct ldp_ledger ldp_ledger;

#ifndef LDP_DEVICE
/* Opens a ledger in an SQLite file, or creates it if it does not exist. Several programs may use the file at the same
 * time. LDP_ENVIRONMENT if the file is damaged or is not a ledger of ldp. */
LDP_API ldp_status ldp_ledger_in_file(const char *path, ldp_ledger **ledger, ldp_error **error);
#endif
/* Creates a ledger in memory. It starts from a state that ldp_ledger_state() returned, or without a state if `size` is
 * 0. LDP_ENVIRONMENT if the state is damaged. */
LDP_API ldp_status ldp_ledger_in_memory(const uint8_t *state, size_t size, ldp_ledger **ledger, ldp_error **error);
/* Frees a ledger. Its clients may continue. Accepts null. */
LDP_API void ldp_ledger_free(ldp_ledger *ledger);
/* Returns the state of a ledger in memory; the caller frees the bytes with ldp_free(). After each report, write them
 * durably before the state of the client. Otherwise the person may spend the budget again. LDP_UNSUPPORTED for a ledger
 * in a file. */
LDP_API ldp_status ldp_ledger_state(const ldp_ledger *ledger, uint8_t **state, size_t *size, ldp_error **error);
/* Returns the accounts as a JSON array of objects with "group", "epsilon" (of the group), "person", "fingerprint",
 * "title", "spent" and "at_most" (of the collection); the caller frees the text with ldp_free(). */
LDP_API ldp_status ldp_ledger_accounts(const ldp_ledger *ledger, char **json, ldp_error **error);
/* Sets the budget of a person for a group, before or after the first account. If `group` is null, sets the budget for all
 * collections that use the ledger. Reports of specs with another epsilon for the group then return LDP_INCOMPATIBLE. With a
 * limit of all collections, collections without a group also have an account, in clients that receive the ledger later.
 * LDP_INVALID_VALUE unless epsilon is positive and finite, LDP_INCOMPATIBLE if accounts of the group have another epsilon. */
LDP_API ldp_status ldp_ledger_limit(ldp_ledger *ledger, const char *group, double epsilon, ldp_error **error);
/* Sets the ledger that pays for the reports of a client. Without a ledger, reports of a spec with a group return
 * LDP_UNSUPPORTED. If the budget of the group does not pay for a report, ldp_client_report() and ldp_client_stage() return
 * LDP_SPENT, or under "when_spent": "stop" queue nothing, with the origin LDP_SILENT. If the ledger has another epsilon for the
 * group, they return LDP_INCOMPATIBLE. */
LDP_API ldp_status ldp_client_use_ledger(ldp_client *client, const ldp_ledger *ledger, ldp_error **error);

/* The origin of the response in a report. */
typedef enum ldp_origin LDP_INT {
    LDP_DRAWN = 0,    /* drawn for this report, at a cost */
    LDP_MEMOIZED = 1, /* memoized from an earlier report */
    LDP_NEAREST = 2,  /* memoized for the nearest value with a response, because the budget is spent */
    LDP_SILENT = 3,   /* none: no report of the series was due, or the person has stopped */
    LDP_IGNORED = 4   /* none: the round has a record already; see ldp_client_once_per_round() */
} ldp_origin;

/* The result of randomizing a record. */
typedef struct ldp_receipt {
    ldp_origin origin;     /* of the response */
    uint32_t clamped;      /* number of clamped values: numbers outside their range, labels replaced by "other" */
    uint64_t coefficients; /* number of clamped coefficients of haar, or of numbers of a vector that were clamped to
                              the norm of ball or gaussian */
} ldp_receipt;

/* Randomizes a record and queues its report as durably as the store can. In a series, a record has no report, one or
 * several. `round` distinguishes repeated rounds of the same people (0 if there is only one). In a series it is the
 * round of the value, from 1 on, in order. `receipt` may be null. LDP_INVALID_VALUE, LDP_ENVIRONMENT: no report was
 * queued, and no budget spent. */
LDP_API ldp_status ldp_client_report(ldp_client *client, const ldp_value *values, size_t count, int32_t round,
                                     ldp_receipt *receipt, ldp_error **error);

/* Reports many records with one durable write. stage() randomizes consecutive records and holds their reports in
 * memory. commit() queues all staged reports; if it fails, they remain staged. discard() deletes the staged reports
 * and the responses that were drawn for them. `done` receives the number of records that stage() staged, also after
 * an error, and may be null. The error then concerns the next record. LDP_UNSUPPORTED for mechanisms of series. */
LDP_API ldp_status ldp_client_stage(ldp_client *client, const ldp_value *values, size_t count, size_t *done,
                                    ldp_error **error);
/* Queues the staged reports in this round: see ldp_client_stage(). */
LDP_API ldp_status ldp_client_commit(ldp_client *client, int32_t round, ldp_error **error);
/* Deletes the staged reports: see ldp_client_stage(). */
LDP_API ldp_status ldp_client_discard(ldp_client *client, ldp_error **error);

/* The value of a public column: a column of the collection's table in addition to the report, such as a country or a time. The
 * value is public: it is queued, sent and stored unchanged, without protection. The server converts the text to the type of the
 * column. A column without a value takes its default. */
typedef struct ldp_column {
    const char *name; /* name of the column, terminated by a zero */
    const char *text; /* the value: UTF-8, at most 1024 bytes */
    size_t length;    /* bytes of the text, or LDP_TO_END */
} ldp_column;

/* The name of the column with the token of a report. A collection with tokens requires it, and a token admits one report. */
#define LDP_TOKEN_COLUMN "ldp_token"

/* Reports a record as ldp_client_report() does, with public columns. `columns` may be null if `column_count` is 0.
 * LDP_INVALID_VALUE also if a value is too long or not UTF-8. */
LDP_API ldp_status ldp_client_report_columns(ldp_client *client, const ldp_value *values, size_t count,
                                             const ldp_column *columns, size_t column_count, int32_t round,
                                             ldp_receipt *receipt, ldp_error **error);
/* Stages records as ldp_client_stage() does, with public columns that are the same for all records of the call. */
LDP_API ldp_status ldp_client_stage_columns(ldp_client *client, const ldp_value *values, size_t count,
                                            const ldp_column *columns, size_t column_count, size_t *done,
                                            ldp_error **error);

/* Returns the number of queued reports that are not known to be counted. */
LDP_API uint64_t ldp_client_pending(const ldp_client *client);
/* Returns the number of staged reports that are not committed. */
LDP_API uint64_t ldp_client_staged(const ldp_client *client);

/* Returns the number of values that this client object has clamped, for the spec's i-th attribute, counted from 0
 * and including products. 0 if i is too large. */
LDP_API uint64_t ldp_client_clamped(const ldp_client *client, size_t i);
/* Returns the number of clamped coefficients of haar, or of numbers of vectors clamped to the norm of ball or gaussian. */
LDP_API uint64_t ldp_client_clamped_coefficients(const ldp_client *client);

/* The ledger ------------------------------------------------------------------------------------------------ */

/* A permanent response of this person. */
typedef struct ldp_response {
    double epsilon; /* cost of the draw */
    int32_t round;  /* of its first report */
} ldp_response;

/* The total cost of all permanent responses. Both bounds hold; the smaller one is the result. */
typedef struct ldp_spending {
    uint64_t responses; /* number of permanent responses */
    uint64_t max_responses; /* number of responses that the budget covers */
    double epsilon;   /* of each response */
    double sum;       /* of all responses, with delta = 0 */
    double advanced;  /* of all, except with probability delta (Dwork, Roth 2014, doi:10.1561/0400000042) */
} ldp_spending;

/* Writes the first `capacity` permanent responses, in the order of their draws; `responses` may be null if `capacity`
 * is 0. `count` receives the number of all responses. LDP_UNSUPPORTED unless the spec has "evolving". */
LDP_API ldp_status ldp_client_ledger(const ldp_client *client, ldp_response *responses, size_t capacity, size_t *count,
                                     ldp_error **error);
/* Computes the total cost of the permanent responses. LDP_INVALID_VALUE unless 0 < delta < 1; LDP_UNSUPPORTED unless
 * the spec has "evolving". */
LDP_API ldp_status ldp_client_spent(const ldp_client *client, double delta, ldp_spending *spending,
                                    ldp_error **error);

/* Sending --------------------------------------------------------------------------------------------------- */

/* Reports of one spec and one round that are sent together. Their id is never used for other reports. */
typedef struct ldp_batch ldp_batch;

LDP_API const char *ldp_batch_id(const ldp_batch *batch);          /* a UUID: 36 characters */
LDP_API const char *ldp_batch_fingerprint(const ldp_batch *batch); /* of the spec: 64 hexadecimal digits */
LDP_API int32_t ldp_batch_round(const ldp_batch *batch);           /* of all its reports */
LDP_API size_t ldp_batch_reports(const ldp_batch *batch);          /* number of reports, at least 1 */
/* Returns the i-th report, counted from 0, and stores its size in bytes in `size`, which may be null. Returns null if
 * i is too large. */
LDP_API const uint8_t *ldp_batch_report(const ldp_batch *batch, size_t i, size_t *size);
/* Encodes all reports in the short form of a batch, the body of a request to an endpoint (doc/formats.md); the caller frees it with ldp_free().
 * LDP_MALFORMED if a report is damaged: settle the batch with LDP_REFUSED. LDP_FULL if there are too many reports:
 * settle it with LDP_TOO_LARGE. */
LDP_API ldp_status ldp_batch_frame(const ldp_batch *batch, uint8_t **frame, size_t *size, ldp_error **error);
/* Returns the public columns of all its reports: a JSON object of strings, "{}" if there are none. A transport sends
 * them with the reports, as the argument `columns` of ldp_submit_batch. */
LDP_API const char *ldp_batch_columns(const ldp_batch *batch);
/* Returns the body of a POST to an endpoint, with public columns and reports, and in `type` its media type, which is
 * static. The caller frees the body with ldp_free(). Returns the errors of ldp_batch_frame(). */
LDP_API ldp_status ldp_batch_body(const ldp_batch *batch, uint8_t **body, size_t *size, const char **type,
                                  ldp_error **error);
/* Writes the SHA-256 digest of round, reports and public columns, which is an argument of ldp_claim_batch. */
LDP_API ldp_status ldp_batch_digest(const ldp_batch *batch, uint8_t digest[32], ldp_error **error);

/* The outcome of a batch. Return one of the last three only if it is certain: the client then puts the reports into
 * other batches. */
typedef enum ldp_outcome LDP_INT {
    LDP_DELIVERED = 0, /* counted now */
    LDP_REPEATED = 1,  /* counted earlier */
    LDP_LATER = 2,     /* unknown: the same batch will be sent again */
    LDP_REFUSED = 3,   /* not counted, and never will be, because the server rejects a report in it */
    LDP_TOO_LARGE = 4, /* not counted, and never will be as a whole; parts of it may be */
    LDP_OUTDATED = 5   /* the id was counted with other reports: the store is older than the server's counts */
} ldp_outcome;

/* The result of a flush. */
typedef struct ldp_flushed {
    uint64_t batches;  /* batches now known to be counted */
    uint64_t reports;  /* reports in these batches */
    uint64_t repeated; /* batches among them that were counted earlier */
    uint64_t refused;  /* dead-lettered reports */
    uint64_t set_back; /* 1 if the server has another history than at the last delivery of the store; otherwise 0 */
} ldp_flushed;

/* Size of a history in bytes, including the zero at its end. */
#define LDP_HISTORY_SIZE 17
/* Where a flush sends. It must live as long as the flush. */
typedef struct ldp_destination {
    size_t size;            /* sizeof(ldp_destination) */
    const char *endpoint;   /* the address of the endpoint or database; null if unknown */
    const char *collection; /* name of the collection; null if unknown */
    const char *history;    /* where the transport writes the header Ldp-History of the last delivery, or the result of
                             * ldp_internal.ldp_history(), with a zero at its end; null if unknown */
} ldp_destination;

/* Size of the buffer for a transport's reason, in bytes. */
#define LDP_REASON_SIZE 1024
/* Sends a batch to the server and returns its outcome. If the batch was not counted, the function writes the cause as
 * text that ends with a zero to `reason`, which has LDP_REASON_SIZE bytes and is empty before. It must not throw,
 * call longjmp or use the client. */
typedef ldp_outcome (*ldp_transport)(void *context, const ldp_batch *batch, char *reason);

/* Sends all queued reports, the oldest first, in batches of at most `most` ≥ 1 reports, for example 10000. The call
 * can be repeated after any failure and from a new process: no report is lost or counted twice. `flushed` receives
 * the result, also after an error, and may be null. LDP_ENVIRONMENT after LDP_LATER, or if the server rejects all
 * reports; LDP_INCOMPATIBLE after LDP_OUTDATED.
 *
 * The contract keeps the destination `to` of the first delivered batch. LDP_CHANGED for another destination, until
 * ldp_client_accept(). `to` may be null; then the destination is not compared. If the server was set back since the last delivery,
 * all reports are sent, and then LDP_ENVIRONMENT is returned once, with `set_back` in `flushed`. */
LDP_API ldp_status ldp_client_flush(ldp_client *client, const ldp_destination *to, ldp_transport transport, void *context,
                                    size_t most, ldp_flushed *flushed, ldp_error **error);

/* A flush in steps, for programs that cannot wait inside a function. Take a batch, send it to the server and settle
 * it with its outcome, until no batch is left. The next flush sends batches again that are not settled. */
typedef struct ldp_flush ldp_flush;

/* Starts a flush to a destination as in ldp_client_flush(). The client must outlive it, and may have one flush at a
 * time. */
LDP_API ldp_status ldp_flush_start(ldp_client *client, const ldp_destination *to, size_t most, ldp_flush **flush,
                                   ldp_error **error);
/* Returns the batch to send to the server: the same one until it is settled, null if no report is queued. If the
 * server was set back, LDP_ENVIRONMENT once in place of null. */
LDP_API ldp_status ldp_flush_next(ldp_flush *flush, const ldp_batch **batch, ldp_error **error);
/* Settles the batch with its outcome; `reason` is the cause, and may be null. LDP_LATER settles nothing. Returns the
 * errors of ldp_client_flush(), after the action that the outcome requires. */
LDP_API ldp_status ldp_flush_settle(ldp_flush *flush, ldp_outcome outcome, const char *reason, ldp_error **error);
/* Returns the result of the flush so far; `refused` is set when no batch is left. */
LDP_API ldp_status ldp_flush_done(const ldp_flush *flush, ldp_flushed *flushed, ldp_error **error);
/* Frees a flush. Accepts null. */
LDP_API void ldp_flush_free(ldp_flush *flush);

/* The delivery protocol, for transports (described in doc/protocol.md) ----------------------------------------- */

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

/* Returns the next action after an HTTP response. `status` is the HTTP status, or 0 if there was no response.
 * `receipt` is true if the response has the receipt of ldp_delivery_receipt(). `outcome` starts as LDP_LATER and is
 * updated. */
LDP_API ldp_action ldp_http_step(ldp_request request, int status, int receipt, ldp_outcome *outcome);
/* Returns the next action after the response to a GET of a spec: LDP_SETTLE if the response is the spec. */
LDP_API ldp_action ldp_spec_step(int status, int receipt);
/* Returns the next action after a statement. `sqlstate` is "00000" if it succeeded; `fresh` is then true if the
 * statement counted or claimed the batch. `sqlstate` is null or "" if the connection broke. */
LDP_API ldp_action ldp_sql_step(ldp_request request, const char *sqlstate, int fresh, ldp_outcome *outcome);

/* Size of a receipt in bytes, including the zero at its end. */
#define LDP_RECEIPT_SIZE 65
/* Computes the receipt that the endpoint sends in the header Ldp-Receipt of its response to this request. `method` is
 * "GET", "POST" or "DELETE". `batch` is the batch's id, empty for a GET. `content` is the body of a POST, or of the
 * response to a GET. A DELETE has no content. The round of a DELETE or a GET is 0. */
LDP_API ldp_status ldp_delivery_receipt(const char *method, int status, const char *collection, const char *batch,
                                        int32_t round, const uint8_t *content, size_t size, char *receipt,
                                        ldp_error **error);
/* Describes a response that does not come from the endpoint, such as a redirect or a login page; null for a response
 * of the endpoint. The text is static. */
LDP_API const char *ldp_foreign_response(int status, int receipt);
/* Returns a hint for ldp_foreign_response(). The text is static. */
LDP_API const char *ldp_foreign_hint(void);

#ifndef LDP_DEVICE
/* Fleets ---------------------------------------------------------------------------------------------------- */

/* The clients of many people in one SQLite file, for a program that acts for their devices, such as a proxy or an
 * import of a panel. The file has the state of each person, and one queue. All specs are supported; specs with
 * "evolving" and mechanisms for series need it. */
typedef struct ldp_fleet ldp_fleet;

/* The person and the round of a record. */
typedef struct ldp_entry {
    const char *person;        /* unique name of the person, terminated by a zero */
    int32_t round;             /* as in ldp_client_report() */
    const ldp_column *columns; /* public columns; null if there are none */
    size_t column_count;       /* number of public columns */
} ldp_entry;

/* Opens the file, or creates it if it does not exist. Returns the errors of ldp_client_in_file(). */
LDP_API ldp_status ldp_fleet_in_file(const ldp_collection *collection, const char *path, ldp_fleet **fleet,
                                     ldp_error **error);
/* Frees a fleet. Accepts null. */
LDP_API void ldp_fleet_free(ldp_fleet *fleet);
/* Sets whether the fleet accepts one record of each person per round, as ldp_client_once_per_round() does; initially it accepts
 * any number. Further records of a person in a round are ignored. */
LDP_API ldp_status ldp_fleet_once_per_round(ldp_fleet *fleet, int once, ldp_error **error);
/* Sets the ledger that pays for the reports of the fleet, as ldp_client_use_ledger() does. Each person has a budget. */
LDP_API ldp_status ldp_fleet_use_ledger(ldp_fleet *fleet, const ldp_ledger *ledger, ldp_error **error);
/* Returns the contract as ldp_client_contract() does; all people of the fleet have one contract. */
LDP_API ldp_status ldp_fleet_contract(ldp_fleet *fleet, char **json, ldp_error **error);
/* Accepts the contract as ldp_client_accept() does, for all people of the fleet. */
LDP_API ldp_status ldp_fleet_accept(ldp_fleet *fleet, const char *digest, ldp_error **error);
/* Randomizes one record per entry and queues all reports in one durable step, or none if one of them fails. `values`
 * has the records one after another, in the order of the entries. `done`, which may be null, returns the number of
 * entries before the one that failed, or all. Returns the errors of ldp_client_report(). */
LDP_API ldp_status ldp_fleet_report(ldp_fleet *fleet, const ldp_entry *entries, size_t entry_count,
                                    const ldp_value *values, size_t count, size_t *done, ldp_error **error);
/* Returns the number of reports of all people that are queued and not known to be counted. */
LDP_API uint64_t ldp_fleet_pending(const ldp_fleet *fleet);
/* Returns the number of people with a state in the file. */
LDP_API uint64_t ldp_fleet_people(const ldp_fleet *fleet);
/* Begins a flush of the reports of all people, as ldp_flush_start() does. The fleet must outlive the flush. */
LDP_API ldp_status ldp_fleet_flush_start(ldp_fleet *fleet, const ldp_destination *to, size_t most, ldp_flush **flush,
                                         ldp_error **error);
#endif

/* Dead-lettered reports --------------------------------------------------------------------------------------- */

/* Counts the dead-lettered reports, which the server rejected permanently. */
LDP_API ldp_status ldp_client_refused(const ldp_client *client, size_t *count, ldp_error **error);
/* Returns the cause for the i-th dead-lettered report, counted from 0; the caller frees it with ldp_free(). */
LDP_API ldp_status ldp_client_refusal(const ldp_client *client, size_t i, char **reason, ldp_error **error);
/* Queues all dead-lettered reports again that are not damaged; `count` receives their number and may be null. */
LDP_API ldp_status ldp_client_requeue_refused(ldp_client *client, uint64_t *count, ldp_error **error);
/* Deletes all dead-lettered reports; `count` receives their number and may be null. */
LDP_API ldp_status ldp_client_drop_refused(ldp_client *client, uint64_t *count, ldp_error **error);

#ifdef __cplusplus
}
#endif

#endif

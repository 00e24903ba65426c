/* The C interface, from plain C: what a program does with it, and what it must bear. Compiled against the installed
 * header and library; its argument is a folder to work in. Prints "N passed, N failed" at the end.
 *
 * Length: one program compiled as plain C against the installed header, with one counter of checks. */
#include <ldp/ldp.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static void check(int holds, const char *what, int line) {
    holds ? ++passed : ++failed;
    if (!holds) printf("FAILED, line %d: %s\n", line, what);
}
#define CHECK(holds) check((holds) ? 1 : 0, #holds, __LINE__)

static ldp_error *error;
/* Whether a call ended with this status, and an error that goes with it: with a message, and this text in it. */
static int ended(ldp_status found, ldp_status status, const char *text) {
    const int fits = found == status && ldp_error_code(error) == status &&
                     (status == LDP_OK) == (error == NULL) &&
                     (strstr(ldp_error_message(error), text) || strstr(ldp_error_detail(error), text) ||
                      strstr(ldp_error_hint(error), text));
    if (!fits)
        printf("status %d: %s | %s | %s\n", found, ldp_error_message(error), ldp_error_detail(error),
               ldp_error_hint(error));
    ldp_error_free(error);
    error = NULL;
    return fits;
}
#define FINE(call) CHECK(ended(call, LDP_OK, ""))
#define FAILS(call, status, text) CHECK(ended(call, status, text))

static ldp_collection *collection(const char *spec) {
    ldp_collection *made = NULL;
    FINE(ldp_collection_new(spec, LDP_TO_END, LDP_CLAMP, &made, &error));
    return made;
}
static ldp_client *in_memory(const ldp_collection *of) {
    ldp_client *made = NULL;
    FINE(ldp_client_in_memory(of, NULL, 0, &made, &error));
    return made;
}

static const char *const region =
    "{\"mechanism\": \"grr\", \"epsilon\": 1,"
    " \"attributes\": [{\"name\": \"region\", \"domain\": [\"north\", \"east\", \"south\", \"west\"]}]}";
static const char *const person =
    "{\"mechanism\": \"sampled\", \"epsilon\": 2, \"per_report\": 1, \"attributes\": ["
    "{\"name\": \"wage\", \"min\": 0, \"max\": 100, \"mechanism\": \"optimal\"}, "
    "{\"name\": \"part\", \"domain\": [\"no\", \"yes\"], \"mechanism\": \"grr\"}]}";
static const char *const moving =
    "{\"mechanism\": \"l_grr\", \"epsilon\": 2, \"report_epsilon\": 1, \"evolving\": {}, \"domain\": 4,"
    " \"budget\": {\"epsilon\": 4, \"when_spent\": \"stop\"}}";
static const char *const series =
    "{\"mechanism\": \"ddrm\", \"epsilon\": 2, \"domain\": 4, \"rounds\": 8, \"changes\": 2}";

/* A server that counts what it is sent, and answers as it is told. */
struct server {
    ldp_outcome answer;
    const char *reason;
    size_t calls, reports;
    char id[40];
};
static ldp_outcome deliver(void *context, const ldp_batch *batch, char *reason) {
    struct server *server = context;
    const size_t reports = ldp_batch_reports(batch);
    size_t i, size, bytes = 0;
    for (i = 0; i < reports; ++i)
        if (ldp_batch_report(batch, i, &size) != NULL) bytes += size;
    CHECK(bytes > 0 && bytes % reports == 0);
    CHECK(ldp_batch_report(batch, reports, &size) == NULL && size == 0);
    CHECK(strlen(ldp_batch_fingerprint(batch)) == 64);
    {
        uint8_t *frame = NULL;
        FINE(ldp_batch_frame(batch, &frame, &size, &error));
        CHECK(frame[1] == 3 && size > 14); /* a batch in the short form */
        ldp_free(frame);
        FAILS(ldp_batch_frame(batch, NULL, &size, &error), LDP_INVALID_VALUE, "null");
        FAILS(ldp_batch_frame(batch, &frame, NULL, &error), LDP_INVALID_VALUE, "null");
        FAILS(ldp_batch_frame(NULL, &frame, &size, &error), LDP_INVALID_VALUE, "null");
    }
    CHECK(strlen(ldp_batch_id(batch)) == 36);
    strcpy(server->id, ldp_batch_id(batch));
    if (server->reason != NULL) strcpy(reason, server->reason);
    ++server->calls;
    if (server->answer <= LDP_REPEATED) server->reports += reports;
    return server->answer;
}

static void versions(void) {
    CHECK(ldp_api_version() == LDP_API_VERSION);
    CHECK(strchr(ldp_version(), '.') != NULL);
    /* Programs have these in their own memory: no later library may lay them out in another way. */
    CHECK(sizeof(ldp_value) == 2 * sizeof(size_t) + sizeof(double) && offsetof(ldp_value, number) == 2 * sizeof(size_t));
    CHECK(sizeof(ldp_receipt) == 16 && offsetof(ldp_receipt, coefficients) == 8);
    CHECK(sizeof(ldp_response) == 16 && offsetof(ldp_response, round) == 8);
    CHECK(sizeof(ldp_spending) == 40 && offsetof(ldp_spending, advanced) == 32);
    CHECK(sizeof(ldp_flushed) == 40 && offsetof(ldp_flushed, set_back) == 32);
    CHECK(LDP_NO_MEMORY == 9 && LDP_SILENT == 3 && LDP_IGNORED == 4 && LDP_OUTDATED == 5 && LDP_REFUSE == 1);
}

/* The elements of a vector: in an array, in an object, or one by one. */
static void vectors(void) {
    ldp_collection *of = collection(
        "{\"mechanism\": \"sampled\", \"epsilon\": 1, \"per_report\": 1, \"attributes\": ["
        "{\"name\": \"part\", \"domain\": [\"no\", \"yes\"], \"mechanism\": \"grr\"}, "
        "{\"name\": \"hours\", \"vector\": [\"am\", \"pm\"], \"min\": 0, \"max\": 60, \"mechanism\": \"duchi_vector\"}]}");
    const char *const records[] = {"{\"part\": \"no\", \"hours\": [1, 2]}",
                                   "{\"hours\": {\"pm\": 2, \"am\": 1}, \"part\": \"no\"}",
                                   "{\"hours.pm\": 2, \"part\": \"no\", \"hours.am\": 1}"};
    const struct {
        const char *record, *message;
    } wrong[] = {{"{\"part\": \"no\", \"hours\": [1]}", "the vector \"hours\" has the wrong number of elements"},
                 {"{\"part\": \"no\", \"hours\": [1, 2, 3]}", "the vector \"hours\" has the wrong number of elements"},
                 {"{\"part\": \"no\", \"hours\": 1}", "1 is not a vector for \"hours\""},
                 {"{\"part\": \"no\", \"hours\": {\"am\": 1}}", "the record has no \"hours.pm\""},
                 {"{\"part\": \"no\"}", "the record has no \"hours\""},
                 {"{\"part\": \"no\", \"hours.am\": 1}", "the record has no \"hours\""},
                 {"{\"part\": \"no\", \"hours\": [true, 1]}", "true is not a value of \"hours.am\""}};
    ldp_value *values = NULL;
    size_t count = 0, i;
    CHECK(ldp_collection_values(of) == 3 && strcmp(ldp_collection_name(of, 2), "hours.pm") == 0);
    for (i = 0; i < sizeof(records) / sizeof(records[0]); ++i) {
        FINE(ldp_collection_record(of, records[i], LDP_TO_END, &values, &count, &error));
        CHECK(count == 3 && values[1].number == 1 && values[2].number == 2);
        ldp_free(values);
    }
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i)
        FAILS(ldp_collection_record(of, wrong[i].record, LDP_TO_END, &values, &count, &error), LDP_INVALID_VALUE,
              wrong[i].message);
    FAILS(ldp_collection_record(of, "{\"part\": \"no\", \"hours\": {\"am\": 1, \"am\": 2}}", LDP_TO_END, &values,
                                &count, &error),
          LDP_MALFORMED, "twice");
    ldp_collection_free(of);
}

static void texts(void) {
    static const char spec[] = "{\"mechanism\": \"grr\", \"epsilon\": 1, \"title\": \"Moods\", \"question\": \"How?\", \"domain\": 3}";
    ldp_collection *of = collection(spec);
    CHECK(strcmp(ldp_collection_texts(of), "{\"attributes\":{\"value\":{\"question\":\"How?\"}},\"title\":\"Moods\"}") == 0);
    ldp_collection_free(of);
    of = collection(person);
    CHECK(strcmp(ldp_collection_texts(of), "{}") == 0);
    ldp_collection_free(of);
}

static void collections(void) {
    ldp_collection *of = collection(person);
    ldp_value *values = NULL;
    size_t count = 0;
    CHECK(strstr(ldp_collection_spec(of), "\"derived\"") != NULL);
    CHECK(strlen(ldp_collection_fingerprint(of)) == 64);
    CHECK(ldp_collection_values(of) == 2);
    CHECK(strcmp(ldp_collection_name(of, 1), "part") == 0 && ldp_collection_name(of, 2) == NULL);

    FINE(ldp_collection_record(of, "{\"part\": \"yes\", \"x\": true, \"wage\": 1.5e1}", LDP_TO_END, &values, &count,
                               &error));
    CHECK(count == 2 && values[0].text == NULL && values[0].number == 15 && strcmp(values[1].text, "yes") == 0);
    ldp_free(values);
    FINE(ldp_collection_record(of, "{\"part\": null, \"wage\": \"a\\u0000b\"}", LDP_TO_END, &values, &count, &error));
    CHECK(count == 2 && values[0].length == 3 && values[1].text != NULL && values[1].length == 0);
    ldp_free(values);
    FAILS(ldp_collection_record(of, "{\"part\": \"yes\"}", LDP_TO_END, &values, &count, &error), LDP_INVALID_VALUE,
          "the record has no \"wage\"");
    CHECK(values == NULL && count == 0);
    FAILS(ldp_collection_record(of, "{\"part\": true, \"wage\": 1}", LDP_TO_END, &values, &count, &error),
          LDP_INVALID_VALUE, "true is not a value of \"part\"");
    FAILS(ldp_collection_record(of, "{\"part\": [1], \"wage\": 1}", LDP_TO_END, &values, &count, &error),
          LDP_INVALID_VALUE, "[1] is not a value of \"part\"");
    FAILS(ldp_collection_record(of, "{\"part\": [[1]], \"wage\": 1}", LDP_TO_END, &values, &count, &error),
          LDP_MALFORMED, "nested");
    FAILS(ldp_collection_record(of, "{\"wage\": 1, \"wage\": 2}", LDP_TO_END, &values, &count, &error), LDP_MALFORMED,
          "twice");
    FAILS(ldp_collection_record(of, "{\"wage\": ", LDP_TO_END, &values, &count, &error), LDP_MALFORMED, "not a JSON object");
    FAILS(ldp_collection_record(of, "[1, 2]", LDP_TO_END, &values, &count, &error), LDP_MALFORMED, "not a JSON object");
    FAILS(ldp_collection_record(of, "1e400", LDP_TO_END, &values, &count, &error), LDP_MALFORMED, "not a JSON object");
    ldp_collection_free(of);

    FAILS(ldp_collection_new("{", 1, LDP_CLAMP, &of, &error), LDP_MALFORMED, "JSON");
    CHECK(of == NULL);
    FAILS(ldp_collection_new("{\"mechanism\": \"grr\", \"epsilon\": -1, \"domain\": 4}", LDP_TO_END, LDP_CLAMP, &of,
                             &error),
          LDP_INVALID_SPEC, "epsilon");
    CHECK(ldp_collection_new("{}", LDP_TO_END, LDP_CLAMP, &of, NULL) == LDP_INVALID_SPEC);
    FAILS(ldp_collection_new("{\"mechanism\": \"auto\", \"epsilon\": 1, \"domain\": 4}", LDP_TO_END, LDP_CLAMP, &of,
                             &error),
          LDP_INVALID_SPEC, "ldp spec resolve");
}

static void drawing(void) {
    enum { records = 1000 };
    ldp_collection *of = collection(region), *rounds = collection(series), *strict = NULL;
    const size_t size = ldp_collection_report_size(of);
    uint8_t *reports = malloc(records * size);
    ldp_value values[records];
    size_t done = 7, i, south = 0;
    for (i = 0; i < records; ++i) values[i] = ldp_label("south");
    FINE(ldp_collection_perturb(of, values, records, reports, records * size, &done, &error));
    CHECK(done == records && size == 29);
    /* One in e + 3 of the others, and the truth e times as often: 475 of 1000 on average, with a standard deviation of
     * 16; further than 6.5 of these from it, up or down, in fewer than 1 of 10^9 runs. */
    for (i = 0; i < records; ++i) south += reports[i * size + size - 1] == 2;
    CHECK(south > 372 && south < 578);
    FINE(ldp_collection_perturb(of, values, records, reports, records * size, NULL, &error));
    FINE(ldp_collection_perturb(of, NULL, 0, NULL, 0, &done, &error));

    values[2] = ldp_label("nowhere");
    FAILS(ldp_collection_perturb(of, values, 5, reports, 5 * size, &done, &error), LDP_INVALID_VALUE,
          "\"nowhere\" is not a value of \"region\"");
    CHECK(done == 2);
    FAILS(ldp_collection_perturb(of, values, 2, reports, 2 * size - 1, &done, &error), LDP_INVALID_VALUE, "too small");
    CHECK(done == 0);
    values[1] = ldp_number(1);
    FAILS(ldp_collection_perturb(rounds, &values[1], 1, reports, records * size, &done, &error), LDP_INVALID_VALUE, "");
    ldp_collection_free(of);
    ldp_collection_free(rounds);
    free(reports);

    FINE(ldp_collection_new("{\"mechanism\": \"pdp\", \"epsilon\": 1, \"min\": 0, \"max\": 9}", LDP_TO_END, LDP_REFUSE,
                            &strict, &error));
    {
        ldp_client *client = in_memory(strict);
        const ldp_value far = ldp_number(10);
        FAILS(ldp_client_report(client, &far, 1, 0, NULL, &error), LDP_INVALID_VALUE, "outside the range");
        CHECK(ldp_client_pending(client) == 0);
        ldp_client_free(client);
    }
    ldp_collection_free(strict);
}

static void reporting(void) {
    ldp_collection *of = collection(person);
    ldp_client *client = in_memory(of);
    ldp_value values[] = {ldp_number(120), ldp_label("yes"), ldp_number(12), ldp_label("no")};
    ldp_receipt receipt;
    struct server server = {LDP_DELIVERED, NULL, 0, 0, ""};
    ldp_flushed flushed;
    size_t done, count;
    ldp_collection_free(of); /* the client has what it needs */

    FINE(ldp_client_report(client, values, 2, 0, &receipt, &error));
    CHECK(receipt.origin == LDP_DRAWN && receipt.clamped == 1 && receipt.coefficients == 0);
    CHECK(ldp_client_clamped(client, 0) == 1 && ldp_client_clamped(client, 1) == 0 && ldp_client_clamped(client, 2) == 0);
    CHECK(ldp_client_clamped_coefficients(client) == 0);
    FINE(ldp_client_stage(client, values, 4, &done, &error));
    CHECK(done == 2 && ldp_client_staged(client) == 2 && ldp_client_pending(client) == 1);
    FINE(ldp_client_commit(client, 0, &error));
    FINE(ldp_client_stage(client, values, 2, NULL, &error));
    FINE(ldp_client_discard(client, &error));
    CHECK(ldp_client_staged(client) == 0 && ldp_client_pending(client) == 3);
    FAILS(ldp_client_stage(client, values, 3, &done, &error), LDP_INVALID_VALUE, "not a multiple of the record length");
    values[3] = ldp_label("perhaps");
    FAILS(ldp_client_stage(client, values, 4, &done, &error), LDP_INVALID_VALUE, "\"perhaps\"");
    CHECK(done == 1 && ldp_client_staged(client) == 1);
    FINE(ldp_client_discard(client, &error));
    FAILS(ldp_client_report(client, values, 1, 0, NULL, &error), LDP_INVALID_VALUE, "wrong number");
    FAILS(ldp_client_report(client, values, 4, 0, NULL, &error), LDP_INVALID_VALUE, "wrong number");
    FAILS(ldp_client_ledger(client, NULL, 0, &count, &error), LDP_UNSUPPORTED, "ledger");

    server.answer = LDP_LATER;
    server.reason = "the line is busy";
    FAILS(ldp_client_flush(client, NULL, deliver, &server, 2, &flushed, &error), LDP_ENVIRONMENT, "the line is busy");
    CHECK(server.calls == 1 && flushed.batches == 0 && ldp_client_pending(client) == 3);
    {
        char before[40];
        strcpy(before, server.id);
        server.answer = LDP_REPEATED;
        FINE(ldp_client_flush(client, NULL, deliver, &server, 10, &flushed, &error));
        CHECK(server.calls == 3 && flushed.batches == 2 && flushed.reports == 3 && flushed.repeated == 2);
        CHECK(strcmp(before, server.id) != 0 && ldp_client_pending(client) == 0);
    }
    FAILS(ldp_client_flush(client, NULL, deliver, &server, 0, &flushed, &error), LDP_INVALID_VALUE, "at least 1");
    ldp_client_free(client);
}

static void refusing(void) {
    ldp_collection *of = collection(region);
    ldp_client *client = in_memory(of);
    const ldp_value value = ldp_label("north");
    struct server server = {LDP_REFUSED, "not on a Sunday", 0, 0, ""};
    ldp_flushed flushed;
    ldp_flush *flush = NULL;
    const ldp_batch *batch = NULL;
    char *reason = NULL;
    uint64_t clamped;
    size_t count;
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FAILS(ldp_client_flush(client, NULL, deliver, &server, 9, &flushed, &error), LDP_ENVIRONMENT, "rejects all reports");
    FINE(ldp_client_refused(client, &count, &error));
    CHECK(count == 1 && ldp_client_pending(client) == 0);
    FINE(ldp_client_refusal(client, 0, &reason, &error));
    CHECK(strcmp(reason, "not on a Sunday") == 0);
    ldp_free(reason);
    FAILS(ldp_client_refusal(client, 1, &reason, &error), LDP_INVALID_VALUE, "counted from 0");
    FINE(ldp_client_requeue_refused(client, &clamped, &error));
    CHECK(clamped == 1 && ldp_client_pending(client) == 1);

    /* In steps: what is too large goes in halves. */
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FINE(ldp_flush_start(client, NULL, 9, &flush, &error));
    FAILS(ldp_flush_settle(flush, LDP_DELIVERED, NULL, &error), LDP_INVALID_VALUE, "no current batch");
    FINE(ldp_flush_next(flush, &batch, &error));
    CHECK(ldp_batch_reports(batch) == 2);
    FAILS(ldp_flush_settle(flush, (ldp_outcome)6, NULL, &error), LDP_INVALID_VALUE, "unknown outcome");
    FINE(ldp_flush_settle(flush, LDP_LATER, NULL, &error));
    FINE(ldp_flush_settle(flush, LDP_TOO_LARGE, NULL, &error));
    FINE(ldp_flush_next(flush, &batch, &error));
    CHECK(ldp_batch_reports(batch) == 1 && ldp_batch_round(batch) == 0);
    FINE(ldp_flush_settle(flush, LDP_DELIVERED, NULL, &error));
    FINE(ldp_flush_next(flush, &batch, &error));
    FAILS(ldp_flush_settle(flush, LDP_TOO_LARGE, "no", &error), LDP_ENVIRONMENT, "too large: no");
    FINE(ldp_flush_next(flush, &batch, &error));
    FINE(ldp_flush_settle(flush, LDP_REFUSED, NULL, &error));
    FINE(ldp_flush_next(flush, &batch, &error));
    CHECK(batch == NULL);
    FINE(ldp_flush_done(flush, &flushed, &error));
    CHECK(flushed.batches == 1 && flushed.reports == 1 && flushed.repeated == 0 && flushed.refused == 1);
    ldp_flush_free(flush);
    FINE(ldp_client_drop_refused(client, &clamped, &error));
    CHECK(clamped == 1);

    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    server.answer = LDP_OUTDATED;
    FAILS(ldp_client_flush(client, NULL, deliver, &server, 9, &flushed, &error), LDP_INCOMPATIBLE, "another copy of the store");
    CHECK(ldp_client_pending(client) == 0);
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    server.answer = LDP_DELIVERED;
    FINE(ldp_client_flush(client, NULL, deliver, &server, 9, &flushed, &error));
    CHECK(flushed.reports == 1);
    ldp_client_free(client);
    ldp_collection_free(of);
}

/* Another destination waits for an acceptance, and a server that was set back is said once. */
static void moving_servers(void) {
    ldp_collection *of = collection(region);
    ldp_client *client = in_memory(of);
    const ldp_value value = ldp_label("north");
    struct server server = {LDP_DELIVERED, NULL, 0, 0, ""};
    char history[LDP_HISTORY_SIZE] = "00000000000000aa", *contract = NULL;
    ldp_destination here = {sizeof(ldp_destination), "https://a.example/", "c", history}, there = here, odd = here;
    ldp_flushed flushed;
    there.endpoint = "https://b.example";
    odd.size = 1;
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FAILS(ldp_client_flush(client, &odd, deliver, &server, 9, &flushed, &error), LDP_INVALID_VALUE, "size");
    FINE(ldp_client_flush(client, &here, deliver, &server, 9, &flushed, &error));
    CHECK(flushed.reports == 1 && flushed.set_back == 0);
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FAILS(ldp_client_flush(client, &there, deliver, &server, 9, &flushed, &error), LDP_CHANGED, "changed");
    CHECK(server.calls == 1 && ldp_client_pending(client) == 1);
    FINE(ldp_client_flush(client, &here, deliver, &server, 9, &flushed, &error));
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FAILS(ldp_client_flush(client, &there, deliver, &server, 9, &flushed, &error), LDP_CHANGED, "changed");
    FINE(ldp_client_contract(client, &contract, &error));
    CHECK(strstr(contract, "\"waiting\":null") == NULL && strstr(contract, "https://b.example") != NULL);
    {
        char digest[17] = "";
        const char *waiting = strstr(contract, "\"waiting\":\"");
        CHECK(waiting != NULL);
        if (waiting != NULL) memcpy(digest, waiting + 11, 16);
        FINE(ldp_client_accept(client, digest, &error));
    }
    ldp_free(contract);
    strcpy(history, "00000000000000bb");
    FAILS(ldp_client_flush(client, &there, deliver, &server, 9, &flushed, &error), LDP_ENVIRONMENT, "restored from an older state or replaced");
    CHECK(flushed.reports == 1 && flushed.set_back == 1 && ldp_client_pending(client) == 0);
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FINE(ldp_client_flush(client, &there, deliver, &server, 9, &flushed, &error));
    CHECK(flushed.reports == 1 && flushed.set_back == 0);
    ldp_client_free(client);
    ldp_collection_free(of);
}

static const char *const an_id = "0d6c7ea3-3a2f-4f0e-9a53-1a3d3a9a5a10";

static void deciding(void) {
    char receipt[LDP_RECEIPT_SIZE];
    ldp_outcome outcome = LDP_LATER;
    /* Computed by sha256sum; doc/protocol.md says of what. */
    FINE(ldp_delivery_receipt("POST", 201, "my \xc3\xbc", an_id, -7, (const uint8_t *)"abc", 3, receipt, &error));
    CHECK(strcmp(receipt, "522df90988a55c1e09f1149efec27ae4e3711ede21f231743888bfb6de3d8bba") == 0);
    FINE(ldp_delivery_receipt("DELETE", 204, "my \xc3\xbc", an_id, 0, NULL, 0, receipt, &error));
    CHECK(strcmp(receipt, "0948f4c2441e28a53e5d0512b7e4d48c195771966ada8e01fc6b5ae50576dd85") == 0);

    CHECK(ldp_http_step(LDP_SUBMIT, 0, 0, &outcome) == LDP_REPEAT && outcome == LDP_LATER);
    CHECK(ldp_http_step(LDP_SUBMIT, 200, 0, &outcome) == LDP_REPEAT && outcome == LDP_LATER);
    CHECK(ldp_http_step(LDP_SUBMIT, 404, 0, &outcome) == LDP_STOP && outcome == LDP_LATER);
    CHECK(ldp_http_step(LDP_SUBMIT, 201, 1, &outcome) == LDP_SETTLE && outcome == LDP_DELIVERED);
    outcome = LDP_LATER;
    CHECK(ldp_http_step(LDP_SUBMIT, 409, 1, &outcome) == LDP_THEN_REVOKE && outcome == LDP_OUTDATED);
    CHECK(ldp_http_step(LDP_REVOKE, 204, 0, &outcome) == LDP_REPEAT && outcome == LDP_OUTDATED);
    CHECK(ldp_http_step(LDP_REVOKE, 409, 1, &outcome) == LDP_SETTLE && outcome == LDP_OUTDATED);
    CHECK(ldp_http_step(LDP_REVOKE, 204, 1, &outcome) == LDP_SETTLE && outcome == LDP_TOO_LARGE);
    CHECK(ldp_http_step((ldp_request)7, -5, 1, NULL) == LDP_REPEAT);
    CHECK(ldp_spec_step(200, 1) == LDP_SETTLE && ldp_spec_step(200, 0) == LDP_REPEAT);
    CHECK(ldp_spec_step(404, 1) == LDP_STOP);

    outcome = LDP_LATER;
    CHECK(ldp_sql_step(LDP_SUBMIT, NULL, 0, &outcome) == LDP_REPEAT && outcome == LDP_LATER);
    CHECK(ldp_sql_step(LDP_SUBMIT, "LD002", 0, &outcome) == LDP_REPEAT && outcome == LDP_LATER);
    CHECK(ldp_sql_step(LDP_SUBMIT, "00000 and more", 1, &outcome) == LDP_STOP);
    CHECK(ldp_sql_step(LDP_SUBMIT, "23514", 0, &outcome) == LDP_THEN_REVOKE && outcome == LDP_REFUSED);
    CHECK(ldp_sql_step(LDP_REVOKE, "00000", 0, &outcome) == LDP_SETTLE && outcome == LDP_REPEATED);

    CHECK(ldp_foreign_response(201, 1) == NULL && ldp_foreign_response(422, 1) == NULL && ldp_foreign_response(422, 0) != NULL);
    CHECK(strstr(ldp_foreign_response(302, 0), "a redirect") && strstr(ldp_foreign_response(201, 0), "receipt"));
    CHECK(strstr(ldp_foreign_hint(), "captive portal") != NULL);
}

static void remembering(void) {
    ldp_collection *of = collection(moving), *other = collection(region);
    ldp_client *client = in_memory(of), *again = NULL;
    const ldp_value first = ldp_number(1), second = ldp_number(2), third = ldp_number(3), north = ldp_label("north");
    ldp_receipt receipt;
    ldp_spending spending;
    ldp_response responses[2];
    uint8_t *state = NULL;
    size_t size, count;
    FINE(ldp_client_report(client, &first, 1, 1, &receipt, &error));
    CHECK(receipt.origin == LDP_DRAWN);
    FINE(ldp_client_report(client, &first, 1, 2, &receipt, &error));
    CHECK(receipt.origin == LDP_MEMOIZED);
    FINE(ldp_client_state(client, &state, &size, &error));
    ldp_client_free(client);

    FINE(ldp_client_in_memory(of, state, size, &again, &error));
    CHECK(ldp_client_pending(again) == 2);
    FINE(ldp_client_report(again, &first, 1, 3, &receipt, &error));
    CHECK(receipt.origin == LDP_MEMOIZED);
    FINE(ldp_client_report(again, &second, 1, 4, &receipt, &error));
    CHECK(receipt.origin == LDP_DRAWN);
    FINE(ldp_client_report(again, &third, 1, 5, &receipt, &error));
    CHECK(receipt.origin == LDP_SILENT);
    FINE(ldp_client_report(again, &first, 1, 6, &receipt, &error));
    CHECK(receipt.origin == LDP_SILENT);
    FINE(ldp_client_ledger(again, responses, 1, &count, &error));
    CHECK(count == 2 && responses[0].epsilon == 2 && responses[0].round == 1);
    FINE(ldp_client_ledger(again, responses, 2, &count, &error));
    CHECK(responses[1].round == 4);
    FINE(ldp_client_spent(again, 1e-6, &spending, &error));
    CHECK(spending.responses == 2 && spending.max_responses == 2 && spending.epsilon == 2 && spending.sum == 4 &&
          spending.advanced > 4);
    FAILS(ldp_client_spent(again, 1, &spending, &error), LDP_INVALID_VALUE, "delta");
    ldp_client_free(again);

    FAILS(ldp_client_in_memory(other, state, size, &again, &error), LDP_INCOMPATIBLE, "another spec");
    for (count = 0; count < size; ++count) { /* cut at each place, and then changed there */
        uint8_t *cut = malloc(size);
        memcpy(cut, state, size);
        CHECK(count == 0 || ldp_client_in_memory(of, cut, count, &again, NULL) == LDP_ENVIRONMENT);
        cut[count] ^= 1;
        CHECK(ldp_client_in_memory(of, cut, size, &again, NULL) == LDP_ENVIRONMENT && again == NULL);
        free(cut);
    }
    ldp_free(state);
    ldp_collection_free(of);
    ldp_collection_free(other);

    of = collection(region);
    client = in_memory(of);
    FINE(ldp_client_once_per_round(client, 1, &error));
    FINE(ldp_client_report(client, &north, 1, 3, &receipt, &error));
    CHECK(receipt.origin == LDP_DRAWN);
    FINE(ldp_client_report(client, &north, 1, 3, &receipt, &error));
    CHECK(receipt.origin == LDP_IGNORED && ldp_client_pending(client) == 1);
    FAILS(ldp_client_stage(client, &north, 1, &count, &error), LDP_UNSUPPORTED, "one record per round");
    FINE(ldp_client_once_per_round(client, 0, &error));
    FINE(ldp_client_report(client, &north, 1, 3, &receipt, &error));
    CHECK(receipt.origin == LDP_DRAWN && ldp_client_pending(client) == 2);
    FAILS(ldp_client_once_per_round(NULL, 1, &error), LDP_INVALID_VALUE, "null");
    ldp_client_free(client);
    ldp_collection_free(of);

    of = collection(series);
    client = in_memory(of);
    FINE(ldp_client_report(client, &first, 1, 8, &receipt, &error));
    CHECK(receipt.origin == LDP_DRAWN || receipt.origin == LDP_SILENT);
    FAILS(ldp_client_report(client, &first, 1, 8, &receipt, &error), LDP_INVALID_VALUE, "is over");
    FAILS(ldp_client_stage(client, &first, 1, &count, &error), LDP_UNSUPPORTED, "");
    ldp_client_free(client);
    ldp_collection_free(of);
}

static void keeping(const char *folder) {
    ldp_collection *of = collection(region), *other = collection(moving);
    ldp_client *client = NULL, *second = NULL;
    const ldp_value value = ldp_label("north");
    uint8_t *state;
    size_t size;
    char path[500];
    snprintf(path, sizeof path, "%s/state.ldp", folder);
    FINE(ldp_client_in_file(of, path, &client, &error));
    FINE(ldp_client_report(client, &value, 1, -3, NULL, &error));
    FAILS(ldp_client_in_file(of, path, &second, &error), LDP_ENVIRONMENT, "");
    FAILS(ldp_client_state(client, &state, &size, &error), LDP_UNSUPPORTED, "file");
    CHECK(second == NULL && state == NULL);
    ldp_client_free(client);
    FAILS(ldp_client_in_file(other, path, &client, &error), LDP_INCOMPATIBLE, "another spec");
    FINE(ldp_client_in_file(of, path, &client, &error));
    CHECK(ldp_client_pending(client) == 1);
    ldp_client_free(client);
    FAILS(ldp_client_in_file(of, folder, &client, &error), LDP_ENVIRONMENT, "");
    FAILS(ldp_client_in_file(of, "\xff", &client, &error), LDP_INVALID_VALUE, "UTF-8");
    ldp_collection_free(of);
    ldp_collection_free(other);
}

/* Null wherever a pointer stands, bytes that are no text, and lengths that are none. */
static void hostile(void) {
    char receipt[LDP_RECEIPT_SIZE];
    ldp_collection *of = collection(region), *made = NULL;
    ldp_client *client = in_memory(of), *opened = NULL;
    ldp_value value = ldp_label("north"), *values = NULL;
    uint8_t place[100], *state = NULL;
    size_t count = 0;
    uint64_t clamped;
    char *reason = NULL;
    ldp_flush *flush = NULL;
    const ldp_batch *batch = NULL;
    ldp_flushed flushed;
    ldp_spending spending;
    struct server server = {LDP_DELIVERED, NULL, 0, 0, ""};
    const ldp_status refused = LDP_INVALID_VALUE;

    FAILS(ldp_collection_new(NULL, 3, LDP_CLAMP, &made, &error), refused, "null");
    FAILS(ldp_collection_new(region, LDP_TO_END, LDP_CLAMP, NULL, &error), refused, "null");
    FAILS(ldp_collection_new(region, LDP_TO_END, (ldp_outside)2, &made, &error), refused, "unknown treatment");
    FAILS(ldp_collection_new(region, (size_t)-2, LDP_CLAMP, &made, &error), refused, "too long");
    FAILS(ldp_collection_new(region, ((size_t)1 << 20) + 1, LDP_CLAMP, &made, &error), refused, "too long");
    FAILS(ldp_collection_new("{\"\xc0\xaf\": 1}", LDP_TO_END, LDP_CLAMP, &made, &error), refused, "UTF-8");
    FAILS(ldp_collection_record(NULL, "{}", 2, &values, &count, &error), refused, "null");
    FAILS(ldp_collection_record(of, NULL, 2, &values, &count, &error), refused, "null");
    FAILS(ldp_collection_record(of, "{}", 2, NULL, &count, &error), refused, "null");
    FAILS(ldp_collection_record(of, "{}", 2, &values, NULL, &error), refused, "null");
    FAILS(ldp_collection_record(of, "\xff", 1, &values, &count, &error), refused, "UTF-8");
    FAILS(ldp_collection_perturb(NULL, &value, 1, place, 100, &count, &error), refused, "null");
    FAILS(ldp_collection_perturb(of, NULL, 1, place, 100, &count, &error), refused, "null");
    FAILS(ldp_collection_perturb(of, &value, 1, NULL, 100, &count, &error), refused, "null");
    FAILS(ldp_collection_perturb(of, &value, (size_t)-1, place, 100, &count, &error), refused, "too small");
    FAILS(ldp_client_in_memory(NULL, NULL, 0, &opened, &error), refused, "null");
    FAILS(ldp_client_in_memory(of, NULL, 1, &opened, &error), refused, "null");
    FAILS(ldp_client_in_memory(of, NULL, 0, NULL, &error), refused, "null");
    FAILS(ldp_client_in_file(NULL, "x", &opened, &error), refused, "null");
    FAILS(ldp_client_in_file(of, NULL, &opened, &error), refused, "null");
    FAILS(ldp_client_in_file(of, "x", NULL, &error), refused, "null");
    FAILS(ldp_client_state(NULL, &state, &count, &error), refused, "null");
    FAILS(ldp_client_state(client, NULL, &count, &error), refused, "null");
    FAILS(ldp_client_state(client, &state, NULL, &error), refused, "null");
    FAILS(ldp_client_report(NULL, &value, 1, 0, NULL, &error), refused, "null");
    FAILS(ldp_client_report(client, NULL, 1, 0, NULL, &error), refused, "null");
    FAILS(ldp_client_report(client, NULL, 0, 0, NULL, &error), refused, "wrong number");
    FAILS(ldp_client_report(client, &value, (size_t)-1, 0, NULL, &error), refused, "wrong number");
    FAILS(ldp_client_stage(NULL, &value, 1, &count, &error), refused, "null");
    FAILS(ldp_client_stage(client, NULL, 1, &count, &error), refused, "null");
    FAILS(ldp_client_stage(client, &value, (size_t)-1, &count, &error), refused, "do not fit in memory");
    FAILS(ldp_client_commit(NULL, 0, &error), refused, "null");
    FAILS(ldp_client_discard(NULL, &error), refused, "null");
    FAILS(ldp_client_ledger(NULL, NULL, 0, &count, &error), refused, "null");
    FAILS(ldp_client_ledger(client, NULL, 1, &count, &error), refused, "null");
    FAILS(ldp_client_ledger(client, NULL, 0, NULL, &error), refused, "null");
    FAILS(ldp_client_spent(NULL, 0.1, &spending, &error), refused, "null");
    FAILS(ldp_client_spent(client, 0.1, NULL, &error), refused, "null");
    FAILS(ldp_client_refused(NULL, &count, &error), refused, "null");
    FAILS(ldp_client_refused(client, NULL, &error), refused, "null");
    FAILS(ldp_client_refusal(NULL, 0, &reason, &error), refused, "null");
    FAILS(ldp_client_refusal(client, 0, NULL, &error), refused, "null");
    FAILS(ldp_client_requeue_refused(NULL, &clamped, &error), refused, "null");
    FAILS(ldp_client_drop_refused(NULL, &clamped, &error), refused, "null");
    FAILS(ldp_client_flush(NULL, NULL, deliver, &server, 1, &flushed, &error), refused, "null");
    FAILS(ldp_client_flush(client, NULL, NULL, &server, 1, &flushed, &error), refused, "null");
    FAILS(ldp_delivery_receipt("POST", 201, "a", "b", 0, NULL, 0, NULL, &error), refused, "null");
    FAILS(ldp_delivery_receipt("POST", 201, "a", "b", 0, NULL, 1, receipt, &error), refused, "null");
    FAILS(ldp_delivery_receipt(NULL, 201, "a", "b", 0, NULL, 0, receipt, &error), refused, "null");
    FAILS(ldp_delivery_receipt("POST", 201, "\xff", "b", 0, NULL, 0, receipt, &error), refused, "UTF-8");
    CHECK(receipt[0] == 0);
    FAILS(ldp_flush_start(NULL, NULL, 1, &flush, &error), refused, "null");
    FAILS(ldp_flush_start(client, NULL, 1, NULL, &error), refused, "null");
    FAILS(ldp_flush_start(client, NULL, 0, &flush, &error), refused, "at least 1");
    FAILS(ldp_flush_next(NULL, &batch, &error), refused, "null");
    FAILS(ldp_flush_settle(NULL, LDP_DELIVERED, NULL, &error), refused, "null");
    FAILS(ldp_flush_done(NULL, &flushed, &error), refused, "null");
    FINE(ldp_flush_start(client, NULL, 1, &flush, &error));
    FAILS(ldp_flush_next(flush, NULL, &error), refused, "null");
    FAILS(ldp_flush_done(flush, NULL, &error), refused, "null");
    FAILS(ldp_flush_settle(flush, LDP_REFUSED, "\xff", &error), refused, "UTF-8");
    ldp_flush_free(flush);

    value.text = "north\0and more";
    value.length = 14;
    FAILS(ldp_client_report(client, &value, 1, 0, NULL, &error), refused, "is not a value");
    value.length = (size_t)-9;
    FAILS(ldp_client_report(client, &value, 1, 0, NULL, &error), refused, "too long");
    value = ldp_label("\xed\xa0\x80");
    FAILS(ldp_client_report(client, &value, 1, 0, NULL, &error), refused, "UTF-8");
    value = ldp_number(0);
    FAILS(ldp_client_report(client, &value, 1, 0, NULL, &error), refused, "is not a value");

    CHECK(ldp_collection_texts(NULL) == NULL);
    CHECK(ldp_collection_spec(NULL) == NULL && ldp_collection_fingerprint(NULL) == NULL);
    CHECK(ldp_collection_values(NULL) == 0 && ldp_collection_name(NULL, 0) == NULL);
    CHECK(ldp_collection_report_size(NULL) == 0);
    CHECK(ldp_client_pending(NULL) == 0 && ldp_client_staged(NULL) == 0);
    CHECK(ldp_client_clamped(NULL, 0) == 0 && ldp_client_clamped_coefficients(NULL) == 0);
    CHECK(ldp_batch_id(NULL) == NULL && ldp_batch_fingerprint(NULL) == NULL && ldp_batch_round(NULL) == 0);
    CHECK(ldp_batch_reports(NULL) == 0 && ldp_batch_report(NULL, 0, NULL) == NULL);
    CHECK(ldp_error_code(NULL) == LDP_OK && *ldp_error_message(NULL) == '\0');
    CHECK(*ldp_error_detail(NULL) == '\0' && *ldp_error_hint(NULL) == '\0');
    ldp_error_free(NULL);
    ldp_free(NULL);
    ldp_collection_free(NULL);
    ldp_client_free(NULL);
    ldp_flush_free(NULL);
    ldp_client_free(client);
    ldp_collection_free(of);
}

/* One collection, many threads, each with a client of its own. */
/* A transport that keeps the public columns and the reports of each batch as text. */
struct listing {
    char text[4096];
    int later;
};
static ldp_outcome list_batch(void *context, const ldp_batch *batch, char *reason) {
    struct listing *listing = context;
    const char *columns = ldp_batch_columns(batch), *type = NULL;
    uint8_t *frame = NULL, *body = NULL, *none = NULL, digest[32], other[32] = {0};
    size_t frame_size = 0, body_size = 0;
    const size_t prefix = strcmp(columns, "{}") == 0 ? 0 : strlen(columns) + 1;
    (void)reason;
    FINE(ldp_batch_frame(batch, &frame, &frame_size, &error));
    FINE(ldp_batch_body(batch, &body, &body_size, &type, &error));
    CHECK(body_size == prefix + frame_size && memcmp(body + prefix, frame, frame_size) == 0);
    CHECK(prefix == 0 || (memcmp(body, columns, prefix - 1) == 0 && body[prefix - 1] == '\n'));
    CHECK(strcmp(type, prefix == 0 ? "application/octet-stream" : "application/vnd.ldp.batch") == 0);
    FINE(ldp_batch_digest(batch, digest, &error));
    CHECK(memcmp(digest, other, sizeof digest) != 0);
    FAILS(ldp_batch_body(batch, NULL, &body_size, &type, &error), LDP_INVALID_VALUE, "null");
    CHECK(ldp_batch_body(batch, &none, &body_size, NULL, NULL) == LDP_INVALID_VALUE && none == NULL);
    FAILS(ldp_batch_digest(batch, NULL, &error), LDP_INVALID_VALUE, "null");
    ldp_free(frame);
    ldp_free(body);
    if (listing->later) return LDP_LATER;
    snprintf(listing->text + strlen(listing->text), sizeof listing->text - strlen(listing->text), "%ld %s %d;",
             (long)ldp_batch_round(batch), columns, (int)ldp_batch_reports(batch));
    return LDP_DELIVERED;
}

static void public_columns(void) {
    ldp_collection *of = collection(region);
    ldp_client *client = in_memory(of), *again = NULL;
    const ldp_value value = ldp_label("west"), two[2] = {ldp_label("west"), ldp_label("east")};
    const ldp_column german[2] = {{"country", "de", LDP_TO_END}, {"app", "12x", 2}};
    const ldp_column swapped[2] = {{"app", "12", 2}, {"country", "de", 2}};
    char text[1025];
    const ldp_column too_long = {"country", text, sizeof text}, nameless = {"", "de", 2}, null = {NULL, "de", 2},
                     empty = {"country", NULL, 0}, not_text = {"country", "\xFF", 1};
    ldp_column many[101];
    char names[101][8];
    struct listing listing = {"", 1};
    uint8_t *state = NULL;
    size_t size = 0, done = 7, i;
    ldp_receipt receipt;
    memset(text, 'x', sizeof text);
    for (i = 0; i < 101; ++i) {
        snprintf(names[i], sizeof names[i], "c%d", (int)i);
        many[i].name = names[i];
        many[i].text = "1";
        many[i].length = 1;
    }
    FINE(ldp_client_report_columns(client, &value, 1, german, 2, 3, &receipt, &error));
    FINE(ldp_client_report(client, &value, 1, 3, &receipt, &error));
    FINE(ldp_client_report_columns(client, &value, 1, swapped, 2, 3, &receipt, &error));
    FINE(ldp_client_stage_columns(client, two, 2, german, 1, &done, &error));
    CHECK(done == 2);
    FINE(ldp_client_stage(client, &value, 1, &done, &error));
    FINE(ldp_client_commit(client, 4, &error));
    FAILS(ldp_client_report_columns(client, &value, 1, &too_long, 1, 3, NULL, &error), LDP_INVALID_VALUE, "too long");
    FAILS(ldp_client_report_columns(client, &value, 1, &nameless, 1, 3, NULL, &error), LDP_INVALID_VALUE, "empty");
    FAILS(ldp_client_report_columns(client, &value, 1, &null, 1, 3, NULL, &error), LDP_INVALID_VALUE, "null");
    FAILS(ldp_client_report_columns(client, &value, 1, &not_text, 1, 3, NULL, &error), LDP_INVALID_VALUE, "UTF-8");
    FAILS(ldp_client_report_columns(client, &value, 1, NULL, 1, 3, NULL, &error), LDP_INVALID_VALUE, "null");
    FAILS(ldp_client_report_columns(client, &value, 1, many, 101, 3, NULL, &error), LDP_INVALID_VALUE, "too many");
    FAILS(ldp_client_stage_columns(client, &value, 1, &empty, 1, &done, &error), LDP_INVALID_VALUE, "null");
    CHECK(done == 0 && ldp_client_pending(client) == 6);
    FAILS(ldp_client_flush(client, NULL, list_batch, &listing, 100, NULL, &error), LDP_ENVIRONMENT, "");
    /* The state of the client has the public columns. */
    FINE(ldp_client_state(client, &state, &size, &error));
    FINE(ldp_client_in_memory(of, state, size, &again, &error));
    listing.later = 0;
    FINE(ldp_client_flush(again, NULL, list_batch, &listing, 100, NULL, &error));
    CHECK(strcmp(listing.text, "3 {\"app\":\"12\",\"country\":\"de\"} 2;3 {} 1;4 {} 1;4 {\"country\":\"de\"} 2;") == 0);
    if (failed) printf("%s\n", listing.text);
    CHECK(ldp_batch_columns(NULL) == NULL);
    ldp_free(state);
    ldp_client_free(client);
    ldp_client_free(again);
    ldp_collection_free(of);
}

/* A panel of 3 people and 4 rounds, in one step and one queue. */
static void fleets(const char *folder) {
    ldp_collection *of = collection(moving), *other = collection(region);
    ldp_fleet *fleet = NULL, *second = NULL;
    ldp_flush *flush = NULL;
    ldp_entry entries[12];
    ldp_value values[12];
    const ldp_column column = {"country", "de", LDP_TO_END}, bad = {"country", "\xFF", 1};
    struct listing listing = {"", 0};
    char path[4096], reason[LDP_REASON_SIZE];
    size_t done = 0, i, batches = 0, reports = 0;
    static const char *const names[] = {"ann", "bo", "cy"};
    const ldp_batch *batch = NULL;
    (void)reason;
    snprintf(path, sizeof path, "%s/fleet", folder);
    for (i = 0; i < 12; ++i) {
        entries[i].person = names[i % 3];
        entries[i].round = (int32_t)(i / 3 + 1);
        entries[i].columns = i % 3 == 0 ? &column : NULL;
        entries[i].column_count = i % 3 == 0 ? 1 : 0;
        values[i] = ldp_number(1);
    }
    FINE(ldp_fleet_in_file(of, path, &fleet, &error));
    FAILS(ldp_fleet_in_file(of, path, &second, &error), LDP_ENVIRONMENT, "use");
    CHECK(second == NULL);
    FINE(ldp_fleet_report(fleet, entries, 12, values, 12, &done, &error));
    CHECK(done == 12 && ldp_fleet_pending(fleet) == 12 && ldp_fleet_people(fleet) == 3);
    /* All entries or none. */
    entries[5].columns = &bad;
    entries[5].column_count = 1;
    FAILS(ldp_fleet_report(fleet, entries, 12, values, 12, &done, &error), LDP_INVALID_VALUE, "UTF-8");
    CHECK(done == 5 && ldp_fleet_pending(fleet) == 12);
    entries[5].columns = NULL;
    entries[5].column_count = 0;
    values[7] = ldp_number(9);
    FAILS(ldp_fleet_report(fleet, entries, 12, values, 12, &done, &error), LDP_INVALID_VALUE, "");
    CHECK(done == 7 && ldp_fleet_pending(fleet) == 12);
    entries[0].person = "";
    FAILS(ldp_fleet_report(fleet, entries, 12, values, 12, &done, &error), LDP_INVALID_VALUE, "empty");
    entries[0].person = NULL;
    FAILS(ldp_fleet_report(fleet, entries, 12, values, 12, &done, &error), LDP_INVALID_VALUE, "null");
    FAILS(ldp_fleet_report(fleet, NULL, 12, values, 12, &done, &error), LDP_INVALID_VALUE, "null");
    FAILS(ldp_fleet_report(fleet, entries, 11, values, 12, &done, &error), LDP_INVALID_VALUE, "12 values");
    FAILS(ldp_fleet_report(fleet, entries, 12, values, 11, &done, &error), LDP_INVALID_VALUE, "11 values");
    FAILS(ldp_fleet_report(NULL, entries, 12, values, 12, &done, &error), LDP_INVALID_VALUE, "null");
    FINE(ldp_fleet_report(fleet, NULL, 0, NULL, 0, NULL, &error));
    ldp_fleet_free(fleet);

    /* A file keeps the memory: the budget of 2 answers is spent by a second value, and the person stops at a third one. */
    FAILS(ldp_fleet_in_file(other, path, &fleet, &error), LDP_INCOMPATIBLE, "");
    FINE(ldp_fleet_in_file(of, path, &fleet, &error));
    CHECK(ldp_fleet_pending(fleet) == 12 && ldp_fleet_people(fleet) == 3);
    for (i = 0; i < 3; ++i) {
        entries[i].person = "ann";
        entries[i].round = (int32_t)(5 + i);
        values[i] = ldp_number((double)(i == 0 ? 2 : 3));
    }
    FINE(ldp_fleet_report(fleet, entries, 3, values, 3, &done, &error));
    CHECK(done == 3 && ldp_fleet_pending(fleet) == 13);
    FINE(ldp_fleet_flush_start(fleet, NULL, 100, &flush, &error));
    for (;;) {
        FINE(ldp_flush_next(flush, &batch, &error));
        if (batch == NULL) break;
        ++batches;
        reports += ldp_batch_reports(batch);
        FINE(ldp_flush_settle(flush, list_batch(&listing, batch, reason), "", &error));
    }
    CHECK(batches == 9 && reports == 13 && ldp_fleet_pending(fleet) == 0);
    /* One record of a person in a round: the second of "bea" is ignored. */
    FINE(ldp_fleet_once_per_round(fleet, 1, &error));
    FAILS(ldp_fleet_once_per_round(NULL, 1, &error), LDP_INVALID_VALUE, "null");
    for (i = 0; i < 3; ++i) {
        entries[i].person = i == 1 ? "dan" : "bea";
        entries[i].round = 50;
        values[i] = ldp_number(1);
    }
    FINE(ldp_fleet_report(fleet, entries, 3, values, 3, &done, &error));
    CHECK(done == 3 && ldp_fleet_pending(fleet) == 2);
    FINE(ldp_fleet_report(fleet, entries, 3, values, 3, &done, &error));
    CHECK(done == 3 && ldp_fleet_pending(fleet) == 2);
    CHECK(strstr(listing.text, "4 {} 2;") != NULL && strstr(listing.text, "4 {\"country\":\"de\"} 1;") != NULL);
    ldp_flush_free(flush);
    ldp_fleet_free(fleet);
    ldp_fleet_free(NULL);
    CHECK(ldp_fleet_pending(NULL) == 0 && ldp_fleet_people(NULL) == 0);
    FAILS(ldp_fleet_flush_start(NULL, NULL, 100, &flush, &error), LDP_INVALID_VALUE, "null");
    ldp_collection_free(of);
    ldp_collection_free(other);
}

/* One budget over two collections: the second one is refused when the first has spent it. */
static void ledgers(const char *folder) {
    const char *first = "{\"mechanism\": \"grr\", \"epsilon\": 2, \"domain\": 2, \"budget\": {\"group\": \"g\", \"epsilon\": 3}}";
    const char *second = "{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 2, \"budget\": {\"group\": \"g\", \"epsilon\": 3}}";
    ldp_collection *one = collection(first), *two = collection(second);
    const ldp_value value = ldp_number(1);
    const ldp_entry entry = {"ann", 0, NULL, 0};
    ldp_client *client = in_memory(one), *other = in_memory(two);
    ldp_ledger *ledger = NULL, *again = NULL;
    ldp_fleet *fleet = NULL;
    uint8_t *state = NULL;
    char *text = NULL, path[200];
    size_t size = 0, done = 0;

    FAILS(ldp_client_report(client, &value, 1, 0, NULL, &error), LDP_UNSUPPORTED, "no ledger of the group \"g\"");
    FINE(ldp_ledger_in_memory(NULL, 0, &ledger, &error));
    FINE(ldp_client_use_ledger(client, ledger, &error));
    FINE(ldp_client_use_ledger(other, ledger, &error));
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FAILS(ldp_client_report(client, &value, 1, 0, NULL, &error), LDP_SPENT, "group \"g\" is spent");
    FINE(ldp_ledger_state(ledger, &state, &size, &error));
    FINE(ldp_client_report(other, &value, 1, 0, NULL, &error));
    FAILS(ldp_client_report(other, &value, 1, 0, NULL, &error), LDP_SPENT, "0 of 3 is left");
    CHECK(ldp_client_pending(client) == 1 && ldp_client_pending(other) == 1);
    ldp_ledger_free(ledger); /* its clients continue */
    FAILS(ldp_client_report(other, &value, 1, 0, NULL, &error), LDP_SPENT, "0 of 3 is left");
    FINE(ldp_ledger_in_memory(state, size, &again, &error)); /* an earlier state, in which 1 was left */
    FINE(ldp_ledger_accounts(again, &text, &error));
    CHECK(strstr(text, "\"at_most\":2.0,\"epsilon\":3.0,") != NULL && strstr(text, "\"spent\":2.0") != NULL);
    ldp_free(text);
    state[size - 1] ^= 1;
    FAILS(ldp_ledger_in_memory(state, size, &ledger, &error), LDP_ENVIRONMENT, "damaged");
    ldp_free(state);
    ldp_ledger_free(again);

    snprintf(path, sizeof path, "%s/ledger", folder);
    FINE(ldp_ledger_in_file(path, &ledger, &error));
    FAILS(ldp_ledger_state(ledger, &state, &size, &error), LDP_UNSUPPORTED, "file");
    snprintf(path, sizeof path, "%s/group-fleet", folder);
    FINE(ldp_fleet_in_file(one, path, &fleet, &error));
    FINE(ldp_fleet_use_ledger(fleet, ledger, &error));
    FINE(ldp_fleet_report(fleet, &entry, 1, &value, 1, &done, &error));
    FAILS(ldp_fleet_report(fleet, &entry, 1, &value, 1, &done, &error), LDP_SPENT, "1 of 3 is left");
    CHECK(ldp_fleet_pending(fleet) == 1);
    FINE(ldp_ledger_accounts(ledger, &text, &error));
    CHECK(strstr(text, "\"person\":\"ann\"") != NULL);
    ldp_free(text);
    FINE(ldp_ledger_limit(ledger, NULL, 3.5, &error)); /* of ann, who has spent 2 */
    FAILS(ldp_ledger_limit(ledger, "g", 4, &error), LDP_INCOMPATIBLE, "another budget");
    FAILS(ldp_ledger_limit(ledger, "", 4, &error), LDP_INVALID_VALUE, "empty");
    FAILS(ldp_ledger_limit(ledger, NULL, -1, &error), LDP_INVALID_VALUE, "positive");
    FAILS(ldp_ledger_limit(NULL, NULL, 1, &error), LDP_INVALID_VALUE, "null");
    {
        ldp_collection *alone = collection("{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 2}");
        ldp_fleet *without_group = NULL;
        char another[4200];
        snprintf(another, sizeof another, "%s/without-group", folder);
        FINE(ldp_fleet_in_file(alone, another, &without_group, &error));
        FINE(ldp_fleet_use_ledger(without_group, ledger, &error));
        FINE(ldp_fleet_report(without_group, &entry, 1, &value, 1, &done, &error));
        FAILS(ldp_fleet_report(without_group, &entry, 1, &value, 1, &done, &error), LDP_SPENT, "0.5 of 3.5 is left");
        ldp_fleet_free(without_group);
        ldp_collection_free(alone);
    }
    FAILS(ldp_ledger_in_file(path, &again, &error), LDP_ENVIRONMENT, "ledger");
    FAILS(ldp_client_use_ledger(NULL, ledger, &error), LDP_INVALID_VALUE, "null");
    FAILS(ldp_client_use_ledger(client, NULL, &error), LDP_INVALID_VALUE, "null");
    FAILS(ldp_fleet_use_ledger(fleet, NULL, &error), LDP_INVALID_VALUE, "null");
    FAILS(ldp_ledger_accounts(NULL, &text, &error), LDP_INVALID_VALUE, "null");
    ldp_fleet_free(fleet);
    ldp_ledger_free(ledger);
    ldp_ledger_free(NULL);
    ldp_client_free(client);
    ldp_client_free(other);
    ldp_collection_free(one);
    ldp_collection_free(two);
}

static void *report_often(void *of) {
    ldp_client *client = NULL;
    const ldp_value value = ldp_label("west");
    long fine = ldp_client_in_memory(of, NULL, 0, &client, NULL) == LDP_OK;
    int i;
    for (i = 0; i < 1000; ++i) fine += ldp_client_report(client, &value, 1, 0, NULL, NULL) == LDP_OK;
    fine += (long)ldp_client_pending(client);
    ldp_client_free(client);
    return (void *)fine;
}
static void threads(void) {
    ldp_collection *of = collection(region);
    pthread_t started[4];
    size_t i;
    for (i = 0; i < 4; ++i) CHECK(pthread_create(&started[i], NULL, report_often, of) == 0);
    for (i = 0; i < 4; ++i) {
        void *fine = NULL;
        CHECK(pthread_join(started[i], &fine) == 0 && (long)fine == 2001);
    }
    ldp_collection_free(of);
}

/* Predicted errors without a server. */
static void results(void) {
    ldp_collection *of = collection(region), *other = collection(person);
    uint8_t reports[4096], *summary = NULL, *few = NULL, *both = NULL;
    size_t done = 0, size = 0, small = 0, i;
    char *rows = NULL, *again = NULL, *query = malloc(65536), *end = query;
    ldp_value values[40];
    for (i = 0; i < 40; ++i) values[i] = ldp_label(i % 2 ? "north" : "south");
    FINE(ldp_collection_perturb(of, values, 40, reports, sizeof(reports), &done, &error));
    FINE(ldp_summarize(of, reports, done, NULL, &summary, &size, &error));
    FAILS(ldp_summarize(other, reports, 1, NULL, &few, &small, &error), LDP_INCOMPATIBLE, "");
    FINE(ldp_summarize(of, reports, 10, NULL, &few, &small, &error));
    FINE(ldp_query_summary(of, summary, size, "{\"function\": \"estimate\"}", LDP_TO_END, &rows, &error));
    CHECK(strstr(rows, "\"label\":\"north\"") != NULL && strstr(rows, "\"n\":40") != NULL);
    ldp_free(rows);
    /* A single value stands for an array of one. */
    FINE(ldp_query_summary(of, summary, size, "{\"function\": \"estimate\", \"statistics\": [\"proportion\"]}", LDP_TO_END, &rows, &error));
    FINE(ldp_query_summary(of, summary, size, "{\"function\": \"estimate\", \"statistics\": \"proportion\"}", LDP_TO_END, &again, &error));
    CHECK(strstr(rows, "proportion") != NULL && strcmp(rows, again) == 0);
    ldp_free(rows);
    ldp_free(again);
    FAILS(ldp_query_summary(of, summary, size, "{\"function\": \"estimate\", \"statistics\": 1}", LDP_TO_END, &rows, &error),
          LDP_INVALID_VALUE, "must be a text");
    FAILS(ldp_query_summary(of, NULL, 0, "{\"function\": \"estimate\"}", LDP_TO_END, &rows, &error),
          LDP_INVALID_VALUE, "needs a summary");
    FAILS(ldp_query_summary(other, summary, size, "{\"function\": \"estimate\"}", LDP_TO_END, &rows, &error),
          LDP_INCOMPATIBLE, "");
    FINE(ldp_merge_summaries(summary, size, few, small, &both, &i, &error));
    CHECK(i == size);
    FINE(ldp_query_summary(of, both, i, "{\"function\": \"estimate\"}", LDP_TO_END, &rows, &error));
    CHECK(strstr(rows, "\"n\":50") != NULL);
    ldp_free(rows);
    ldp_free(both);
    FAILS(ldp_merge_summaries(summary, size, few, small - 1, &both, &i, &error), LDP_MALFORMED, "");
    FAILS(ldp_merge_summaries(NULL, 0, few, small, &both, &i, &error), LDP_INVALID_VALUE, "null");
    /* Groups are in the query. */
    end += sprintf(end, "{\"function\": \"compare_groups\", \"groups\": [\"a\", \"b\"], \"summaries\": [\"");
    for (i = 0; i < size; ++i) end += sprintf(end, "%02x", summary[i]);
    end += sprintf(end, "\", \"");
    for (i = 0; i < small; ++i) end += sprintf(end, "%02x", few[i]);
    sprintf(end, "\"]}");
    FINE(ldp_query_summary(of, NULL, 0, query, LDP_TO_END, &rows, &error));
    CHECK(strstr(rows, "\"group_key\":\"b\"") != NULL);
    CHECK(strstr(rows, "\"n\":10") != NULL && strstr(rows, "\"baseline_n\":40") != NULL);
    FINE(ldp_query_summary(NULL, NULL, 0, query, LDP_TO_END, &again, &error));
    CHECK(strstr(again, "\"north\"") == NULL); /* without labels */
    ldp_free(rows);
    /* The other function of groups. Blanks fill the longer name. */
    memcpy(strstr(query, "\"compare_groups\""), "\"group_test\"    ", strlen("\"compare_groups\""));
    FINE(ldp_query_summary(of, NULL, 0, query, LDP_TO_END, &rows, &error));
    CHECK(strstr(rows, "\"groups\":1") != NULL && strstr(rows, "\"n\":40") != NULL);
    ldp_free(rows);
    FAILS(ldp_query_summary(of, summary, size, query, LDP_TO_END, &rows, &error), LDP_INVALID_VALUE, "accepts only the summaries");
    FAILS(ldp_query_summary(other, NULL, 0, query, LDP_TO_END, &rows, &error), LDP_INCOMPATIBLE, "");
    FAILS(ldp_query_summary(of, NULL, 0, "{\"function\": \"compare_groups\", \"groups\": [\"a\", \"b\"], \"summaries\": []}",
                            LDP_TO_END, &rows, &error),
          LDP_INVALID_VALUE, "same number");
    /* Queries of a stranger: 20000 levels, and a number beyond 64 bits with a sign. */
    end = query + sprintf(query, "{\"function\": \"proportion_where\", \"conditions\": ");
    for (i = 0; i < 40000; ++i) *end++ = i < 20000 ? '[' : ']';
    sprintf(end, "}");
    FAILS(ldp_query_summary(of, summary, size, query, LDP_TO_END, &rows, &error), LDP_MALFORMED, "nested too deeply");
    FAILS(ldp_query_summary(of, summary, size, "{\"function\": \"synthesize\", \"records\": 9223372036854775808}",
                            LDP_TO_END, &rows, &error),
          LDP_INVALID_VALUE, "a whole number");
    ldp_free(again);
    free(query);
    ldp_free(summary);
    ldp_free(few);
    ldp_collection_free(of);
    ldp_collection_free(other);
}

/* The first estimate in rows of a query; frees the rows. */
static double first_estimate(const ldp_collection *of, const uint8_t *summary, size_t size, const char *query) {
    char *rows = NULL;
    const char *at;
    double found = NAN;
    FINE(ldp_query_summary(of, summary, size, query, LDP_TO_END, &rows, &error));
    at = rows == NULL ? NULL : strstr(rows, "\"estimate\":");
    if (at != NULL) found = strtod(at + strlen("\"estimate\":"), NULL);
    ldp_free(rows);
    return found;
}

/* Totals of 3 and 1 give the groups these weights. */
static void calibration(void) {
    ldp_collection *of = collection(region);
    uint8_t reports[4096], *halves[2] = {NULL, NULL};
    const size_t each = ldp_collection_report_size(of);
    size_t done = 0, size = 0, i, half;
    double estimates[2], found;
    char *query = malloc(65536), *end = query, *rows = NULL;
    ldp_value values[60];
    for (i = 0; i < 60; ++i) values[i] = ldp_label(i % 3 ? "north" : "south");
    FINE(ldp_collection_perturb(of, values, 60, reports, sizeof(reports), &done, &error));
    end += sprintf(end, "{\"function\": \"calibrate\", \"totals\": {\"side\": {\"left\": 3, \"right\": 1}}, "
                        "\"groups\": [\"{\\\"side\\\": \\\"left\\\"}\", \"{\\\"side\\\": \\\"right\\\"}\"], \"summaries\": [");
    for (half = 0; half < 2; ++half) {
        FINE(ldp_summarize(of, reports + half * 30 * each, 30, NULL, &halves[half], &size, &error));
        estimates[half] = first_estimate(of, halves[half], size, "{\"function\": \"estimate\"}");
        end += sprintf(end, "%s", half == 0 ? "\"" : ", \"");
        for (i = 0; i < size; ++i) end += sprintf(end, "%02x", halves[half][i]);
        end += sprintf(end, "\"");
    }
    sprintf(end, "]}");
    found = first_estimate(of, NULL, 0, query);
    CHECK(fabs(found - (3 * estimates[0] + estimates[1]) / 4) < 1e-12);
    /* A total that no group has. */
    memcpy(strstr(query, "\"right\": 1"), "\"below\": 1", strlen("\"below\": 1"));
    FAILS(ldp_query_summary(of, NULL, 0, query, LDP_TO_END, &rows, &error), LDP_INVALID_VALUE, "have no total");
    free(query);
    ldp_free(halves[0]);
    ldp_free(halves[1]);
    ldp_collection_free(of);
}

static void planning(void) {
    char *rows = NULL;
    FINE(ldp_plan(region, LDP_TO_END, "{\"target\": \"sample\"}", LDP_TO_END, 1000, &rows, &error));
    CHECK(rows != NULL && strncmp(rows, "[{", 2) == 0 && strstr(rows, "\"source\":\"all\"") &&
          strstr(rows, "\"source\":\"randomizer\"") && strstr(rows, "\"n\":1000"));
    ldp_free(rows);
    FINE(ldp_plan("{\"mechanism\": \"auto\", \"epsilon\": 1, \"domain\": 4}", LDP_TO_END, NULL, 0, 500, &rows, &error));
    CHECK(strstr(rows, "\"canonical\":{") && !strstr(rows, "\"mechanism\":\"auto\""));
    ldp_free(rows);
    FINE(ldp_plan(region, LDP_TO_END, "{\"error\": 0.01}", LDP_TO_END, 0, &rows, &error));
    ldp_free(rows);
    FAILS(ldp_plan(region, LDP_TO_END, NULL, 0, 0, &rows, &error), LDP_INVALID_SPEC, "");
    CHECK(rows == NULL);
    FAILS(ldp_plan(region, LDP_TO_END, "{\"attribute\": \"town\"}", LDP_TO_END, 9, &rows, &error), LDP_INVALID_SPEC, "town");
    FAILS(ldp_plan(region, LDP_TO_END, "[", LDP_TO_END, 9, &rows, &error), LDP_MALFORMED, "");
    FAILS(ldp_plan(region, LDP_TO_END, NULL, 0, UINT64_MAX, &rows, &error), LDP_INVALID_VALUE, "people");
    FAILS(ldp_plan(NULL, 0, NULL, 0, 9, &rows, &error), LDP_INVALID_VALUE, "spec");
    FAILS(ldp_plan(region, LDP_TO_END, NULL, 0, 9, NULL, &error), LDP_INVALID_VALUE, "");
}

static void simulated_summaries(const ldp_collection *of, const ldp_value *values) {
    uint8_t *summary = NULL, *same = NULL, *other = NULL;
    size_t size = 0, same_size = 0, other_size = 0;
    char *rows = NULL;
    FINE(ldp_simulate_summary(of, values, 3, 7, &summary, &size, &error));
    FINE(ldp_simulate_summary(of, values, 3, 7, &same, &same_size, &error));
    FINE(ldp_simulate_summary(of, values, 3, 8, &other, &other_size, &error));
    CHECK(size > 0 && size == same_size && memcmp(summary, same, size) == 0);
    CHECK(size == other_size && memcmp(summary, other, size) != 0);
    FINE(ldp_query_summary(of, summary, size, "{\"function\": \"estimate\"}", LDP_TO_END, &rows, &error));
    CHECK(strstr(rows, "\"n\":3"));
    ldp_free(rows);
    ldp_free(summary);
    ldp_free(same);
    ldp_free(other);
    FAILS(ldp_simulate_summary(of, values, 1, 7, &summary, &size, &error), LDP_INVALID_VALUE, "at least two records");
    FAILS(ldp_simulate_summary(of, values, 3, 7, NULL, &size, &error), LDP_INVALID_VALUE, "summary");
    FAILS(ldp_simulate_summary(NULL, values, 3, 7, &summary, &size, &error), LDP_INVALID_VALUE, "collection");
}

/* A person of a series has a record in each round. */
static void simulated_series(void) {
    static const char spec[] = "{\"mechanism\": \"ddrm\", \"epsilon\": 2, \"domain\": 2, \"rounds\": 2, \"changes\": 1}";
    const ldp_value values[] = {{NULL, 0, 0}, {NULL, 0, 1}, {NULL, 0, 1}, {NULL, 0, 1}};
    ldp_collection *of = NULL;
    uint8_t *summary = NULL;
    size_t size = 0;
    char *rows = NULL;
    FINE(ldp_collection_new(spec, LDP_TO_END, LDP_CLAMP, &of, &error));
    FINE(ldp_simulate_summary(of, values, 4, 7, &summary, &size, &error));
    FINE(ldp_query_summary(of, summary, size, "{\"function\": \"series\"}", LDP_TO_END, &rows, &error));
    CHECK(strstr(rows, "\"round\":1") && strstr(rows, "\"round\":2") && !strstr(rows, "\"round\":3"));
    ldp_free(rows);
    ldp_free(summary);
    FAILS(ldp_simulate_summary(of, values, 3, 7, &summary, &size, &error), LDP_INVALID_VALUE, "2 records, one for each round");
    FAILS(ldp_simulate(of, values, 4, 50, 7, &rows, &error), LDP_UNSUPPORTED, "series");
    ldp_collection_free(of);
}

static void plans_of_records(void) {
    static const char record[] = "{\"mechanism\": \"auto\", \"epsilon\": 1, \"attributes\": [{\"name\": \"town\", "
                                 "\"domain\": [\"a\", \"b\"]}, {\"name\": \"age\", \"min\": 0, \"max\": 99}]}";
    char *rows = NULL;
    FINE(ldp_plan_record(record, LDP_TO_END, NULL, 0, 1000, &rows, &error));
    CHECK(rows != NULL && strstr(rows, "\"attribute\":\"town\"") && strstr(rows, "\"attribute\":\"age\"") &&
          strstr(rows, "\"n\":1000") && strstr(rows, "\"people\":null"));
    ldp_free(rows);
    FAILS(ldp_plan_record(region, LDP_TO_END, NULL, 0, 1000, &rows, &error), LDP_INVALID_SPEC, "not planned as a record");
    CHECK(rows == NULL);
    FAILS(ldp_plan_record(record, LDP_TO_END, "{\"attribute\": \"age\"}", LDP_TO_END, 9, &rows, &error), LDP_INVALID_SPEC, "");
    FAILS(ldp_plan_record(record, LDP_TO_END, NULL, 0, 0, &rows, &error), LDP_INVALID_SPEC, "people");
    FAILS(ldp_plan_record(record, LDP_TO_END, NULL, 0, UINT64_MAX, &rows, &error), LDP_INVALID_VALUE, "people");
    FAILS(ldp_plan_record(NULL, 0, NULL, 0, 9, &rows, &error), LDP_INVALID_VALUE, "spec");
    FAILS(ldp_plan_record(record, LDP_TO_END, NULL, 0, 9, NULL, &error), LDP_INVALID_VALUE, "");
}

static void drawings(void) {
    static const char rows[] = "[{\"attribute\": \"town\", \"label\": \"<a>\", \"statistic\": \"proportion\", \"estimate\": 0.5, "
                               "\"lower\": 0.25, \"upper\": \"Infinity\"}]";
    char *svg = NULL;
    FINE(ldp_plot(NULL, rows, LDP_TO_END, "Towns", &svg, &error));
    CHECK(svg != NULL && strncmp(svg, "<svg ", 5) == 0 && strstr(svg, "Towns") && strstr(svg, "&lt;a&gt;") && !strstr(svg, "<a>"));
    ldp_free(svg);
    FINE(ldp_plot(NULL, rows, strlen(rows), NULL, &svg, &error));
    ldp_free(svg);
    FAILS(ldp_plot(NULL, "[]", LDP_TO_END, NULL, &svg, &error), LDP_INVALID_VALUE, "no rows");
    CHECK(svg == NULL);
    FAILS(ldp_plot(NULL, "[", LDP_TO_END, NULL, &svg, &error), LDP_INVALID_VALUE, "no rows");
    FAILS(ldp_plot(NULL, "[{}]", LDP_TO_END, NULL, &svg, &error), LDP_INVALID_VALUE, "no estimate");
    FAILS(ldp_plot(NULL, "[[[[[[[[[[]]]]]]]]]]", LDP_TO_END, NULL, &svg, &error), LDP_MALFORMED, "nested");
    FAILS(ldp_plot(NULL, NULL, 0, NULL, &svg, &error), LDP_INVALID_VALUE, "rows");
    FAILS(ldp_plot(NULL, rows, LDP_TO_END, NULL, NULL, &error), LDP_INVALID_VALUE, "");
}

static void simulations(void) {
    ldp_collection *of = NULL;
    char *rows = NULL, *same = NULL, *others = NULL;
    const ldp_value values[] = {{NULL, 0, 1}, {NULL, 0, 1}, {NULL, 0, 9}};
    FINE(ldp_collection_new("{\"mechanism\": \"laplace\", \"epsilon\": 1, \"min\": 0, \"max\": 4}", LDP_TO_END, LDP_CLAMP, &of, &error));
    FINE(ldp_simulate(of, values, 3, 50, 7, &rows, &error));
    CHECK(strstr(rows, "\"asked\":\"mean\"") && strstr(rows, "\"truth\":2.0") && strstr(rows, "\"error\":"));
    FINE(ldp_simulate(of, values, 3, 50, 7, &same, &error));
    FINE(ldp_simulate(of, values, 3, 50, 8, &others, &error));
    CHECK(strcmp(rows, same) == 0 && strcmp(rows, others) != 0);
    ldp_free(rows);
    ldp_free(same);
    ldp_free(others);
    FAILS(ldp_simulate(of, values, 1, 50, 7, &rows, &error), LDP_INVALID_VALUE, "at least two records");
    FAILS(ldp_simulate(of, values, 3, 0, 7, &rows, &error), LDP_INVALID_VALUE, "runs");
    FAILS(ldp_simulate(NULL, values, 3, 1, 7, &rows, &error), LDP_INVALID_VALUE, "collection");
    simulated_summaries(of, values);
    ldp_collection_free(of);
    simulated_series();
}

/* Terms bound a collection before a draw, and another question waits for an acceptance. */
static void contracts(void) {
    static const char first[] = "{\"mechanism\":\"grr\",\"epsilon\":1,\"evolving\":{},\"budget\":{\"epsilon\":2},"
                                "\"attributes\":[{\"name\":\"mood\",\"domain\":2,\"question\":\"Europe?\"}]}";
    static const char second[] = "{\"mechanism\":\"grr\",\"epsilon\":1,\"evolving\":{},\"budget\":{\"epsilon\":2},"
                                 "\"attributes\":[{\"name\":\"mood\",\"domain\":2,\"question\":\"Smoke?\"}]}";
    const char *const asked[] = {"mood"};
    const char *const country[] = {"country"};
    ldp_collection *of;
    ldp_client *client;
    ldp_terms terms;
    ldp_value value = ldp_number(1);
    ldp_column column;
    uint8_t *state;
    size_t size;
    char *json;
    char digest[65];

    memset(&terms, 0, sizeof terms);
    FAILS(ldp_collection_new_under(first, LDP_TO_END, LDP_CLAMP, &terms, &of, &error), LDP_INVALID_VALUE, "size");
    terms.size = sizeof terms;
    terms.report_epsilon = 0.5;
    FAILS(ldp_collection_new_under(first, LDP_TO_END, LDP_CLAMP, &terms, &of, &error), LDP_INCOMPATIBLE, "accepted contract");
    terms.report_epsilon = 1;
    terms.attributes = country;
    terms.attribute_count = 1;
    FAILS(ldp_collection_new_under(first, LDP_TO_END, LDP_CLAMP, &terms, &of, &error), LDP_INCOMPATIBLE, "accepted contract");
    terms.attributes = asked;
    terms.in_clear = country;
    terms.endpoint = "https://a.example/";
    terms.collection = "c";
    FINE(ldp_collection_new_under(first, LDP_TO_END, LDP_CLAMP, &terms, &of, &error));
    CHECK(strstr(ldp_collection_contract(of), "\"endpoint\":\"https://a.example\"") != NULL);
    CHECK(strstr(ldp_collection_summary(of), "sent unchanged: nothing") != NULL);
    FINE(ldp_client_in_memory(of, NULL, 0, &client, &error));
    column.name = "country";
    column.text = "de";
    column.length = LDP_TO_END;
    FAILS(ldp_client_report_columns(client, &value, 1, &column, 1, 0, NULL, &error), LDP_INVALID_VALUE, "country");
    FINE(ldp_client_report(client, &value, 1, 0, NULL, &error));
    FINE(ldp_client_state(client, &state, &size, &error));
    ldp_client_free(client);
    ldp_collection_free(of);

    FINE(ldp_collection_new_under(second, LDP_TO_END, LDP_CLAMP, &terms, &of, &error));
    FINE(ldp_client_in_memory(of, state, size, &client, &error));
    FAILS(ldp_client_report(client, &value, 1, 1, NULL, &error), LDP_CHANGED, "has changed");
    CHECK(ldp_client_pending(client) == 1);
    FAILS(ldp_client_accept(client, "0000000000000000", &error), LDP_INVALID_VALUE, "digest");
    FINE(ldp_client_contract(client, &json, &error));
    CHECK(strstr(json, "\"field\":\"attributes.mood.question\"") != NULL);
    CHECK(strstr(json, "\"waiting\":\"") != NULL);
    memcpy(digest, strstr(json, "\"waiting\":\"") + 11, 64);
    digest[64] = '\0';
    ldp_free(json);
    FINE(ldp_client_accept(client, digest, &error));
    FINE(ldp_client_report(client, &value, 1, 1, NULL, &error));
    FINE(ldp_client_contract(client, &json, &error));
    CHECK(strstr(json, "\"waiting\":null") != NULL);
    ldp_free(json);
    ldp_client_free(client);
    ldp_collection_free(of);
    ldp_free(state);
    CHECK(ldp_collection_contract(NULL) == NULL && ldp_collection_summary(NULL) == NULL);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    versions();
    texts();
    collections();
    vectors();
    drawing();
    reporting();
    refusing();
    moving_servers();
    deciding();
    remembering();
    keeping(argv[1]);
    hostile();
    public_columns();
    contracts();
    fleets(argv[1]);
    ledgers(argv[1]);
    threads();
    results();
    calibration();
    planning();
    plans_of_records();
    drawings();
    simulations();
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}

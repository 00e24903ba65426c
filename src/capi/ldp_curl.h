/* Sends to an endpoint (ldp collect) from C, with libcurl. A header only, so that libldp itself needs no libcurl:
 *
 *     gcc app.c $(pkg-config --cflags --libs ldp-c libcurl)
 *
 * The program provides the CURL handle and its options, such as certificates, a proxy and time limits. Set CURLOPT_TIMEOUT to
 * more seconds than the endpoint holds batches, and set CURLOPT_NOSIGNAL in programs with threads. Redirects are not followed.
 * A response settles a batch only if it has the endpoint's receipt; a login page has no receipt. */
#ifndef LDP_CURL_H
#define LDP_CURL_H

#include <curl/curl.h>
#include <ldp/ldp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The destination; the texts and the handle must outlive it. */
typedef struct ldp_endpoint {
    CURL *curl;             /* handle of the program */
    const char *url;        /* such as "https://ldp.example.org", without a slash at its end */
    const char *collection; /* name of the collection */
    char history[LDP_HISTORY_SIZE]; /* set by each delivery; zeros before */
} ldp_endpoint;

/* Maximum size of a response in bytes: the maximum size of a spec. */
#define LDP_ENDPOINT_RESPONSE ((size_t)1 << 20)
/* The response of an endpoint. */
struct ldp_endpoint_response {
    char *text;  /* ends with a zero */
    size_t size; /* length in bytes, without the zero */
    char receipt[LDP_RECEIPT_SIZE]; /* the header Ldp-Receipt, or empty */
    char history[LDP_HISTORY_SIZE]; /* the header Ldp-History, or empty */
};

/* Callback of libcurl for the body of a response. */
static inline size_t ldp_endpoint_take(char *bytes, size_t one, size_t count, void *context) {
    struct ldp_endpoint_response *response = (struct ldp_endpoint_response *)context;
    char *grown;
    if (one * count > LDP_ENDPOINT_RESPONSE - response->size) return 0;
    grown = (char *)realloc(response->text, response->size + one * count + 1);
    if (grown == NULL) return 0;
    memcpy(grown + response->size, bytes, one * count);
    response->text = grown;
    response->size += one * count;
    grown[response->size] = '\0';
    return one * count;
}

/* Copies the value of a header with this name, in lower case and with its colon, to `value`, which has room for `digits`
 * characters and a zero. Another line, or a shorter value, changes nothing. */
static inline void ldp_endpoint_value(const char *line, size_t size, const char *name, char *value, size_t digits) {
    size_t at = 0;
    while (name[at] != '\0' && at < size && (line[at] | 0x20) == (name[at] | 0x20)) ++at;
    if (name[at] != '\0') return;
    while (at < size && line[at] == ' ') ++at;
    if (size - at < digits) return;
    memcpy(value, line + at, digits);
    value[digits] = '\0';
}

/* Callback of libcurl for a line of the response header. */
static inline size_t ldp_endpoint_header(char *line, size_t one, size_t count, void *context) {
    struct ldp_endpoint_response *response = (struct ldp_endpoint_response *)context;
    const size_t size = one * count;
    if (size > 5 && memcmp(line, "HTTP/", 5) == 0) response->receipt[0] = response->history[0] = '\0'; /* another response */
    ldp_endpoint_value(line, size, "ldp-receipt:", response->receipt, LDP_RECEIPT_SIZE - 1);
    ldp_endpoint_value(line, size, "ldp-history:", response->history, LDP_HISTORY_SIZE - 1);
    return size;
}

/* One request. Returns the status of HTTP, or 0 if there was no response. The caller frees response->text, which may be null. */
static inline long ldp_endpoint_request(ldp_endpoint *endpoint, const char *method, const char *below,
                                        const uint8_t *content, size_t size, const char *type,
                                        struct ldp_endpoint_response *response, char *reason) {
    const char *format = "%s/collections/%s/%s";
    char header[64];
    char *name = curl_easy_escape(endpoint->curl, endpoint->collection, 0), *url = NULL;
    struct curl_slist *headers = NULL;
    CURLcode ended = CURLE_OUT_OF_MEMORY;
    long status = 0;
    response->text = NULL;
    response->size = 0;
    response->receipt[0] = response->history[0] = '\0';
    if (name != NULL) {
        const size_t room = strlen(endpoint->url) + strlen(name) + strlen(below) + strlen(format);
        url = (char *)malloc(room);
        if (url != NULL) snprintf(url, room, format, endpoint->url, name, below);
    }
    snprintf(header, sizeof header, "Content-Type: %s", type);
    headers = curl_slist_append(NULL, header);
    if (url != NULL && headers != NULL) {
        curl_easy_setopt(endpoint->curl, CURLOPT_URL, url);
        curl_easy_setopt(endpoint->curl, CURLOPT_HTTPGET, 1L);
        if (content != NULL) {
            curl_easy_setopt(endpoint->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
            curl_easy_setopt(endpoint->curl, CURLOPT_POSTFIELDS, (const char *)content);
            curl_easy_setopt(endpoint->curl, CURLOPT_HTTPHEADER, headers);
        }
        curl_easy_setopt(endpoint->curl, CURLOPT_CUSTOMREQUEST, method);
        curl_easy_setopt(endpoint->curl, CURLOPT_FOLLOWLOCATION, 0L);
        curl_easy_setopt(endpoint->curl, CURLOPT_WRITEFUNCTION, ldp_endpoint_take);
        curl_easy_setopt(endpoint->curl, CURLOPT_WRITEDATA, response);
        curl_easy_setopt(endpoint->curl, CURLOPT_HEADERFUNCTION, ldp_endpoint_header);
        curl_easy_setopt(endpoint->curl, CURLOPT_HEADERDATA, response);
        ended = curl_easy_perform(endpoint->curl);
        if (ended == CURLE_OK) curl_easy_getinfo(endpoint->curl, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_setopt(endpoint->curl, CURLOPT_HTTPHEADER, NULL);
        curl_easy_setopt(endpoint->curl, CURLOPT_POSTFIELDS, NULL);
        curl_easy_setopt(endpoint->curl, CURLOPT_CUSTOMREQUEST, NULL);
        curl_easy_setopt(endpoint->curl, CURLOPT_HEADERFUNCTION, NULL);
        curl_easy_setopt(endpoint->curl, CURLOPT_HEADERDATA, NULL);
    }
    if (ended != CURLE_OK)
        snprintf(reason, LDP_REASON_SIZE, "there is no response from the endpoint: %s", curl_easy_strerror(ended));
    curl_slist_free_all(headers);
    curl_free(name);
    free(url);
    return status;
}

/* Returns whether the response has the receipt of its request. Otherwise `reason` describes the failure. */
static inline int ldp_endpoint_gave(const ldp_endpoint *endpoint, const char *method, long status, const char *id,
                                    int32_t round, const uint8_t *content, size_t size,
                                    const struct ldp_endpoint_response *response, char *reason) {
    char receipt[LDP_RECEIPT_SIZE];
    const char *foreign;
    int right;
    if (status == 0) return 0;
    right = ldp_delivery_receipt(method, (int)status, endpoint->collection, id, round, content, size, receipt, NULL) ==
                LDP_OK &&
            strcmp(receipt, response->receipt) == 0;
    foreign = ldp_foreign_response((int)status, right);
    if (foreign != NULL)
        snprintf(reason, LDP_REASON_SIZE, "%s (status %ld). %s", foreign, status, ldp_foreign_hint());
    else
        snprintf(reason, LDP_REASON_SIZE, "the endpoint responded with status %ld: %.*s", status, LDP_REASON_SIZE - 64,
                 response->text == NULL ? "nothing" : response->text);
    return right;
}

/* Returns the spec of the collection, for ldp_collection_new(); the caller frees it with free(). Returns null if the request
 * fails; then `reason`, of LDP_REASON_SIZE bytes, contains the cause. */
static inline char *ldp_endpoint_spec(ldp_endpoint *endpoint, char *reason) {
    struct ldp_endpoint_response response;
    const long status = ldp_endpoint_request(endpoint, "GET", "spec", NULL, 0, "", &response, reason);
    const int right = ldp_endpoint_gave(endpoint, "GET", status, "", 0, (const uint8_t *)response.text, response.size,
                                        &response, reason);
    if (ldp_spec_step((int)status, right) == LDP_SETTLE) return response.text;
    free(response.text);
    return NULL;
}

/* A transport for ldp_client_flush(), which ldp_endpoint_flush() passes: `context` is an ldp_endpoint. Posts each batch under
 * its id, so that it counts once even if it is sent repeatedly. Returns LDP_LATER after a temporary failure (no connection,
 * 429, 503, a login page): flush again later. */
static inline ldp_outcome ldp_endpoint_deliver(void *context, const ldp_batch *batch, char *reason) {
    ldp_endpoint *endpoint = (ldp_endpoint *)context;
    struct ldp_endpoint_response response;
    ldp_error *error = NULL;
    ldp_outcome outcome = LDP_LATER;
    ldp_action action = LDP_THEN_REVOKE;
    int attempts = 0;
    uint8_t *frame = NULL;
    char below[100], ignored[LDP_REASON_SIZE];
    size_t size;
    long status;
    int right;
    const char *id = ldp_batch_id(batch);
    const int32_t round = ldp_batch_round(batch);
    const char *type = NULL;
    const ldp_status framed = ldp_batch_body(batch, &frame, &size, &type, &error);
    if (framed != LDP_OK) {
        snprintf(reason, LDP_REASON_SIZE, "%s", ldp_error_message(error));
        ldp_error_free(error);
        if (framed == LDP_FULL) return LDP_TOO_LARGE; /* so it was never sent */
        if (framed != LDP_MALFORMED) return LDP_LATER;
        outcome = LDP_REFUSED;
    } else {
        snprintf(below, sizeof below, "batches/%s?round=%ld", id, (long)round);
        do { /* a second response of 413 without a receipt is a limit of a proxy */
            status = ldp_endpoint_request(endpoint, "POST", below, frame, size, type, &response, reason);
            right = ldp_endpoint_gave(endpoint, "POST", status, id, round, frame, size, &response, reason);
            action = ldp_http_step(LDP_SUBMIT, (int)status, right, &outcome);
            if (right) memcpy(endpoint->history, response.history, sizeof endpoint->history);
            free(response.text);
        } while (outcome == LDP_TOO_LARGE && action != LDP_THEN_REVOKE && ++attempts < 2);
        ldp_free(frame);
    }
    if (action == LDP_THEN_REVOKE) {
        snprintf(below, sizeof below, "batches/%s", id);
        status = ldp_endpoint_request(endpoint, "DELETE", below, NULL, 0, "", &response, ignored);
        right = ldp_endpoint_gave(endpoint, "DELETE", status, id, 0, NULL, 0, &response, ignored);
        action = ldp_http_step(LDP_REVOKE, (int)status, right, &outcome);
        free(response.text);
        if (action != LDP_SETTLE) memcpy(reason, ignored, sizeof ignored);
    }
    return action == LDP_SETTLE ? outcome : LDP_LATER;
}

/* Sends the client's reports to the endpoint with ldp_client_flush(), which compares the destination and the history of the
 * server with the values of the last delivery. */
static inline ldp_status ldp_endpoint_flush(ldp_client *client, ldp_endpoint *endpoint, size_t most, ldp_flushed *flushed,
                                            ldp_error **error) {
    ldp_destination to;
    to.size = sizeof to;
    to.endpoint = endpoint->url;
    to.collection = endpoint->collection;
    to.history = endpoint->history;
    return ldp_client_flush(client, &to, ldp_endpoint_deliver, endpoint, most, flushed, error);
}

#endif

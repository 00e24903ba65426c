#include "device_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slots -------------------------------------------------------------------------------------------------------
 *
 * A slot is a header and a state. The header has a magic number, the size of the state, a sequence number, and a checksum of size,
 * sequence number and state. The slot with the older state is erased and written, so that a loss of power at any byte leaves the
 * other slot valid. The valid slot with the larger sequence number is the state of the device. */

enum { MAGIC_AT = 0, CHECKSUM_AT = 4, SIZE_AT = 8, SEQUENCE_AT = 12, HEADER_SIZE = 20 };
#define MAGIC 0x3150444Cu

/* Numbers are little-endian on every processor. */
static void put(uint8_t *at, uint64_t number, int bytes) {
    for (; bytes > 0; --bytes, number >>= 8) *at++ = (uint8_t)number;
}
static uint64_t get(const uint8_t *at, int bytes) {
    uint64_t number = 0;
    while (bytes > 0) number = number << 8 | at[--bytes];
    return number;
}

/* Continues the checksum CRC-32 of ISO-HDLC, which starts at 0. */
static uint32_t crc32(uint32_t sum, const uint8_t *bytes, size_t size) {
    int bit;
    sum = ~sum;
    while (size-- > 0) {
        sum ^= *bytes++;
        for (bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
    }
    return ~sum;
}

/* Reads a slot. Returns its state, which the caller frees, or null if the slot is not valid. */
static uint8_t *read_slot(const device_hardware *hardware, int slot, size_t *size, uint64_t *sequence) {
    uint8_t header[HEADER_SIZE], *state;
    if (hardware->read(hardware->context, slot, 0, header, sizeof header)) return NULL;
    *size = (size_t)get(header + SIZE_AT, 4);
    *sequence = get(header + SEQUENCE_AT, 8);
    if (get(header + MAGIC_AT, 4) != MAGIC || *size > hardware->slot_size - HEADER_SIZE) return NULL;
    state = malloc(*size + 1);
    if (state == NULL) return NULL;
    if (hardware->read(hardware->context, slot, HEADER_SIZE, state, *size) ||
        get(header + CHECKSUM_AT, 4) != crc32(crc32(0, header + SIZE_AT, HEADER_SIZE - SIZE_AT), state, *size)) {
        free(state);
        return NULL;
    }
    return state;
}

/* Writes a slot: the header last, so that most slots with a part of a state have no header. */
static int write_slot(const device_hardware *hardware, int slot, const uint8_t *state, size_t size, uint64_t sequence) {
    uint8_t header[HEADER_SIZE];
    if (size > hardware->slot_size - HEADER_SIZE) return -1;
    put(header + MAGIC_AT, MAGIC, 4);
    put(header + SIZE_AT, size, 4);
    put(header + SEQUENCE_AT, sequence, 8);
    put(header + CHECKSUM_AT, crc32(crc32(0, header + SIZE_AT, HEADER_SIZE - SIZE_AT), state, size), 4);
    if (hardware->erase(hardware->context, slot) || hardware->write(hardware->context, slot, HEADER_SIZE, state, size)) return -1;
    return hardware->write(hardware->context, slot, 0, header, sizeof header);
}

/* The loop ---------------------------------------------------------------------------------------------------- */

static device_result failed(device *of, const char *what, ldp_error *error) {
    snprintf(of->reason, sizeof of->reason, "%s%s%s", what, error == NULL ? "" : ": ", error == NULL ? "" : ldp_error_message(error));
    ldp_error_free(error);
    return DEVICE_FAILED;
}

/* Writes the state of the client to the older slot. After a failure, the client must not be used: the slots have the
 * preceding state, and what the client has drawn since then was not sent. */
static device_result store(device *of) {
    ldp_error *error = NULL;
    uint8_t *state = NULL;
    size_t size;
    int written;
    if (ldp_client_state(of->client, &state, &size, &error)) return failed(of, "state", error);
    written = write_slot(of->hardware, !of->slot, state, size, of->sequence + 1);
    ldp_free(state);
    if (written) return failed(of, "the state cannot be written", NULL);
    of->slot = !of->slot;
    ++of->sequence;
    return DEVICE_OK;
}

/* Makes the client. A state of size 0 is the state of a new person. */
static device_result start(device *of, const char *spec, const uint8_t *state, size_t size) {
    ldp_error *error = NULL;
    if (ldp_collection_new(spec, LDP_TO_END, LDP_CLAMP, &of->collection, &error)) return failed(of, "spec", error);
    if (ldp_client_in_memory(of->collection, state, size, &of->client, &error)) return failed(of, "client", error);
    if (ldp_client_once_per_round(of->client, 1, &error)) return failed(of, "client", error);
    return DEVICE_OK;
}

device_result device_format(device *of, const device_hardware *hardware, const char *spec) {
    device_result result;
    memset(of, 0, sizeof *of);
    of->hardware = hardware;
    result = start(of, spec, NULL, 0);
    if (result == DEVICE_OK) result = store(of);
    if (result == DEVICE_OK) result = store(of);
    device_close(of);
    return result;
}

device_result device_open(device *of, const device_hardware *hardware, const char *spec, const char *endpoint, const char *name) {
    uint8_t *state[2];
    uint64_t sequence[2] = {0, 0};
    size_t size[2];
    device_result result;
    memset(of, 0, sizeof *of);
    of->hardware = hardware;
    of->endpoint = endpoint;
    of->name = name;
    state[0] = read_slot(hardware, 0, &size[0], &sequence[0]);
    state[1] = read_slot(hardware, 1, &size[1], &sequence[1]);
    of->slot = state[0] == NULL || (state[1] != NULL && sequence[1] > sequence[0]);
    of->sequence = sequence[of->slot];
    result = state[of->slot] == NULL ? failed(of, "no slot is valid", NULL) : start(of, spec, state[of->slot], size[of->slot]);
    free(state[0]);
    free(state[1]);
    return result;
}

device_result device_report(device *of, const ldp_value *values, size_t count, int32_t round, ldp_receipt *receipt) {
    ldp_error *error = NULL;
    ldp_receipt found;
    if (receipt == NULL) receipt = &found;
    if (ldp_client_report(of->client, values, count, round, receipt, &error)) return failed(of, "report", error);
    return receipt->origin == LDP_IGNORED ? DEVICE_OK : store(of);
}

/* Sends a request about a batch. Returns whether the response has the receipt of the request. */
static int ask(device *of, const char *method, const char *below, const ldp_batch *batch, int32_t round, const char *type,
               const uint8_t *body, size_t size, device_response *response) {
    char receipt[LDP_RECEIPT_SIZE];
    const char *foreign;
    int right;
    memset(response, 0, sizeof *response);
    of->hardware->request(of->hardware->context, method, below, type, body, size, response);
    right = response->status != 0 &&
            ldp_delivery_receipt(method, response->status, of->name, ldp_batch_id(batch), round, body, size, receipt, NULL) == LDP_OK &&
            strcmp(receipt, response->receipt) == 0;
    foreign = response->status == 0 ? "there is no response" : ldp_foreign_response(response->status, right);
    snprintf(of->reason, sizeof of->reason, "%s (status %d)", foreign == NULL ? "the endpoint responded" : foreign, response->status);
    return right;
}

/* Delivers a batch as doc/protocol.md requires. */
static ldp_outcome deliver(device *of, const ldp_batch *batch, char *history) {
    ldp_outcome outcome = LDP_LATER;
    ldp_action action = LDP_STOP;
    device_response response;
    uint8_t *body = NULL;
    char below[100];
    const char *type = NULL;
    size_t size;
    int attempts = 0, right;
    const ldp_status framed = ldp_batch_body(batch, &body, &size, &type, NULL);
    if (framed == LDP_FULL) return LDP_TOO_LARGE;
    if (framed == LDP_MALFORMED) {
        outcome = LDP_REFUSED;
        action = LDP_THEN_REVOKE;
    } else if (framed == LDP_OK) {
        snprintf(below, sizeof below, "batches/%s?round=%ld", ldp_batch_id(batch), (long)ldp_batch_round(batch));
        do { /* a second response of 413 without a receipt is a limit of a proxy */
            right = ask(of, "POST", below, batch, ldp_batch_round(batch), type, body, size, &response);
            action = ldp_http_step(LDP_SUBMIT, response.status, right, &outcome);
            if (right) memcpy(history, response.history, LDP_HISTORY_SIZE);
        } while (outcome == LDP_TOO_LARGE && action != LDP_THEN_REVOKE && ++attempts < 2);
    }
    ldp_free(body);
    if (action == LDP_THEN_REVOKE) {
        snprintf(below, sizeof below, "batches/%s", ldp_batch_id(batch));
        right = ask(of, "DELETE", below, batch, 0, "", NULL, 0, &response);
        action = ldp_http_step(LDP_REVOKE, response.status, right, &outcome);
    }
    return action == LDP_SETTLE ? outcome : LDP_LATER;
}

device_result device_send(device *of) {
    char history[LDP_HISTORY_SIZE] = "";
    const ldp_destination to = {sizeof to, of->endpoint, of->name, history};
    ldp_error *error = NULL;
    ldp_flush *flush = NULL;
    const ldp_batch *batch = NULL;
    device_result result = DEVICE_OK;
    if (ldp_flush_start(of->client, &to, 100, &flush, &error)) return failed(of, "flush", error);
    while (result == DEVICE_OK) {
        ldp_outcome outcome;
        if (ldp_flush_next(flush, &batch, &error)) result = failed(of, "flush", error);
        if (result != DEVICE_OK || batch == NULL) break;
        /* The state has the reports and the id of the batch before the server sees them. */
        result = store(of);
        if (result != DEVICE_OK) break;
        outcome = deliver(of, batch, history);
        if (outcome == LDP_LATER) {
            result = DEVICE_LATER;
            break;
        }
        if (ldp_flush_settle(flush, outcome, of->reason, &error)) result = failed(of, "flush", error);
        if (result == DEVICE_OK) result = store(of);
    }
    ldp_flush_free(flush);
    return result;
}

void device_close(device *of) {
    ldp_client_free(of->client);
    ldp_collection_free(of->collection);
    of->client = NULL;
    of->collection = NULL;
}

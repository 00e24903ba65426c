/* The device of device_loop.h with files and sockets, as a program:
 *
 *     posix_device format FOLDER SPEC.json                                a new person
 *     posix_device report FOLDER SPEC.json HOST:PORT COLLECTION ROUND VALUE
 *     posix_device send FOLDER SPEC.json HOST:PORT COLLECTION
 *
 * VALUE is a record in JSON, such as {"region": "south"}. The folder has the slots, which reveal as much as the values. HOST:PORT
 * is an endpoint (ldp collect), or a proxy that adds TLS. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "device_loop.h"

#ifdef DEVICE_MECHANISMS
LDP_MECHANISMS(DEVICE_MECHANISMS); /* such as -DDEVICE_MECHANISMS='&ldp_mechanism_grr' */
#endif

enum { SLOT_SIZE = 1 << 20 };

/* What the functions of the hardware need. */
typedef struct board {
    const char *folder;
    char host[256], port[16], address[300];
    const char *collection;
} board;

static int open_slot(const board *on, int slot, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/slot%d", on->folder, slot);
    return open(path, flags, 0600);
}

static int read_bytes(void *context, int slot, size_t at, void *bytes, size_t size) {
    const int file = open_slot(context, slot, O_RDONLY);
    const ssize_t got = file < 0 ? -1 : pread(file, bytes, size, (off_t)at);
    if (file >= 0) close(file);
    return got == (ssize_t)size ? 0 : -1;
}

static int erase(void *context, int slot) {
    const int file = open_slot(context, slot, O_WRONLY | O_CREAT | O_TRUNC);
    const int failed = file < 0 || fsync(file) != 0;
    if (file >= 0) close(file);
    return failed;
}

static int write_bytes(void *context, int slot, size_t at, const void *bytes, size_t size) {
    const int file = open_slot(context, slot, O_WRONLY);
    const int failed = file < 0 || pwrite(file, bytes, size, (off_t)at) != (ssize_t)size || fsync(file) != 0;
    if (file >= 0) close(file);
    return failed;
}

/* Copies the value of a header with this name, if it has this number of characters. */
static void take_header(const char *head, const char *name, char *value, size_t digits) {
    const char *line;
    for (line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, strlen(name)) != 0) continue;
        line += 2 + strlen(name);
        line += strspn(line, " ");
        if (strcspn(line, "\r\n") == digits) {
            memcpy(value, line, digits);
            value[digits] = '\0';
        }
        return;
    }
}

static int connect_to(const board *to) {
    const struct timeval patience = {60, 0};
    const struct addrinfo kind = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL, *one;
    int network = -1;
    if (getaddrinfo(to->host, to->port, &kind, &all) != 0) return -1;
    for (one = all; one != NULL && network < 0; one = one->ai_next) {
        network = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
        if (network < 0) continue;
        setsockopt(network, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(network, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        if (connect(network, one->ai_addr, one->ai_addrlen) == 0) continue;
        close(network);
        network = -1;
    }
    freeaddrinfo(all);
    return network;
}

static int send_all(int network, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(network, at, size, MSG_NOSIGNAL);
        if (sent <= 0) return -1;
        at += sent;
        size -= (size_t)sent;
    }
    return 0;
}

/* HTTP/1.1 with one request for each connection. The head of the response has all that a delivery needs. */
static void request(void *context, const char *method, const char *below, const char *type, const uint8_t *body, size_t size,
                    device_response *response) {
    const board *on = context;
    char head[8192], path[1024];
    size_t used = 0, i;
    int network = connect_to(on), written;
    if (network < 0) return;
    for (i = written = 0; on->collection[i] != '\0' && written < 800; ++i)
        written += snprintf(path + written, sizeof path - (size_t)written, "%%%02X", (unsigned char)on->collection[i]);
    written = snprintf(head, sizeof head,
                       "%s /collections/%s/%s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\nContent-Length: %zu\r\n%s%s%s\r\n", method,
                       path, below, on->host, on->port, size, *type ? "Content-Type: " : "", type, *type ? "\r\n" : "");
    if (send_all(network, head, (size_t)written) == 0 && send_all(network, body, size) == 0) {
        head[0] = '\0';
        while (used < sizeof head - 1 && strstr(head, "\r\n\r\n") == NULL) {
            const ssize_t got = recv(network, head + used, sizeof head - 1 - used, 0);
            if (got <= 0) break;
            used += (size_t)got;
            head[used] = '\0';
        }
        if (strstr(head, "\r\n\r\n") != NULL && strncmp(head, "HTTP/1.", 7) == 0) {
            *strstr(head, "\r\n\r\n") = '\0';
            response->status = atoi(head + strcspn(head, " "));
            take_header(head, "Ldp-Receipt:", response->receipt, LDP_RECEIPT_SIZE - 1);
            take_header(head, "Ldp-History:", response->history, LDP_HISTORY_SIZE - 1);
        }
    }
    close(network);
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);
    const size_t size = file == NULL || text == NULL ? 0 : fread(text, 1, (1 << 20) - 1, file);
    if (file != NULL) fclose(file);
    if (text != NULL) text[size] = '\0';
    return text;
}

int main(int count, char **words) {
    board on = {.folder = count > 2 ? words[2] : "", .collection = count > 5 ? words[5] : ""};
    const device_hardware hardware = {&on, SLOT_SIZE, read_bytes, erase, write_bytes, request};
    const char *step = count > 1 ? words[1] : "";
    const int formats = strcmp(step, "format") == 0 && count == 4, reports = strcmp(step, "report") == 0 && count == 8;
    device_result result = DEVICE_FAILED;
    device of;
    char *spec;
    if (!formats && !reports && !(strcmp(step, "send") == 0 && count == 6)) {
        fprintf(stderr, "usage: format FOLDER SPEC | report FOLDER SPEC HOST:PORT COLLECTION ROUND VALUE | "
                        "send FOLDER SPEC HOST:PORT COLLECTION\n");
        return 2;
    }
    spec = read_file(words[3]);
    if (formats) {
        result = device_format(&of, &hardware, spec);
    } else if (sscanf(words[4], "%255[^:]:%15[0-9]", on.host, on.port) == 2) {
        snprintf(on.address, sizeof on.address, "http://%s:%s", on.host, on.port);
        result = device_open(&of, &hardware, spec, on.address, on.collection);
        if (result == DEVICE_OK && reports) {
            ldp_value *values = NULL;
            size_t of_record = 0;
            if (ldp_collection_record(of.collection, words[7], LDP_TO_END, &values, &of_record, NULL) != LDP_OK)
                fprintf(stderr, "the record does not match the spec\n");
            result = device_report(&of, values, of_record, (int32_t)atoi(words[6]), NULL);
            ldp_free(values);
        }
        if (result == DEVICE_OK) result = device_send(&of);
        device_close(&of);
    } else {
        snprintf(of.reason, sizeof of.reason, "the address is not HOST:PORT");
    }
    if (result != DEVICE_OK) fprintf(stderr, "%s: %s\n", result == DEVICE_LATER ? "try again later" : "failed", of.reason);
    free(spec);
    return (int)result;
}

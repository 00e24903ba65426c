/* The memory and the time of one mechanism on a device. Reads a spec and its records from standard input, as
 * test/data/records.txt has them. MECHANISMS is the list of LDP_MECHANISMS.
 *
 * With MEASURED, prints the peak of the heap and of the stack in bytes, the milliseconds of the processor to open a client, and
 * its microseconds for a report. Memory is the peak of a client that makes all reports of the records, one after another, and
 * sends each as a body. With BLOCK, the bytes of a parameter block, reports are made without a spec and a client. Without MEASURED, the program does the same and prints nothing: its size is the flash. */
#define _GNU_SOURCE
#include <ldp/ldp_device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LDP_MECHANISMS(MECHANISMS);

enum { MOST_LINES = 200, REPETITIONS = 20 };
static char (*lines)[8192];
static int line_count;
static double opening, reporting;
static long openings, reports;

#ifdef MEASURED
#include <malloc.h>
#include <pthread.h>
#include <time.h>

static size_t used, peak;
static void *took(void *memory) {
    if (memory != NULL) used += malloc_usable_size(memory);
    if (used > peak) peak = used;
    return memory;
}
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size) { return took(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return took(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return took(__real_aligned_alloc(alignment, size)); }
void *__wrap_realloc(void *memory, size_t size) {
    if (memory != NULL) used -= malloc_usable_size(memory);
    return took(__real_realloc(memory, size));
}
void __wrap_free(void *memory) {
    if (memory != NULL) used -= malloc_usable_size(memory);
    __real_free(memory);
}
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#else
static double seconds(void) { return 0; }
#endif

static ldp_error *error;
static void need(ldp_status status) {
    if (status == LDP_OK) return;
    fprintf(stderr, "%s | %s\n", ldp_error_message(error), ldp_error_detail(error));
    exit(1);
}

#ifdef BLOCK
/* Reports without a spec. */
static void serve(void) {
    static const uint8_t block[] = {BLOCK};
    uint8_t body[256];
    char id[LDP_BATCH_ID_SIZE], receipt[LDP_RECEIPT_SIZE];
    size_t size;
    int i;
    for (i = 0; i < MOST_LINES; ++i) {
        const double before = seconds();
        ldp_outcome outcome = LDP_LATER;
        need(ldp_block_report(block, sizeof block, 0, id, body, sizeof body, &size, &error));
        reporting += seconds() - before;
        ++reports;
        need(ldp_delivery_receipt("POST", 201, "region", id, 0, body, size, receipt, &error));
        if (ldp_http_step(LDP_SUBMIT, 201, 1, &outcome) != LDP_SETTLE) exit(1);
    }
    opening = 0; /* there is nothing to open */
    ++openings;
}
#else
/* One client with all records. */
static void serve(void) {
    ldp_collection *of;
    ldp_client *client;
    double before = seconds();
    int i;
    need(ldp_collection_new(lines[0] + 5, LDP_TO_END, LDP_CLAMP, &of, &error));
    need(ldp_client_in_memory(of, NULL, 0, &client, &error));
    opening += seconds() - before;
    ++openings;
    for (i = 1; i < line_count; ++i) {
        char *json;
        const long round = strtol(lines[i] + 7, &json, 10);
        const ldp_batch *batch;
        ldp_flush *flush;
        ldp_value *values;
        size_t count, size;
        uint8_t *bytes;
        const char *type;
        need(ldp_collection_record(of, json, LDP_TO_END, &values, &count, &error));
        before = seconds();
        need(ldp_client_report(client, values, count, (int32_t)round, NULL, &error));
        reporting += seconds() - before;
        ++reports;
        ldp_free(values);
        need(ldp_flush_start(client, NULL, 100, &flush, &error));
        for (;;) {
            need(ldp_flush_next(flush, &batch, &error));
            need(ldp_client_state(client, &bytes, &size, &error));
            ldp_free(bytes);
            if (batch == NULL) break;
            need(ldp_batch_body(batch, &bytes, &size, &type, &error));
            ldp_free(bytes);
            need(ldp_flush_settle(flush, LDP_DELIVERED, NULL, &error));
        }
        ldp_flush_free(flush);
    }
    ldp_client_free(client);
    ldp_collection_free(of);
}
#endif

#ifdef MEASURED
static void *on_thread(void *nothing) {
    serve();
    return nothing;
}

int main(void) {
    enum { STACK = 1 << 20, PAINT = 0xA5 };
    unsigned char *stack = aligned_alloc(4096, STACK);
    pthread_attr_t attributes;
    pthread_t thread;
    size_t untouched = 0, heap;
    int i;
    lines = calloc(MOST_LINES, sizeof lines[0]);
    if (lines == NULL) return 1;
    while (line_count < MOST_LINES && fgets(lines[line_count], sizeof lines[0], stdin) != NULL) ++line_count;
    memset(stack, PAINT, STACK);
    used = peak = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    if (pthread_create(&thread, &attributes, on_thread, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    heap = peak;
    while (untouched < STACK && stack[untouched] == PAINT) ++untouched;
    opening = reporting = 0;
    openings = reports = 0;
    for (i = 0; i < REPETITIONS; ++i) serve();
    printf("%zu %zu %.2f %.1f\n", heap, (size_t)STACK - untouched, 1e3 * opening / (double)openings, 1e6 * reporting / (double)reports);
    return 0;
}
#else
int main(void) {
    lines = calloc(MOST_LINES, sizeof lines[0]);
    if (lines == NULL) return 1;
    while (line_count < MOST_LINES && fgets(lines[line_count], sizeof lines[0], stdin) != NULL) ++line_count;
    serve();
    return 0;
}
#endif

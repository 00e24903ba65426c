/* Cuts the power of the device of demo/device/device_loop.c after each byte that it writes, and before and after each request,
 * once for each such moment of a run. The next run is cut at a random moment, and the third run ends. Memory and server are
 * simulated. Each run is a process of its own, so that a cut loses everything else. The test fails if
 *   - a round has no counted report in the end, or more than one;
 *   - two bodies were sent under one id, or two different reports for one round;
 *   - a report that was made before the cut is made again;
 *   - with memoized responses, two rounds of one value have different reports.
 * The arguments are the spec, and n: only each n-th moment is tested. Prints the number of cuts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_loop.h"

enum { SLOT_SIZE = 16384, ROUNDS = 2, MOST_BATCHES = 64, MOST_BODY = 64 };

/* What survives a cut. */
typedef struct world {
    uint8_t slots[2][SLOT_SIZE];
    struct {
        char id[LDP_BATCH_ID_SIZE];
        int round;
        size_t size;
        uint8_t body[MOST_BODY];
    } batches[MOST_BATCHES];
    int batch_count, made[ROUNDS], lose_response;
    long steps, most_steps; /* power is cut when the first reaches the second */
    char fault[LDP_REASON_SIZE];
} world;

static world *here;

static void fault(const char *what) {
    if (here->fault[0] == '\0') snprintf(here->fault, sizeof here->fault, "%s", what);
}
/* Counts a moment at which the power may be cut. */
static void moment(void) {
    if (++here->steps >= here->most_steps) _exit(9);
}

static int read_bytes(void *context, int slot, size_t at, void *bytes, size_t size) {
    (void)context;
    if (at + size > SLOT_SIZE) return -1;
    memcpy(bytes, here->slots[slot] + at, size);
    return 0;
}
static int erase(void *context, int slot) {
    (void)context;
    moment();
    memset(here->slots[slot] + SLOT_SIZE / 2, 0xFF, SLOT_SIZE / 2);
    moment();
    memset(here->slots[slot], 0x5A, 8); /* a page between two contents */
    moment();
    memset(here->slots[slot], 0xFF, SLOT_SIZE / 2);
    return 0;
}
static int write_bytes(void *context, int slot, size_t at, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    size_t i;
    (void)context;
    if (at + size > SLOT_SIZE) return -1;
    for (i = 0; i < size; ++i) {
        here->slots[slot][at + i] = from[i] | 0x55; /* not all bits of the byte are programmed */
        moment();
        here->slots[slot][at + i] = from[i];
    }
    return 0;
}

/* The endpoint: counts each id once. */
static void request(void *context, const char *method, const char *below, const char *type, const uint8_t *body, size_t size,
                    device_response *response) {
    char id[LDP_BATCH_ID_SIZE] = "";
    int round = 0, i, status = 201;
    (void)context, (void)type;
    moment();
    if (strcmp(method, "POST") != 0 || sscanf(below, "batches/%36[-0-9a-f]?round=%d", id, &round) != 2 || size > MOST_BODY) {
        fault("not a POST of a batch");
        return;
    }
    for (i = 0; i < here->batch_count && strcmp(here->batches[i].id, id) != 0; ++i) continue;
    if (i == MOST_BATCHES) {
        fault("too many batches");
        return;
    }
    if (i < here->batch_count) {
        if (here->batches[i].size != size || memcmp(here->batches[i].body, body, size) != 0) {
            fault("two bodies were sent under one id");
            return;
        }
        status = 200;
    } else {
        strcpy(here->batches[i].id, id);
        here->batches[i].round = round;
        here->batches[i].size = size;
        memcpy(here->batches[i].body, body, size);
        ++here->batch_count;
    }
    moment();
    if (here->lose_response > 0 && here->lose_response-- > 0) return;
    if (ldp_delivery_receipt(method, status, "region", id, round, body, size, response->receipt, NULL) == LDP_OK)
        response->status = status;
}

static const device_hardware hardware = {NULL, SLOT_SIZE, read_bytes, erase, write_bytes, request};

/* What a device does after power has come. */
static void boot(const char *spec) {
    const ldp_value south = ldp_label("south");
    device of;
    int round, attempt;
    if (device_open(&of, &hardware, spec, "https://ldp.example.org", "region") != DEVICE_OK) {
        fault(of.reason);
        return;
    }
    for (round = 0; round < ROUNDS; ++round) {
        ldp_receipt receipt;
        device_result sent = DEVICE_LATER;
        if (device_report(&of, &south, 1, round + 1, &receipt) != DEVICE_OK) {
            fault(of.reason);
            return;
        }
        if (receipt.origin != LDP_IGNORED && here->made[round]) {
            fault("a report that was made was lost, and made again");
            return;
        }
        here->made[round] = 1;
        for (attempt = 0; attempt < 3 && sent == DEVICE_LATER; ++attempt) sent = device_send(&of);
        if (sent != DEVICE_OK) {
            fault(of.reason);
            return;
        }
    }
    device_close(&of);
}

/* Runs the device, and cuts its power at this moment. Returns whether it was cut. */
static int run(const char *spec, long most_steps) {
    int status = 0;
    pid_t child;
    here->steps = 0;
    here->most_steps = most_steps;
    child = fork();
    if (child == 0) {
        boot(spec);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 9)) fault("the device crashed");
    return WIFEXITED(status) && WEXITSTATUS(status) == 9;
}

/* Looks at what the server has seen. */
static void compare(int memoized) {
    int round, i, j;
    for (round = 1; round <= ROUNDS; ++round) {
        int counted = 0;
        for (i = 0; i < here->batch_count; ++i) counted += here->batches[i].round == round;
        if (counted != 1) fault(counted == 0 ? "a round has no report" : "a round has more than one report");
    }
    for (i = 0; i < here->batch_count; ++i)
        for (j = 0; j < i; ++j)
            if ((memoized || here->batches[i].round == here->batches[j].round) &&
                (here->batches[i].size != here->batches[j].size ||
                 memcmp(here->batches[i].body, here->batches[j].body, here->batches[i].size) != 0))
                fault("one value was sent with different noise");
}

int main(int count, char **words) {
    static world fresh;
    const long never = 1000000000;
    long cut, steps, cuts = 0;
    unsigned long chance = 2026;
    device of;
    if (count != 3) return 2;
    here = mmap(NULL, sizeof *here, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (here == MAP_FAILED) return 2;
    here->most_steps = never;
    if (device_format(&of, &hardware, words[1]) != DEVICE_OK) {
        fprintf(stderr, "%s\n", of.reason);
        return 1;
    }
    fresh = *here;
    run(words[1], never);
    steps = here->steps;
    compare(strstr(words[1], "evolving") != NULL);
    for (cut = 1; cut <= steps && here->fault[0] == '\0'; cut += atol(words[2])) {
        *here = fresh;
        here->lose_response = (int)(cut % 3 == 0);
        cuts += run(words[1], cut);
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        cuts += run(words[1], 1 + (long)(chance >> 33) % steps);
        run(words[1], never);
        compare(strstr(words[1], "evolving") != NULL);
    }
    if (here->fault[0] != '\0') fprintf(stderr, "after cut %ld of %ld: %s\n", cuts, steps, here->fault);
    else printf("%ld cuts\n", cuts);
    return here->fault[0] != '\0';
}

/* Reads specs and records from standard input, as test/data/records.txt has them, and writes them to standard output with
 * the reports that a client makes of them. With the library whose random words are those of the file, input and output
 * are the same; lines with reports in the input are not looked at.
 *
 * With LDP_RESTART, each record gets a client of its own, from the state of the preceding one, as on devices that store bytes; the
 * state and the ledger are part of the output. With LDP_DEVICE, the program is one for libldp-device. */
#include <ldp/ldp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ldp_error *error;
static void need(ldp_status status) {
    if (status == LDP_OK) return;
    fprintf(stderr, "%s | %s\n", ldp_error_message(error), ldp_error_detail(error));
    exit(1);
}

static ldp_outcome print(void *context, const ldp_batch *batch, char *reason) {
    size_t i, byte, size;
    (void)context, (void)reason;
    for (i = 0; i < ldp_batch_reports(batch); ++i) {
        const uint8_t *report = ldp_batch_report(batch, i, &size);
        printf("report ");
        for (byte = 0; byte < size; ++byte) printf("%02x", report[byte]);
        printf("\n");
    }
    return LDP_DELIVERED;
}

#ifdef LDP_RESTART
/* Continues with a new client from the state of the client. */
static void restart(const ldp_collection *of, ldp_client **client) {
    ldp_spending spent;
    uint8_t *state;
    size_t size, byte;
    if (ldp_client_spent(*client, 1e-6, &spent, NULL) == LDP_OK)
        printf("spent %d of %d, %.17g, %.17g\n", (int)spent.responses, (int)spent.max_responses, spent.sum, spent.advanced);
    need(ldp_client_state(*client, &state, &size, &error));
    printf("state ");
    for (byte = 0; byte < size; ++byte) printf("%02x", state[byte]);
    printf("\n");
    ldp_client_free(*client);
    need(ldp_client_in_memory(of, state, size, client, &error));
    ldp_free(state);
}
#endif

int main(void) {
    static char line[1 << 16];
    ldp_collection *of = NULL;
    ldp_client *client = NULL;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "report ", 7) == 0) continue;
        fputs(line, stdout);
        if (strncmp(line, "spec ", 5) == 0) {
            ldp_client_free(client);
            ldp_collection_free(of);
            need(ldp_collection_new(line + 5, LDP_TO_END, LDP_CLAMP, &of, &error));
            need(ldp_client_in_memory(of, NULL, 0, &client, &error));
        } else if (strncmp(line, "record ", 7) == 0) {
            char *json = NULL;
            const long round = strtol(line + 7, &json, 10);
            ldp_value *values = NULL;
            size_t count;
            need(ldp_collection_record(of, json, LDP_TO_END, &values, &count, &error));
            need(ldp_client_report(client, values, count, (int32_t)round, NULL, &error));
            ldp_free(values);
            need(ldp_client_flush(client, NULL, print, NULL, 1000, NULL, &error));
#ifdef LDP_RESTART
            restart(of, &client);
#endif
        }
    }
    ldp_client_free(client);
    ldp_collection_free(of);
    return 0;
}

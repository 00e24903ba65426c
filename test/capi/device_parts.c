/* What a program may leave out of libldp-device, or replace. It links one mechanism, for reports of a collection whose spec and
 * parameter block are in parameters.h. WITH_SPEC: with a client. WITH_BLOCK: without a spec. WITH_GENERATOR: with a random
 * generator of its own, which the test can break. WITH_VECTOR: with a mechanism that uses others, which are not linked. The
 * exit code is 0 if all is as expected. */
#include <ldp/ldp_device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parameters.h"

#ifdef WITH_VECTOR
LDP_MECHANISMS(&ldp_mechanism_haar_ranges); /* without the mechanisms that it uses */
#else
LDP_MECHANISMS(&ldp_mechanism_grr);
#endif

#define EXPECT(condition) ((condition) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #condition), exit(1)))

#ifdef WITH_GENERATOR
static uint64_t next_word, drawn;
static int broken;
/* Words that a test can repeat. A device must not do so. */
int ldp_device_random(void *bytes, size_t size) {
    uint8_t *to = bytes;
    size_t i;
    if (broken) return -1;
    for (i = 0; i < size; ++i) to[i] = (uint8_t)((next_word = next_word * 6364136223846793005u + 1442695040888963407u) >> 56);
    ++drawn;
    return 0;
}
#endif

#ifdef WITH_BLOCK
static void of_block(void) {
    static const uint8_t block[] = {BLOCK};
    uint8_t body[64], damaged[sizeof block];
    char id[LDP_BATCH_ID_SIZE], receipt[LDP_RECEIPT_SIZE];
    size_t size;
    ldp_outcome outcome = LDP_LATER;
    ldp_error *error;
    EXPECT(ldp_block_report(block, sizeof block, 2, id, body, sizeof body, &size, NULL) == LDP_OK);
    EXPECT(size == LDP_BODY_EXTRA + 1 && strlen(id) == 36 && body[size - 1] < 4);
    EXPECT(memcmp(body + 2, block + 8, 8) == 0); /* the fingerprint */
    EXPECT(ldp_delivery_receipt("POST", 201, "region", id, 0, body, size, receipt, NULL) == LDP_OK);
    EXPECT(ldp_http_step(LDP_SUBMIT, 201, 1, &outcome) == LDP_SETTLE && outcome == LDP_DELIVERED);
    EXPECT(ldp_block_report(block, sizeof block, 2, id, body, LDP_BODY_EXTRA, &size, NULL) == LDP_INVALID_VALUE && size == 0);
    EXPECT(ldp_block_report(block, sizeof block, 4, id, body, sizeof body, &size, NULL) == LDP_INVALID_VALUE);
    EXPECT(ldp_block_report(block, sizeof block - 1, 2, id, body, sizeof body, &size, NULL) == LDP_MALFORMED);
    EXPECT(ldp_block_report(NULL, 0, 2, id, body, sizeof body, &size, NULL) == LDP_INVALID_VALUE);
    memcpy(damaged, block, sizeof block);
    damaged[2] = 7; /* the number of another mechanism */
    EXPECT(ldp_block_report(damaged, sizeof block, 2, id, body, sizeof body, &size, &error) == LDP_UNSUPPORTED);
    puts(ldp_error_message(error));
    ldp_error_free(error);
    memcpy(damaged, block, sizeof block);
    damaged[3] = 1; /* memoized responses */
    EXPECT(ldp_block_report(damaged, sizeof block, 2, id, body, sizeof body, &size, NULL) == LDP_UNSUPPORTED);
#ifdef WITH_GENERATOR
    {
        uint8_t again[64];
        char same[LDP_BATCH_ID_SIZE];
        next_word = 1;
        EXPECT(ldp_block_report(block, sizeof block, 2, id, body, sizeof body, &size, NULL) == LDP_OK && drawn > 0);
        next_word = 1;
        EXPECT(ldp_block_report(block, sizeof block, 2, same, again, sizeof again, &size, NULL) == LDP_OK);
        EXPECT(memcmp(body, again, size) == 0 && strcmp(id, same) == 0);
        broken = 1;
        EXPECT(ldp_block_report(block, sizeof block, 2, id, body, sizeof body, &size, NULL) == LDP_ENVIRONMENT && size == 0);
        broken = 0;
    }
#endif
}
#endif

#ifdef WITH_SPEC
static void of_spec(void) {
    const ldp_value south = ldp_label("south");
    ldp_collection *of, *other;
    ldp_client *client;
    ldp_error *error;
    EXPECT(ldp_collection_new(SPEC, LDP_TO_END, LDP_CLAMP, &of, NULL) == LDP_OK);
    EXPECT(ldp_collection_new("{\"mechanism\": \"subset\", \"epsilon\": 1, \"domain\": 9}", LDP_TO_END, LDP_CLAMP, &other, &error) ==
           LDP_INVALID_SPEC);
    puts(ldp_error_message(error));
    ldp_error_free(error);
    EXPECT(ldp_collection_new("{\"mechanism\": \"sampled\", \"epsilon\": 1, \"attributes\": [{\"name\": \"a\", \"domain\": 3, \"mechanism\": "
                              "\"grr\"}, {\"name\": \"b\", \"domain\": 3, \"mechanism\": \"grr\"}]}",
                              LDP_TO_END, LDP_CLAMP, &other, &error) == LDP_INVALID_SPEC);
    EXPECT(strcmp(ldp_error_message(error), "the mechanism sampled is missing in this build") == 0);
    ldp_error_free(error);
    EXPECT(ldp_client_in_memory(of, NULL, 0, &client, NULL) == LDP_OK);
    EXPECT(ldp_client_report(client, &south, 1, 0, NULL, NULL) == LDP_OK && ldp_client_pending(client) == 1);
#ifdef WITH_GENERATOR
    {
        uint8_t *before, *after;
        size_t size, then;
        EXPECT(ldp_client_state(client, &before, &size, NULL) == LDP_OK);
        broken = 1;
        EXPECT(ldp_client_report(client, &south, 1, 0, NULL, &error) == LDP_ENVIRONMENT);
        EXPECT(strcmp(ldp_error_message(error), "the random generator of the device failed") == 0);
        ldp_error_free(error);
        EXPECT(ldp_client_state(client, &after, &then, NULL) == LDP_OK && then == size && memcmp(before, after, size) == 0);
        broken = 0;
        EXPECT(ldp_client_report(client, &south, 1, 0, NULL, NULL) == LDP_OK && ldp_client_pending(client) == 2);
        ldp_free(before);
        ldp_free(after);
    }
#endif
    ldp_client_free(client);
    ldp_collection_free(of);
}
#endif

#ifdef WITH_VECTOR
static void of_vector(void) {
    ldp_collection *of;
    ldp_error *error;
    EXPECT(ldp_collection_new("{\"mechanism\": \"haar_ranges\", \"epsilon\": 2, \"attributes\": [{\"name\": \"a\", \"min\": 0, \"max\": 9}, "
                              "{\"name\": \"b\", \"min\": 0, \"max\": 9}]}",
                              LDP_TO_END, LDP_CLAMP, &of, &error) == LDP_INVALID_SPEC);
    EXPECT(strcmp(ldp_error_detail(error), "The mechanism is missing in this build.") == 0);
    ldp_error_free(error);
}
#endif

int main(void) {
#ifdef WITH_VECTOR
    of_vector();
#endif
#ifdef WITH_BLOCK
    of_block();
#endif
#ifdef WITH_SPEC
    of_spec();
#endif
    return 0;
}

/* Reports through an endpoint: PROGRAM URL COLLECTION RECORDS ROUND STATE prints what became of it. */
#include <ldp/ldp_curl.h>

static int failed(ldp_error *error) {
    printf("error: %s\n", ldp_error_message(error));
    ldp_error_free(error);
    return 1;
}

/* As if every answer was lost on its way back. */
static ldp_outcome lose(void *context, const ldp_batch *batch, char *reason) {
    const ldp_outcome outcome = ldp_endpoint_deliver(context, batch, reason);
    if (outcome != LDP_DELIVERED) return outcome;
    strcpy(reason, "lost");
    return LDP_LATER;
}

int main(int argc, char **argv) {
    char reason[LDP_REASON_SIZE];
    ldp_endpoint endpoint = {0};
    ldp_collection *of = NULL;
    ldp_client *client = NULL;
    ldp_error *error = NULL;
    ldp_flushed flushed;
    ldp_value value;
    char *spec;
    int i;
    if (argc != 6) return 2;
    endpoint.curl = curl_easy_init();
    endpoint.url = argv[1];
    endpoint.collection = argv[2];
    curl_easy_setopt(endpoint.curl, CURLOPT_TIMEOUT, 60L);
    spec = ldp_endpoint_spec(&endpoint, reason);
    if (spec == NULL) {
        printf("%s\n", reason);
        return 1;
    }
    if (ldp_collection_new(spec, LDP_TO_END, LDP_CLAMP, &of, &error)) return failed(error);
    free(spec);
    if (ldp_client_in_file(of, argv[5], &client, &error)) return failed(error);
    value = ldp_label("south");
    for (i = 0; i < atoi(argv[3]); ++i)
        if (ldp_client_report(client, &value, 1, atoi(argv[4]), NULL, &error)) return failed(error);
    if (ldp_client_flush(client, NULL, lose, &endpoint, 1000, &flushed, &error)) {
        if (ldp_client_pending(client) == 0) return failed(error);
        printf("%s\n", ldp_error_message(error));
    }
    ldp_error_free(error);
    if (ldp_endpoint_flush(client, &endpoint, 1000, &flushed, &error)) return failed(error);
    printf("%d sent, %d of its batches again, %d refused\n", (int)flushed.reports, (int)flushed.repeated,
           (int)flushed.refused);
    ldp_client_free(client);
    ldp_collection_free(of);
    curl_easy_cleanup(endpoint.curl);
    return 0;
}

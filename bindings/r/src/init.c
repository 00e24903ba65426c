/* The functions that R calls, and the check of the library. */
#include "ldp_r.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include <curl/curl.h>

static const R_CallMethodDef calls[] = {
    {"r_usable", (DL_FUNC)&r_usable, 1},
    {"r_release", (DL_FUNC)&r_release, 1},
    {"r_version", (DL_FUNC)&r_version, 0},
    {"r_collection_new", (DL_FUNC)&r_collection_new, 5},
    {"r_collection_facts", (DL_FUNC)&r_collection_facts, 1},
    {"r_perturb", (DL_FUNC)&r_perturb, 3},
    {"r_summarize", (DL_FUNC)&r_summarize, 3},
    {"r_merge", (DL_FUNC)&r_merge, 2},
    {"r_query", (DL_FUNC)&r_query, 3},
    {"r_plan", (DL_FUNC)&r_plan, 3},
    {"r_simulate", (DL_FUNC)&r_simulate, 5},
    {"r_simulate_summary", (DL_FUNC)&r_simulate_summary, 4},
    {"r_client_new", (DL_FUNC)&r_client_new, 5},
    {"r_fleet_new", (DL_FUNC)&r_fleet_new, 4},
    {"r_client_report", (DL_FUNC)&r_client_report, 6},
    {"r_client_stage", (DL_FUNC)&r_client_stage, 7},
    {"r_client_commit", (DL_FUNC)&r_client_commit, 2},
    {"r_client_discard", (DL_FUNC)&r_client_discard, 1},
    {"r_fleet_report", (DL_FUNC)&r_fleet_report, 7},
    {"r_pending", (DL_FUNC)&r_pending, 2},
    {"r_clamped", (DL_FUNC)&r_clamped, 2},
    {"r_state", (DL_FUNC)&r_state, 1},
    {"r_contract", (DL_FUNC)&r_contract, 2},
    {"r_accept", (DL_FUNC)&r_accept, 3},
    {"r_refused", (DL_FUNC)&r_refused, 2},
    {"r_spec_at", (DL_FUNC)&r_spec_at, 3},
    {"r_flush_start", (DL_FUNC)&r_flush_start, 6},
    {"r_flush_next", (DL_FUNC)&r_flush_next, 2},
    {"r_flush_body", (DL_FUNC)&r_flush_body, 1},
    {"r_flush_deliver", (DL_FUNC)&r_flush_deliver, 1},
    {"r_flush_settle", (DL_FUNC)&r_flush_settle, 3},
    {"r_flush_done", (DL_FUNC)&r_flush_done, 1},
    {NULL, NULL, 0},
};

void attribute_visible R_init_ldp(DllInfo *library) {
    if (ldp_api_version() != LDP_API_VERSION)
        Rf_error("libldp has version %d of the C interface; this package was compiled for %d", ldp_api_version(),
                 LDP_API_VERSION);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    R_registerRoutines(library, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
    R_forceSymbols(library, TRUE);
}

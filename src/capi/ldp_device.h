/* The client of ldp for devices: the functions of ldp.h in the static library libldp-device. The library depends on libc and
 * libm only. It creates reports and batches, and keeps the state of a person: memoized responses, ledger, budget, series. It
 * opens no files or connections. The program stores the bytes of ldp_client_state(), and sends batches.
 *
 *     gcc -Wl,--gc-sections app.c $(pkg-config --cflags --libs ldp-device)
 *
 * Functions, states and reports are the same as in the full library. Specs must have no open choices such as "auto"; servers
 * deliver such specs. Mechanisms for comparison with the literature are omitted. This header adds the functions and lists
 * that only devices need. */
#ifndef LDP_DEVICE_H
#define LDP_DEVICE_H

#define LDP_DEVICE 1
#include "ldp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Mechanisms ------------------------------------------------------------------------------------------------ */

/* A mechanism. ldp_mechanism_grr is the one of specs with "mechanism": "grr". */
typedef struct ldp_mechanism ldp_mechanism;
extern const ldp_mechanism ldp_mechanism_ball, ldp_mechanism_dbitflip, ldp_mechanism_ddrm, ldp_mechanism_dithered,
    ldp_mechanism_duchi, ldp_mechanism_duchi_vector, ldp_mechanism_exponential, ldp_mechanism_grr, ldp_mechanism_haar,
    ldp_mechanism_haar_ordered, ldp_mechanism_haar_ranges, ldp_mechanism_hadamard, ldp_mechanism_joint,
    ldp_mechanism_joint_haar, ldp_mechanism_l_grr, ldp_mechanism_l_osue, ldp_mechanism_label_sets, ldp_mechanism_loloha,
    ldp_mechanism_means_by_group, ldp_mechanism_olh, ldp_mechanism_onebit, ldp_mechanism_optimal,
    ldp_mechanism_optional_mean, ldp_mechanism_pdp, ldp_mechanism_projective, ldp_mechanism_ring, ldp_mechanism_sampled,
    ldp_mechanism_square_wave, ldp_mechanism_strings, ldp_mechanism_subset, ldp_mechanism_threshold_series,
    ldp_mechanism_tree;

/* The mechanisms that a program links: all mechanisms of the library, unless the program has a list of its own. */
extern const ldp_mechanism *const ldp_device_mechanisms[];

/* Lists the mechanisms of the program's specs. The line stands in one source file, outside of functions:
 *
 *     LDP_MECHANISMS(&ldp_mechanism_grr, &ldp_mechanism_subset);
 *
 * The linker leaves out the other mechanisms. A spec with another mechanism is LDP_INVALID_SPEC. A record needs `sampled` and
 * the mechanisms of its parts; `haar_ranges` needs grr, projective and subset. */
#define LDP_MECHANISMS(...) const ldp_mechanism *const ldp_device_mechanisms[] = {__VA_ARGS__, NULL}

/* Random numbers -------------------------------------------------------------------------------------------- */

/* Fills `size` bytes, and returns 0. Returns another number if it cannot: the call that needs the bytes then returns
 * LDP_ENVIRONMENT, and makes no report. The library calls the function for each random word, from the thread that calls the
 * library.
 *
 * The function of the library calls getrandom() of the Linux kernel. A program that defines this function replaces it when it is
 * linked; no other source is used, and no function changes the source later. Epsilon holds only if the bytes are
 * uniform, independent and secret: the output of a cryptographic generator, not the raw samples of a noise source. */
int ldp_device_random(void *bytes, size_t size);

/* Reports without a spec ------------------------------------------------------------------------------------ */

/* Size of the id of a batch in bytes, including the zero at its end. */
#define LDP_BATCH_ID_SIZE 37
/* Bytes of a body in addition to the payload. */
#define LDP_BODY_EXTRA 14

/* Draws a fresh report of one category, at the cost of epsilon, for programs that contain the parameters of their
 * collection: `block` has the bytes of "derived"."block" in the canonical spec. Such programs do not need the code that
 * reads specs. `code` is the index of the label in the domain, counted from 0. Writes the id of a batch with this report to
 * `id`, the body of its POST to `body`, and the size of the body to `size`. The program stores id and body before it sends
 * them, sends the same bytes until the server has counted them, and then deletes them. LDP_MALFORMED if the block is damaged.
 * LDP_UNSUPPORTED if the mechanism is not linked, is not for one category, or memoizes responses. LDP_INVALID_VALUE if the
 * code is not in the domain, or if `capacity` is too small. */
LDP_API ldp_status ldp_block_report(const uint8_t *block, size_t block_size, uint64_t code, char id[LDP_BATCH_ID_SIZE],
                                    uint8_t *body, size_t capacity, size_t *size, ldp_error **error);

#ifdef __cplusplus
}
#endif

#endif

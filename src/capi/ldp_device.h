/* The client of ldp for devices: the functions of ldp.h in the static library libldp-device. The library depends on libc and
 * libm only. It creates reports and batches, and keeps the state of a person: memoized responses, ledger, budget, series. It
 * opens no files or connections. The program stores the bytes of ldp_client_state(), and sends batches.
 *
 *     gcc app.c $(pkg-config --cflags --libs ldp-device)
 *
 * Functions, states and reports are the same as in the full library. Specs must have no open choices such as "auto"; servers
 * deliver such specs. Mechanisms for comparison with the literature are omitted. */
#ifndef LDP_DEVICE_H
#define LDP_DEVICE_H

#define LDP_DEVICE 1
#include "ldp.h"

#endif

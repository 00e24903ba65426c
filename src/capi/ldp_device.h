/* The client of ldp for devices: the functions of ldp.h that the static library libldp-device has. It needs no other library
 * than libc and libm. It makes reports and batches, and keeps the memory of a person: memoized responses, ledger, budget, series.
 * It opens no file and no connection. The program stores the bytes of ldp_client_state(), and sends batches.
 *
 *     gcc app.c $(pkg-config --cflags --libs ldp-device)
 *
 * The functions, the states and the reports are those of the full library. Specs are those that servers deliver: they have no
 * open choices such as "auto". Mechanisms that are kept for comparison with the literature are left out. */
#ifndef LDP_DEVICE_H
#define LDP_DEVICE_H

#define LDP_DEVICE 1
#include "ldp.h"

#endif

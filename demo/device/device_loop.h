/* A device that reports measurements with libldp-device: its state in two slots of persistent memory, and its loop of report,
 * POST and receipt. Copy device_loop.h and device_loop.c, and write the functions of device_hardware for your board;
 * posix_device.c has them for files and sockets. */
#ifndef DEVICE_LOOP_H
#define DEVICE_LOOP_H

#include <ldp/ldp_device.h>

/* A response of the endpoint. */
typedef struct device_response {
    int status;                     /* of HTTP; 0 without a response */
    char receipt[LDP_RECEIPT_SIZE]; /* the header Ldp-Receipt, or empty */
    char history[LDP_HISTORY_SIZE]; /* the header Ldp-History, or empty */
} device_response;

/* The persistent memory and the network of a device. Functions return 0 if they succeed. */
typedef struct device_hardware {
    void *context;    /* first argument of the functions */
    size_t slot_size; /* bytes of each of the two slots */
    /* Reads bytes of a slot. */
    int (*read)(void *context, int slot, size_t at, void *bytes, size_t size);
    /* Erases a slot. A loss of power may leave any bytes in it. */
    int (*erase)(void *context, int slot);
    /* Writes bytes to an erased part of a slot. They are durable when the function returns. A loss of power may leave any
     * part of them in the slot. The other slot keeps its bytes. */
    int (*write)(void *context, int slot, size_t at, const void *bytes, size_t size);
    /* Sends a request below the collection's address (doc/protocol.md), through TLS, and waits for the response. The
     * response has the status 0 if there is none. */
    void (*request)(void *context, const char *method, const char *below, const char *type, const uint8_t *body, size_t size,
                    device_response *response);
} device_hardware;

/* A running device. */
typedef struct device {
    const device_hardware *hardware;
    const char *endpoint;   /* address of the endpoint */
    const char *name;       /* name of the collection */
    ldp_collection *collection;
    ldp_client *client;
    uint64_t sequence;      /* of the newest slot */
    int slot;               /* number of the newest slot */
    char reason[LDP_REASON_SIZE]; /* the cause of the last failure */
} device;

/* The result of a step. */
typedef enum device_result {
    DEVICE_OK = 0,
    DEVICE_LATER = 1, /* the network or the server failed: call device_send() again later */
    DEVICE_FAILED = 2 /* see `reason`; close the device, and open it again */
} device_result;

/* Writes the state of a new person to both slots. Do this once, in the factory or at the request of the person: with a new state, the
 * person spends the budget again. */
device_result device_format(device *of, const device_hardware *hardware, const char *spec);
/* Continues from the newest valid slot. If no slot is valid, fails instead of starting with a new state. */
device_result device_open(device *of, const device_hardware *hardware, const char *spec, const char *endpoint, const char *name);
/* Reports a value in a round, and stores the report. If the round has a report, nothing is drawn, so the call can be repeated
 * after a loss of power. `receipt` may be null. */
device_result device_report(device *of, const ldp_value *values, size_t count, int32_t round, ldp_receipt *receipt);
/* Sends the stored reports until the server has counted them. */
device_result device_send(device *of);
/* Frees the memory of a device. */
void device_close(device *of);

#endif

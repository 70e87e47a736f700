/* The program's end of the sockets. At most one call is under way at a time; a thread of the
 * library serves the requests of the simulator. */
#ifndef CORUN_CLIENT_H
#define CORUN_CLIENT_H

#include <stdbool.h>

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/wire.h"

#define corun_address(p) ((uint64_t)(uintptr_t)(p))
#define corun_pointer(a) ((void *)(uintptr_t)(a))

struct corun_call {
    enum wire_call call;
    uint64_t at[8];
    const void *payload, *more; /* sent contiguously */
    size_t payload_bytes, more_bytes;
    void *out; /* buffer for an answer of exactly out_bytes, or NULL */
    size_t out_bytes;
    /* Alternative to `out`: receives allocated memory with an answer of any size; the caller frees
     * the memory. */
    void **out_new;
    uint64_t got[6];
    uint32_t got_bytes;
};
/* Performs a call and returns the error of the answer. Without the simulator: prints one message
 * per process and returns cudaErrorNoDevice. */
cudaError_t corun_do(struct corun_call *c);
/* Name of the thread of the process that serves the simulator. */
#define CORUN_THREAD "corun serve"
/* Performs a call without payload: CALL_X and up to eight numbers. */
#define corun_simple(...) corun_do(&(struct corun_call){__VA_ARGS__})

const struct wire_device *corun_device(void); /* NULL: no device */

/* Called by cuBLAS. Returns true if the machine multiplies matrices of half on tensor units. */
int __cudaCorunMultipliesHalf(void);

/* Makes these bytes accessible to the program. */
void corun_show(uint64_t address, uint64_t size);
/* Returns the mapping of all device memory, with device address 0 first. */
unsigned char *corun_view(void);

#endif

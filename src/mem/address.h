/* The meaning of an app's virtual address: the space of the address, and where its contents are
 * kept. An address has 49 bits, as CUDA gives a process. A few windows below GLOBAL_BASE map other
 * spaces into the generic address space; everything else is device memory, of which an app owns the
 * allocations of its image. The image allocates from GLOBAL_BASE up to GLOBAL_END; memory that a
 * program places itself may lie up to ADDRESS_END. Address 0 and its neighbourhood are never
 * valid. */
#ifndef CORUN_ADDRESS_H
#define CORUN_ADDRESS_H

#include "isa/inst.h"

#define SHARED_WINDOW 0x10000000ull
#define LOCAL_WINDOW  0x20000000ull
/* .const variables: stored in the image, read-only to kernels */
#define CONST_BASE    0x30000000ull
#define CONST_BANK_BYTES 0x10000 /* room for the .const variables of a module */
#define PARAM_WINDOW  0x40000000ull    /* kernel parameters seen through a generic address */
#define WINDOW_BYTES  0x08000000ull
#define GLOBAL_BASE   0x100000000ull   /* .global variables and allocations */
#define GLOBAL_END    0x10000000000ull /* 2^40 */
#define ADDRESS_END   (1ull << 49)

/* The window of a space among generic addresses. */
struct window {
    u64 base;              /* added to an address of the space gives the generic address */
    u64 start, size_bytes; /* range of the generic addresses */
};
extern const struct window address_windows[SPACE_N];

/* Returns the space of a generic address. For SPACE_GLOBAL only the image knows whether memory
 * exists at the address. */
static inline enum space address_space(u64 generic)
{
    if (likely(generic >= GLOBAL_BASE)) return SPACE_GLOBAL;
    if (generic - SHARED_WINDOW < WINDOW_BYTES) return SPACE_SHARED;
    if (generic - LOCAL_WINDOW < WINDOW_BYTES) return SPACE_LOCAL;
    if (generic - PARAM_WINDOW < WINDOW_BYTES) return SPACE_PARAM;
    return generic - CONST_BASE < WINDOW_BYTES ? SPACE_CONST : SPACE_GLOBAL;
}

#endif

/* Options of policies with extra blocks (gpuduet.c, virtual_thread.c): the state of a warp without
 * a seat, and the tables of an SM. */
#ifndef CORUN_POLICY_RESIDENCY_H
#define CORUN_POLICY_RESIDENCY_H

#include "corun/policy.h"

enum { WARP = 32 }; /* threads */

#define SLOT_BYTES_OPTION                                                                          \
    {"slot_bytes", CORUN_WHOLE, "128", 1, 4096, NULL, "bytes",                                     \
     "State of a warp besides registers: pc, masks, divergence stack, scores."}
#define BANDWIDTH_OPTION(words)                                                                    \
    {"bandwidth", CORUN_WHOLE, "128", 1, 4096, NULL, "bytes per cycle", words}
#define TABLE_BLOCKS_OPTION                                                                        \
    {"table_blocks", CORUN_WHOLE, "32", 1, 64, NULL, "blocks",                                     \
     "Maximum number of blocks on an SM, extra blocks included."}
#define TABLE_WARPS_OPTION                                                                         \
    {"table_warps", CORUN_WHOLE, "128", 1, 4096, NULL, "warps",                                    \
     "Maximum number of warps on an SM, warps of extra blocks included."}

#endif

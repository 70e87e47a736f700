/* May a block be run again from its start, with the same results? As long as it is idempotent: it
 * has made no atomic, printed nothing, and stored nothing where it had read before. (What it wrote
 * it will write again.) Noted while it runs, by a program's copy whose step does so; what it read
 * is kept as a few ranges, so that a block may count as not idempotent though it is, never the
 * other way round. Model: it goes by global memory, as shared and local memory begin anew with the
 * block (Chimera, which paper 002 cites: no atomic, nothing overwritten that was read). Blocks that
 * read what others write at the same time, without atomics, are not looked at. */
#ifndef CORUN_IDEMPOTENCE_H
#define CORUN_IDEMPOTENCE_H

#include "isa/inst.h"

enum { IDEMPOTENCE_RANGES = 8 };
struct idempotence {
    bool ended;
    u32 range_n;
    struct address_range {
        u64 start, end;
    } range[IDEMPOTENCE_RANGES + 1]; /* that were read: by address, none touches the next */
    u64 thread_instructions; /* of the block so far */
};

/* A copy of `p` whose step notes; blocks that run it have block_state.idempotence. */
void idempotence_program(struct program *copy, const struct program *p);

#endif

/* The blocks of an SM: life, seats, capacity, and the addresses of registers and shared memory.
 * life.c moves blocks on and keeps the ledger, block.c holds the warps of a block together
 * (barriers, copies, the end), transfer.c saves and loads blocks, allocator.c finds addresses. gpu
 * calls the doors of life.h.
 *
 * Invariants: `used` is the sum of what the blocks hold by their life (life.def); a block with
 * seats has a block slot; a context outlives its seat. */
#ifndef CORUN_SM_BLOCKS_H
#define CORUN_SM_BLOCKS_H

#include "chip/sm/blocks/allocator.h"
#include "chip/sm/own.h"

struct transfer { /* blocks on their way off the SM or onto it: see transfer.c */
    u64 at;       /* it looks again from then on; NEVER: nothing is to be sent */
    struct block *first, *last;
    u64 until;    /* without traffic: when the first is through; 0: it has not begun */
    struct block *over, *over_last; /* for gpu: have gone, or come */
};

struct retired { /* a block that has run to its end, for gpu */
    const struct work *work;
    u64 block_id, start, end; /* start: of its last stay on an SM */
    u64 warp_instructions;
    u32 block_slot;
};

struct blocks {
    u64 free_seats[2];
    u64 free_blocks;             /* block slots */
    struct block *block[SM_BLOCKS_MAX]; /* seated ones, by block slot; NULL: a free slot */
    struct block *spare_blocks;  /* without a use */
    struct block *dropped_blocks; /* that nobody wants, but whose accesses are under way */
    struct context *spare_contexts;
    struct context_chunk {
        struct context_chunk *next;
    } *context_chunks;           /* made since, each followed by contexts */
    struct corun_resources used; /* the ledger: see life.c */
    struct allocator allocator;  /* where it lies */
    struct transfer transfer;
    u64 empty_from;  /* it has no block from this cycle on */
    u32 unseated;    /* blocks that have left their seats */
    u8 retired_n;        /* blocks retired since gpu took them last */
    OF_BLOCKS struct retired *retired;
    u32 resident_n[APPS_MAX], seated_n[APPS_MAX]; /* blocks; seated: those that can issue */
    u32 max_resident[APPS_MAX];
    u64 resident_since[APPS_MAX]; /* resident_n is counted up to this cycle */
};

#endif

/* A block without timing: its memory, its warps, and how the warps release one another at barriers,
 * mbarriers and exit. Functional execution (functional/) and the SM (chip/sm) run every block
 * through these functions. A function that releases warps returns a mask with one bit for each; the
 * caller decides when they run. */
#ifndef CORUN_EXEC_BLOCK_H
#define CORUN_EXEC_BLOCK_H

#include "exec/warp.h"

/* What all blocks of a launched grid have in common. */
struct grid {
    const struct program *program;
    struct image *image;
    struct printer *printer;      /* may be NULL */
    struct warnings *warnings;    /* may be NULL */
    const struct timer *timer;    /* may be NULL if the program reads no clock */
    const u8 *param;
    u64 workspace;                /* of a cooperative launch, else 0 */
    u32 size[3];                  /* blocks */
    u32 block[3];                 /* threads of a block */
    u32 threads, warps;           /* of a block */
    u32 shared_bytes;             /* static + dynamic */
    u32 grid_id, sm_n;            /* %gridid, %nsmid */
    bool independent;             /* sm.independent_threads */
};

/* Where the parts of a block lie in its memory, in bytes. */
struct block_layout {
    size_t local, idempotence, warps; /* offsets; shared memory is at 0 */
    size_t preds, own, warp; /* offsets in the memory of a warp, registers first; its size */
    size_t stack;                     /* size of a warp's divergence stack */
    size_t zeroed, total;             /* the stacks lie behind what is zeroed */
};

/* `own_bytes`: of each warp, for the caller; zeroed. `noted`: blocks keep a struct idempotence. */
struct block_layout block_layout(const struct grid *g, size_t own_bytes, bool noted);

/* Begins block `block_id` in `memory` (64-byte aligned, layout->total bytes, of which this zeroes
 * what has to be zero). b->warp and b->copies are set before; every other field is set here. */
void block_begin(struct block_state *b, const struct grid *g, u64 block_id, u8 *memory,
                 const struct block_layout *layout, struct effect *e);

/* The caller's own bytes of a warp. */
static inline u8 *block_own(u8 *memory, const struct block_layout *l, u32 warp_id)
{
    return memory + l->warps + warp_id * l->warp + l->own;
}

/* The warp arrives at the barrier that its effect names (EFFECT_BARRIER). Returns the warps that
 * this releases; 0: the barrier is not complete. */
u64 block_arrive(struct block_state *b, u32 warp_id, const struct effect *e);
/* The warp has ended. Returns the warps that no longer wait for it at a barrier. */
u64 block_exit(struct block_state *b);
/* Number of warps that have to arrive at a barrier. */
u32 block_barrier_warps(const struct block_state *b, const struct barrier *r);
/* "warp 1 waits at barrier 0, where 1 of 2 warps have arrived"; nothing if it waits at none. */
void block_barrier_words(const struct block_state *b, u32 warp_id, char *out, size_t room);

/* True once after a step or a copy has ended a phase of an mbarrier: call block_phases then. */
static inline bool block_phases_changed(const struct block_state *b)
{
    return b->phases_seen != b->phases;
}
/* Returns those of the warps `suspended` by try_wait whose phase is over. */
u64 block_phases(struct block_state *b, u64 suspended);

/* Size of a state space of the block, for messages; 0: the space has no end of its own. */
u64 block_space_bytes(const struct block_state *b, u32 space);

#endif

/* A block without timing: its memory, its warps, and their release at barriers, mbarriers and exit.
 * Functional execution (functional/) and the SM (chip/sm) run every block through these functions.
 * A function that releases warps returns a mask with one bit per warp; the caller decides when the
 * released warps run. */
#ifndef CORUN_EXEC_BLOCK_H
#define CORUN_EXEC_BLOCK_H

#include "exec/warp.h"

/* Properties shared by all blocks of a launched grid. */
struct grid {
    const struct program *program;
    struct image *image;
    struct printer *printer;      /* may be NULL */
    struct warnings *warnings;    /* may be NULL */
    const struct timer *timer;    /* may be NULL if the program reads no clock */
    const u8 *param;
    u64 workspace;                /* of a cooperative launch, else 0 */
    u32 size[3];                  /* in blocks */
    u32 block[3];                 /* threads of a block */
    u32 cluster[3];               /* blocks of a cluster; 1 or 0: no clusters */
    bool cluster_given;           /* the launch or the kernel gives a shape */
    u32 threads, warps;           /* per block */
    u32 shared_bytes;             /* static + dynamic */
    u32 grid_id, sm_n;            /* %gridid, %nsmid */
    bool independent;             /* option sm.independent_threads */
    const bool *primary_runs;     /* as in struct block_state */
};

/* Byte offsets and sizes of the parts of a block's memory. */
struct block_layout {
    size_t local, idempotence, warps; /* offsets; shared memory is at 0 */
    size_t preds, own, warp; /* offsets in a warp's memory, behind the registers; its size */
    size_t stack;                     /* size of a warp's divergence stack */
    /* end of the zeroed part, where the stacks begin; total size */
    size_t zeroed, total;
};

/* Returns the block with number n in the order in which blocks start: by cluster, in a cluster by
 * rank. */
u64 grid_block(const struct grid *g, u64 n);

/* Computes the layout. `own_bytes`: zeroed memory per warp for the caller. `noted`: each block has
 * a struct idempotence. */
struct block_layout block_layout(const struct grid *g, size_t own_bytes, bool noted);

/* Initialises block `block_id` in `memory` (64-byte aligned, layout->total bytes; zeroed here as
 * far as necessary). The caller sets b->warp and b->copies first; all other fields are set here. */
void block_begin(struct block_state *b, const struct grid *g, u64 block_id, u8 *memory,
                 const struct block_layout *layout, struct effect *e);

/* Returns the caller's own bytes of a warp. */
static inline u8 *block_own(u8 *memory, const struct block_layout *l, u32 warp_id)
{
    return memory + l->warps + warp_id * l->warp + l->own;
}

/* Records the warp's arrival at the barrier in its effect (EFFECT_BARRIER). Returns the warps
 * released by the arrival; 0: the barrier is not complete. */
u64 block_arrive(struct block_state *b, u32 warp_id, const struct effect *e);
/* Records the end of a warp. Returns the warps released by barriers that waited for the ended warp
 * only. */
u64 block_exit(struct block_state *b, u32 warp_id);
/* Returns the number of warps that must arrive at a barrier. */
u32 block_barrier_warps(const struct block_state *b, const struct barrier *r);
/* Writes "warp 1 waits at barrier 0, where 1 of 2 warps have arrived"; nothing if the warp waits at
 * no barrier. */
void block_barrier_words(const struct block_state *b, u32 warp_id, char *out, size_t room);

/* True if a step or a copy has completed a phase of an mbarrier since the last block_phases: the
 * caller then calls block_phases. */
static inline bool block_phases_changed(const struct block_state *b)
{
    return b->phases_seen != b->phases;
}
/* Returns the warps among `suspended` (by try_wait) whose phase is complete. */
u64 block_phases(struct block_state *b, u64 suspended);

/* Returns the size of a state space of the block, for messages; 0: not limited per block. */
u64 block_space_bytes(const struct block_state *b, u32 space);

#endif

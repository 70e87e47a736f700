/* The blocks of an SM: life cycle, capacity, seats, and addresses of registers and shared memory.
 * Capacity means registers and shared memory; seats means threads, warp slots and a block slot.
 * life.c moves blocks between the states of life.def and keeps the ledger of resources, block.c
 * handles the warps of a block (barriers, copies, the end), transfer.c saves and loads blocks,
 * allocator.c assigns addresses, carveout.c counts changes of the size of shared memory. gpu calls
 * the functions of life.h.
 *
 * Invariants: `used` is the sum of the resources held by the blocks according to life.def. A block
 * with seats has a block slot. A context outlives its stay in a warp slot. */
#ifndef CORUN_SM_BLOCKS_H
#define CORUN_SM_BLOCKS_H

#include "chip/sm/blocks/allocator.h"
#include "chip/sm/blocks/carveout.h"
#include "chip/sm/own.h"

struct transfer { /* blocks being saved or loaded: see transfer.c */
    /* First cycle in which transfer_tick must be called; NEVER: no line to send. */
    u64 at;
    struct block *first, *last;
    u64 until;    /* without traffic: cycle in which the first block is complete; 0: not started */
    struct block *over, *over_last; /* completed transfers, for gpu */
    struct {          /* state of the SM beyond the states of blocks: see sm_move_rest */
        u32 app_id;
        bool saves, over; /* over: notification for gpu */
        u32 lines, left, away; /* in all; to send; without a reply */
    } rest;
};

struct retired { /* notification for gpu of a block that has ended */
    const struct work *work;
    u64 block_id, start, end; /* start: of the last stay on an SM */
    u64 warp_instructions;
    u32 block_slot;
    struct cluster *cluster; /* NULL: none */
    bool triggered; /* by griddepcontrol.launch_dependents */
};

struct blocks {
    u64 free_seats[2];
    u64 free_blocks;             /* block slots, a bit each */
    /* Blocks in states with seats, by block slot; NULL: a free slot. */
    struct block *block[SM_BLOCKS_MAX];
    struct block *spare_blocks;  /* unused block objects */
    /* Blocks no longer wanted, with accesses still in flight. */
    struct block *dropped_blocks;
    struct context *spare_contexts;
    struct context_chunk {
        struct context_chunk *next;
    } *context_chunks;           /* allocated later; contexts follow each header */
    struct corun_resources used; /* the ledger: see life.c */
    struct allocator allocator;  /* addresses for the ledger's resources */
    struct carveout carveout;
    struct transfer transfer;
    u64 empty_from;  /* the SM holds no block from this cycle on */
    u32 unseated;    /* number of times that a block has left its seats */
    u8 retired_n;        /* retired blocks since the last call of sm_retired_clear */
    OF_BLOCKS struct retired *retired;
    u32 seated_n[APPS_MAX]; /* blocks in state SEATED */
    bool grid_news; /* griddepcontrol has taken effect: see sm_grid_take */
    struct cluster *news; /* clusters with news for blocks on other SMs: see sm_cluster_take */
    /* [owner] resident blocks; the blocks of a launch with counters of its own count for the app,
     * too */
    struct {
        u32 n, most;
        u64 since;          /* resident_cycles and active_cycles are counted up to this cycle */
    } resident[OWNERS_MAX];
    struct {
        u32 n;              /* resident blocks of all apps */
        u64 since, cycles;  /* cycles with a block, up to `since` */
    } busy;
};

#endif

/* Residency of an SM: extra blocks, i.e. resident blocks without seats of their own, and swaps
 * between the units of a launch. A unit is a block or a single warp; a seat is room for one unit at
 * the schedulers. unit.c finds units that wait and units that can continue, seats.c counts the
 * seats of a launch, exchange.c swaps units. Other parts call note.h (life.c: exchange.h) when a
 * warp begins or ends a wait.
 *
 * Invariants: A unit is in at most one queue. A swap is in progress while `over_at` is not NEVER.
 * All seats of a launch are occupied unless no swapped-out unit can continue. */
#ifndef CORUN_SM_RESIDENCY_H
#define CORUN_SM_RESIDENCY_H

#include "chip/sm/blocks/blocks.h"
#include "chip/sm/own.h"
#include "table/stat.h"

/* State for the policy's group `residency`. */
enum { UNITS = 2, QUEUE_MOST = 16 }; /* enum corun_unit */
struct resident { /* a unit */
    struct block *block;
    struct context *context; /* NULL: the whole block */
};
struct unit_queue { /* FIFO of units; the fields read most often share a line of the host's cache */
    _Alignas(64) u32 n;
    u8 of[APPS_MAX];
    u64 refused; /* block slots with units that found the queue full, a bit each */
    struct resident at[APPS_MAX * QUEUE_MOST]; /* at most QUEUE_MOST per app */
};
struct moved { /* notification for gpu: a block swapped out and back in */
    const struct work *work;
    u64 block_id, start, end;
    u32 block_slot;
};
struct launch_here { /* counts of a launch on the SM, in units */
    u32 seats; /* maximum */
    /* Seats occupied; seats occupied by units that have not ended. */
    u32 held, seated;
    /* Units swapped out; units that may be swapped out, given the room for their state. */
    u32 absent, spare;
};
struct launch_cache { /* cached counts of the launch examined last */
    const struct work *work;
    enum corun_unit unit;
    /* the sum, and the contribution of each block slot */
    struct launch_here here, part[SM_BLOCKS_MAX];
    u64 changed; /* block slots whose contribution is outdated, a bit each */
};
struct residency {
    /* Fields read in every cycle, in one line of the host's cache. */
    _Alignas(64) u64 noted; /* block slots with units to examine, a bit each */
    /* Block slots excluded from examination, a bit each: the app's queues of stalled and of ready
     * units are both full, hence no unit could be queued. */
    u64 shut;
    u64 over_at;     /* cycle in which the current swap completes; NEVER: no swap in progress */
    /* End of the quantum: cycle in which a seated unit must give up the seat to a ready unit.
     * NEVER: no quantum, or no ready unit waits for a seat. */
    u64 turn_at;
    bool extended;   /* the SM has extra blocks, or had extra blocks earlier */
    bool look;       /* a swap may be possible now */
    u8 extra_apps;   /* apps with extra blocks on the SM, a bit each */
    bool pins;       /* a launch on the SM has its oldest block pinned */
    struct unit_queue stalled[UNITS], ready[UNITS];
    /* Block slots in `shut` with units to examine; the examination is deferred until a queue of the
     * app has room. */
    u64 put_off;
    /* [app] slots to exclude when the queues are full; 0: unknown, or a slot must not be
     * excluded */
    u64 slots_of[APPS_MAX];
    struct launch_cache launch_cache;
    struct resident out, in; /* units being swapped; block NULL: none */
    u32 turn_of;     /* block slot and warp of the last unit whose quantum ended */
    u32 extra_n;     /* extra blocks on the SM */
    u32 pool_bytes;  /* bytes used by extra blocks in free registers, shared memory or L1 */
    u32 l1_n;        /* extra blocks for which L1 holds state */
    u64 since;       /* statistics are counted up to this cycle */
    /* Extra blocks; warps swapped out, including warps being swapped; warps with a warp slot,
     * including ended warps. */
    u32 extra_of[APPS_MAX], absent_of[APPS_MAX], present_of[APPS_MAX];
    struct moved moved[SM_BLOCKS_MAX]; /* notifications for gpu */
    u32 moved_n;
    struct residency_stat stat[APPS_MAX + 1];
};

#endif

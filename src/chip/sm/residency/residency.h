/* The residency of an SM: blocks beyond those that have seats, whose units take turns at the seats
 * of their launch. unit.c finds units that wait or can go on, seats.c counts the places of a
 * launch, exchange.c exchanges units. Other parts call note.h (life.c: exchange.h) when a warp
 * begins to wait, or goes on.
 *
 * Invariants: a unit is in at most one queue; a pair is on its way while `over_at` is a cycle; a
 * launch has as many units seated as it has places, unless none can go on. */
#ifndef CORUN_SM_RESIDENCY_H
#define CORUN_SM_RESIDENCY_H

#include "chip/sm/blocks/blocks.h"
#include "chip/sm/own.h"
#include "table/stat.h"

/* Blocks beyond those that have seats, the policy's group `residency`: see residency/. */
enum { UNITS = 2, QUEUE_MOST = 16 }; /* enum corun_unit */
struct resident { /* what gives up its seats */
    struct block *block;
    struct context *context; /* NULL: all of the block */
};
struct unit_queue { /* first come, first out; what is looked at most: a line of host cache */
    _Alignas(64) u32 n;
    u8 of[APPS_MAX];
    u64 refused; /* block slots with somebody who found it full, a bit each */
    struct resident at[APPS_MAX * QUEUE_MOST]; /* so many of each app */
};
struct moved { /* a block has given up its seats and is back, for gpu */
    const struct work *work;
    u64 block_id, start, end;
    u32 block_slot;
};
struct launch_here { /* in units */
    u32 places;
    u32 held, seated;  /* places with somebody on them; who has not ended */
    u32 absent, spare; /* spare: for so many there is room */
};
struct found { /* of a launch */
    const struct work *work;
    enum corun_unit unit;
    struct launch_here here, part[SM_BLOCKS_MAX]; /* the sum; what is in it of each block slot */
    u64 changed; /* block slots whose part is to be counted anew, a bit each */
};
struct residency {
    /* What is looked at in every cycle: a line of host cache. */
    _Alignas(64) u64 noted; /* block slots in which something has changed, a bit each */
    u64 shut;        /* those of apps that have no unit that could be queued: not looked at */
    u64 over_at;     /* when who moves is there; NEVER: nobody moves */
    u64 turn_at;     /* when somebody's turn is over; NEVER: nobody could go on, or there is none */
    bool extended;   /* the SM has, or had, blocks beyond its seats */
    bool look;       /* a unit may move now */
    u8 extra_apps;   /* that have extra blocks on the SM, a bit each */
    bool pins;       /* a launch is here whose oldest block is pinned */
    struct unit_queue stalled[UNITS], ready[UNITS];
    u64 put_off;             /* of `shut`, those noted: looked at when there is room */
    u64 slots_of[APPS_MAX];  /* an app's; 0: not known, or one of them must not be shut */
    struct found found;
    struct resident out, in; /* on their way; block NULL: none */
    u32 turn_of;     /* block slot and warp of the one whose turn was over last */
    u32 extra_n;     /* blocks on the SM */
    u32 pool_bytes;  /* that these hold of what is left */
    u32 l1_n;        /* of these, those for which L1 holds state */
    u64 since;       /* statistics are counted up to this cycle */
    /* Blocks; warps, absent ones on their way too, present ones ended too. */
    u32 extra_of[APPS_MAX], absent_of[APPS_MAX], present_of[APPS_MAX];
    struct moved moved[SM_BLOCKS_MAX]; /* for gpu */
    u32 moved_n;
    struct residency_stat stat[APPS_MAX + 1];
};

#endif

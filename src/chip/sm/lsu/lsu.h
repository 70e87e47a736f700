/* The load/store unit of an SM, with its L1 and texture cache. coalesce.c makes transactions of the
 * lanes' addresses, ldst.c works on the oldest instruction and takes replies, pending.c ends
 * instructions whose accesses are over. Other parts call the headers of this
 * folder; told.h and outstanding.h are the ones that include nothing of it.
 *
 * Invariants: a pending access names the context that waits for it, so a reply finds the context
 * wherever its block is; an entry stays until its last access is answered and its last store
 * acknowledged; a refused access is tried again after an event, and the cycles between count as
 * refused. */
#ifndef CORUN_SM_LSU_H
#define CORUN_SM_LSU_H

#include "chip/l1/l1.h"
#include "chip/sm/own.h"
#include "chip/sm/sm_conf.h"
#include "chip/tex/tex.h"
#include "chip/sm/port/port.h"
#include "exec/warp.h"
#include "mem/fifo.h"

enum {
    SEGMENTS_MAX = 128, /* of a load or store: 32 lanes of four words of local memory */
    TRANSACTIONS_MAX = TEXELS_MAX, /* of an instruction */
    WRITE_BACK_CYCLES = 2, /* from the write-back register until they can be read */
    REQ_COPY = REQ_SECTOR + 1 /* kind of a pending access: a load that ends in shared memory */
};

/* One that accesses lines, from the load/store unit until its last reply. It stays with the SM that
 * made it, also when its context moves to another. */
struct pending {
    struct release release;
    u64 issued;
    u32 left;      /* transactions not yet answered; of a store: not yet accepted by L1 */
    u32 stores;    /* requests of a store not yet acknowledged */
    u16 next;      /* free list */
    u8 kind;       /* enum req_kind, or REQ_COPY */
    u8 app_id;
    u16 filter;    /* a texture instruction's cycles in the filter; 0: it is none */
    bool beyond;   /* a load or an atomic that L1 did not answer: counted in the context */
};

struct queued {    /* a memory instruction between issue and its last accepted access */
    _Alignas(64) u64 arrives; /* the unit works on it not before */
    struct issue_port *port;
    u8 space, kind, app_id;
    bool looks_up, passes_l1; /* goes to the memory system through L1, or past it; else: */
    u32 cycles;     /* shared memory, constants, parameters: how long it holds the unit */
    u32 conflicts;  /* shared memory: part of `cycles` spent on bank conflicts */
    /* Of one that does not go to the memory system; else only its seat is set, and the rest is with
     * the pending access, by number: */
    struct release release;
    u16 pending, filter;
    u16 transaction_n, transaction_next;
    struct transaction transaction[TRANSACTIONS_MAX];
};

/* with a class order: those who take turns at the write-back register */
enum result_of { RESULT_SHARED, RESULT_PASSING, RESULT_FILLED, RESULT_TEXTURE, RESULT_OF_N };

struct late { /* a result in the pipe of shared memory */
    struct release release;
    u64 at; /* it is written in this cycle or later */
    u8 kind;
};

struct landings { /* copies whose bytes have come, or will, by cycle: see pending.c */
    u64 at;       /* of the first; NEVER: there is none */
    struct landing {
        u64 at;
        u32 id;   /* of its pending access */
    } *queue;
    u32 n, room;
};

struct lsu {
    /* last cycle in which refused accesses were counted; NEVER: nothing is refused now */
    _Alignas(64) u64 failures_counted;
    u64 unit_busy_until; /* the load/store unit works on shared memory, constants, parameters */
    u64 unit_at;     /* it looks at its oldest instruction from then on; NEVER: it has none */
    u64 reply_at; /* the first reply can be taken from this cycle on; NEVER: there is none */
    u64 texel_at; /* the texture cache may answer an access from then on; NEVER: none is ready */
    u32 queue_head, queue_n;
    u32 queue_room;
    u32 events;          /* EVENT_*, since they were looked at last */
    /* Ring of queue_room: memory instructions from issue until the load/store unit is through with
     * them; the first is in the unit or, without a class order, will be next. */
    OF_LSU struct queued **queue;
    struct fifo reply; /* replies that arrived */
    /* Pending accesses: of pending_n entries those from pending_fresh on were never used, others
     * that are free are a list. An entry outlives its instruction's registers while its stores
     * are not acknowledged. */
    u32 pending_free_head, pending_fresh, pending_n, pending_free_n;
    OF_LSU struct pending *pending;
    u64 answer_at;        /* when the next reader of a line may be answered */
    OF_LSU u64 *fail_cell, *stall_cell; /* without pipes: the counters of a cycle it is refused */
    /* With a class order: */
    u32 passing;          /* a reply that passed L1; REQ_NONE: none waits */
    u32 reply_cycles, write_back_cycles; /* of a reply: until the fill; from the register on */
    u32 late_head, late_n, late_room;
    OF_LSU struct late *late; /* the pipe of shared memory, a ring */
    u64 result_at;        /* from when on the write-back register is free */
    u8 result_turn;       /* whose turn it is: enum result_of */
    _Alignas(64) u64 requests_freed;
    u32 outstanding_apps; /* a bit for each app that has some, or had since `counted` */
    u32 in_flight[APPS_MAX]; /* memory instructions with accesses that are not over */
    struct outstanding {
        u32 n;           /* requests of loads and atomics that are beyond L1 now */
        /* Misses times cycles since front.counted are n * cycles - correction: a request sent in
         * cycle t adds t - counted to the correction, one that comes back in t takes as much away.
         * Modulo 2^64: it may be below 0. */
        u64 correction;
    } outstanding[APPS_MAX];
    u32 in_flight_peak[APPS_MAX]; /* the most of them since gpu looked */
    struct landings landings;
    struct l1 l1;
    struct tex tex;
};

#endif

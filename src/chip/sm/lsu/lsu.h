/* The load/store unit of an SM, with L1 and texture cache. coalesce.c converts lane addresses to
 * transactions, ldst.c processes the oldest instruction and takes replies, pending.c completes
 * instructions. Other parts call the headers of this folder; events.h and outstanding.h include
 * only state.h.
 *
 * Invariants: A pending access names the waiting context, hence a reply finds the context wherever
 * the block is. The entry stays until the last access is answered and the last store acknowledged.
 * A refused access is tried again after an event; the cycles between count as refused. */
#ifndef CORUN_SM_LSU_H
#define CORUN_SM_LSU_H

#include "cache/fifo.h"
#include "chip/l1/l1.h"
#include "chip/sm/own.h"
#include "chip/sm/sm_conf.h"
#include "chip/tex/tex.h"
#include "chip/sm/port/port.h"
#include "exec/warp.h"

enum {
    SEGMENTS_MAX = 128, /* of a load or store: 32 lanes with four words of local memory */
    TRANSACTIONS_MAX = TEXELS_MAX, /* per instruction */
    WRITE_BACK_CYCLES = 2, /* from the write-back register until the registers are readable */
    REQ_COPY = REQ_INVALIDATE + 1 /* kind of a pending access: a load into shared memory */
};

/* An instruction that accesses lines (a pending access), from the load/store unit to the last
 * reply. The entry stays with the SM that made the accesses, even when the context moves to another
 * SM. */
struct pending {
    struct release release;
    u64 issued;
    u32 left;      /* transactions not yet answered; store: not yet accepted by L1 */
    u32 stores;    /* store requests not yet acknowledged */
    u16 next;      /* free list */
    u8 kind;       /* enum req_kind, or REQ_COPY */
    u8 app_id, owner;
    u16 filter;    /* cycles in the texture filter; 0: not a texture instruction */
    bool bulk;     /* REQ_COPY: a bulk copy (cp.async.bulk) */
    bool beyond;   /* load or atomic not answered by L1: counted in context.beyond_n */
};

struct queued {    /* a memory instruction, from issue to the last accepted access */
    _Alignas(64) u64 arrives; /* first cycle in which the unit can work on the instruction */
    struct issue_port *port;
    u8 space, kind, app_id, owner;
    /* Path of the transactions: through L1, or bypassing L1. Neither: texture cache or on-chip
     * memory. */
    bool looks_up, passes_l1;
    /* Shared memory, constants, parameters: cycles in the unit. */
    u32 cycles;
    u32 conflicts;  /* shared memory: part of `cycles` due to bank conflicts */
    /* Registers of an instruction for shared memory, constants or parameters. An instruction for
     * the memory system uses release.seat only; the registers are in the pending access with number
     * `pending`. filter: as in struct pending. */
    struct release release;
    u16 pending, filter;
    u16 transaction_n, transaction_next;
    struct inst_stat *row; /* shared memory: counters of the instruction, if the SM counts */
    struct transaction transaction[TRANSACTIONS_MAX];
};

/* With class order: sources that take turns at the write-back register. */
enum result_of { RESULT_SHARED, RESULT_PASSING, RESULT_FILLED, RESULT_TEXTURE, RESULT_OF_N };

struct deferred { /* with class order: a result in the shared-memory pipeline */
    struct release release;
    u64 at; /* earliest cycle of the write-back */
    u8 kind;
};

/* Copies to shared memory whose bytes have arrived or have a known arrival, ordered by cycle: see
 * pending.c. */
struct landings {
    u64 at;       /* arrival of the first; NEVER: no copies */
    struct landing {
        u64 at;
        u32 id;   /* number of the pending access */
    } *queue;
    u32 n, room;
};

struct sm;

struct lsu {
    /* last cycle for which refused accesses are counted; NEVER: no access is being refused */
    _Alignas(64) u64 failures_counted;
    /* The load/store unit works on shared memory, constants or parameters until this cycle. */
    u64 unit_busy_until;
    /* The unit examines the oldest instruction from this cycle on; NEVER: the unit is empty. */
    u64 unit_at;
    u64 reply_at; /* first cycle in which a reply can be taken; NEVER: no reply */
    /* First cycle in which the texture cache can answer an access; NEVER: unknown. */
    u64 texel_at;
    u32 queue_head, queue_n;
    u32 queue_room;
    u32 events;          /* EVENT_* since the last examination */
    /* Ring of queue_room memory instructions, from issue until the load/store unit has finished.
     * The first instruction is in the unit or, without class order, next to enter. */
    OF_LSU struct queued **queue;
    struct fifo reply; /* replies that have arrived */
    /* Pending accesses, pending_n entries: entries from pending_fresh on were never used, the other
     * free entries form a list. An entry outlives the release of the registers while stores are not
     * acknowledged. */
    u32 pending_free_head, pending_fresh, pending_n, pending_free_n;
    OF_LSU struct pending *pending;
    u64 answer_at;        /* first cycle in which the next reader of a line can be answered */
    /* With pipes: lines of accepted lookups and of fills since the last examination of refused
     * lookups, as bits (l1_line_bit). */
    u64 changed_lines;
    /* Without pipes: counters to increment for each cycle in which the oldest access is refused. */
    OF_LSU u64 *fail_cell, *stall_cell;
    /* With class order: */
    /* a reply that bypassed L1 and waits for the write-back register; REQ_NONE: none */
    u32 passing;
    /* Delay of a reply before the fill; cycles from the write-back register until readable. */
    u32 reply_cycles, write_back_cycles;
    u32 deferred_head, deferred_n, deferred_room;
    OF_LSU struct deferred *deferred; /* pipeline of shared memory, a ring */
    u64 result_at;        /* first cycle in which the write-back register is free */
    u8 result_turn;       /* source with the next turn: enum result_of */
    _Alignas(64) u64 requests_freed;
    /* Makes a lookup in L1; has a variant that counts by instruction (inst_count.h). */
    enum l1_result (*lookup)(struct sm *sm, const struct lookup *k, u64 now);
    /* Owners with outstanding misses now or since front.counted, a bit each. */
    u64 outstanding_owners;
    u64 network_at;       /* first cycle in which the port to other SMs of the GPC is free */
    u32 in_flight[APPS_MAX]; /* memory instructions with incomplete accesses */
    struct outstanding {
        u32 n;           /* requests of loads and atomics beyond L1 now */
        /* The sum of misses over the cycles since front.counted is n * cycles - correction: a
         * request sent in cycle t adds t - front.counted to the correction, a request answered in t
         * subtracts the same. Modulo 2^64, since the correction may be negative. */
        u64 correction;
    } outstanding[OWNERS_MAX];
    u32 in_flight_peak[APPS_MAX]; /* peak of in_flight since sm_peak_restart */
    struct landings landings;
    struct l1 l1;
    struct tex tex;
};

#endif

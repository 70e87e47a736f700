/* The port of an SM, between issue and the functional units: pipeline registers, operand
 * collectors, register banks, units, and the registers whose result is under way. issue_port.c
 * reserves all that an instruction passes at issue, class_order.c orders the instructions of a
 * class over all sub-cores, release.c ends instructions whose end was not known at issue.
 *
 * Invariants: times only grow, and each is known at issue, except behind the load/store unit; a
 * register cannot be read before `ready_at`; an instruction whose end is not known at issue holds
 * one of `memory_room` until then. */
#ifndef CORUN_SM_PORT_H
#define CORUN_SM_PORT_H

#include "chip/l1/l1.h"
#include "chip/sm/own.h"
#include "isa/inst.h"

struct context;
struct inst;
struct queued;

enum pipe { PIPE_SP, PIPE_SFU, PIPE_MEM, PIPE_INT, PIPE_DP, PIPE_TENSOR, PIPE_N };
enum { COLLECTORS_MAX = 32, BANK_WINDOW = 64, RESULT_BUSES_MAX = 16, RESULT_WINDOW = 64 };

/* n equal places, each free from a time on: a ring, in order of time from `head` on */
struct resource_pool {
    u64 *free; /* NEVER: not known */
    u32 head;
    u16 n, mask;
};

static inline u64 *pool_at(const struct resource_pool *s, u32 k)
{
    return &s->free[(s->head + k) & s->mask];
}
static inline u64 pool_first(const struct resource_pool *s) { return s->free[s->head]; }

/* the k-th is vacant, those before it may be later than `time` */
static inline void pool_insert(struct resource_pool *s, u32 k, u64 time)
{
    for (; k; k--) {
        u64 before = *pool_at(s, k - 1);
        if (before <= time) break;
        *pool_at(s, k) = before;
    }
    *pool_at(s, k) = time;
}

/* the place that is free first is taken until `time` */
static inline void pool_take(struct resource_pool *s, u64 time)
{
    s->head = (s->head + 1) & s->mask;
    pool_insert(s, s->n - 1u, time);
}

void pool_change(struct resource_pool *s, u64 from, u64 to); /* the place free from `from` */
static inline void pool_known(struct resource_pool *s, u64 time) /* of one that was NEVER */
{
    pool_insert(s, s->n - 1u, time);
}

struct timing {
    u32 latency, initiation;
};

struct bank { /* of registers */
    u64 busy; /* bit k: it reads or is written in round from + k */
    u64 from;
};

struct result_buses { /* of the SM */
    u64 from; /* a cycle; bit k of a bus: a result takes it in cycle from + k */
    u32 n;
    u64 taken[RESULT_BUSES_MAX];
};

struct pipeline { /* what the instructions of one class pass */
    _Alignas(64) struct resource_pool reg; /* pipeline registers, cycles */
    struct resource_pool out;              /* registers in front of the units, rounds */
    struct resource_pool unit;             /* functional units, cycles */
    struct resource_pool collectors; /* collector units, rounds */
    u64 results, results_from; /* of a single unit: bit k: one comes out in cycle from + k */
};

struct class_order;
struct parked;
struct waiter;

struct issue_port { /* of the whole SM, or of one scheduler when sm.sub_cores is set */
    /* a pipeline register is free from this cycle on; NEVER: not known */
    _Alignas(64) u64 open[PIPE_N];
    struct bank *bank;
    u32 bank_n, bank_mask; /* mask 0: n is no power of two */
    u8 collectors_of[PIPE_N]; /* the pipeline whose collectors it uses: its own, or all SP's */
    /* memory instructions issued and not known to have entered the load/store unit: one in the
     * register in front of it, then those in collectors, then one in the pipeline register */
    bool held; /* there is one in the pipeline register, as all collectors wait for the unit */
    u32 memory_n, waiting_head, waiting_n;
    u64 memory_out; /* round from which the register in front of the unit is free */
    struct class_order *order; /* sm.collector_order=class: the SM's; else NULL, enters 0 */
    struct result_buses *results; /* NULL: any number of results in a cycle */
    u64 enters; /* round in which the one picked last has its collector; NEVER: not known */
    struct parked *parked; /* [pipe] */
    struct waiter *waiter; /* [pipe] */
    struct bank *computed; /* [bank], with an order; bit k: a result is written in from + k */
    u64 waiting[COLLECTORS_MAX]; /* last round of operand reads of those in collectors */
    /* with an order, by collector: the memory instruction in it, or NULL; then `waiting` goes by
     * collector, too, and memory_out is NEVER while `collected`, in the unit's register, waits */
    struct queued *holds[COLLECTORS_MAX];
    struct queued *collected;
    struct pipeline pipeline[PIPE_N];
};

struct frame_of {  /* an instruction's warp, where its frame's registers and predicates begin */
    struct context *context;
    u32 row, pred;
    u32 bank_from; /* added to a row to find its bank */
};

enum {
    /* that can be over in one cycle: a hit in each bank, a reader answered, a reply, a store's
     * acknowledgement, one of shared memory, copies that land, a fragment, those that
     * class_order.c resumes */
    ELSEWHERE_MAX = 2 * L1_BANKS_MAX + 7 + 40
};

struct release { /* of a memory instruction's registers, at its end */
    struct context *context;
    u8 seat; /* of the context when it was issued: most often it still is there */
    u8 dst_n;
    u8 write_cycles; /* its registers are written in */
    u16 copy; /* of a copy: its number */
    u16 dst[DST_MAX + 1]; /* scoreboard entries, by which ready_at of the context goes */
    const u16 *number; /* of each of their names, for its bank */
};

struct elsewhere { /* what ended here, for the SM at which its context is seated now */
    struct release release;
    u64 ready;
    u8 kind;
    bool acknowledged; /* a store's request, not an instruction */
};

enum { RESULTS = 256 }; /* cycles ahead whose results are known */

/* Of the whole SM; the rest is in each scheduler's issue_port. */
struct port {
    struct class_order *class_order; /* sm.collector_order=class, else NULL */
    u32 memory_room;     /* further instructions whose registers may be held */
    OF_PORT struct elsewhere *elsewhere; /* ends, for contexts seated on another SM */
    u32 elsewhere_n;
    OF_PORT u32 *result; /* [cycle mod RESULTS]: a cycle in which a result is written */
};

#endif

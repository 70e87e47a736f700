/* The port of an SM, between issue and the functional units: pipeline registers, operand
 * collectors, register banks, functional units, and registers with outstanding results.
 * issue_port.c reserves all stages for an instruction at issue, class_order.c orders the
 * instructions of a class across all sub-cores, release.c completes instructions whose end was
 * unknown at issue.
 *
 * Invariants: Times only increase, and each is known at issue, except behind the load/store unit. A
 * register is not readable before `ready_at`. An instruction of unknown end occupies one unit of
 * `memory_room` until the end. */
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

/* n equal resources, each with the time from which the resource is free; a ring sorted by time,
 * starting at `head` */
struct resource_pool {
    u64 *free; /* NEVER: unknown */
    u32 head;
    u16 n, mask;
};

static inline u64 *pool_at(const struct resource_pool *s, u32 k)
{
    return &s->free[(s->head + k) & s->mask];
}
static inline u64 pool_first(const struct resource_pool *s) { return s->free[s->head]; }

/* Inserts `time` in sorted order. Entry k is vacant; entries before k may be later than `time`. */
static inline void pool_insert(struct resource_pool *s, u32 k, u64 time)
{
    for (; k; k--) {
        u64 before = *pool_at(s, k - 1);
        if (before <= time) break;
        *pool_at(s, k) = before;
    }
    *pool_at(s, k) = time;
}

/* Takes the resource that is free first, until `time`. */
static inline void pool_take(struct resource_pool *s, u64 time)
{
    u32 head = s->head, mask = s->mask, end = (head + s->n) & mask;
    u64 *free = s->free;
    s->head = (head + 1) & mask;
    if (likely(free[(end - 1) & mask] <= time)) free[end] = time;
    else pool_insert(s, s->n - 1u, time);
}

/* Changes the time of the resource that was free from `from` on. */
void pool_change(struct resource_pool *s, u64 from, u64 to);
/* Sets the time of a resource that was NEVER. */
static inline void pool_known(struct resource_pool *s, u64 time)
{
    pool_insert(s, s->n - 1u, time);
}

struct timing {
    u32 latency, initiation;
    s32 readable; /* cycles from the entry into the unit until dependent instructions can issue */
};

struct bank { /* a register bank */
    u64 busy; /* bit k: the bank reads or writes in round from + k */
    u64 from;
};

struct result_buses { /* result buses of the SM */
    u64 from; /* a cycle; bit k of `taken`: the bus carries a result in cycle from + k */
    u32 n;
    u64 taken[RESULT_BUSES_MAX];
};

struct pipeline { /* stages for the instructions of one class */
    _Alignas(64) struct resource_pool reg; /* pipeline registers; times in cycles */
    struct resource_pool out;              /* input registers of the units; in rounds */
    struct resource_pool unit;             /* functional units; in cycles */
    struct resource_pool collectors; /* collector units; in rounds */
    /* With a single functional unit: bit k: a result leaves the unit in cycle results_from + k. */
    u64 results, results_from;
};

struct class_order;
struct deferred_issue;
struct reservation;

struct issue_port { /* of the whole SM, or with sm.sub_cores of one scheduler */
    /* first cycle in which a pipeline register is free; NEVER: unknown */
    _Alignas(64) u64 open[PIPE_N];
    struct bank *bank;
    u32 bank_n, bank_mask; /* mask 0: bank_n is not a power of two */
    /* pipeline whose collectors are used: the same pipeline, or SP for all */
    u8 collectors_of[PIPE_N];
    /* Memory instructions issued and not known to have entered the load/store unit (memory_n): one
     * in the unit's input register, others in collectors, and with `held` one in the pipeline
     * register. */
    bool held; /* the pipeline register is occupied because all collectors wait for the unit */
    u32 memory_n, waiting_head, waiting_n;
    u64 memory_out; /* round from which the input register of the load/store unit is free */
    /* sm.collector_order=class: class order of the SM; otherwise NULL, and `enters` is 0 */
    struct class_order *order;
    struct result_buses *results; /* NULL: unlimited results per cycle */
    /* Round in which the instruction issued last enters a collector; NEVER: unknown. */
    u64 enters;
    struct deferred_issue *deferred; /* [pipe] */
    struct reservation *reservation; /* [pipe] */
    u8 number; /* of the port */
    /* [bank], with class order; bit k: write-back of a compute result in cycle from + k */
    struct bank *computed;
    /* last round of operand reads of memory instructions in collectors */
    u64 waiting[COLLECTORS_MAX];
    /* With class order: memory instruction in each collector, or NULL; `waiting` is then indexed by
     * collector. `collected` is the instruction in the load/store unit's input register; while not
     * NULL, memory_out is NEVER. */
    struct queued *holds[COLLECTORS_MAX];
    struct queued *collected;
    struct pipeline pipeline[PIPE_N];
};

/* A warp at an instruction, with the start of the current frame's registers and predicates. */
struct frame_of {
    struct context *context;
    u32 row, pred;
    u32 bank_from; /* added to a row to select the register bank */
};

enum {
    /* Maximum number of completions in one cycle: a hit per bank, an answered reader, a reply, a
     * store acknowledgement, a shared-memory access, landing copies, a texture fragment,
     * instructions resumed by class_order.c. */
    ELSEWHERE_MAX = 3 * L1_BANKS_MAX + 11 + 40
};

struct release { /* destination registers of an instruction whose end is unknown at issue */
    struct context *context;
    u8 seat; /* warp slot of the context at issue, usually still the same at the end */
    u8 dst_n;
    u8 write_cycles; /* cycles for writing the registers */
    u16 copy; /* cp.async: number of the copy */
    u16 dst[SCORE_DST_MAX]; /* scoreboard entries, as indices into the context's ready_at */
    const u16 *number; /* numbers in the registers' names, for the banks */
};

struct elsewhere { /* a completion at this SM for a context that belongs to another SM now */
    struct release release;
    u64 ready;
    u8 kind;
    bool acknowledged; /* acknowledgement of a store request, not the end of an instruction */
    s8 beyond;   /* 1, -1: change of context.beyond_n, not the end of an instruction */
};

enum { RESULTS = 256 }; /* cycles covered by `result` */

/* State for the whole SM; the remaining state is in the issue_port of each scheduler. */
struct port {
    struct class_order *class_order; /* sm.collector_order=class, otherwise NULL */
    u32 memory_room;     /* number of further instructions of unknown end that fit */
    OF_PORT struct elsewhere *elsewhere; /* completions for contexts of other SMs, for gpu */
    u32 elsewhere_n;
    /* [cycle mod RESULTS] cycle in which the load/store unit writes a result. */
    OF_PORT u32 *result;
};

#endif

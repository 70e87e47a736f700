/* What lies between issue and a functional unit: pipeline registers, collector units, register
 * banks, the registers in front of the units, the units. issue.c takes a pipeline register and
 * asks when the result is written; ldst.c says when a memory instruction has entered its unit.
 * Nothing here is stepped: each instruction reserves all it needs when it is issued, so every time
 * is known then, except behind the load/store unit. Times are cycles or, inside the collector,
 * rounds: a cycle has `sm.register_ports` of them. Source: machine description 1.2, 2.4, 2.5. */
#ifndef CORUN_SM_ISSUE_PORT_H
#define CORUN_SM_ISSUE_PORT_H

#include "base/arena.h"
#include "chip/sm/sm_conf.h"

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
struct queued;
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

struct sm;
struct seat;
struct inst;
struct context;
struct frame_of {  /* an instruction's warp, where its frame's registers and predicates begin */
    struct context *context;
    u32 row, pred;
    u32 bank_from; /* added to a row to find its bank */
};
struct issue_port *issue_port_new(const struct sm_conf *conf, struct arena *arena);
/* memory instructions at most, from issue until the unit lets them go */
u32 issue_port_memory_room(const struct sm_conf *conf);
/* Takes a pipeline register in cycle `now`; it must be open. With an order class_order_take comes
 * next. */
static inline void issue_port_take(struct issue_port *f, enum pipe p, u64 now)
{
    pool_take(&f->pipeline[p].reg, now + 1);
    f->open[p] = pool_first(&f->pipeline[p].reg);
}
/* The cycle in which the result is written back and can be read; SOON: class_order.c will tell. */
u64 issue_port_compute(struct sm *sm, struct issue_port *f, struct seat *s,
                       const struct inst *i, enum pipe p, u64 now);
/* The same, with an order, of one that takes a collector in round `at`. */
u64 issue_port_compute_at(struct sm *sm, struct issue_port *f, const struct frame_of *of,
                          const struct inst *i, enum pipe p, u64 at, u64 now);
/* The same of a memory instruction that accesses nothing: its guard is false, or it is a fence. */
u64 issue_port_no_access(struct sm *sm, struct issue_port *f, struct seat *s, const struct inst *i,
                         u64 now);
/* The load/store unit works on it, m, not before this cycle; those ahead may make it later. With an
 * order: when class_order_move says. */
u64 issue_port_memory(struct sm *sm, struct issue_port *f, struct seat *s,
                      const struct inst *i, struct queued *m, u64 now);
/* It stays in its pipeline register until class_order.c knows better. */
void issue_port_hold(struct issue_port *f, enum pipe p, u64 now);
/* With an order: memory instruction m takes a collector in round `at`. */
void issue_port_memory_at(struct sm *sm, struct issue_port *f, u32 row, const struct inst *i,
                          struct queued *m, u64 at, u64 now);
/* The round in which the first of the collectors of a pipeline is free; NEVER: nobody knows. */
static inline u64 collectors_first(const struct issue_port *f, enum pipe p)
{
    const struct resource_pool *c = &f->pipeline[f->collectors_of[p]].collectors;
    if (likely(!f->order)) return pool_first(c);
    u64 first = NEVER;
    for (u32 k = 0; k < c->n; k++) first = min_u64(first, c->free[k]);
    return first;
}
/* With an order: the first that is free in round `at`, taken until `until`. */
static inline u32 collectors_take(struct issue_port *f, enum pipe p, u64 at, u64 until)
{
    struct resource_pool *c = &f->pipeline[f->collectors_of[p]].collectors;
    u32 k = 0;
    while (c->free[k] > at) k++;
    c->free[k] = until;
    return k;
}
/* the oldest memory instruction has entered the load/store unit */
void issue_port_entered(struct sm *sm, struct issue_port *f, u64 at);
/* Cycles in which a memory instruction's registers are written. */
u32 issue_port_write_cycles(const struct sm *sm, const struct issue_port *f, const struct seat *s,
                            const struct inst *i);
/* A result is written; number: of the register's name, for its bank. */
void issue_port_written(struct sm *sm, const struct seat *s, u32 row, const u16 *number, u64 at,
                        u64 now);
/* The same of a compute instruction, with an order. */
void issue_port_computed(struct sm *sm, const struct seat *s, u32 row, const u16 *number, u64 at,
                         u64 now);
u64 issue_port_bank_bit(const struct sm *sm, const struct seat *s, u32 row, u16 number);
/* A compute instruction's result is written in cycle `at` into the bank of a load's register. */
bool issue_port_bank_is_written(const struct sm *sm, const struct seat *s, u32 row, u16 number,
                                u64 at);
/* It is not, in cycle `at`, though that was said. With an order; row: with what is added for the
 * bank. */
void issue_port_unwritten(struct issue_port *f, u32 row, u64 at);

#endif

/* What lies between issue and a functional unit: pipeline registers, collector units, register
 * banks, the registers in front of the units, the units. issue.c takes a pipeline register and
 * asks when the result is written; ldst.c says when a memory instruction has entered its unit.
 * Nothing here is stepped: each instruction reserves its way when it is issued, so every time
 * is known then, except behind the load/store unit. Times are cycles or, inside the collector,
 * rounds: a cycle has `sm.register_ports` of them. Source: machine description 1.2, 2.4, 2.5. */
#ifndef CORUN_COLLECT_H
#define CORUN_COLLECT_H

#include "base/arena.h"
#include "chip/sm/sm_conf.h"

enum pipe { PIPE_SP, PIPE_SFU, PIPE_MEM, PIPE_INT, PIPE_DP, PIPE_N };
enum { COLLECTORS_MAX = 32, BANK_WINDOW = 64 };

/* n equal places, each free from a time on: a ring, in order of time from `head` on */
struct servers {
    u64 *free; /* NEVER: not known */
    u32 n, head, mask;
};

static inline u64 *servers_at(const struct servers *s, u32 at) { return &s->free[at & s->mask]; }
static inline u64 servers_first(const struct servers *s) { return *servers_at(s, s->head); }

static inline void servers_insert(struct servers *s, u32 at, u64 time)
{
    u64 *free = s->free;
    u32 head = s->head, mask = s->mask;
    for (; at != head; at--) { /* `at` is vacant, those before it may be later than `time` */
        u64 before = free[(at - 1) & mask];
        if (before <= time) break;
        free[at & mask] = before;
    }
    free[at & mask] = time;
}

/* the place that is free first is taken until `time` */
static inline void servers_take(struct servers *s, u64 time)
{
    u32 last = s->head++ + s->n;
    servers_insert(s, last, time);
}

void servers_change(struct servers *s, u64 from, u64 to); /* the place free from `from` */
static inline void servers_known(struct servers *s, u64 time) /* of one that was NEVER */
{
    servers_insert(s, s->head + s->n - 1, time);
}

struct timing {
    u32 latency, initiation;
};

struct bank { /* of registers */
    u64 busy; /* bit k: it reads or is written in round from + k */
    u64 from;
};

struct front { /* of the whole SM, or of one scheduler when sm.sub_cores is set */
    _Alignas(64) u64 open[PIPE_N]; /* a pipeline register is free from this cycle on */
    struct servers reg[PIPE_N];    /* pipeline registers, cycles */
    struct servers out[PIPE_N];    /* registers in front of the units, rounds */
    struct servers unit[PIPE_N];   /* functional units, cycles */
    struct servers pool[PIPE_N];   /* collector units, rounds */
    u8 pool_of[PIPE_N];
    struct bank *bank;
    u32 bank_n, bank_mask; /* mask 0: n is no power of two */
    /* memory instructions issued and not known to have entered the load/store unit: one in the
     * register in front of it, then those in collectors, then one in the pipeline register */
    u32 memory_n, waiting_head, waiting_n;
    bool parked;
    u64 memory_out; /* round from which the register in front of the unit is free */
    u64 waiting[COLLECTORS_MAX]; /* last round of operand reads of those in collectors */
};

struct sm;
struct slot;
struct inst;
struct front *front_new(const struct sm_conf *conf, struct arena *arena);
u32 front_memory_room(const struct sm_conf *conf); /* memory instructions before the unit is done */
/* Takes a pipeline register in cycle `now`; it must be open. */
static inline void front_take(struct front *f, enum pipe p, u64 now)
{
    servers_take(&f->reg[p], now + 1);
    f->open[p] = servers_first(&f->reg[p]);
}
/* The cycle in which the result is written back and can be read. */
u64 front_compute(struct sm *sm, struct front *f, const struct slot *s, const struct inst *i,
                  enum pipe p, u64 now);
/* The first cycle in which the load/store unit can work on it. */
u64 front_memory(struct sm *sm, struct front *f, const struct slot *s, const struct inst *i,
                 u64 now);
void front_entered(struct sm *sm, struct front *f, u64 at); /* the oldest memory instruction did */
void front_written(struct sm *sm, const struct slot *s, u32 score, u64 at, u64 now);

#endif

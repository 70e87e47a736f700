/* What lies between issue and a functional unit: pipeline registers, collector units, register
 * banks, the registers in front of the units, the units. issue.c takes a pipeline register and
 * asks when the result is written; ldst.c says when a memory instruction has entered its unit.
 * Nothing here is stepped: each instruction reserves all it needs when it is issued, so every time
 * is known then, except behind the load/store unit. Times are cycles or, inside the collector,
 * rounds: a cycle has `sm.register_ports` of them. Source: machine description 1.2, 2.4, 2.5. */
#ifndef CORUN_SM_ISSUE_PORT_H
#define CORUN_SM_ISSUE_PORT_H

#include "chip/sm/state.h"

/* The ports of an SM: one, or with sub-cores one for each scheduler. */
struct issue_port *port_init(struct sm *sm, struct arena *arena);
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
u64 issue_port_compute(struct sm *sm, struct issue_port *f, const struct seat *s,
                       const struct inst *i, enum pipe p, u64 now);
/* The same, with an order, of one that takes a collector in round `at`. */
u64 issue_port_compute_at(struct sm *sm, struct issue_port *f, const struct frame_of *of,
                          const struct inst *i, enum pipe p, u64 at, u64 now);
/* The same of a memory instruction that accesses nothing: its guard is false, or it is a fence. */
u64 issue_port_no_access(struct sm *sm, struct issue_port *f, const struct seat *s,
                         const struct inst *i, u64 now);
/* The load/store unit works on it, m, not before this cycle; those ahead may make it later. With an
 * order: when class_order_move says. */
u64 issue_port_memory(struct sm *sm, struct issue_port *f, const struct seat *s,
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

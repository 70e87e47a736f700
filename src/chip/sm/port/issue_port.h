/* The stages between issue and a functional unit: pipeline registers, collector units, register
 * banks, input registers of the units, the units. issue.c takes a pipeline register and asks for
 * the write-back time; ldst.c reports when a memory instruction has entered the load/store unit. No
 * stage is stepped: an instruction reserves all stages at issue, hence all times are known at
 * issue, except behind the load/store unit. Times are cycles or, in the operand collector, rounds;
 * a cycle has `sm.register_ports` rounds. Source: machine description 1.2, 2.4, 2.5. */
#ifndef CORUN_SM_ISSUE_PORT_H
#define CORUN_SM_ISSUE_PORT_H

#include "chip/sm/state.h"

/* Returns the ports of an SM: one port, or with sub-cores one for each scheduler. */
struct issue_port *port_init(struct sm *sm, struct arena *arena);
struct issue_port *issue_port_new(const struct sm_conf *conf, struct arena *arena);
/* Returns the maximum number of memory instructions between issue and departure from the unit. */
u32 issue_port_memory_room(const struct sm_conf *conf);
/* Takes a pipeline register in cycle `now`; f->open[p] must not be later than `now`. With class
 * order, call class_order_take next. */
static inline void issue_port_take(struct issue_port *f, enum pipe p, u64 now)
{
    pool_take(&f->pipeline[p].reg, now + 1);
    f->open[p] = pool_first(&f->pipeline[p].reg);
}
/* Holds the only tensor unit, taken by the instruction issued last, for `more` cycles. Returns the
 * cycle from which the unit is free. */
u64 issue_port_product(struct issue_port *f, u64 more);
/* Returns the cycle in which the result is written back and readable; SOON: unknown, because the
 * instruction is deferred by class_order.c. */
u64 issue_port_compute(struct sm *sm, struct issue_port *f, const struct seat *s,
                       const struct inst *i, enum pipe p, u64 now);
/* With class order: as issue_port_compute, for an instruction that enters a collector in round
 * `at`. */
u64 issue_port_compute_at(struct sm *sm, struct issue_port *f, const struct frame_of *of,
                          const struct inst *i, enum pipe p, u64 at, u64 now);
/* As issue_port_compute, for a memory instruction without accesses: the guard is false, or the
 * instruction is a fence. */
u64 issue_port_no_access(struct sm *sm, struct issue_port *f, const struct seat *s,
                         const struct inst *i, u64 now);
/* Returns the first cycle in which the load/store unit may work on the memory instruction; older
 * instructions may delay the work. m: the entry in the unit's queue. With class order the
 * result has no meaning, because class_order_move decides later. */
u64 issue_port_memory(struct sm *sm, struct issue_port *f, const struct seat *s,
                      const struct inst *i, struct queued *m, u64 now);
/* Holds the instruction issued last in its pipeline register for an unknown time. */
void issue_port_hold(struct issue_port *f, enum pipe p, u64 now);
/* With class order: memory instruction m enters a collector in round `at`. */
void issue_port_memory_at(struct sm *sm, struct issue_port *f, u32 row, const struct inst *i,
                          struct queued *m, u64 at, u64 now);
/* Returns the round in which the first collector of a pipeline is free; NEVER: unknown. */
static inline u64 collectors_first(const struct issue_port *f, enum pipe p)
{
    return pool_first(&f->pipeline[f->collectors_of[p]].collectors);
}
/* With class order, collectors have fixed positions, and `head` is the one that is free first: call
 * after each change. */
static inline void collectors_changed(struct resource_pool *c)
{
    u32 first = 0;
    for (u32 k = 1; k < c->n; k++) first = c->free[k] < c->free[first] ? k : first;
    c->head = first;
}
/* With class order: returns the index of the first collector that is free in round `at`. */
static inline u32 collectors_free(const struct issue_port *f, enum pipe p, u64 at)
{
    const struct resource_pool *c = &f->pipeline[f->collectors_of[p]].collectors;
    u32 k = 0;
    while (c->free[k] > at) k++;
    return k;
}
/* With class order: collector k of a pipeline is taken until round `until`. */
static inline void collectors_take(struct issue_port *f, enum pipe p, u32 k, u64 until)
{
    struct resource_pool *c = &f->pipeline[f->collectors_of[p]].collectors;
    c->free[k] = until;
    collectors_changed(c);
}
/* Notes that the oldest memory instruction has entered the load/store unit in cycle `at`. */
void issue_port_entered(struct sm *sm, struct issue_port *f, u64 at);
/* Returns how many cycles the write-back of a memory instruction's registers takes. */
u32 issue_port_write_cycles(const struct sm *sm, const struct issue_port *f, const struct seat *s,
                            const struct inst *i);
/* Reserves the register's bank for a write-back in cycle `at`. number: the number in the register's
 * name, from which the bank follows under sm.bank_of=name. */
void issue_port_written(struct sm *sm, const struct seat *s, u32 row, const u16 *number, u64 at,
                        u64 now);
/* With class order: as issue_port_written, for the result of a compute instruction; also recorded
 * in `computed`. */
void issue_port_computed(struct sm *sm, const struct seat *s, u32 row, const u16 *number, u64 at,
                         u64 now);
/* With class order: returns the first cycle, `at` or later, in which no result of a compute
 * instruction is written into the bank of this register of a load. */
u64 issue_port_bank_unwritten(const struct sm *sm, const struct seat *s, u32 row, u16 number,
                              u64 at);
u64 issue_port_bank_bit(const struct sm *sm, const struct seat *s, u32 row, u16 number);
/* With class order: true if a compute instruction's result is written in cycle `at` into the bank
 * of this register of a load. */
bool issue_port_bank_is_written(const struct sm *sm, const struct seat *s, u32 row, u16 number,
                                u64 at);
/* With class order: cancels the announced write-back of a compute instruction in cycle `at`. row
 * includes the offset for the bank (bank_from). */
void issue_port_unwritten(struct issue_port *f, u32 row, u64 at);

#endif

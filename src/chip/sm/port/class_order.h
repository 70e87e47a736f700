/* sm.collector_order=class: the instructions of a class (SP, SFU, ...) enter collector units in the
 * order of issue across all sub-cores of an SM. Called by issue_port.c. An instruction whose entry
 * cannot be timed at issue is deferred: kept here until the load/store unit has advanced. Comments
 * say "with class order" for this option. */
#ifndef CORUN_SM_CLASS_ORDER_H
#define CORUN_SM_CLASS_ORDER_H

#include "chip/sm/state.h"

enum { NO_ACCESS_ROUNDS = 3 }; /* see issue_port_no_access */
enum { ORDERED_MAX = 8 }; /* sub-cores, each with one pipeline register per class */

/* A compute instruction in a collector unit, waiting for the input register of the functional unit.
 * Its reservations are revoked when another instruction overtakes. */
struct reservation {
    struct frame_of of;
    const struct inst *inst;
    u32 collector;
    u64 read;        /* last round of operand reads */
    u64 leaves;      /* round in which the instruction leaves the collector */
    /* when the input register and the functional unit were free before the reservations */
    u64 out, unit;
    u64 comes;       /* cycle in which the result leaves the functional unit */
    /* Value of blocks.unseated at issue. While the value is unchanged, no block has left the SM and
     * the warp is still here. */
    u32 unseated;
};

/* A deferred instruction in a pipeline register; when a collector becomes free is unknown. */
struct deferred_issue {
    struct release release; /* used if `memory` is NULL */
    const struct inst *inst;
    struct frame_of of;
    struct queued *memory; /* entry in the load/store unit's queue; NULL: no memory access */
};

struct class_order { /* one per SM */
    u32 shift;            /* log2 of the rounds per cycle */
    u32 collected_n;      /* memory instructions in input registers of the load/store unit */
    u32 waiting_turns;    /* classes with deferred instructions, a bit each in order of turn */
    bool enter; /* deferred instructions try to enter collectors after the issue of this cycle */
    u64 at; /* round in which the next memory instruction leaves a collector; NEVER: unknown */
    /* round in which the last instruction of the class with a known entry enters a collector */
    u64 last[PIPE_N];
    u8 waiting_n[PIPE_N];  /* deferred instructions */
    u64 waiting[PIPE_N];   /* their ports in the order of issue, a byte each, the oldest lowest */
    /* By port: round in which the next memory instruction leaves a collector; NEVER: unknown. */
    u64 leaves[ORDERED_MAX];
    struct issue_port *ports;
};

bool class_order_is_on(const struct sm_conf *conf);
/* Returns NULL if the machine has no class order. */
struct class_order *class_order_new(const struct sm_conf *conf, struct issue_port *ports,
                                    struct arena *arena);
/* Returns how many instructions can be deferred at once; 0: the machine has no class order. */
u32 class_order_room(const struct sm_conf *conf);
/* Determines when an instruction of class p enters a collector (f->enters), or adds the port to the
 * list of deferred instructions. Call after issue_port_take. */
void class_order_take(struct issue_port *f, enum pipe p, u64 now);
/* Defer the instruction issued last, in its pipeline register. class_order_park: an instruction
 * without a memory access; returns SOON as the ready time. class_order_park_access: a memory
 * instruction with accesses, m. */
u64 class_order_park(struct sm *sm, struct issue_port *f, const struct seat *s,
                     const struct inst *i, enum pipe p, u64 now);
void class_order_park_access(struct issue_port *f, const struct seat *s, const struct inst *i,
                             struct queued *m, u64 now);
/* Changes the write-back of a compute instruction from cycle `said` to the later cycle `at`. */
void class_order_later(struct sm *sm, const struct reservation *w, u64 said, u64 at, u64 now);
/* Updates o->at after a memory instruction has entered a collector or the input register of the
 * load/store unit has become free. */
void class_order_look(struct issue_port *f);
/* Moves memory instructions from collectors to input registers, in rounds up to `upto`, and
 * deferred instructions into the freed collectors. `upto` is at most the first round of cycle `now`
 * + 1. Call before the issue of cycle `now`. */
void class_order_move(struct sm *sm, struct class_order *o, u64 upto, u64 now);
/* Moves deferred instructions into collectors that become free in the first round of the next
 * cycle. Call after the issue of cycle `now`. */
void class_order_enter(struct sm *sm, struct class_order *o, u64 now);
/* Frees the port's input register of the load/store unit, which takes the instruction in cycle
 * `now`. */
void class_order_taken(struct issue_port *f, u64 now);

#endif

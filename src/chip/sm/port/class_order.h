/* sm.collector_order=class: the instructions of a class (SP, SFU, ...) go into collectors in the
 * order in which they were picked, over all sub-cores of an SM. issue_port.c asks; what cannot be
 * told yet is parked here until the load/store unit has moved on. */
#ifndef CORUN_SM_CLASS_ORDER_H
#define CORUN_SM_CLASS_ORDER_H

#include "chip/sm/state.h"

enum { NO_ACCESS_ROUNDS = 3 }; /* see issue_port_no_access */
enum { ORDERED_MAX = 8 }; /* sub-cores: each has one pipeline register of a class */

/* A compute instruction that waits in a collector for the register in front of its unit; what it
 * has reserved is taken back when another overtakes it. */
struct waiter {
    struct frame_of of;
    const struct inst *inst;
    u32 collector;
    u64 read;        /* last round of its operand reads */
    u64 leaves;      /* round in which it leaves the collector */
    u64 out, unit;   /* when register and unit are free, without it */
    u64 comes;       /* cycle in which its result comes out of the unit */
    u32 unseated;    /* blocks that had left their seats: its warp is here while none else has */
};

struct parked { /* in a pipeline register; nobody knows when a collector takes it */
    struct release release; /* of one that makes no access */
    const struct inst *inst;
    struct frame_of of;
    struct queued *memory; /* what the load/store unit has of it; NULL: it makes no access */
};

struct class_order { /* of an SM */
    u32 shift;            /* rounds in a cycle, log2 */
    u32 collected_n;      /* memory instructions in the registers in front of the unit */
    u32 waiting_all;      /* parked ones, of all classes */
    bool enter;           /* parked ones look for collectors after this cycle's issue */
    u64 at;               /* round in which the next one gets there; NEVER: nobody knows */
    u64 last[PIPE_N];     /* round in which the class's last one, of those known, has a collector */
    u8 waiting_n[PIPE_N]; /* parked ones, first to be picked first */
    struct issue_port *waiting[PIPE_N][ORDERED_MAX];
};

bool class_order_is_on(const struct sm_conf *conf);
/* NULL: the machine has no such order */
struct class_order *class_order_new(const struct sm_conf *conf, struct arena *arena);
/* those that can be parked at once; 0: the machine has no such order */
u32 class_order_room(const struct sm_conf *conf);
/* An instruction of the class has just taken a pipeline register of the port. */
void class_order_take(struct issue_port *f, enum pipe p, u64 now);
/* The one picked last stays in its pipeline register: one whose result is known later, SOON; or a
 * memory instruction with accesses. */
u64 class_order_park(struct sm *sm, struct issue_port *f, const struct seat *s,
                     const struct inst *i, enum pipe p, u64 now);
void class_order_park_access(struct issue_port *f, const struct seat *s, const struct inst *i,
                             struct queued *m, u64 now);
/* The result of a compute instruction is written in cycle `at`, later than was said. */
void class_order_later(struct sm *sm, const struct waiter *w, u64 said, u64 at, u64 now);
/* A memory instruction waits in one of the collectors, or the unit's register has become free. */
void class_order_look(struct issue_port *f);
/* Memory instructions leave collectors in rounds up to `upto`, the first of the next cycle at most,
 * before anything is issued in this one; others enter them. */
void class_order_move(struct sm *sm, struct class_order *o, u64 upto, u64 now);
/* After the issue of cycle `now`: collectors that the first round of the next cycle frees. */
void class_order_enter(struct sm *sm, struct class_order *o, u64 now);
/* The register in front of the unit is left in cycle `now`. */
void class_order_taken(struct issue_port *f, u64 now);

#endif

/* sm.collector_order=class: the instructions of a class (SP, SFU, ...) go into collectors in the
 * order in which they were picked, over all sub-cores of an SM. issue_port.c asks; what cannot be
 * told yet is parked here until the load/store unit has moved on. */
#ifndef CORUN_SM_CLASS_ORDER_H
#define CORUN_SM_CLASS_ORDER_H

#include "chip/sm/issue_port.h"
#include "chip/sm/ldst.h"

enum { NO_ACCESS_ROUNDS = 3 }; /* see issue_port_no_access */
enum { ORDERED_MAX = 8 }; /* sub-cores: each has one pipeline register of a class */

struct parked { /* in a pipeline register; nobody knows when a collector takes it */
    struct release release; /* of one that makes no access */
    const struct inst *inst;
    u32 row;       /* its first register's, for the bank */
    bool accesses; /* the load/store unit has it too */
};

struct class_order { /* of an SM */
    u32 shift;            /* rounds in a cycle, log2 */
    u64 last[PIPE_N];     /* round in which the class's last one, of those known, has a collector */
    u8 waiting_n[PIPE_N]; /* parked ones, first to be picked first */
    struct issue_port *waiting[PIPE_N][ORDERED_MAX];
};

/* NULL: the machine has no such order */
struct class_order *class_order_new(const struct sm_conf *conf, struct arena *arena);
/* those that can be parked at once; 0: the machine has no such order */
u32 class_order_room(const struct sm_conf *conf);
/* The one picked last stays in its pipeline register: one whose result is known later, SOON; or a
 * memory instruction with accesses. */
u64 class_order_park(struct sm *sm, struct issue_port *f, struct seat *s, const struct inst *i,
                     enum pipe p, u64 now);
void class_order_park_access(struct issue_port *f, const struct seat *s, const struct inst *i,
                             u64 now);
/* Collectors that waited for the load/store unit may be free at a known time. */
void class_order_resume(struct sm *sm, struct class_order *o, u64 now);

#endif

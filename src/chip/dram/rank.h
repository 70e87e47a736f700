/* Ranks of apps (a channel has no ranks of DRAM chips): their priorities among the requests that
 * wait for a bank and miss the open row. dram_set_rank (ahead.h) announces ranks together with the
 * first cycle in which they hold; they hold until the next ranks take effect. */
#ifndef CORUN_DRAM_RANK_H
#define CORUN_DRAM_RANK_H

#include "base/arena.h"
#include "cache/req.h"

struct dram_rank {
    u8 of[APPS_MAX];         /* rank of each app; the lowest has the highest priority */
    bool rotate;             /* apps of equal rank take turns; else their oldest request is next */
};

struct dram_announcement {     /* announced ranks, and the first channel cycle in which they hold */
    u64 from;
    struct dram_rank rank;
};

struct dram_order {
    u8 precedence[APPS_MAX];    /* by app: number of apps with higher priority (not the rank). Among
                              * equal places the oldest request is next. Apps of equal rank share a
                              * place unless they take turns. */
    struct dram_rank rank;   /* ranks in effect */
    bool ranked;             /* places differ */
    u64 from;                /* first cycle in which told[0] holds; NEVER: none announced */
    /* ranks not yet in effect, sorted by `from`: n, room for `room` */
    struct dram_announcement *announced;
    u32 n, room;
};

void dram_order_init(struct dram_order *o, struct arena *arena, u32 room);
/* Announces ranks that hold from cycle `from` on, no earlier than ranks announced before; in the
 * same cycle the later announcement wins. */
void dram_order_tell(struct dram_order *o, u64 from, const struct dram_rank *rank);
/* Puts into effect the ranks announced for `cycle` or earlier. */
void dram_order_reach(struct dram_order *o, u64 cycle);
/* Records the turn of an app: from now on the other apps of the same rank have priority, in order
 * of ids from the next id on. Without `rotate` nothing changes. */
void dram_order_turn(struct dram_order *o, u32 app);

#endif

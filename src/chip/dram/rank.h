/* Ranks of apps, not of DRAM chips (a channel has none of those): which app's requests go first, of
 * those that wait for a bank and miss its open row. A table that dram_set_rank (ahead.h) sets,
 * which holds from a cycle on until the next one does. */
#ifndef CORUN_DRAM_RANK_H
#define CORUN_DRAM_RANK_H

#include "base/arena.h"
#include "mem/req.h"

struct dram_rank {
    u8 of[APPS_MAX];         /* each app's rank: the lowest goes first; of one rank: */
    bool rotate;             /* the app whose turn it is, its oldest request; else the oldest */
};

struct dram_told {           /* ranks, and the channel cycle from which they hold */
    u64 from;
    struct dram_rank rank;
};

struct dram_order {
    u8 place[APPS_MAX];      /* how many apps go before each (not its rank): the lowest goes first,
                              * of one place the oldest request. Apps of one rank share a place
                              * unless they rotate; then each has its own. */
    struct dram_rank rank;   /* that holds */
    bool ranked;             /* places are not all the same */
    u64 from;                /* when told[0] holds; NEVER: there is none */
    struct dram_told *told;  /* what does not hold yet, by `from`: n of them, room for `room` */
    u32 n, room;
};

void dram_order_init(struct dram_order *o, struct arena *arena, u32 room);
/* From a cycle on, which is not before those told earlier. */
void dram_order_tell(struct dram_order *o, u64 from, const struct dram_rank *rank);
void dram_order_reach(struct dram_order *o, u64 cycle); /* what was told to hold by then does */
/* The app has had its turn: in its rank the others go first, from the one behind it on by id. */
void dram_order_turn(struct dram_order *o, u32 app);

#endif

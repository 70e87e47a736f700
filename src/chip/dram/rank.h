/* Which app's requests go first, of those that wait for a bank and miss its open row: a table that
 * holds until the next one, and from which cycle on. Who is told of it: dram_set_rank (dram.h). */
#ifndef CORUN_DRAM_RANK_H
#define CORUN_DRAM_RANK_H

#include "base/arena.h"
#include "mem/req.h"

struct dram_rank {
    u8 of[APPS_MAX];         /* each app's rank: the lowest goes first; of one rank: */
    bool rotate;             /* the app whose turn it is, its oldest request; else the oldest */
};

struct dram_told {
    u64 from;                /* channel cycle */
    struct dram_rank rank;
};

struct dram_order {
    u8 place[APPS_MAX];      /* of each app: the lowest goes first, of one place the oldest request;
                              * its rank, or if they rotate its own place among all */
    struct dram_rank rank;   /* that holds */
    bool ranked;             /* places are not all the same */
    u64 from;                /* when the first of those told holds; NEVER: there is none */
    struct dram_told *told;  /* what does not hold yet, by `from` */
    u32 n, room;
};

void dram_order_init(struct dram_order *o, struct arena *arena, u32 room);
/* From a cycle on, which is not before those told earlier. */
void dram_order_tell(struct dram_order *o, u64 from, const struct dram_rank *rank);
void dram_order_reach(struct dram_order *o, u64 cycle); /* what was told to hold by then does */
/* A request of the app was taken, and it missed the open row: the app goes last in its rank. */
void dram_order_turn(struct dram_order *o, u32 app);

#endif

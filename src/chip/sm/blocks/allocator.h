/* Where on an SM the registers and the shared memory of its blocks lie: two pools, each a row of
 * addresses. life.c takes a block's ranges and gives them back as its life says; ask.c and place.c
 * ask what fits. With sm.allocator=counters there are no addresses: nothing here does anything.
 *
 * Model: a block takes one range of shared memory and one of registers, or one for each warp (paper
 * 002, 3.3.1). first-fit: the lowest hole. 2-way: the first app of an SM grows up from 0, the
 * second down from the top, each next to its last or into holes of its own, the one nearest to its
 * end first (4.2). 2n-way: equal parts, 2-way in each. */
#ifndef CORUN_SM_ALLOCATOR_H
#define CORUN_SM_ALLOCATOR_H

#include "chip/sm/blocks/context.h"
#include "chip/sm/sm_conf.h"
#include "mem/req.h"

/* An end of a part of the pools, and what has grown from it. An app has one while a block of it is
 * on the SM: all its kernels share it. Side s is of part s mod parts, the partner beyond s + parts.
 */
enum { SIDES_MAX = APPS_MAX };

struct range {
    u32 from, upto; /* from the side's end on */
    const struct block *block;
};
struct ranges { /* of a side, disjoint and ascending */
    struct range *at;
    u32 n, room;
};
struct address_pool {
    u32 part; /* size of a part */
    struct ranges side[SIDES_MAX];
};
struct fragments { /* what blocks of an app lack that is free, but not in one piece */
    u64 since, registers, shared_bytes; /* counted up to this cycle; now */
};
struct allocator {
    u32 part_n, side_n; /* no sides: counters; one: first fit */
    u32 block_n[SIDES_MAX];
    u8 app[SIDES_MAX];  /* whose, while it has blocks */
    bool by_warp;
    struct address_pool registers, shared;
    struct fragments fragments[APPS_MAX];
    struct allocator_stat stat[APPS_MAX + 1]; /* the last one: nobody's, 0 */
};

/* Into how many parts an SM's pools are cut for so many apps. */
u32 allocator_parts(const struct sm_conf *conf, u32 app_n);
void allocator_init(struct allocator *a, const struct sm_conf *conf);
void allocator_free(struct allocator *a);
/* Is there a place for both of a block's needs, as far as addresses go? */
bool allocator_fits(const struct allocator *a, const struct work *k);
/* Which needs of a block have no place though the app has a side, or could: a bit each. */
enum { LACKS_REGISTERS = 1, LACKS_SHARED = 2 };
u32 allocator_lacks(const struct allocator *a, const struct work *k);
void allocator_take(struct allocator *a, const struct block *b); /* must fit */
void allocator_give(struct allocator *a, const struct block *b);
/* How far from its side's end it reaches: more is farther. 0: there are no two sides. */
u64 allocator_reach(const struct allocator *a, const struct block *b);
/* Ranges are disjoint, and as long as what the ledger says is taken; for hard_check. */
bool allocator_is_sound(const struct allocator *a, const struct corun_resources *used);

#endif

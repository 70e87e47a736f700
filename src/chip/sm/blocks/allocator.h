/* Allocation of register and shared-memory addresses to the blocks of an SM, from two linear pools.
 * life.c allocates and frees the ranges of a block; ask.c and dispatch.c ask whether blocks fit.
 * With sm.allocator=counters blocks have no addresses, and the functions do nothing.
 *
 * Model: a block takes a range of shared memory and a range of registers, or a register range per
 * warp (paper 002, 3.3.1). first-fit: the lowest hole. 2-way: the first app of an SM grows up from
 * 0, the second app down from the top; each block goes into a hole of the app, nearest to the app's
 * end first, or next to the last block (4.2). 2n-way: equal parts, 2-way in each. */
#ifndef CORUN_SM_ALLOCATOR_H
#define CORUN_SM_ALLOCATOR_H

#include "cache/req.h"
#include "chip/sm/blocks/context.h"
#include "chip/sm/sm_conf.h"

/* Sides. A side is an end of a part of the pools, with the ranges allocated from the end. An app
 * owns a side, for all kernels of the app, while the SM holds blocks of the app. Side s is an end
 * of part s mod part_n; the other end of the part is side s + part_n. */
enum { SIDES_MAX = APPS_MAX };

struct range {
    u32 from, upto; /* distances from the side's end */
    const struct block *block;
};
struct ranges { /* ranges of a side, disjoint and ascending */
    struct range *at;
    u32 n, room;
};
struct address_pool {
    u32 part; /* size of a part */
    struct ranges side[SIDES_MAX];
};
struct fragments { /* capacity wanted by an app's blocks and free, but fragmented */
    /* `since`: counted up to this cycle. The others: amounts now. */
    u64 since, registers, shared_bytes;
};
struct allocator {
    u32 part_n, side_n; /* side_n 0: counters; 1: first fit */
    u32 block_n[SIDES_MAX];
    u8 app[SIDES_MAX];  /* owner of the side while block_n is not 0 */
    bool by_warp;
    struct address_pool registers, shared;
    struct fragments fragments[APPS_MAX];
    struct allocator_stat stat[APPS_MAX + 1]; /* the last for no app, always 0 */
};

/* Returns the number of parts of the pools for `app_n` apps. */
u32 allocator_parts(const struct sm_conf *conf, u32 app_n);
void allocator_init(struct allocator *a, const struct sm_conf *conf);
void allocator_free(struct allocator *a);
/* True if both pools have ranges for a block of the kernel; ignores the ledger. */
bool allocator_fits(const struct allocator *a, const struct work *k);
/* Returns the resources, a bit each, for which a block finds no range although the app owns a side
 * or could get one. */
enum { LACKS_REGISTERS = 1, LACKS_SHARED = 2 };
u32 allocator_lacks(const struct allocator *a, const struct work *k);
void allocator_take(struct allocator *a, const struct block *b); /* the block must fit */
void allocator_give(struct allocator *a, const struct block *b);
/* Returns the block's distance from the end of the app's side; larger is farther. 0: no two
 * sides. */
u64 allocator_reach(const struct allocator *a, const struct block *b);
/* True if ranges are disjoint and their total equals the ledger; for hard_check. */
bool allocator_is_consistent(const struct allocator *a, const struct corun_resources *used);

#endif

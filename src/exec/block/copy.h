/* Copies from global to shared memory that go on while their warp does (cp.async), and what waits
 * for them. A copy reads its bytes when it is issued; timing says when they have come
 * (copies_land), and only then are they in shared memory. Knows no time. */
#ifndef CORUN_COPY_H
#define CORUN_COPY_H

#include "exec/warp.h"

enum { COPY_BYTES_MAX = 16 };

/* One instruction's copies, or its arrivals at mbarriers, which are made when all copies of the
 * lane before it have landed. */
struct copy {
    const struct inst *inst;
    u16 number;        /* of a copy; by which timing knows it */
    bool arrives;      /* these are arrivals */
    u8 size_bytes;     /* of a lane's copy */
    u32 lanes;         /* whose have not landed */
    u32 group[LANES];  /* of a lane: how many it had committed before */
    u32 to[LANES];     /* offset in the block's shared memory: of the bytes, of the mbarrier */
    u8 bytes[LANES][COPY_BYTES_MAX];
};

struct copies {        /* of a warp */
    struct copy *at;   /* in the order in which they were issued */
    u32 n, room;
    u32 committed[LANES]; /* groups of a lane so far */
    u32 waiting;       /* lanes that wait until of their groups no more than `but` are under way; */
    s32 but;           /* -1: no copy at all */
    u16 next;          /* number */
};

struct copies *copies_new(void); /* for the warps of a block; its programs' copies are few */
void copies_reset(struct copies *of_block);
void copies_free(struct copies *of_block);

/* Copy `number` has come. What it makes possible follows: arrivals at mbarriers. */
void copies_land(struct warp *w, u16 number);
/* All copies of the warp that are under way come. */
void copies_land_all(struct warp *w);
/* What the warp waits for (EFFECT_COPIES) has come. */
bool copies_over(const struct warp *w);

/* ---- mbarrier.c ---- */

/* Arrives for a lane of w, and the one it stands for does not count any more; false: a fault. */
bool mbarrier_arrive_for(struct warp *w, const struct inst *i, u32 lane, u32 offset);
bool mbarrier_expect_one(struct warp *w, const struct inst *i, u32 lane, u32 offset);
/* A try_wait that suspended the warp (EFFECT_PHASE), now that a phase of some mbarrier of the block
 * is over: true, and its result is so, if all its lanes' phases are. */
bool mbarrier_try_again(struct warp *w);

#endif

/* The paths of a warp: lanes that part at a branch, call, meet again, and wait for one another. */
#ifndef CORUN_EXEC_PATH_H
#define CORUN_EXEC_PATH_H

#include "exec/warp.h"

/* ---- path.c: what happens to the running lanes ---- */

struct turn { u32 pc, lanes; };        /* some of them and where they go */
/* They part at a branch and meet again at `reconverge`; targets differ, lanes are those running. */
void path_split(struct warp *w, const struct turn *turns, u32 turn_n, u32 reconverge);
/* w->executing calls; those running that do not wait at w->pc with the callers' mask. The callees
 * run one after the other in the order of `turns`. */
void path_call(struct warp *w, const struct inst *i, const struct turn *turns, u32 turn_n);
void path_return(struct warp *w);      /* w->executing goes back to its caller; at depth 0 ends */
void path_exit(struct warp *w);        /* w->executing ends */
void path_next(struct warp *w);        /* the running lanes have arrived or are gone: who is next */

/* between path.c and meet.c */
struct path path_at(const struct warp *w, u32 pc, u32 lanes); /* of the running path */
bool path_push(struct warp *w, const struct inst *i, const struct path *p); /* false: a fault */
void path_take(struct warp *w, const struct path *p, u32 lanes); /* they run */
bool meet_choose(struct warp *w); /* takes the next path off the stack; false: none can go on */
void meet_release(struct warp *w); /* what waits for nobody any more goes on */

/* ---- meet.c: paths that wait for one another ---- */

struct meeting {        /* a .sync for lanes of several paths */
    u32 lanes;          /* all of them */
    u32 pred;           /* their source predicate */
    /* their first source; other lanes: what the register of the path that is served holds */
    _Alignas(64) u64 row[LANES];
};
/* i is a .sync whose membermasks are in the row `members` (absent: it waits for nobody). true: it
 * runs now, for w->executing and, if there is one, all of w->meeting. */
bool meet_wait(struct warp *w, const struct inst *i, const u32 *members);
static inline bool meet(struct warp *w, const struct inst *i, u32 members)
{
    if (likely(w->executing == w->alive) || members == OPERAND_ABSENT) return true;
    return meet_wait(w, i, row_of(w, members));
}
bool meet_block(struct warp *w, const struct inst *i); /* a barrier of the block: all lanes */
/* i wants all 32 lanes at once. true: w->executing is all of them, it runs. */
bool meet_warp_wait(struct warp *w, const struct inst *i);
static inline bool meet_warp(struct warp *w, const struct inst *i)
{
    return likely(w->executing == UINT32_MAX) || meet_warp_wait(w, i);
}
/* The running lanes have branched back by i, for the w->look_at-th time or later. */
void meet_loop(struct warp *w, const struct inst *i);

#endif

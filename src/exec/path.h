/* The paths of a warp: lanes diverge at branches and calls, reconverge, and wait for one
 * another. */
#ifndef CORUN_EXEC_PATH_H
#define CORUN_EXEC_PATH_H

#include "exec/warp.h"
#include "isa/ptx_inst.h"

/* ---- path.c: actions of the running lanes ---- */

struct turn { u32 pc, lanes; };        /* some running lanes and their target */
/* Splits the running lanes at a branch into `turns`; all reconverge at `reconverge`. The targets
 * must differ, and the lanes of all turns together must be the running lanes. turns[0] runs
 * first. */
void path_split(struct warp *w, const struct turn *turns, u32 turn_n, u32 reconverge);
/* The executing lanes call; the entry of the return point, w->pc, holds all running lanes. The
 * callees run one after the other in the order of `turns`. */
void path_call(struct warp *w, const struct ptx_inst *i, const struct turn *turns, u32 turn_n);
/* Sends the executing lanes back to their caller, or ends them at depth 0. */
void path_return(struct warp *w);
void path_exit(struct warp *w);        /* Ends w->executing. */
/* Selects the next path when the running lanes have reached their reconvergence point or ended. */
void path_next(struct warp *w);

/* ---- shared by path.c and meet.c ---- */

/* Returns a path with the frame and depth of the running path. */
struct path path_at(const struct warp *w, u32 pc, u32 lanes);
/* Pushes a path on the divergence stack. False: the stack is full, which is reported as a fault. */
bool path_push(struct warp *w, const struct ptx_inst *i, const struct path *p);
/* Makes `lanes` run at the pc and in the frame of `p`. */
void path_take(struct warp *w, const struct path *p, u32 lanes);
/* Takes the next path off the stack and runs it. False: no path can continue. */
bool meet_choose(struct warp *w);
/* Releases the paths whose awaited lanes have all arrived or ended. */
void meet_release(struct warp *w);

/* ---- meet.c: paths that wait for one another ---- */

struct meeting {        /* execution of a .sync for lanes of several paths */
    u32 lanes;          /* lanes of all paths */
    u32 pred;           /* source predicate of all paths */
    /* first source of all paths; other lanes hold the register of the path being executed */
    _Alignas(64) u64 row[LANES];
};
/* Waits at i, a .sync with its membermasks in the row `members` (absent: no wait). True: all
 * members are present, and i runs now for w->executing, with the operands of all lanes in
 * w->meeting unless NULL. False: the path waits, or a deadlock is reported. */
bool meet_wait(struct warp *w, const struct ptx_inst *i, const u32 *members);
static inline bool meet(struct warp *w, const struct ptx_inst *i, u32 members)
{
    if (likely(w->executing == w->alive) || members == OPERAND_ABSENT) return true;
    return meet_wait(w, i, row_of(w, members));
}
/* Waits at i, a barrier of the block, until all lanes of the warp are present. True: i runs now. */
bool meet_block(struct warp *w, const struct ptx_inst *i);
/* Waits at i, an instruction of the whole warp (all 32 lanes). True: i runs now, and w->executing
 * is all lanes. */
bool meet_warp_wait(struct warp *w, const struct ptx_inst *i);
static inline bool meet_warp(struct warp *w, const struct ptx_inst *i)
{
    return likely(w->executing == UINT32_MAX) || meet_warp_wait(w, i);
}
/* Examines a loop: the running lanes took the backward branch i, and w->passes has reached
 * w->look_at. */
void meet_loop(struct warp *w, const struct ptx_inst *i);

#endif

#include "run/sim/work_curve.h"

void work_curve_take(struct work_curve *c, u64 warp_instructions)
{
    c->at[c->n] = (struct work_point){(c->n + 1) * c->every, warp_instructions};
    if (++c->n < WORK_POINTS) return;
    for (u32 i = 0; i < WORK_POINTS / 2; i++) c->at[i] = c->at[2 * i + 1];
    c->n = WORK_POINTS / 2;
    c->every *= 2;
}

/* Returns a * b / c, rounded down. */
static u64 scaled(u64 a, u64 b, u64 c) { return (u64)((unsigned __int128)a * b / c); }

u64 work_curve_cycles(const struct work_curve *c, struct work_point end, u64 warp_instructions)
{
    if (!end.warp_instructions) return NEVER;
    if (warp_instructions >= end.warp_instructions)
        return scaled(end.cycles, warp_instructions, end.warp_instructions);
    struct work_point from = {0}, to = end;
    for (u32 i = 0; i < c->n && c->at[i].warp_instructions <= warp_instructions; i++)
        from = c->at[i];
    for (u32 i = c->n; i-- && c->at[i].warp_instructions > warp_instructions;) to = c->at[i];
    return from.cycles + scaled(to.cycles - from.cycles,
                                warp_instructions - from.warp_instructions,
                                to.warp_instructions - from.warp_instructions);
}

#include "run/study/loss.h"

static bool both_ended(const struct sim *s, u32 app_id, const struct alone *alone)
{
    return s->apps[app_id].taken && s->setup->until != UNTIL_WINDOW &&
           alone->status == SIM_COMPLETED;
}

u64 loss_alone_times(const struct sim *s, u32 app_id, const struct alone *alone, double times)
{
    struct work_point end = {alone->cycles, stat_kept_warp(&alone->stats)};
    u64 work = stat_kept_warp(&s->apps[app_id].stats);
    if (!alone->known) return NEVER;
    if (both_ended(s, app_id, alone)) work = end.warp_instructions;
    return work_curve_cycles(&alone->curve, end, (u64)((double)work * times));
}

u64 loss_alone_cycles(const struct sim *s, u32 app_id, const struct alone *alone)
{
    if (alone->known && both_ended(s, app_id, alone)) return alone->cycles;
    return loss_alone_times(s, app_id, alone, 1);
}

bool loss_of(const struct sim *s, u32 app_id, const struct alone *alone, s64 *lost)
{
    u64 cycles = loss_alone_cycles(s, app_id, alone);
    if (cycles == NEVER) return false;
    *lost = (s64)(s->apps[app_id].cycles - cycles);
    return true;
}

#include "run/study/loss.h"

u64 loss_alone_cycles(const struct sim *s, u32 app_id, const struct alone *alone)
{
    const struct sim_app *app = &s->apps[app_id];
    if (!alone->known) return NEVER;
    bool whole = s->setup->until != UNTIL_WINDOW && alone->status == SIM_COMPLETED;
    if (app->taken && whole) return alone->cycles;
    struct work_point end = {alone->cycles, stat_kept_warp(&alone->stats)};
    return work_curve_cycles(&alone->curve, end, stat_kept_warp(&app->stats));
}

bool loss_of(const struct sim *s, u32 app_id, const struct alone *alone, s64 *lost)
{
    u64 cycles = loss_alone_cycles(s, app_id, alone);
    if (cycles == NEVER) return false;
    *lost = (s64)(s->apps[app_id].cycles - cycles);
    return true;
}

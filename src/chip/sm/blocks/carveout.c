#include "chip/sm/blocks/carveout.h"

void carveout_init(struct carveout *c, const struct sm_conf *conf)
{
    c->bytes = carveouts_given(conf) ? NO_CARVEOUT : conf->shared_bytes;
}

const struct carveout_stat *carveout_count(struct carveout *c, u32 app_id, u64 now)
{
    if (app_id >= APPS_MAX) return &c->stat[APPS_MAX];
    if (c->app[app_id].waits) c->stat[app_id].wait_cycles += now - c->app[app_id].since;
    c->app[app_id].since = now;
    return &c->stat[app_id];
}

void carveout_note(struct carveout *c, u32 app_id, bool waits, u64 from)
{
    carveout_count(c, app_id, from);
    c->app[app_id].waits = waits;
}

#include "chip/dram/refresh.h"
#include "chip/dram/inside.h"

static u64 earliest_of(const struct dram *d, u32 bank, u32 command)
{
    return d->base + (u16)(d->bank[bank].earliest >> 16 * command);
}

u64 dram_refresh_at(const struct dram *d, u32 open)
{
    u64 at = max_u64(d->refresh_due, d->refreshed);
    for (u32 left = open; left; left &= left - 1) {
        u32 b = (u32)__builtin_ctz(left);
        u64 group = d->group_earliest[d->rules->group[b]] >> 16 * DRAM_PRECHARGE;
        at = max_u64(at, max_u64(earliest_of(d, b, DRAM_PRECHARGE), d->base + group));
    }
    return at;
}

void dram_refresh(struct dram *d, u64 now, bool ahead)
{
    while (d->refresh_due <= now && !d->state.serving) {
        u64 at = dram_refresh_at(d, d->state.open);
        if (at > now) return;
        u64 start = max_u64(d->rows_shut_until, d->state.open ? at + d->rules->conf.rp : at);
        for (u32 b = 0; b < d->rules->conf.banks; b++)
            start = max_u64(start, earliest_of(d, b, DRAM_ACTIVATE));
        d->rows_shut_until = start + d->rules->conf.rfc;
        d->state.open = 0;
        d->refresh_due += d->rules->conf.refi;
        d->refreshed = at + 1;
        u32 counter = OWNER_NONE * COUNTERS + DRAM_COUNTER(refreshes);
        if (ahead) count(d, &d->state, at - d->base, counter);
        else d->stat[OWNER_NONE].refreshes++;
    }
}

void dram_refresh_hold(struct dram *d)
{
    d->state.refresh = since_base(d, d->refresh_due);
    if (d->rows_shut_until <= d->base) return;
    s16 activate = (s16)(d->rows_shut_until - d->base);
    s16x16 earliest = per_command_spread(per_command(0, 0, activate, 0));
    d->state.timing.channel = later_of(d->state.timing.channel, earliest);
}

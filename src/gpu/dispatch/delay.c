#include "gpu/dispatch/delay.h"

#include <stdlib.h>
#include "base/arena.h"
#include "base/percentile.h"
#include "gpu/dispatch/dispatch_state.h"

const struct delay_row delay_rows[DELAY_N] = {
#define DELAY(kind, sentence) {#kind, sentence},
#include "gpu/dispatch/delay.def"
#undef DELAY
};

void delay_add(struct delays *d, u64 cycles) { *base_push(d->at, d->n, d->room) = cycles; }

static void delay_add_open(struct delay_summary *out, u64 cycles)
{
    out->open_n++;
    out->open_most = max_u64(out->open_most, cycles);
}

/* Adds the delays of a kernel's blocks being saved on an SM. */
static void saves_open(const struct sm *sm, const struct work *work, u64 now,
                       struct delay_summary *out)
{
    for (u32 n = 0; n < SM_BLOCKS_MAX; n++) {
        const struct block *b = sm->blocks.block[n];
        if (b && b->work == work && b->life == LIFE_SAVING)
            delay_add_open(out, now - b->moves_since);
    }
}

void delays_open(const struct dispatch *p, const struct kernel *k, enum delay_kind kind, u64 now,
                 struct delay_summary *out)
{
    if (kind == DELAY_launch && k->began == NEVER)
        delay_add_open(out, now - min_u64(k->arrival, now));
    for (const struct block *b = k->out; b && kind == DELAY_away; b = b->next)
        delay_add_open(out, now - b->moves_since);
    for (u32 s = 0; s < p->sm_n && kind == DELAY_switch; s++)
        saves_open(sm_of(p, k->work.app_id, s), &k->work, now, out);
    for (u32 s = 0; s < p->sm_n && kind == DELAY_drain; s++)
        for (u32 n = kernel_excess(k, s); n; n--) delay_add_open(out, now - k->drains_since[s]);
}

void delay_summarize(struct delays *d, struct delay_summary *out)
{
    out->n = d->n;
    if (!d->n) return;
    sort_u64(d->at, d->n);
    out->p50 = percentile(d->at, d->n, 50);
    out->p95 = percentile(d->at, d->n, 95);
    out->p99 = percentile(d->at, d->n, 99);
    out->most = d->at[d->n - 1];
}

u64 dispatch_newcomer_waits(const struct dispatch *p, u32 app_id, u64 now)
{
    struct delay_summary open = {0};
    if (p->delays[app_id][DELAY_launch].n) return 0;
    for (u32 i = 0; i < p->kernel_n; i++)
        if (p->kernels[i]->work.app_id == app_id)
            delays_open(p, p->kernels[i], DELAY_launch, now, &open);
    return open.open_most;
}

void dispatch_delays(struct dispatch *p, u32 app_id, enum delay_kind kind, u64 now,
                     struct delay_summary *out)
{
    *out = (struct delay_summary){0};
    for (u32 i = 0; i < p->kernel_n; i++)
        if (p->kernels[i]->work.app_id == app_id) delays_open(p, p->kernels[i], kind, now, out);
    delay_summarize(&p->delays[app_id][kind], out);
}

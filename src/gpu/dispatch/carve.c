#include "gpu/dispatch/carve.h"

/* Returns true if the SM, with its copies, has blocks. */
static bool is_busy(const struct dispatch *p, u32 sm)
{
    u32 n = 0;
    for (u32 q = 0; q < p->copies; q++) n += p->sms[q * p->sm_n + sm].blocks.busy.n;
    return n > 0;
}

bool carve_for(struct dispatch *p, const struct kernel *of, u32 sm, u64 now)
{
    bool all = true;
    if (is_busy(p, sm)) return true;
    for (u32 q = 0; q < p->copies; q++)
        all &= sm_carve(&p->sms[q * p->sm_n + sm], of->carveout_bytes, of->work.app_id, now);
    p->carving |= !all;
    return all;
}

/* Model: an SM without blocks takes the largest carve-out wanted by the admitted kernels with
 * pending blocks and a target on the SM (guess). */
bool carve_serve(struct dispatch *p, u32 sm, u64 now)
{
    const struct kernel *of = NULL;
    if (is_busy(p, sm)) return true;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (block_can_start(p, k, sm) && (!of || k->carveout_bytes > of->carveout_bytes)) of = k;
    }
    if (!of || carve_for(p, of, sm, now)) return true;
    carve_note(p, sm, now);
    return false;
}

/* Returns true if a block of the kernel would start on the SM with the largest carve-out. */
static bool waits(const struct dispatch *p, const struct kernel *k, u32 sm)
{
    const struct sm *s = &p->sms[sm];
    struct corun_resources need = k->work.need;
    if (!block_is_due(p, k, sm)) return false;
    if (!s->blocks.busy.n) return s->blocks.carveout.changing && sm_fits(s, &k->work);
    bool too_small = need.shared_bytes > sm_shared_bytes(s) - s->blocks.used.shared_bytes;
    bool fits = need.shared_bytes <= s->conf->shared_bytes - s->blocks.used.shared_bytes;
    need.shared_bytes = 0;
    return too_small && fits && sm_has(s, &need);
}

void carve_note(const struct dispatch *p, u32 sm, u64 now)
{
    bool of[APPS_MAX] = {false};
    for (u32 i = 0; i < p->kernel_n; i++)
        of[p->kernels[i]->work.app_id] |= waits(p, p->kernels[i], sm);
    for (u32 a = 0; a < p->app_n; a++) sm_note_carveout(&p->sms[sm], a, of[a], now);
}

#include "run/study/need.h"

#include <stdlib.h>
#include <string.h>
#include "base/float_control.h"

u32 needs_of(const struct mechanisms *policy, struct hook_call *hook_call)
{
    u32 needs = 0;
    for (u32 i = 0; i < policy->n; i++) {
        const struct mechanism *m = &policy->at[i];
        if (!m->policy->needs) continue;
        if (hook_call) hook_call_begin(hook_call, "needs", i, 0);
        u64 floats = float_control();
        needs |= m->policy->needs(m->values);
        /* A change is reported when the simulation calls the hook again. */
        float_control_set(floats);
        if (hook_call) hook_call_end(hook_call);
    }
    return needs;
}

bool need_alone(struct alone *out, const struct sim_setup *setup, u32 app, u32 blocks, bool fresh,
                struct fail *fail)
{
    struct text policy = {0};
    if (blocks) text_add(&policy, "fixed[blocks=%u]", blocks);
    else text_add(&policy, "leftover");
    struct sim_setup one = alone_setup(setup, app, policy.bytes);
    u64 key[2];
    *out = (struct alone){.sms = setup->gpu->machine.sm.count};
    bool ok = alone_key(&one, key, fail);
    if (ok && (fresh || !alone_load(out, key, false))) {
        struct sim *sim = base_alloc(sizeof *sim);
        ok = sim_run(sim, &one, fail);
        if (ok) alone_take(out, sim);
        sim_free(sim);
        free(sim);
        if (ok) alone_save(out, key);
    }
    text_free(&policy);
    return ok;
}

static double ipc_of(const struct sim_kernel *k)
{
    return k->cycles ? (double)k->thread_instructions / (double)k->cycles : 0;
}

static const struct sim_kernel *same_kernel(const struct alone *a, const struct gpu_fact *f)
{
    for (u32 i = 0; i < a->kernel_n; i++) {
        const struct sim_kernel *k = &a->kernels[i];
        if (!strcmp(k->name, f->name) && !memcmp(k->block, f->block, sizeof f->block) &&
            k->fits.shared_bytes == f->shared_bytes)
            return k;
    }
    return NULL;
}

/* Derives the figures from counters of the cycles in which no other kernel of the app ran. A kernel
 * never alone on the GPU gets its occupancy, and all SMs are assumed. */
static struct corun_alone alone_of(const struct sim_kernel *k, const struct machine *m)
{
    const struct gpu_stat *s = &k->stats;
    double cycles = (double)k->cycles, active = (double)s->sm.active_cycles;
    struct corun_alone a = {.ipc = ipc_of(k)};
    if (!s->sm.active_cycles) {
        a.issue_fraction =
            (double)k->warp_instructions / (cycles * m->sm.count * m->sm.schedulers);
        a.resident_blocks = k->fits.blocks_per_sm;
        a.sms = m->sm.count;
        return a;
    }
    struct gpu_capacity room;
    gpu_capacity(m, k->stat_cycles, &room);
    a.issue_fraction = (double)s->sm.inst_warp / (active * m->sm.schedulers);
    a.resident_blocks = (double)s->sm.resident_cycles / active;
    a.sms = active / (double)k->stat_cycles;
    a.bandwidth_fraction = (double)s->dram.bytes / room.dram_bytes;
    if (s->sm.inst_thread) a.mpki = 1000 * (double)s->l2.misses / (double)s->sm.inst_thread;
    return a;
}

/* Returns the figures of the app as a whole, over all its kernels. */
static struct gpu_fact app_fact(u32 app, const struct alone *full, const struct machine *m)
{
    const struct sim_kernel all = {.cycles = full->cycles,
                                   .stat_cycles = full->cycles,
                                   .thread_instructions = full->stats.sm.inst_thread,
                                   .stats = full->stats};
    struct gpu_fact fact = {.app_id = app};
    if (full->known && full->stats.sm.active_cycles) fact.alone = alone_of(&all, m);
    return fact;
}

static void add_facts(struct needs *f, const struct sim_setup *setup, u32 app,
                      const struct alone *full, bool curves)
{
    struct gpu_fact *more = arena_array(&f->arena, struct gpu_fact, f->n + full->kernel_n + 1);
    if (f->n) memcpy(more, f->at, f->n * sizeof *more);
    f->at = more;
    f->at[f->n++] = app_fact(app, full, &setup->gpu->machine);
    for (u32 i = 0; full->known && i < full->kernel_n; i++) {
        const struct sim_kernel *k = &full->kernels[i];
        if (!k->cycles) continue;
        struct gpu_fact *fact = &f->at[f->n++];
        *fact = (struct gpu_fact){.app_id = app, .shared_bytes = k->fits.shared_bytes,
                                  .name = arena_text(&f->arena, k->name, strlen(k->name))};
        memcpy(fact->block, k->block, sizeof fact->block);
        fact->alone = alone_of(k, &setup->gpu->machine);
        if (!curves) continue;
        double *curve = arena_array(&f->arena, double, k->fits.blocks_per_sm);
        for (u32 t = 0; t < k->fits.blocks_per_sm; t++) curve[t] = fact->alone.ipc;
        fact->alone.curve = curve;
        fact->alone.curve_n = k->fits.blocks_per_sm;
    }
}

/* Fills point t of the curves of all kernels of the app that can have more than t blocks per SM. */
static bool add_point(struct needs *f, const struct sim_setup *setup, u32 app, u32 t, bool fresh,
                      u32 from, struct fail *fail)
{
    struct alone less;
    if (!need_alone(&less, setup, app, t, fresh, fail)) return false;
    for (u32 i = from; i < f->n; i++) {
        if (t >= f->at[i].alone.curve_n) continue;
        const struct sim_kernel *k = less.known ? same_kernel(&less, &f->at[i]) : NULL;
        double *curve = (double *)(uintptr_t)f->at[i].alone.curve;
        curve[t - 1] = k ? ipc_of(k) : 0;
    }
    alone_free(&less);
    return true;
}

bool needs_make(struct needs *f, struct sim *s, bool fresh, struct fail *fail)
{
    const struct sim_setup *setup = s->setup;
    u32 needs = needs_of(&s->policy, setup->hook_call) & (CORUN_NEEDS_PROFILE | CORUN_NEEDS_CURVE);
    *f = (struct needs){0};
    if (!needs) return true;
    arena_init(&f->arena);
    f->made = true;
    bool curves = needs & CORUN_NEEDS_CURVE;
    for (u32 a = 0; a < setup->app_n; a++) {
        struct alone full;
        u32 from = f->n, most = 0;
        if (!need_alone(&full, setup, a, 0, fresh, fail)) return false;
        add_facts(f, setup, a, &full, curves);
        alone_free(&full);
        for (u32 i = from; i < f->n; i++) most = max_u32(most, f->at[i].alone.curve_n);
        for (u32 t = 1; t < most; t++)
            if (!add_point(f, setup, a, t, fresh, from, fail)) return false;
    }
    s->own_setup.facts = f->at;
    s->own_setup.fact_n = f->n;
    return true;
}

void needs_free(struct needs *f)
{
    if (f->made) arena_free(&f->arena);
    *f = (struct needs){0};
}

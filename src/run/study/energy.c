#include "run/study/energy.h"

#include <math.h>

#define ENERGY_METRIC(name, value, label, digits, unit, sentence)                                  \
    static double value_##name(const struct run_energy *e)                                         \
    {                                                                                              \
        double v = value;                                                                          \
        return isfinite(v) ? v : (double)NAN;                                                      \
    }
#include "run/study/energy_metric.def"
#undef ENERGY_METRIC
#define ENERGY_METRIC(name, value, label, digits, unit, sentence)                                  \
    {#name, label, unit, digits, value_##name},
const struct energy_metric energy_metrics[] = {
#include "run/study/energy_metric.def"
};
const u32 energy_metric_n = COUNT_OF(energy_metrics);

bool energy_known(const struct gpu_file *g, struct fail *fail)
{
    const struct rational *values = (const struct rational *)&g->energy; /* all members */
    for (u32 i = 0; i < energy_row_n; i++)
        if (values[i].num) return true;
    fail_plain(fail, "--energy: the machine %s gives no energies", g->name);
    fail_note(fail, "base the machine on a shipped machine, or give a section energy: (corun list "
              "options shows the keys)");
    return false;
}

/* Adds the counts of an instruction. Atomics bypass L1. */
static void mix_add(struct energy_mix *x, const struct listing_line *i, const struct inst_stat *n)
{
    u64 hits = n->l1_hits + n->l1_merged;
    x->register_reads += i->reads * n->threads;
    x->register_writes += i->writes * n->threads;
    x->lanes[energy_class(i->unit, i->cost, i->space)] += n->threads;
    u32 steps = i->group_steps ? i->group_steps : energy_tensor_steps(i->unit, i->cost);
    x->tensor_steps += steps * n->issued;
    *(i->loads ? &x->l1_read_hits : &x->l1_write_hits) += hits;
    *(i->loads ? &x->l1_read_misses : &x->l1_write_misses) += n->l1_misses;
}

static void mix_of(const struct lines *l, u32 app_id, struct energy_mix *x)
{
    *x = (struct energy_mix){0};
    for (u32 k = 0; k < l->listing_n; k++) {
        const struct listing *in = &l->listings[k];
        for (u32 pc = 0; in->app_id == app_id && pc < in->code_n; pc++)
            mix_add(x, &in->lines[pc], &in->counts[pc]);
    }
}

/* Returns n x part / whole, rounded down; 0 of 0. */
static u64 share(u64 n, u64 part, u64 whole)
{
    return whole ? (u64)((unsigned __int128)n * part / whole) : 0;
}

/* Static energy of `cycles` SM cycles with the app's mean number of active lanes. */
static u64 active_energy(const struct gpu_file *g, const struct sim_app *app, u64 cycles)
{
    u64 warp = app->totals.sm.inst_warp, thread = app->totals.sm.inst_thread;
    u64 further = thread > warp ? share(cycles, thread - warp, warp) : 0;
    return energy_of_power(g->energy.sm_active, cycles, &g->machine) +
           energy_of_power(g->energy.sm_lane, further, &g->machine);
}

static void energy_sum(struct energy *e)
{
    e->total = 0;
    for (u32 i = 0; i < ENERGY_COMPONENT_N; i++) e->total += e->of[i];
}

static void attribute(const struct sim *s, struct run_energy *out)
{
    const struct gpu_file *g = s->setup->gpu;
    u64 all = s->cycles * g->machine.sm.count, resident = 0, given = 0;
    u64 constant = energy_of_power(g->energy.constant, s->cycles, &g->machine);
    struct energy *rest = &out->unattributed;
    for (u32 i = 0; i < s->app_n; i++) resident += s->apps[i].totals.sm.resident_cycles;
    rest->of[ENERGY_constant] = constant;
    for (u32 i = 0; i < s->app_n; i++) {
        const struct sim_app *app = &s->apps[i];
        u64 cycles = share(s->busy_cycles, app->totals.sm.resident_cycles, resident);
        out->apps[i].of[ENERGY_sms] = active_energy(g, app, cycles);
        out->apps[i].of[ENERGY_constant] = share(constant, cycles, all);
        rest->of[ENERGY_constant] -= out->apps[i].of[ENERGY_constant];
        given += cycles;
    }
    rest->of[ENERGY_sms] = energy_of_power(g->energy.sm_idle, all - given, &g->machine);
}

void run_energy(const struct batch_run *r, struct run_energy *out)
{
    static const struct energy_mix none = {0};
    const struct sim *s = &r->sim;
    const struct gpu_file *g = s->setup->gpu;
    struct rational mhz = g->machine.clock.sm_mhz;
    struct energy_mix mix;
    *out = (struct run_energy){0};
    for (u32 i = 0; i < s->app_n; i++) {
        mix_of(s->lines, i, &mix);
        energy_of_counts(&g->energy, &g->machine, &s->apps[i].totals, &mix, out->apps[i].of);
        out->instructions += (double)stat_kept_thread(&s->apps[i].totals);
    }
    energy_of_counts(&g->energy, &g->machine, &s->unowned, &none, out->unattributed.of);
    attribute(s, out);
    for (u32 i = 0; i < s->app_n; i++) {
        energy_sum(&out->apps[i]);
        stat_sum(&out->gpu, &out->apps[i], sizeof out->gpu);
    }
    energy_sum(&out->unattributed);
    stat_sum(&out->gpu, &out->unattributed, sizeof out->gpu);
    out->joules = (double)out->gpu.total / 1e12;
    out->seconds = (double)s->cycles * (double)mhz.den / ((double)mhz.num * 1e6);
    out->weighted_speedup = run_metric(r, metric_find("weighted_speedup"));
}

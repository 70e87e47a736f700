#include "run/result/result.h"

#include <inttypes.h>
#include <math.h>
#include "run/io/json_writer.h"
#include "run/study/energy.h"
#include "run/study/seeds.h"

static void text_rate(struct text *out, const char *name, u64 over, u64 under)
{
    if (under) text_add(out, "%s = %12.4f\n", name, (double)over / (double)under);
    else text_add(out, "%s = nan\n", name);
}

static void show_counters(struct text *out, const struct gpu_stat *s, u64 cycles)
{
#define TEXT_COUNT(name, value) text_add(out, name " = %" PRIu64 "\n", (u64)(value));
#define TEXT_RATE(name, over, under) text_rate(out, name, over, under);
#include "run/result/text.def"
#undef TEXT_COUNT
#undef TEXT_RATE
}

void result_text(const struct batch *b, u32 run, struct text *out)
{
    const struct sim *s = &b->runs[run].sim;
    text_add(out, "corun_version = %s\n", CORUN_VERSION);
    text_add(out, "corun_status = %s\n", sim_status_name(s->status));
    show_counters(out, &s->stats, s->cycles);
    for (u32 i = 0; i < s->app_n; i++) {
        text_add(out, "\napp_name = %s\n", s->apps[i].name);
        show_counters(out, &s->apps[i].stats, s->apps[i].cycles);
    }
}

/* ---- CSV: a row per quantity; the owner is an app's name or "gpu" ---- */

void csv_quote(struct text *out, const char *word)
{
    text_put(out, "\"", 1);
    for (const char *p = word; *p; p++) text_add(out, *p == '"' ? "\"\"" : "%c", *p);
    text_put(out, "\"", 1);
}

static void csv_name(struct text *out, const char *owner, const char *key)
{
    csv_quote(out, owner);
    text_add(out, ",%s,", key);
}

static void csv_integer(struct text *out, const char *owner, const char *key, u64 value)
{
    csv_name(out, owner, key);
    text_add(out, "%" PRIu64 "\n", value);
}

/* An undefined value is an empty field. */
static void csv_real(struct text *out, const char *owner, const char *key, double value)
{
    csv_name(out, owner, key);
    if (isfinite(value)) real_show(value, out);
    text_put(out, "\n", 1);
}

static void csv_stats(struct text *out, const char *owner, const struct gpu_stat *s,
                      const struct gpu_capacity *c)
{
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        csv_integer(out, owner, gpu_stat_rows[i].name, stat_get(s, &gpu_stat_rows[i]));
    }
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        csv_real(out, owner, gpu_ratio_rows[i].name, ratio_of(&gpu_ratio_rows[i], s, c));
    }
}

static void csv_part(struct text *out, const struct sim *s, const struct app_part *p)
{
    struct gpu_capacity c;
    struct text owner = {0};
    gpu_capacity(&s->setup->gpu->machine, p->cycles, &c);
    text_add(&owner, "%s/", s->apps[p->app_id].name);
    part_name(&s->parts, p, &owner);
    csv_integer(out, owner.bytes, key_name(KEY_part_launches), p->launches);
    csv_integer(out, owner.bytes, key_name(KEY_part_arrival_cycle), p->arrived);
    if (p->began != NEVER)
        csv_integer(out, owner.bytes, key_name(KEY_part_start_cycle), p->began);
    if (p->ended != NEVER) csv_integer(out, owner.bytes, key_name(KEY_part_end_cycle), p->ended);
    csv_integer(out, owner.bytes, key_name(KEY_part_cycles), p->cycles);
    csv_stats(out, owner.bytes, &p->stats, &c);
    text_free(&owner);
}

static void csv_requests(struct text *out, const struct sim_app *app)
{
    csv_integer(out, app->name, "requests.arrived", app->requests->arrived_n);
    csv_integer(out, app->name, "requests.completed", app->requests->ended_n);
    for (u32 k = 0; k < REQUEST_N; k++) {
        struct text key = {0};
        text_add(&key, "requests.%s", request_rows[k].key);
        csv_real(out, app->name, key.bytes, app->request_values[k]);
        text_free(&key);
    }
}

static void csv_spread(struct text *out, const char *owner, const char *quantity, struct spread s)
{
    struct text key = {0};
    text_add(&key, "seeds.%s.mean", quantity);
    csv_real(out, owner, key.bytes, s.mean);
    key.size = 0;
    text_add(&key, "seeds.%s.half_width", quantity);
    csv_real(out, owner, key.bytes, s.half);
    text_free(&key);
}

/* Writes the means over seeds with half the widths of the confidence intervals. */
static void csv_seeds(struct text *out, const struct batch *b, u32 run)
{
    const struct sim *s = &b->runs[run].sim;
    csv_integer(out, "gpu", "seeds.n", b->seeds.n);
    for (u32 i = 0; i < metric_row_n; i++)
        csv_spread(out, "gpu", metric_rows[i].name, seeds_metric(b, run, &metric_rows[i]));
    for (u32 a = 0; a < s->app_n; a++) {
        csv_spread(out, s->apps[a].name, key_name(KEY_app_ipc_thread),
                   seeds_app(b, run, a, SEEDS_IPC));
        csv_spread(out, s->apps[a].name, key_name(KEY_app_normalized_ipc),
                   seeds_app(b, run, a, SEEDS_NORMALIZED_IPC));
        for (u32 k = 0; k < REQUEST_N && s->apps[a].requests; k++) {
            struct text key = {0};
            text_add(&key, "requests.%s", request_rows[k].key);
            csv_spread(out, s->apps[a].name, key.bytes, seeds_app(b, run, a, seeds_request(k)));
            text_free(&key);
        }
    }
}

static void csv_energy(struct text *out, const char *owner, const char *prefix,
                       const struct energy *e)
{
    static const enum result_key keys[] = {
#define COMPONENT(id, name, sentence) KEY_energy_##id##_pj,
#include "gpu/machine/energy.def"
        KEY_energy_total_pj};
    struct text key = {0};
    for (u32 i = 0; i < COUNT_OF(keys); i++, key.size = 0) {
        text_add(&key, "%s%s", prefix, key_name(keys[i]));
        csv_integer(out, owner, key.bytes, i < ENERGY_COMPONENT_N ? e->of[i] : e->total);
    }
    text_free(&key);
}

static void csv_energy_run(struct text *out, const struct batch_run *r)
{
    struct run_energy e;
    struct text key = {0};
    run_energy(r, &e);
    for (u32 i = 0; i < energy_metric_n; i++, key.size = 0) {
        text_add(&key, "energy.%s", energy_metrics[i].name);
        csv_real(out, "gpu", key.bytes, energy_metrics[i].value(&e));
    }
    csv_energy(out, "gpu", "energy.", &e.gpu);
    csv_energy(out, "gpu", "energy.unattributed.", &e.unattributed);
    for (u32 i = 0; i < r->sim.app_n; i++)
        csv_energy(out, r->sim.apps[i].name, "energy.", &e.apps[i]);
    text_free(&key);
}

void result_csv(const struct batch *b, u32 run, struct text *out)
{
    const struct batch_run *r = &b->runs[run];
    const struct sim *s = &r->sim;
    text_add(out, "owner,key,value\n");
    csv_name(out, "gpu", key_name(KEY_result_status));
    text_add(out, "%s\n", sim_status_name(s->status));
    csv_integer(out, "gpu", key_name(KEY_result_cycles), s->cycles);
    for (u32 i = 0; i < metric_row_n; i++) {
        csv_real(out, "gpu", metric_rows[i].name, run_metric(r, &metric_rows[i]));
    }
    csv_stats(out, "gpu", &s->stats, &s->capacity);
    for (u32 i = 0; i < s->app_n; i++) {
        const struct sim_app *app = &s->apps[i];
        csv_integer(out, app->name, key_name(KEY_app_cycles), app->cycles);
        csv_integer(out, app->name, key_name(KEY_app_completions), app->completions);
        csv_integer(out, app->name, key_name(KEY_app_launches), app->launches);
        if (b->setup->sim.timed.last) {
            csv_integer(out, app->name, key_name(KEY_app_functional_launches), app->functional);
            csv_integer(out, app->name, key_name(KEY_app_repeated_launches), app->repeated);
            csv_integer(out, app->name, key_name(KEY_app_functional_ns), app->functional_ns);
        }
        csv_real(out, app->name, key_name(KEY_app_ipc_thread), app_ipc_thread(app));
        csv_real(out, app->name, key_name(KEY_app_ipc_warp), app_ipc_warp(app));
        csv_real(out, app->name, key_name(KEY_app_alone_ipc_thread), run_alone_ipc(r, i));
        csv_real(out, app->name, key_name(KEY_app_normalized_ipc), run_normalized_ipc(r, i));
        if (app->requests) csv_requests(out, app);
        csv_stats(out, app->name, &app->stats, &app->capacity);
    }
    for (u32 k = 0; k < s->parts.n; k++) csv_part(out, s, &s->parts.at[k]);
    if (b->setup->energy) csv_energy_run(out, r);
    if (b->seeds.n) csv_seeds(out, b, run);
}

/* ---- faults ---- */

void result_fault(const struct sim *s, struct text *out)
{
    const struct sim_fault *f = &s->fault;
    if (!f->what) return;
    if (f->in_kernel && f->line) text_add(out, "%s:%u: ", f->file, f->line);
    text_add(out, "%s: %s", sim_status_name(s->status), f->what);
    if (f->detail[0]) text_add(out, ": %s", f->detail);
    if (f->what[0] && f->what[__builtin_strlen(f->what) - 1] != '\n') text_put(out, "\n", 1);
    if (f->at_address) {
        text_add(out, "    address 0x%" PRIx64 ", %u bytes\n", f->address, f->size_bytes);
    }
    if (f->app[0]) text_add(out, "    app %s", f->app);
    if (f->kernel[0]) text_add(out, ", kernel %s", f->kernel);
    if (f->in_kernel) {
        text_add(out, ", block %" PRIu64 ", warp %u, lane %u (on SM %u)", f->block, f->warp,
                 f->lane, f->sm);
    }
    if (f->app[0]) text_add(out, ", cycle %" PRIu64 "\n", f->cycle);
    text_add(out, "%s", f->dump);
}

#include "run/result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "run/io/hasher.h"
#include "run/io/jot.h"
#include "run/study/metric.h"
#include "run/study/window.h"

u64 peak_rss_bytes(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) ? 0 : (u64)u.ru_maxrss * 1024;
}

static double per_second(double n, double seconds)
{
    return seconds > 0 ? n / seconds : (double)NAN;
}

static void show_host(struct jot *j, const struct batch *b, const struct sim *s)
{
    jot_open(j, "host", '{');
    jot_real(j, "wall_seconds", b->wall_seconds);
    jot_real(j, "warp_instructions_per_second",
             per_second((double)s->stats.sm.inst_warp, s->loop_seconds));
    jot_real(j, "cycles_per_second", per_second((double)s->cycles, s->loop_seconds));
    jot_whole(j, "peak_rss_bytes", peak_rss_bytes());
    jot_whole(j, "threads", b->setup->threads);
    jot_close(j, '}');
}

static void show_counters(struct jot *j, const struct gpu_stat *s)
{
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        jot_whole(j, gpu_stat_rows[i].name, stat_get(s, &gpu_stat_rows[i]));
    }
}

void result_show_stats(struct jot *j, const char *key, const struct gpu_stat *s,
                       const struct gpu_capacity *c)
{
    jot_open(j, key, '{');
    show_counters(j, s);
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        jot_real(j, gpu_ratio_rows[i].name, ratio_of(&gpu_ratio_rows[i], s, c));
    }
    jot_close(j, '}');
}

void result_show_kernel(struct jot *j, const struct sim_kernel *k)
{
    jot_text(j, "name", k->name);
    jot_whole(j, "launches", k->launches);
    jot_whole(j, "registers_per_thread", k->fits.registers);
    jot_whole(j, "shared_bytes", k->fits.shared_bytes);
    jot_whole(j, "block_threads", k->fits.block_threads);
    jot_whole(j, "blocks_per_sm", k->fits.blocks_per_sm);
    jot_text(j, "limiter", k->fits.limiter);
}

static void show_kernels(struct jot *j, const struct sim_app *app)
{
    jot_open(j, "kernels", '[');
    for (u32 i = 0; i < app->kernel_n; i++) {
        jot_open_flat(j, NULL, '{');
        result_show_kernel(j, &app->kernels[i]);
        jot_close(j, '}');
    }
    jot_close(j, ']');
}

static void show_alone(struct jot *j, const struct batch *b, const struct alone *a)
{
    if (!a->known) {
        jot_null(j, "alone");
        return;
    }
    jot_open_flat(j, "alone", '{');
    jot_text(j, "on", alone_on_name(b->setup->on));
    jot_whole(j, "sms", a->sms);
    jot_text(j, "until", until_name(b->setup->sim.until));
    jot_text(j, "status", sim_status_name(a->status));
    jot_whole(j, "cycles", a->cycles);
    jot_whole(j, "thread_instructions", a->stats.sm.inst_thread);
    jot_close(j, '}');
}

static void show_app(struct jot *j, const struct batch *b, const struct batch_run *r, u32 i)
{
    const struct sim_app *app = &r->sim.apps[i];
    jot_open(j, NULL, '{');
    jot_text(j, "name", app->name);
    jot_text(j, "spec", b->setup->sim.apps[i]);
    jot_whole(j, "cycles", app->cycles);
    jot_whole(j, "completions", app->completions);
    jot_whole(j, "launches", app->launches);
    jot_whole(j, "warp_instructions", app->stats.sm.inst_warp);
    jot_whole(j, "thread_instructions", app->stats.sm.inst_thread);
    jot_real(j, "ipc_thread", app_ipc_thread(app));
    jot_real(j, "ipc_warp", app_ipc_warp(app));
    jot_real(j, "alone_ipc_thread", app_alone_ipc(r, i));
    jot_real(j, "normalized_ipc", app_normalized_ipc(r, i));
    show_alone(j, b, &r->alone[i]);
    if (app->checked < 0) jot_null(j, "checked");
    else jot_bool(j, "checked", app->checked);
    if (app->checked == 0) jot_text(j, "checked_why", app->checked_why);
    show_kernels(j, app);
    struct gpu_capacity c = app->capacity;
    result_show_stats(j, "stats", &app->stats, &c);
    if (app->taken && b->setup->sim.until == UNTIL_ALL_COMPLETE) c = r->sim.capacity;
    result_show_stats(j, "totals", &app->totals, &c);
    jot_close(j, '}');
}

static void fault_place(struct jot *j, const char *key, bool known, u64 value)
{
    if (known) jot_whole(j, key, value);
    else jot_null(j, key);
}

static void show_fault(struct jot *j, const struct sim_fault *f)
{
    jot_open(j, "fault", '{');
    jot_text(j, "what", f->what);
    jot_text(j, "app", f->app[0] ? f->app : NULL);
    jot_text(j, "kernel", f->kernel[0] ? f->kernel : NULL);
    fault_place(j, "block", f->in_kernel, f->block);
    fault_place(j, "sm", f->in_kernel, f->sm);
    fault_place(j, "warp", f->in_kernel, f->warp);
    fault_place(j, "lane", f->in_kernel, f->lane);
    jot_text(j, "file", f->in_kernel ? f->file : NULL);
    fault_place(j, "line", f->in_kernel && f->line, f->line);
    struct text address = {0};
    text_add(&address, "0x%llx", (unsigned long long)f->address);
    jot_text(j, "address", f->at_address ? address.bytes : NULL);
    text_free(&address);
    fault_place(j, "size_bytes", f->at_address, f->size_bytes);
    jot_text(j, "detail", f->detail[0] ? f->detail : NULL);
    jot_close(j, '}');
}

static void show_refused(struct jot *j, const char *lines)
{
    jot_open(j, "refused", '[');
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        struct text one = {0};
        text_put(&one, lines, (size_t)(end - lines));
        jot_text(j, NULL, text_get(&one));
        text_free(&one);
    }
    jot_close(j, ']');
}

/* How many windows the oracle gave each mix. */
static void show_mixes(struct jot *j, const struct windows *w)
{
    jot_open(j, "mixes", '{');
    for (u32 i = 0; i < w->mixes.n; i++) {
        struct text spec = {0};
        mix_spec(&w->mixes.at[i], w->mixes.app_n, &spec);
        jot_whole(j, spec.bytes, w->chosen[i]);
        text_free(&spec);
    }
    jot_close(j, '}');
}

static void show_policies(struct jot *j, const struct batch_run *r)
{
    const struct sim *s = &r->sim;
    const struct oracle *o = &r->prepared.oracle;
    jot_open(j, "policy_stats", '{');
    if (o->chosen) {
        jot_open(j, "oracle", '{');
        jot_text(j, "chosen", o->chosen);
        jot_real(j, "value", o->value);
        jot_whole(j, "tried", o->tried);
        jot_whole(j, "undefined", o->undefined);
        jot_close(j, '}');
    }
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        jot_open(j, m->policy->name, '{');
        for (u32 k = 0; k < m->stat_n; k++) {
            jot_whole(j, m->policy->stats[k].name, s->policy_stats[i][k]);
        }
        if (m->policy->admit || m->policy->share) {
            jot_whole(j, "refusals", s->refusals);
            show_refused(j, s->refused);
            jot_open_flat(j, "blocks_per_sm", '[');
            for (u32 a = 0; a < s->app_n; a++) jot_whole(j, NULL, s->apps[a].blocks_per_sm);
            jot_close(j, ']');
        }
        if (o->windows) show_mixes(j, o->windows);
        jot_close(j, '}');
    }
    jot_close(j, '}');
}

/* Numbers as numbers, words as texts. */
static void show_value(struct jot *j, const char *text, bool number)
{
    struct rational r;
    u64 whole;
    char *end;
    if (number && whole_parse(text, &whole)) jot_whole(j, "value", whole);
    else if (number && rational_parse(text, &r) && !strchr(text, '/')) {
        jot_real(j, "value", strtod(text, &end));
    } else {
        jot_text(j, "value", text);
    }
}

static void show_machine(struct jot *j, const struct gpu_file *g)
{
    struct text key = {0}, value = {0};
    for (u32 i = 0; i < machine_row_n; i++) {
        const struct conf_row *row = &machine_rows[i];
        key.size = value.size = 0;
        text_add(&key, "%s.%s", row->section, row->field);
        conf_show(&g->machine, row, &value);
        jot_open_flat(j, key.bytes, '{');
        bool number = row->type != CONF_TYPE_CHOICE && row->type != CONF_TYPE_WORD;
        if (row->type == CONF_TYPE_BOOL) jot_bool(j, "value", !strcmp(value.bytes, "on"));
        else show_value(j, value.bytes, number);
        jot_text(j, "origin", g->values[i].origin);
        jot_close(j, '}');
    }
    text_free(&key);
    text_free(&value);
}

static void show_options(struct jot *j, const struct sim *s)
{
    struct text key = {0};
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        for (u32 o = 0; o < m->option_n; o++) {
            key.size = 0;
            text_add(&key, "%s.%s", m->policy->name, m->policy->options[o].name);
            jot_open_flat(j, key.bytes, '{');
            show_value(j, m->texts[o], !m->values[o].word && m->values[o].list_n < 2);
            jot_text(j, "origin", m->given[o] ? "--policy" : "default");
            jot_close(j, '}');
        }
    }
    text_free(&key);
}

static void show_config(struct jot *j, const struct sim *s)
{
    jot_open(j, "config", '{');
    show_machine(j, s->setup->gpu);
    show_options(j, s);
    jot_close(j, '}');
}

static void show_limit(struct jot *j, const char *key, u64 value)
{
    if (value) jot_whole(j, key, value);
    else jot_null(j, key);
}

static void show_run(struct jot *j, const struct batch *b, u32 run)
{
    const struct batch_run *r = &b->runs[run];
    const struct sim *s = &r->sim;
    struct text hash = {0};
    hash_show(s->input_hash, &hash);
    jot_open(j, NULL, '{');
    jot_text(j, "schema", "corun-result/1");
    jot_text(j, "version", CORUN_VERSION);
    jot_text(j, "input_hash", hash.bytes);
    jot_text(j, "gpu", s->setup->gpu->name);
    jot_text(j, "policy", s->setup->policy);
    jot_text(j, "until", until_name(s->setup->until));
    show_limit(j, "cycle_limit", s->setup->cycles);
    show_limit(j, "instruction_goal", s->setup->instructions);
    jot_whole(j, "seed", s->setup->seed);
    jot_text(j, "status", sim_status_name(s->status));
    jot_whole(j, "cycles", s->cycles);
    jot_bool(j, "skip", s->setup->skip);
    show_host(j, b, s);
    if (s->fault.what) show_fault(j, &s->fault);
    jot_open(j, "apps", '[');
    for (u32 i = 0; i < s->app_n; i++) show_app(j, b, r, i);
    jot_close(j, ']');
    jot_open(j, "metrics", '{');
    for (u32 i = 0; i < metric_row_n; i++) {
        jot_real(j, metric_rows[i].name, metric_of(r, &metric_rows[i]));
    }
    jot_close(j, '}');
    result_show_stats(j, "stats", &s->stats, &s->capacity);
    jot_open(j, "unowned", '{');
    show_counters(j, &s->unowned);
    jot_close(j, '}');
    show_policies(j, r);
    show_config(j, s);
    jot_close(j, '}');
    text_free(&hash);
}

void result_json(const struct batch *b, u32 run, struct text *out)
{
    struct jot j = {.out = out};
    show_run(&j, b, run);
}

void result_compare_json(const struct batch *b, struct text *out)
{
    struct jot j = {.out = out};
    jot_open(&j, NULL, '{');
    jot_text(&j, "schema", "corun-compare/1");
    jot_open(&j, "runs", '[');
    for (u32 r = 0; r < b->run_n; r++) show_run(&j, b, r);
    jot_close(&j, ']');
    jot_close(&j, '}');
}

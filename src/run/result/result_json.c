#include "run/result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/io/hasher.h"
#include "run/io/json_writer.h"
#include "run/study/batch.h"
#include "run/study/window.h"

/* Reads VmHWM: ru_maxrss would include the memory of the program that started this process. */
u64 peak_rss_bytes(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];
    unsigned long long kib = 0;
    while (status && !kib && fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %llu kB", &kib);
    if (status) fclose(status);
    return kib * 1024;
}

static double per_second(double n, double seconds)
{
    return seconds > 0 ? n / seconds : (double)NAN;
}

static void show_host(struct json_writer *j, const struct batch *b, const struct sim *s)
{
    json_open(j, "host", '{');
    json_put_real(j, "wall_seconds", b->wall_seconds);
    json_put_real(j, "warp_instructions_per_second",
                  per_second((double)s->stats.sm.inst_warp, s->loop_seconds));
    json_put_real(j, "cycles_per_second", per_second((double)s->cycles, s->loop_seconds));
    if (s->setup->timed.last)
        json_put_real(j, "functional_warp_instructions_per_second",
                      per_second((double)s->functional_warp, s->functional_seconds));
    json_put_integer(j, "peak_rss_bytes", peak_rss_bytes());
    json_put_integer(j, "threads", b->setup->threads);
    json_close(j, '}');
}

static void show_counters(struct json_writer *j, const struct gpu_stat *s)
{
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        json_put_integer(j, gpu_stat_rows[i].name, stat_get(s, &gpu_stat_rows[i]));
    }
}

void result_show_stats(struct json_writer *j, const char *key, const struct gpu_stat *s,
                       const struct gpu_capacity *c)
{
    json_open(j, key, '{');
    show_counters(j, s);
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        json_put_real(j, gpu_ratio_rows[i].name, ratio_of(&gpu_ratio_rows[i], s, c));
    }
    json_close(j, '}');
}

void result_show_kernel(struct json_writer *j, const struct sim_kernel *k)
{
    json_put_text(j, "name", k->name);
    json_put_integer(j, "launches", k->launches);
    json_put_integer(j, "registers_per_thread", k->fits.registers);
    json_put_integer(j, "shared_bytes", k->fits.shared_bytes);
    json_put_integer(j, "block_threads", k->fits.block_threads);
    json_put_integer(j, "blocks_per_sm", k->fits.blocks_per_sm);
    json_put_text(j, "limiter", k->fits.limiter);
}

static void show_kernels(struct json_writer *j, const struct sim_app *app)
{
    json_open(j, "kernels", '[');
    for (u32 i = 0; i < app->kernel_n; i++) {
        json_open_flat(j, NULL, '{');
        result_show_kernel(j, &app->kernels[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void show_alone(struct json_writer *j, const struct batch *b, const struct alone *a)
{
    if (!a->known) {
        json_put_null(j, "alone");
        return;
    }
    json_open_flat(j, "alone", '{');
    json_put_text(j, "on", alone_on_name(b->setup->on));
    json_put_integer(j, "sms", a->sms);
    json_put_text(j, "until", until_name(b->setup->sim.until));
    json_put_text(j, "status", sim_status_name(a->status));
    json_put_integer(j, "cycles", a->cycles);
    json_put_integer(j, "thread_instructions", a->stats.sm.inst_thread);
    json_close(j, '}');
}

static void show_app(struct json_writer *j, const struct batch *b, const struct batch_run *r, u32 i)
{
    const struct sim_app *app = &r->sim.apps[i];
    json_open(j, NULL, '{');
    json_put_text(j, "name", app->name);
    json_put_text(j, "spec", b->setup->sim.apps[i]);
    if (app->start) json_put_integer(j, "start", app->start);
    json_put_integer(j, "cycles", app->cycles);
    json_put_integer(j, "completions", app->completions);
    json_put_integer(j, "launches", app->launches);
    if (b->setup->sim.timed.last) {
        json_put_integer(j, "functional_launches", app->functional);
        json_put_integer(j, "functional_ns", app->functional_ns);
    }
    json_put_integer(j, "warp_instructions", stat_kept_warp(&app->stats));
    json_put_integer(j, "thread_instructions", stat_kept_thread(&app->stats));
    json_put_real(j, "ipc_thread", app_ipc_thread(app));
    json_put_real(j, "ipc_warp", app_ipc_warp(app));
    json_put_real(j, "alone_ipc_thread", run_alone_ipc(r, i));
    json_put_real(j, "normalized_ipc", run_normalized_ipc(r, i));
    show_alone(j, b, &r->alone[i]);
    if (app->checked < 0) json_put_null(j, "checked");
    else json_put_bool(j, "checked", app->checked);
    if (app->checked == 0) json_put_text(j, "checked_why", app->checked_why);
    show_kernels(j, app);
    struct gpu_capacity c = app->capacity;
    result_show_stats(j, "stats", &app->stats, &c);
    if (app->taken && b->setup->sim.until == UNTIL_ALL_COMPLETE) c = r->sim.capacity;
    result_show_stats(j, "totals", &app->totals, &c);
    json_close(j, '}');
}

static void fault_place(struct json_writer *j, const char *key, bool known, u64 value)
{
    if (known) json_put_integer(j, key, value);
    else json_put_null(j, key);
}

static void show_fault(struct json_writer *j, const struct sim_fault *f)
{
    json_open(j, "fault", '{');
    json_put_text(j, "what", f->what);
    json_put_text(j, "app", f->app[0] ? f->app : NULL);
    json_put_text(j, "kernel", f->kernel[0] ? f->kernel : NULL);
    fault_place(j, "block", f->in_kernel, f->block);
    fault_place(j, "sm", f->in_kernel, f->sm);
    fault_place(j, "warp", f->in_kernel, f->warp);
    fault_place(j, "lane", f->in_kernel, f->lane);
    json_put_text(j, "file", f->in_kernel ? f->file : NULL);
    fault_place(j, "line", f->in_kernel && f->line, f->line);
    struct text address = {0};
    text_add(&address, "0x%llx", (unsigned long long)f->address);
    json_put_text(j, "address", f->at_address ? address.bytes : NULL);
    text_free(&address);
    fault_place(j, "size_bytes", f->at_address, f->size_bytes);
    json_put_text(j, "detail", f->detail[0] ? f->detail : NULL);
    json_close(j, '}');
}

/* Writes the warnings of the run. The warning about the machine (gpu_file_lock_step) is not in
 * s->warnings, because `cli` prints the warning itself on standard error; the JSON contains
 * both. */
static void show_warnings(struct json_writer *j, const struct sim *s)
{
    struct warnings all = {0};
    const char *lacks = gpu_file_lock_step(s->setup->gpu);
    bool program = false;
    for (u32 i = 0; i < s->app_n; i++) program |= s->apps[i].own_process;
    if (program && lacks) warning_add(&all, s->setup->gpu->name, 0, lacks);
    warnings_merge(&all, &s->warnings);
    const struct warnings *w = &all;
    json_open(j, "warnings", '[');
    for (u32 i = 0; i < w->n; i++) {
        json_open_flat(j, NULL, '{');
        json_put_text(j, "where", w->at[i].where);
        json_put_integer(j, "line", w->at[i].line);
        json_put_text(j, "text", w->at[i].text);
        json_put_integer(j, "count", w->at[i].count);
        json_close(j, '}');
    }
    json_close(j, ']');
    warnings_free(&all);
}

static void show_lines(struct json_writer *j, const char *key, const char *lines)
{
    json_open(j, key, '[');
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        struct text one = {0};
        text_put(&one, lines, (size_t)(end - lines));
        json_put_text(j, NULL, text_get(&one));
        text_free(&one);
    }
    json_close(j, ']');
}

/* Writes the number of windows for which the oracle chose each mix. */
static void show_mixes(struct json_writer *j, const struct windows *w)
{
    json_open(j, "mixes", '{');
    for (u32 i = 0; i < w->mixes.n; i++) {
        struct text spec = {0};
        mix_spec(&w->mixes.at[i], w->mixes.app_n, &spec);
        json_put_integer(j, spec.bytes, w->chosen[i]);
        text_free(&spec);
    }
    json_close(j, '}');
}

static void show_policies(struct json_writer *j, const struct batch_run *r)
{
    const struct sim *s = &r->sim;
    const struct oracle *o = &r->prepared.oracle;
    json_open(j, "policy_stats", '{');
    if (o->chosen) {
        json_open(j, "oracle", '{');
        json_put_text(j, "chosen", o->chosen);
        json_put_real(j, "value", o->value);
        json_put_integer(j, "tried", o->tried);
        json_put_integer(j, "undefined", o->undefined);
        json_close(j, '}');
    }
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        json_open(j, m->policy->name, '{');
        for (u32 k = 0; k < m->stat_n; k++) {
            json_put_integer(j, m->policy->stats[k].name, s->policy_stats[i][k]);
        }
        if (m->policy->admit || m->policy->share) {
            json_put_integer(j, "refusals", s->refusals);
            show_lines(j, "refused", s->refused);
            json_open_flat(j, "blocks_per_sm", '[');
            for (u32 a = 0; a < s->app_n; a++) json_put_integer(j, NULL, s->apps[a].blocks_per_sm);
            json_close(j, ']');
        }
        if (s->logs[i].n) {
            json_put_integer(j, "log_lines", s->logs[i].n);
            show_lines(j, "log", s->logs[i].lines);
        }
        if (o->windows) show_mixes(j, o->windows);
        json_close(j, '}');
    }
    json_close(j, '}');
}

/* Writes a value as number if `number` and the text is a number, otherwise as text. */
static void show_value(struct json_writer *j, const char *text, bool number)
{
    u64 whole;
    double real;
    if (number && whole_parse(text, &whole)) json_put_integer(j, "value", whole);
    else if (number && real_parse(text, strlen(text), &real)) {
        json_put_real(j, "value", real);
    } else {
        json_put_text(j, "value", text);
    }
}

static void show_machine(struct json_writer *j, const struct gpu_file *g)
{
    struct text key = {0}, value = {0};
    for (u32 i = 0; i < machine_row_n; i++) {
        const struct conf_row *row = &machine_rows[i];
        key.size = value.size = 0;
        text_add(&key, "%s.%s", row->section, row->field);
        conf_show(&g->machine, row, &value);
        json_open_flat(j, key.bytes, '{');
        bool number = row->type != CONF_TYPE_CHOICE && row->type != CONF_TYPE_WORD;
        if (row->type == CONF_TYPE_BOOL) json_put_bool(j, "value", !strcmp(value.bytes, "on"));
        else show_value(j, value.bytes, number);
        json_put_text(j, "origin", g->values[i].origin);
        json_close(j, '}');
    }
    text_free(&key);
    text_free(&value);
}

static void show_options(struct json_writer *j, const struct sim *s)
{
    struct text key = {0};
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        for (u32 o = 0; o < m->option_n; o++) {
            key.size = 0;
            text_add(&key, "%s.%s", m->policy->name, m->policy->options[o].name);
            json_open_flat(j, key.bytes, '{');
            show_value(j, m->texts[o], !m->values[o].word && m->values[o].list_n < 2);
            json_put_text(j, "origin", m->given[o] ? "--policy" : "default");
            json_close(j, '}');
        }
    }
    text_free(&key);
}

static void show_config(struct json_writer *j, const struct sim *s)
{
    json_open(j, "config", '{');
    show_machine(j, s->setup->gpu);
    show_options(j, s);
    json_close(j, '}');
}

static void show_limit(struct json_writer *j, const char *key, u64 value)
{
    if (value) json_put_integer(j, key, value);
    else json_put_null(j, key);
}

static void show_run(struct json_writer *j, const struct batch *b, u32 run)
{
    const struct batch_run *r = &b->runs[run];
    const struct sim *s = &r->sim;
    struct text hash = {0};
    hash_show(s->input_hash, &hash);
    json_open(j, NULL, '{');
    json_put_text(j, "schema", RESULT_SCHEMA);
    json_put_version(j);
    json_put_text(j, "input_hash", hash.bytes);
    json_put_text(j, "gpu", s->setup->gpu->name);
    json_put_text(j, "policy", s->setup->policy);
    json_put_text(j, "until", until_name(s->setup->until));
    show_limit(j, "cycle_limit", s->setup->cycles);
    show_limit(j, "instruction_goal", s->setup->instructions);
    json_put_integer(j, "seed", s->setup->seed);
    json_put_text(j, "status", sim_status_name(s->status));
    json_put_integer(j, "cycles", s->cycles);
    json_put_bool(j, "skip", s->setup->skip);
    show_host(j, b, s);
    if (s->fault.what) show_fault(j, &s->fault);
    show_warnings(j, s);
    json_open(j, "apps", '[');
    for (u32 i = 0; i < s->app_n; i++) show_app(j, b, r, i);
    json_close(j, ']');
    json_open(j, "metrics", '{');
    for (u32 i = 0; i < metric_row_n; i++) {
        json_put_real(j, metric_rows[i].name, run_metric(r, &metric_rows[i]));
    }
    json_close(j, '}');
    result_show_stats(j, "stats", &s->stats, &s->capacity);
    json_open(j, "unowned", '{');
    show_counters(j, &s->unowned);
    json_close(j, '}');
    show_policies(j, r);
    show_config(j, s);
    json_close(j, '}');
    text_free(&hash);
}

void result_json(const struct batch *b, u32 run, struct text *out)
{
    struct json_writer j = {.out = out};
    show_run(&j, b, run);
}

static void show_failed(struct json_writer *j, const char *policy, enum sim_status status,
                        u64 cycle, const char *why)
{
    const struct sim_fault fault = {.what = why, .app = "", .kernel = "", .file = "", .detail = ""};
    json_open(j, NULL, '{');
    json_put_text(j, "schema", RESULT_SCHEMA);
    json_put_text(j, "version", CORUN_VERSION);
    json_put_text(j, "policy", policy);
    json_put_text(j, "status", sim_status_name(status));
    json_put_integer(j, "cycles", cycle);
    show_fault(j, &fault);
    json_close(j, '}');
}

void result_compare_json(const struct batch *b, struct text *out)
{
    struct json_writer j = {.out = out};
    json_open(&j, NULL, '{');
    json_put_text(&j, "schema", RESULT_COMPARE_SCHEMA);
    json_open(&j, "runs", '[');
    for (u32 r = 0; r < b->run_n; r++) {
        const struct batch_failed *f = batch_failed(b, r);
        if (f) show_failed(&j, b->setup->policies[r], SIM_POLICY_FAILED, f->cycle, f->why);
        else show_run(&j, b, r);
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

void result_failed_json(const char *schema, const char *policy, enum sim_status status, u64 cycle,
                        const char *why, struct text *out)
{
    struct json_writer j = {.out = out};
    bool runs = !strcmp(schema, RESULT_COMPARE_SCHEMA);
    if (runs) {
        json_open(&j, NULL, '{');
        json_put_text(&j, "schema", schema);
        json_open(&j, "runs", '[');
    }
    show_failed(&j, policy, status, cycle, why);
    if (!runs) return;
    json_close(&j, ']');
    json_close(&j, '}');
}

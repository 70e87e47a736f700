#include "run/result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "run/io/hasher.h"
#include "run/result/result_writer.h"
#include "run/study/blame.h"
#include "run/study/energy.h"
#include "run/study/loss.h"
#include "run/study/seeds.h"
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

static void show_host(struct result_writer *w, const struct batch *b, const struct sim *s)
{
    result_open(w, KEY_result_host, '{');
    result_put_real(w, KEY_host_wall_seconds, b->wall_seconds);
    result_put_real(w, KEY_host_warp_instructions_per_second,
                  per_second((double)s->stats.sm.inst_warp, s->loop_seconds));
    result_put_real(w, KEY_host_cycles_per_second, per_second((double)s->cycles, s->loop_seconds));
    if (s->setup->timed.last)
        result_put_real(w, KEY_host_functional_warp_instructions_per_second,
                      per_second((double)s->functional_warp, s->functional_seconds));
    result_put_integer(w, KEY_host_peak_rss_bytes, peak_rss_bytes());
    result_put_integer(w, KEY_host_threads, b->setup->threads);
    result_close(w, '}');
}

static void show_counters(struct result_writer *w, const struct gpu_stat *s)
{
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        json_put_integer(&w->json, gpu_stat_rows[i].name, stat_get(s, &gpu_stat_rows[i]));
    }
}

void result_show_stats(struct result_writer *w, enum result_key key, const struct gpu_stat *s,
                       const struct gpu_capacity *c)
{
    result_open(w, key, '{');
    show_counters(w, s);
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        json_put_real(&w->json, gpu_ratio_rows[i].name, ratio_of(&gpu_ratio_rows[i], s, c));
    }
    result_close(w, '}');
}

void result_show_kernel(struct result_writer *w, const struct sim_kernel *k)
{
    static const char *const sources[] = {
        [REGISTERS_LIVE] = "live", [REGISTERS_ESTIMATE] = "estimate",
        [REGISTERS_CODE] = "code", [REGISTERS_USER] = "user"};
    struct text name = {0};
    demangle_show(k->name, &name);
    result_put_text(w, KEY_kernel_name, name.bytes);
    text_free(&name);
    result_put_integer(w, KEY_kernel_launches, k->launches);
    result_put_integer(w, KEY_kernel_registers_per_thread, k->fits.registers);
    result_put_text(w, KEY_kernel_registers_source, sources[k->fits.registers_source]);
    result_put_integer(w, KEY_kernel_shared_bytes, k->fits.shared_bytes);
    result_put_integer(w, KEY_kernel_block_threads, k->fits.block_threads);
    result_put_integer(w, KEY_kernel_carveout_bytes, k->fits.carveout_bytes);
    result_put_integer(w, KEY_kernel_blocks_per_sm, k->fits.blocks_per_sm);
    result_put_text(w, KEY_kernel_limiter, k->fits.limiter);
}

static void show_kernels(struct result_writer *w, const struct sim_app *app)
{
    result_open(w, KEY_app_kernels, '[');
    for (u32 i = 0; i < app->kernel_n; i++) {
        result_open_flat(w, OBJECT_kernel, '{');
        result_show_kernel(w, &app->kernels[i]);
        result_close(w, '}');
    }
    result_close(w, ']');
}

static void show_shape(struct result_writer *w, enum result_key key, const u32 shape[3])
{
    result_open_flat(w, key, '[');
    for (u32 d = 0; d < 3; d++) json_put_integer(&w->json, NULL, shape[d]);
    result_close(w, ']');
}

static void show_cycle(struct result_writer *w, enum result_key key, u64 cycle)
{
    if (cycle == NEVER) result_put_null(w, key);
    else result_put_integer(w, key, cycle);
}

static void show_part(struct result_writer *w, const struct sim *s, const struct app_part *p)
{
    struct gpu_capacity c;
    struct text name = {0};
    gpu_capacity(&s->setup->gpu->machine, p->cycles, &c);
    part_name(&s->parts, p, &name);
    result_open(w, OBJECT_part, '{');
    result_put_text(w, KEY_part_name, name.bytes);
    text_free(&name);
    if (s->parts.by != BY_STREAM) result_put_text(w, KEY_part_kernel, p->kernel);
    if (s->parts.by != BY_KERNEL) result_put_integer(w, KEY_part_stream, p->stream);
    if (s->parts.by == BY_LAUNCH) result_put_integer(w, KEY_part_launch, p->number);
    if (s->parts.by == BY_LAUNCH) show_shape(w, KEY_part_grid, p->grid);
    if (s->parts.by != BY_STREAM) show_shape(w, KEY_part_block, p->block);
    result_put_integer(w, KEY_part_launches, p->launches);
    result_put_integer(w, KEY_part_uncounted, p->uncounted);
    result_put_integer(w, KEY_part_arrival_cycle, p->arrived);
    show_cycle(w, KEY_part_start_cycle, p->began);
    show_cycle(w, KEY_part_end_cycle, p->ended);
    result_put_integer(w, KEY_part_cycles, p->cycles);
    result_show_stats(w, KEY_part_stats, &p->stats, &c);
    result_close(w, '}');
}

static void show_parts(struct result_writer *w, const struct sim *s, u32 app)
{
    struct gpu_stat rest;
    result_open(w, KEY_app_parts, '[');
    for (u32 k = 0; k < s->parts.n; k++)
        if (s->parts.at[k].app_id == app) show_part(w, s, &s->parts.at[k]);
    result_close(w, ']');
    parts_rest(&s->parts, app, &s->apps[app].totals, &rest);
    result_open(w, KEY_app_rest, '{');
    show_counters(w, &rest);
    result_close(w, '}');
}

static void show_alone(struct result_writer *w, const struct batch *b, const struct alone *a)
{
    if (!a->known) {
        result_put_null(w, KEY_app_alone);
        return;
    }
    result_open_flat(w, KEY_app_alone, '{');
    result_put_text(w, KEY_alone_on, alone_on_name(b->setup->on));
    result_put_integer(w, KEY_alone_sms, a->sms);
    result_put_text(w, KEY_alone_until, until_name(b->setup->sim.until));
    result_put_text(w, KEY_alone_status, sim_status_name(a->status));
    result_put_integer(w, KEY_alone_cycles, a->cycles);
    result_put_integer(w, KEY_alone_thread_instructions, a->stats.sm.inst_thread);
    result_close(w, '}');
}

static void show_levels(struct result_writer *w, const struct blame *blame,
                        const struct cuts *cuts)
{
    result_open(w, KEY_blame_levels, '[');
    for (u32 i = 0; i < LEVEL_N; i++) {
        if (i == LEVEL_SM && blame->merged) continue;
        result_open_flat(w, OBJECT_blame_level, '{');
        result_put_text(w, KEY_blame_level_level, level_rows[i].key);
        result_put_signed(w, KEY_blame_level_cycles, blame->levels[i]);
        result_put_signed(w, KEY_blame_level_reversed_cycles, blame->reversed[i]);
        result_close(w, '}');
    }
    result_close(w, ']');
    if (blame->merged) result_put_text(w, KEY_blame_merged, cuts->why_sms);
}

static void show_blame(struct result_writer *w, const struct batch *b, const struct batch_run *r,
                       const struct blame *blame)
{
    const struct sim *s = &r->sim;
    result_open(w, KEY_loss_blame, '{');
    result_put_text(w, KEY_blame_how, blame_how_name(b->setup->blame));
    result_open(w, KEY_blame_lines, '[');
    for (u32 i = 0; i < BLAME_LINES; i++) {
        if (!blame->cycles[i]) continue;
        result_open_flat(w, OBJECT_blame_line, '{');
        result_put_text(w, KEY_blame_line_cause, cause_rows[i / APPS_MAX].key);
        result_put_text(w, KEY_blame_line_app, s->apps[i % APPS_MAX].name);
        result_put_signed(w, KEY_blame_line_cycles, blame->cycles[i]);
        result_close(w, '}');
    }
    result_close(w, ']');
    result_put_signed(w, KEY_blame_unexplained_cycles, blame->unexplained);
    if (blame->exact) show_levels(w, blame, &r->cuts);
    else if (r->cuts.why) result_put_text(w, KEY_blame_no_levels, r->cuts.why);
    result_close(w, '}');
}

static void show_loss(struct result_writer *w, const struct batch *b, const struct batch_run *r,
                      u32 i)
{
    s64 lost;
    struct blame blame;
    if (!loss_of(&r->sim, i, &r->alone[i], &lost)) {
        result_put_null(w, KEY_app_loss);
        return;
    }
    result_open(w, KEY_app_loss, '{');
    result_put_signed(w, KEY_loss_cycles, lost);
    result_put_integer(w, KEY_loss_alone_cycles, loss_alone_cycles(&r->sim, i, &r->alone[i]));
    if (blame_of(r, i, &blame)) show_blame(w, b, r, &blame);
    result_close(w, '}');
}

static void show_energy(struct result_writer *w, enum result_key key, const struct energy *e)
{
    static const enum result_key keys[] = {
#define COMPONENT(id, name, sentence) KEY_energy_##id##_pj,
#include "gpu/machine/energy.def"
    };
    result_open_flat(w, key, '{');
    for (u32 i = 0; i < ENERGY_COMPONENT_N; i++) result_put_integer(w, keys[i], e->of[i]);
    result_put_integer(w, KEY_energy_total_pj, e->total);
    result_close(w, '}');
}

static void show_requests(struct result_writer *w, const struct sim_app *app)
{
    const struct requests *r = app->requests;
    result_open(w, KEY_app_requests, '{');
    result_put_text(w, KEY_requests_arrivals, app->arrivals);
    result_put_integer(w, KEY_requests_warmup, r->warmup);
    result_put_real(w, KEY_requests_deadline_us,
                    r->deadline ? (double)r->deadline / 1e6 : (double)NAN);
    result_put_integer(w, KEY_requests_arrived, r->arrived_n);
    result_put_integer(w, KEY_requests_completed, r->ended_n);
    for (u32 k = 0; k < REQUEST_N; k++) {
        enum result_key key = (enum result_key)(KEY_requests_measured + k);
        double value = app->request_values[k];
        if (request_rows[k].whole && isfinite(value)) result_put_integer(w, key, (u64)value);
        else if (request_rows[k].whole) result_put_null(w, key);
        else result_put_real(w, key, value);
    }
    if (!isfinite(app->request_values[REQUEST_latency_p99_us])) {
        struct text why = {0};
        request_p99_refused(app->request_values[REQUEST_measured], &why);
        result_put_text(w, KEY_requests_p99_refused, why.bytes);
        text_free(&why);
    }
    result_close(w, '}');
}

static void show_cycles(struct result_writer *w, enum result_key key, bool known, u64 cycles)
{
    if (known) result_put_integer(w, key, cycles);
    else result_put_null(w, key);
}

static void show_delays(struct result_writer *w, const struct sim_app *app)
{
    result_open(w, KEY_app_delays, '{');
    for (u32 k = 0; k < DELAY_N; k++) {
        const struct delay_summary *d = &app->delays[k];
        if (!d->n && !d->open_n) continue;
        result_open_flat(w, (enum result_key)(KEY_delays_launch + k), '{');
        result_put_integer(w, KEY_delay_n, d->n);
        show_cycles(w, KEY_delay_p50, d->n, d->p50);
        show_cycles(w, KEY_delay_p95, d->n, d->p95);
        show_cycles(w, KEY_delay_p99, d->n, d->p99);
        show_cycles(w, KEY_delay_max, d->n, d->most);
        result_put_integer(w, KEY_delay_waiting, d->open_n);
        show_cycles(w, KEY_delay_waiting_max, d->open_n, d->open_most);
        result_close(w, '}');
    }
    result_close(w, '}');
}

/* energy: NULL without --energy */
static void show_app(struct result_writer *w, const struct batch *b, const struct batch_run *r,
                     u32 i, const struct run_energy *energy)
{
    const struct sim_app *app = &r->sim.apps[i];
    result_open(w, OBJECT_app, '{');
    result_put_text(w, KEY_app_name, app->name);
    result_put_text(w, KEY_app_spec, b->setup->sim.apps[i]);
    if (app->start) result_put_integer(w, KEY_app_start, app->start);
    result_put_integer(w, KEY_app_cycles, app->cycles);
    result_put_integer(w, KEY_app_completions, app->completions);
    result_put_integer(w, KEY_app_launches, app->launches);
    if (b->setup->sim.timed.last) {
        result_put_integer(w, KEY_app_functional_launches, app->functional);
        result_put_integer(w, KEY_app_repeated_launches, app->repeated);
        result_put_integer(w, KEY_app_functional_ns, app->functional_ns);
    }
    result_put_integer(w, KEY_app_warp_instructions, stat_kept_warp(&app->stats));
    result_put_integer(w, KEY_app_thread_instructions, stat_kept_thread(&app->stats));
    result_put_real(w, KEY_app_ipc_thread, app_ipc_thread(app));
    result_put_real(w, KEY_app_ipc_warp, app_ipc_warp(app));
    result_put_real(w, KEY_app_alone_ipc_thread, run_alone_ipc(r, i));
    result_put_real(w, KEY_app_normalized_ipc, run_normalized_ipc(r, i));
    show_alone(w, b, &r->alone[i]);
    show_loss(w, b, r, i);
    if (energy) show_energy(w, KEY_app_energy, &energy->apps[i]);
    if (app->checked < 0) result_put_null(w, KEY_app_checked);
    else result_put_bool(w, KEY_app_checked, app->checked);
    if (app->checked == 0) result_put_text(w, KEY_app_checked_why, app->checked_why);
    show_kernels(w, app);
    if (r->sim.parts.by) show_parts(w, &r->sim, i);
    if (app->requests) show_requests(w, app);
    show_delays(w, app);
    struct gpu_capacity c = app->capacity;
    result_show_stats(w, KEY_app_stats, &app->stats, &c);
    if (app->taken && b->setup->sim.until == UNTIL_ALL_COMPLETE) c = r->sim.capacity;
    result_show_stats(w, KEY_app_totals, &app->totals, &c);
    result_close(w, '}');
}

static void fault_place(struct result_writer *w, enum result_key key, bool known, u64 value)
{
    if (known) result_put_integer(w, key, value);
    else result_put_null(w, key);
}

static void show_fault(struct result_writer *w, const struct sim_fault *f)
{
    result_open(w, KEY_result_fault, '{');
    result_put_text(w, KEY_fault_what, f->what);
    result_put_text(w, KEY_fault_app, f->app[0] ? f->app : NULL);
    result_put_text(w, KEY_fault_kernel, f->kernel[0] ? f->kernel : NULL);
    fault_place(w, KEY_fault_block, f->in_kernel, f->block);
    fault_place(w, KEY_fault_sm, f->in_kernel, f->sm);
    fault_place(w, KEY_fault_warp, f->in_kernel, f->warp);
    fault_place(w, KEY_fault_lane, f->in_kernel, f->lane);
    result_put_text(w, KEY_fault_file, f->in_kernel ? f->file : NULL);
    fault_place(w, KEY_fault_line, f->in_kernel && f->line, f->line);
    struct text address = {0};
    text_add(&address, "0x%llx", (unsigned long long)f->address);
    result_put_text(w, KEY_fault_address, f->at_address ? address.bytes : NULL);
    text_free(&address);
    fault_place(w, KEY_fault_size_bytes, f->at_address, f->size_bytes);
    result_put_text(w, KEY_fault_detail, f->detail[0] ? f->detail : NULL);
    result_close(w, '}');
}

/* Writes the warnings of the run. The warning about the machine (gpu_file_lock_step) is not in
 * s->warnings, because `cli` prints the warning itself on standard error; the JSON contains
 * both. */
static void show_warnings(struct result_writer *w, const struct sim *s)
{
    struct warnings all = {0};
    const char *lacks = gpu_file_lock_step(s->setup->gpu);
    bool program = false;
    for (u32 i = 0; i < s->app_n; i++) program |= s->apps[i].own_process;
    if (program && lacks) warning_add(&all, s->setup->gpu->name, 0, lacks);
    warnings_merge(&all, &s->warnings);
    result_open(w, KEY_result_warnings, '[');
    for (u32 i = 0; i < all.n; i++) {
        result_open_flat(w, OBJECT_warning, '{');
        result_put_text(w, KEY_warning_where, all.at[i].where);
        result_put_integer(w, KEY_warning_line, all.at[i].line);
        result_put_text(w, KEY_warning_text, all.at[i].text);
        result_put_integer(w, KEY_warning_count, all.at[i].count);
        result_close(w, '}');
    }
    result_close(w, ']');
    warnings_free(&all);
}

static void show_lines(struct result_writer *w, enum result_key key, const char *lines)
{
    result_open(w, key, '[');
    if (!lines) lines = ""; /* the run did not begin */
    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        struct text one = {0};
        text_put(&one, lines, (size_t)(end - lines));
        json_put_text(&w->json, NULL, text_get(&one));
        text_free(&one);
    }
    result_close(w, ']');
}

/* Writes the number of windows for which the oracle chose each mix. */
static void show_mixes(struct result_writer *w, const struct windows *windows)
{
    result_open(w, KEY_mechanism_mixes, '{');
    for (u32 i = 0; i < windows->mixes.n; i++) {
        struct text spec = {0};
        mix_spec(&windows->mixes.at[i], windows->mixes.app_n, &spec);
        json_put_integer(&w->json, spec.bytes, windows->chosen[i]);
        text_free(&spec);
    }
    result_close(w, '}');
}

static void show_policies(struct result_writer *w, const struct batch_run *r)
{
    const struct sim *s = &r->sim;
    const struct oracle *o = &r->prepared.oracle;
    result_open(w, KEY_result_policy_stats, '{');
    if (o->chosen) {
        json_open(&w->json, result_key_rows[OBJECT_oracle].object, '{');
        result_put_text(w, KEY_oracle_chosen, o->chosen);
        result_put_real(w, KEY_oracle_value, o->value);
        result_put_integer(w, KEY_oracle_tried, o->tried);
        result_put_integer(w, KEY_oracle_undefined, o->undefined);
        result_close(w, '}');
    }
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        json_open(&w->json, m->policy->name, '{');
        for (u32 k = 0; k < m->stat_n; k++) {
            json_put_integer(&w->json, m->policy->stats[k].name, s->policy_stats[i][k]);
        }
        bool places = m->policy->admit || m->policy->share;
        if (places || s->refused[i].n) {
            result_put_integer(w, KEY_mechanism_refusals, s->refused[i].n);
            show_lines(w, KEY_mechanism_refused, s->refused[i].lines);
        }
        if (places) {
            result_open_flat(w, KEY_mechanism_blocks_per_sm, '[');
            for (u32 a = 0; a < s->app_n; a++)
                json_put_integer(&w->json, NULL, s->apps[a].blocks_per_sm);
            result_close(w, ']');
        }
        if (s->logs[i].n) {
            result_put_integer(w, KEY_mechanism_log_lines, s->logs[i].n);
            show_lines(w, KEY_mechanism_log, s->logs[i].lines);
        }
        if (o->windows) show_mixes(w, o->windows);
        result_close(w, '}');
    }
    result_close(w, '}');
}

/* Writes a value as number if `number` and the text is a number, otherwise as text. */
static void show_value(struct result_writer *w, const char *text, bool number)
{
    u64 whole;
    double real;
    if (number && whole_parse(text, &whole)) result_put_integer(w, KEY_option_value, whole);
    else if (number && real_parse(text, strlen(text), &real)) {
        result_put_real(w, KEY_option_value, real);
    } else {
        result_put_text(w, KEY_option_value, text);
    }
}

static void show_machine(struct result_writer *w, const struct gpu_file *g)
{
    struct text key = {0}, value = {0};
    for (u32 i = 0; i < machine_row_n; i++) {
        const struct conf_row *row = &machine_rows[i];
        key.size = value.size = 0;
        text_add(&key, "%s.%s", row->section, row->field);
        conf_show(&g->machine, row, &value);
        json_open_flat(&w->json, key.bytes, '{');
        bool number = row->type != CONF_TYPE_CHOICE && row->type != CONF_TYPE_WORD;
        if (row->type == CONF_TYPE_BOOL)
            result_put_bool(w, KEY_option_value, !strcmp(value.bytes, "on"));
        else show_value(w, value.bytes, number);
        result_put_text(w, KEY_option_origin, g->values[i].origin);
        result_close(w, '}');
    }
    text_free(&key);
    text_free(&value);
}

static void show_options(struct result_writer *w, const struct sim *s)
{
    struct text key = {0};
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        for (u32 o = 0; o < m->option_n; o++) {
            key.size = 0;
            text_add(&key, "%s.%s", m->policy->name, m->policy->options[o].name);
            json_open_flat(&w->json, key.bytes, '{');
            show_value(w, m->texts[o], !m->values[o].word && m->values[o].list_n < 2);
            result_put_text(w, KEY_option_origin, m->given[o] ? "--policy" : "default");
            result_close(w, '}');
        }
    }
    text_free(&key);
}

static void show_config(struct result_writer *w, const struct sim *s)
{
    result_open(w, KEY_result_config, '{');
    show_machine(w, s->setup->gpu);
    show_options(w, s);
    result_close(w, '}');
}

static void show_limit(struct result_writer *w, enum result_key key, u64 value)
{
    if (value) result_put_integer(w, key, value);
    else result_put_null(w, key);
}

static void show_spread(struct result_writer *w, const char *name, const double *values, u32 n)
{
    struct spread s = spread_of(values, n);
    json_open_flat(&w->json, name, '{');
    result_put_real(w, KEY_spread_mean, s.mean);
    result_put_real(w, KEY_spread_half_width, s.half);
    result_put_real(w, KEY_spread_least, s.least);
    result_put_real(w, KEY_spread_most, s.most);
    result_open_flat(w, KEY_spread_values, '[');
    for (u32 k = 0; k < n; k++) json_put_real(&w->json, NULL, values[k]);
    result_close(w, ']');
    result_close(w, '}');
}

static void show_request_seeds(struct result_writer *w, const struct batch *b, u32 run, u32 a)
{
    result_open(w, KEY_seeds_app_requests, '{');
    for (u32 k = 0; k < REQUEST_N; k++)
        show_spread(w, request_rows[k].key, seeds_app_values(b, run, a, seeds_request(k)),
                    b->seeds.n);
    result_close(w, '}');
}

static void show_seeds(struct result_writer *w, const struct batch *b, u32 run)
{
    const struct sim *s = &b->runs[run].sim;
    u32 n = b->seeds.n;
    result_open(w, KEY_result_seeds, '{');
    result_open_flat(w, KEY_seeds_seeds, '[');
    for (u32 k = 0; k < n; k++) json_put_integer(&w->json, NULL, b->setup->sim.seed + k);
    result_close(w, ']');
    result_open(w, KEY_seeds_apps, '[');
    for (u32 a = 0; a < s->app_n; a++) {
        result_open(w, OBJECT_seeds_app, '{');
        result_put_text(w, KEY_seeds_app_name, s->apps[a].name);
        show_spread(w, key_name(KEY_seeds_app_ipc_thread), seeds_app_values(b, run, a, SEEDS_IPC),
                    n);
        show_spread(w, key_name(KEY_seeds_app_normalized_ipc),
                    seeds_app_values(b, run, a, SEEDS_NORMALIZED_IPC), n);
        if (s->apps[a].requests) show_request_seeds(w, b, run, a);
        result_close(w, '}');
    }
    result_close(w, ']');
    result_open(w, KEY_seeds_metrics, '{');
    for (u32 i = 0; i < metric_row_n; i++) {
        const struct metric_row *row = &metric_rows[i];
        show_spread(w, row->name, seeds_metric_values(b, run, row), n);
    }
    result_close(w, '}');
    result_close(w, '}');
}

static void show_energy_run(struct result_writer *w, const struct run_energy *e,
                            const struct sim *s)
{
    const struct gpu_file *g = s->setup->gpu;
    struct text key = {0}, value = {0};
    result_open(w, KEY_result_energy, '{');
    for (u32 i = 0; i < energy_metric_n; i++)
        json_put_real(&w->json, energy_metrics[i].name, energy_metrics[i].value(e));
    result_put_real(w, KEY_energy_run_seconds, e->seconds);
    result_put_integer(w, KEY_energy_run_busy_cycles, s->busy_cycles);
    show_energy(w, KEY_energy_run_gpu, &e->gpu);
    show_energy(w, KEY_energy_run_unattributed, &e->unattributed);
    result_open(w, KEY_energy_run_values, '{');
    for (u32 i = 0; i < energy_row_n; i++) {
        key.size = value.size = 0;
        text_add(&key, "%s.%s", energy_rows[i].section, energy_rows[i].field);
        conf_show(&g->energy, &energy_rows[i], &value);
        json_open_flat(&w->json, key.bytes, '{');
        show_value(w, value.bytes, true);
        result_put_text(w, KEY_option_origin, g->energy_values[i].origin);
        result_close(w, '}');
    }
    result_close(w, '}');
    result_close(w, '}');
    text_free(&key);
    text_free(&value);
}

static void show_run(struct result_writer *w, const struct batch *b, u32 run)
{
    const struct batch_run *r = &b->runs[run];
    const struct sim *s = &r->sim;
    struct text hash = {0};
    struct run_energy energy;
    if (b->setup->energy) run_energy(r, &energy);
    hash_show(s->input_hash, &hash);
    result_open(w, OBJECT_result, '{');
    result_put_schema(w, KEY_result_schema);
    result_put_version(w);
    result_put_text(w, KEY_result_input_hash, hash.bytes);
    result_put_text(w, KEY_result_gpu, s->setup->gpu->name);
    result_put_text(w, KEY_result_policy, s->setup->policy);
    result_put_text(w, KEY_result_until, until_name(s->setup->until));
    if (s->setup->by) result_put_text(w, KEY_result_by, by_name(s->setup->by));
    show_limit(w, KEY_result_cycle_limit, s->setup->cycles);
    show_limit(w, KEY_result_instruction_goal, s->setup->instructions);
    result_put_integer(w, KEY_result_seed, s->setup->seed);
    result_put_text(w, KEY_result_status, sim_status_name(s->status));
    result_put_integer(w, KEY_result_cycles, s->cycles);
    result_put_bool(w, KEY_result_skip, s->setup->skip);
    show_host(w, b, s);
    if (s->fault.what) show_fault(w, &s->fault);
    show_warnings(w, s);
    result_open(w, KEY_result_apps, '[');
    for (u32 i = 0; i < s->app_n; i++) show_app(w, b, r, i, b->setup->energy ? &energy : NULL);
    result_close(w, ']');
    result_open(w, KEY_result_metrics, '{');
    for (u32 i = 0; i < metric_row_n; i++) {
        json_put_real(&w->json, metric_rows[i].name, run_metric(r, &metric_rows[i]));
    }
    result_close(w, '}');
    if (b->seeds.n) show_seeds(w, b, run);
    if (b->setup->energy) show_energy_run(w, &energy, s);
    result_show_stats(w, KEY_result_stats, &s->stats, &s->capacity);
    result_open(w, KEY_result_unowned, '{');
    show_counters(w, &s->unowned);
    result_close(w, '}');
    show_policies(w, r);
    show_config(w, s);
    result_close(w, '}');
    text_free(&hash);
}

void result_json(const struct batch *b, u32 run, struct text *out)
{
    struct result_writer w = {.json.out = out};
    show_run(&w, b, run);
}

static void show_failed(struct result_writer *w, const char *policy, enum sim_status status,
                        u64 cycle, const char *why)
{
    const struct sim_fault fault = {.what = why, .app = "", .kernel = "", .file = "", .detail = ""};
    result_open(w, OBJECT_failed, '{');
    result_put_schema(w, KEY_failed_schema);
    result_put_text(w, KEY_failed_version, CORUN_VERSION);
    result_put_text(w, KEY_failed_policy, policy);
    result_put_text(w, KEY_failed_status, sim_status_name(status));
    result_put_integer(w, KEY_failed_cycles, cycle);
    show_fault(w, &fault);
    result_close(w, '}');
}

void result_compare_json(const struct batch *b, struct text *out)
{
    struct result_writer w = {.json.out = out};
    result_open(&w, OBJECT_compare, '{');
    result_put_schema(&w, KEY_compare_schema);
    result_open(&w, KEY_compare_runs, '[');
    for (u32 r = 0; r < b->run_n; r++) {
        const struct batch_failed *f = batch_failed(b, r);
        if (f) show_failed(&w, b->setup->policies[r], SIM_POLICY_FAILED, f->cycle, f->why);
        else show_run(&w, b, r);
    }
    result_close(&w, ']');
    result_close(&w, '}');
}

void result_failed_json(bool runs, const char *policy, enum sim_status status, u64 cycle,
                        const char *why, struct text *out)
{
    struct result_writer w = {.json.out = out};
    if (runs) {
        result_open(&w, OBJECT_compare, '{');
        result_put_schema(&w, KEY_compare_schema);
        result_open(&w, KEY_compare_runs, '[');
    }
    show_failed(&w, policy, status, cycle, why);
    if (!runs) return;
    result_close(&w, ']');
    result_close(&w, '}');
}

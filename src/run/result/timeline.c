#include "run/result/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "gpu/gauge.h"
#include "run/study/metric.h"

/* Processes of the trace: the SMs, the GPU, the apps, and the host sides of the apps. */
static u32 gpu_process(const struct sim *s) { return s->setup->gpu->machine.sm.count; }
static u32 app_process(const struct sim *s, u32 app_id) { return gpu_process(s) + 1 + app_id; }

static u32 host_process(const struct sim *s, u32 app_id)
{
    return app_process(s, s->app_n + app_id);
}

static void process_name(struct json_writer *j, const struct sim *s, u32 process)
{
    struct text name = {0};
    if (process < gpu_process(s)) text_add(&name, "SM %u", process);
    else if (process == gpu_process(s)) text_add(&name, "GPU");
    else if (process < host_process(s, 0))
        text_add(&name, "launches of %s", s->apps[process - app_process(s, 0)].name);
    else text_add(&name, "calls of %s", s->apps[process - host_process(s, 0)].name);
    json_open_flat(j, NULL, '{');
    json_put_text(j, "name", "process_name");
    json_put_text(j, "ph", "M");
    json_put_integer(j, "pid", process);
    json_open(j, "args", '{');
    json_put_text(j, "name", name.bytes);
    json_close(j, '}');
    json_close(j, '}');
    text_free(&name);
}

/* Begins an event with a duration. The caller adds arguments, then calls close_event. */
static void open_event(struct timeline *t, const char *name, u32 app_id, u32 process, u32 thread,
                       u64 start, u64 end)
{
    struct json_writer *j = &t->json;
    json_open_flat(j, NULL, '{');
    json_put_text(j, "name", name);
    json_put_text(j, "cat", t->sim->apps[app_id].name);
    json_put_text(j, "ph", "X");
    json_put_integer(j, "ts", start);
    json_put_integer(j, "dur", end - start);
    json_put_integer(j, "pid", process);
    json_put_integer(j, "tid", thread);
    json_open(j, "args", '{');
}

static void close_event(struct timeline *t)
{
    json_close(&t->json, '}');
    json_close(&t->json, '}');
    writer_flow(&t->writer);
}

static const char *title_of(struct timeline *t, const char *kernel)
{
    if (t->kernel.size && !strcmp(t->kernel.bytes, kernel)) return t->title.bytes;
    t->kernel.size = t->title.size = 0;
    text_add(&t->kernel, "%s", kernel);
    demangle_show(kernel, &t->title);
    return t->title.bytes;
}

/* Writes a block's time on an SM. `what` names a part of the block's life; NULL: the time to the
 * block's end. */
static void show_part(struct gpu_sink *sink, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                      u64 block_id, u64 start, u64 end, const char *what)
{
    struct timeline *t = (struct timeline *)sink;
    const char *app = t->sim->apps[app_id].name;
    struct text name = {0};
    text_add(&name, "%s %s%s%s", app, title_of(t, kernel), what ? ", " : "", what ? what : "");
    open_event(t, name.bytes, app_id, sm_id, slot, start, end);
    json_put_integer(&t->json, "block", block_id);
    close_event(t);
    text_free(&name);
}

static void show_block(struct gpu_sink *sink, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                       u64 block_id, u64 start, u64 end)
{
    show_part(sink, app_id, kernel, sm_id, slot, block_id, start, end, NULL);
}

/* Begins a counter event of a process. The caller adds the values, then calls close_event. */
static void open_counter_of(struct timeline *t, u32 process, const char *name, u64 cycle)
{
    struct json_writer *j = &t->json;
    json_open_flat(j, NULL, '{');
    json_put_text(j, "name", name);
    json_put_text(j, "ph", "C");
    json_put_integer(j, "ts", cycle);
    json_put_integer(j, "pid", process);
    json_open(j, "args", '{');
}

static void open_counter(struct timeline *t, const char *name, u64 cycle) /* of the whole GPU */
{
    open_counter_of(t, gpu_process(t->sim), name, cycle);
}

/* Writes the resident blocks of all apps: an event for each app whose number changed in `cycle`. */
static void show_resident(struct timeline *t)
{
    const struct sim *s = t->sim;
    for (u32 k = 0; k < s->app_n; k++) {
        if (!t->more[k] && !t->less[k]) continue;
        t->resident[k] += t->more[k] - t->less[k];
        t->more[k] = t->less[k] = 0;
        open_counter(t, "resident blocks", t->cycle);
        for (u32 a = 0; a < s->app_n; a++)
            json_put_integer(&t->json, s->apps[a].name, t->resident[a]);
        close_event(t);
    }
}

static void note_resident(struct gpu_sink *sink, u32 app_id, bool more, u64 cycle)
{
    struct timeline *t = (struct timeline *)sink;
    check(cycle >= t->cycle);
    if (cycle > t->cycle) show_resident(t);
    t->cycle = cycle;
    t->more[app_id] += more;
    t->less[app_id] += !more;
}

struct gpu_sink *timeline_sink(struct timeline *t)
{
    t->sink = (struct gpu_sink){show_block, show_part, note_resident};
    return &t->sink;
}

/* Writes the gauges at the end of the interval, per app. Omits gauges without a value. */
static void show_gauges(struct timeline *t, u64 end)
{
    const struct sim *s = t->sim;
    double value[APPS_MAX][GAUGE_N];
    for (u32 a = 0; a < s->app_n; a++) board_gauges(s->machine, a, value[a]);
    for (u32 k = 0; k < GAUGE_N; k++) {
        bool any = false;
        for (u32 a = 0; a < s->app_n; a++) any |= isfinite(value[a][k]);
        if (!any) continue;
        open_counter(t, gauge_rows[k].name, end);
        for (u32 a = 0; a < s->app_n; a++)
            if (isfinite(value[a][k])) json_put_real(&t->json, s->apps[a].name, value[a][k]);
        close_event(t);
    }
}

/* Writes the queue of each app with requests at the end of the interval. */
static void show_queues(struct timeline *t, u64 end)
{
    const struct sim *s = t->sim;
    bool any = false;
    for (u32 a = 0; a < s->app_n; a++) any |= s->apps[a].requests != NULL;
    if (!any) return;
    open_counter(t, "requests waiting or executed", end);
    for (u32 a = 0; a < s->app_n; a++)
        if (s->apps[a].requests)
            json_put_integer(&t->json, s->apps[a].name, requests_queue(s->apps[a].requests));
    close_event(t);
}

/* Writes the counters of the policy at the end of the interval. */
static void show_policy(struct timeline *t, u64 end)
{
    const struct mechanisms *policy = &t->sim->policy;
    for (u32 m = 0; m < policy->n; m++)
        for (u32 i = 0; i < policy->at[m].stat_n; i++) {
            const struct corun_policy *p = policy->at[m].policy;
            struct text name = {0};
            text_add(&name, "%s.%s", p->name, p->stats[i].name);
            open_counter(t, name.bytes, end);
            json_put_integer(&t->json, "policy", t->sim->policy_stats[m][i]);
            close_event(t);
            text_free(&name);
        }
}

/* Returns the cycles of all samples in *now but not in *before. */
static double sampled(const struct waits *now, const struct waits *before)
{
    double sum = 0;
    for (u32 i = 0; i < OWN_N; i++) sum += now->own[i] - before->own[i];
    for (u32 i = 0; i < CAUSE_N; i++)
        for (u32 c = 0; c < APPS_MAX; c++) sum += now->behind[i][c] - before->behind[i][c];
    return sum;
}

/* Writes the part of each app's sampled time in the interval that its warps waited behind another
 * app, by cause and app in front. A pair of these is shown from its first wait on; an interval
 * without a sample is not shown. */
static void show_waits(struct timeline *t, u64 start)
{
    const struct sim *s = t->sim;
    for (u32 a = 0; t->before && a < s->app_n; a++) {
        const struct waits *now = &s->sampling.taken->of[a];
        double all = sampled(now, &t->before[a]);
        if (!(all > 0)) continue;
        open_counter_of(t, app_process(s, a), "waits behind other apps", start);
        for (u32 i = 0; i < CAUSE_N; i++)
            for (u32 c = 0; c < s->app_n; c++) {
                struct text name = {0};
                if (c == a || !(now->behind[i][c] > 0)) continue;
                text_add(&name, "%s, behind %s", cause_rows[i].name, s->apps[c].name);
                json_put_real(&t->json, name.bytes,
                              (now->behind[i][c] - t->before[a].behind[i][c]) / all);
                text_free(&name);
            }
        close_event(t);
        t->before[a] = *now;
    }
}

/* Writes every ratio of the interval, per app and for the GPU, then gauges and counters of the
 * policy. Omits undefined ratios. */
void timeline_interval(struct timeline *t)
{
    const struct sim *s = t->sim;
    const struct intervals *v = &s->intervals;
    const struct interval *last = &v->at[intervals_place(v, v->n - 1)];
    struct gpu_stat stats[APPS_MAX + 1];
    for (u32 a = 0; a <= s->app_n; a++) intervals_stat(v, v->n - 1, a, &stats[a]);
    for (u32 k = 0; k < gpu_ratio_row_n; k++) {
        open_counter(t, gpu_ratio_rows[k].name, last->start);
        for (u32 a = 0; a <= s->app_n; a++) {
            double value = ratio_of(&gpu_ratio_rows[k], &stats[a], &last->capacity);
            if (!isfinite(value)) continue;
            json_put_real(&t->json, a < s->app_n ? s->apps[a].name : "gpu", value);
        }
        close_event(t);
    }
    show_waits(t, last->start);
    show_gauges(t, last->end);
    show_queues(t, last->end);
    show_policy(t, last->end);
}

void timeline_begin(struct timeline *t, const struct sim *s, const char *path)
{
    t->sim = s;
    if (s->sampling.taken) t->before = base_alloc(s->app_n * sizeof *t->before);
    writer_open(&t->writer, path);
    t->json.out = &t->writer.text;
    json_open(&t->json, NULL, '{');
    json_open(&t->json, "traceEvents", '[');
    for (u32 i = 0; i < host_process(s, 0); i++) process_name(&t->json, s, i);
    for (u32 a = 0; a < s->app_n; a++)
        if (s->apps[a].own_process) process_name(&t->json, s, host_process(s, a));
}

void timeline_call(struct timeline *t, u32 app_id, const char *call, u64 start, u64 end)
{
    open_event(t, call, app_id, host_process(t->sim, app_id), 0, start, end);
    close_event(t);
}

/* A launch is an event in the track of its stream from the first block to the end, after an event
 * for the wait for the first block. */
void timeline_launch(struct timeline *t, const struct app_part *launch)
{
    u32 app_id = launch->app_id, process = app_process(t->sim, app_id), stream = launch->stream;
    u64 end = launch->ended == NEVER ? t->sim->cycles : launch->ended;
    u64 began = min_u64(launch->began, end);
    if (began > launch->arrived) {
        open_event(t, "waits for its first block", app_id, process, stream, launch->arrived, began);
        close_event(t);
    }
    if (launch->began == NEVER) return;
    open_event(t, launch->kernel, app_id, process, stream, began, end);
    json_put_integer(&t->json, "launch", launch->number);
    json_put_real(&t->json, "ipc",
                  launch->cycles ? (double)stat_kept_thread(&launch->stats) /
                                   (double)launch->cycles : (double)NAN);
    close_event(t);
}

void timeline_free(struct timeline *t)
{
    writer_drop(&t->writer);
    text_free(&t->kernel);
    text_free(&t->title);
    free(t->before);
    t->before = NULL;
}

int timeline_close(struct timeline *t)
{
    show_resident(t);
    json_close(&t->json, ']');
    json_close(&t->json, '}');
    return writer_close(&t->writer);
}

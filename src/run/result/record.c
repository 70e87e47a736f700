#include "run/result/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gpu/gauge.h"
#include "run/io/file.h"
#include "run/result/result.h"
#include "run/study/metric.h"

/* Writes the names of the policy's counters or, in a row of the GPU, the values at the end of the
 * interval; rows of apps have empty cells. */
static void show_policy(struct text *out, const struct sim *s, bool names, bool gpu)
{
    for (u32 m = 0; m < s->policy.n; m++) {
        const struct corun_policy *p = s->policy.at[m].policy;
        for (u32 i = 0; i < s->policy.at[m].stat_n; i++) {
            if (names) text_add(out, ",%s.%s", p->name, p->stats[i].name);
            else if (gpu) text_add(out, ",%" PRIu64, s->policy_stats[m][i]);
            else text_put(out, ",", 1);
        }
    }
    text_put(out, "\n", 1);
}

static void show_stat_names(const char *first, struct text *out)
{
    text_add(out, "%s", first);
    for (u32 k = 0; k < gpu_stat_row_n; k++) text_add(out, ",%s", gpu_stat_rows[k].name);
    for (u32 k = 0; k < gpu_ratio_row_n; k++) text_add(out, ",%s", gpu_ratio_rows[k].name);
}

static bool has_requests(const struct sim *s)
{
    bool has = false;
    for (u32 a = 0; a < s->app_n; a++) has |= s->apps[a].requests != NULL;
    return has;
}

/* Writes the requests that arrived and completed within the interval, and the queue at its end. */
static void show_requests(struct text *out, const struct requests *r)
{
    if (r) text_add(out, ",%u,%u,%u", r->arrived_n - r->noted_arrived, r->ended_n - r->noted_ended,
                    requests_queue(r));
    else text_put(out, ",,,", 3);
}

static void show_head(struct text *out, const struct sim *s)
{
    show_stat_names("start,end,owner", out);
    for (u32 k = 0; k < GAUGE_N; k++) text_add(out, ",%s", gauge_rows[k].name);
    if (has_requests(s)) text_add(out, ",requests.arrived,requests.completed,requests.queue");
    show_policy(out, s, true, false);
}

static void show_launch_head(struct text *out)
{
    show_stat_names("app,launch,stream,kernel,grid,block,arrival_cycle,start_cycle,end_cycle,"
                    "cycles,counted", out);
    text_put(out, "\n", 1);
}

static void show_real(struct text *out, double value)
{
    text_put(out, ",", 1);
    if (isfinite(value)) real_show(value, out);
}

static void show_stats(struct text *out, const struct gpu_stat *stat, const struct gpu_capacity *c)
{
    for (u32 k = 0; k < gpu_stat_row_n; k++) {
        text_add(out, ",%" PRIu64, stat_get(stat, &gpu_stat_rows[k]));
    }
    for (u32 k = 0; k < gpu_ratio_row_n; k++) {
        show_real(out, ratio_of(&gpu_ratio_rows[k], stat, c));
    }
}

/* Writes the rows of the last interval: a row per app, then the GPU. */
static void show_interval(struct record *r, const struct sim *s)
{
    struct text *out = &r->rows.text;
    const struct intervals *v = &s->intervals;
    const struct interval *last = &v->at[intervals_place(v, v->n - 1)];
    for (u32 a = 0; a <= s->app_n; a++) {
        struct gpu_stat stat;
        double gauges[GAUGE_N];
        intervals_stat(v, v->n - 1, a, &stat);
        board_gauges(s->machine, a, gauges);
        text_add(out, "%" PRIu64 ",%" PRIu64 ",", last->start, last->end);
        csv_quote(out, a < s->app_n ? s->apps[a].name : "gpu");
        show_stats(out, &stat, &last->capacity);
        for (u32 k = 0; k < GAUGE_N; k++) show_real(out, gauges[k]);
        if (has_requests(s)) show_requests(out, a < s->app_n ? s->apps[a].requests : NULL);
        show_policy(out, s, false, a == s->app_n);
    }
    writer_flow(&r->rows);
}

static void cycle_show(struct text *out, u64 cycle)
{
    if (cycle != NEVER) text_add(out, "%" PRIu64, cycle);
    text_put(out, ",", 1);
}

static void shape_show(struct text *out, const u32 shape[3])
{
    text_add(out, "%ux%ux%u,", shape[0], shape[1], shape[2]);
}

static void show_launch(struct record *r, const struct sim *s, const struct app_part *p)
{
    struct text *out = &r->launches.text;
    struct gpu_capacity c;
    gpu_capacity(&s->setup->gpu->machine, p->cycles, &c);
    csv_quote(out, s->apps[p->app_id].name);
    text_add(out, ",%" PRIu64 ",%u,", p->number, p->stream);
    csv_quote(out, p->kernel);
    text_put(out, ",", 1);
    shape_show(out, p->grid);
    shape_show(out, p->block);
    cycle_show(out, p->arrived);
    cycle_show(out, p->began);
    cycle_show(out, p->ended);
    text_add(out, "%" PRIu64 ",%d", p->cycles, !p->uncounted);
    show_stats(out, &p->stats, &c);
    text_put(out, "\n", 1);
    writer_flow(&r->launches);
}

static void open_one(struct writer *w, const char *path, int out_fd)
{
    if (path && !strcmp(path, "-")) writer_open_fd(w, out_fd);
    else if (path) writer_open(w, path);
}

static void note_begin(struct sim_live *l, const struct sim *s)
{
    struct record *r = (struct record *)l;
    const struct record_paths *p = &r->paths;
    r->sim = s;
    open_one(&r->rows, p->rows, p->out_fd);
    open_one(&r->launches, p->launches, p->out_fd);
    open_one(&r->log, p->log, p->out_fd);
    if (p->rows) show_head(&r->rows.text, s);
    if (p->launches) show_launch_head(&r->launches.text);
    if (p->timeline) timeline_begin(&r->timeline, s, p->timeline);
}

static void note_interval(struct sim_live *l, const struct sim *s)
{
    struct record *r = (struct record *)l;
    if (r->paths.rows) show_interval(r, s);
    if (r->paths.timeline) timeline_interval(&r->timeline);
}

static void note_launch(struct sim_live *l, const struct sim *s, const struct app_part *launch)
{
    struct record *r = (struct record *)l;
    if (r->paths.launches) show_launch(r, s, launch);
    if (r->paths.timeline) timeline_launch(&r->timeline, launch);
}

static void note_call(struct sim_live *l, u32 app_id, const char *call, u64 start, u64 end)
{
    timeline_call(&((struct record *)l)->timeline, app_id, call, start, end);
}

static void note_line(struct log_sink *sink, u32 mechanism, u64 cycle, const char *line, size_t n)
{
    struct record *r = (struct record *)(void *)((char *)sink - offsetof(struct record, sink));
    struct text text = {0};
    text_put(&text, line, n);
    text_mask(&text);
    text_add(&r->log.text, "%" PRIu64 " %s: %s\n", cycle,
             r->sim->policy.at[mechanism].policy->name, text_get(&text));
    text_free(&text);
    writer_flow(&r->log);
}

void record_start(struct record *r, const struct record_paths *paths, struct sim_setup *setup)
{
    *r = (struct record){.live = {note_begin, note_interval, note_launch, NULL},
                         .sink = {note_line},
                         .paths = *paths};
    if (paths->rows || paths->launches || paths->timeline || paths->log) setup->live = &r->live;
    setup->live_launches = paths->launches || paths->timeline;
    if (paths->timeline) r->live.call = note_call;
    if (paths->timeline) setup->sink = timeline_sink(&r->timeline);
    if (paths->log) setup->log = &r->sink;
}

static bool close_one(const char *path, int error, struct fail *fail)
{
    return !error || file_unwritten(path, error, NULL, 0, fail);
}

bool record_close(struct record *r, struct fail *fail)
{
    const struct record_paths *p = &r->paths;
    bool ok = !p->rows || close_one(p->rows, writer_close(&r->rows), fail);
    ok &= !p->launches || close_one(p->launches, writer_close(&r->launches), fail);
    ok &= !p->log || close_one(p->log, writer_close(&r->log), fail);
    ok &= !p->timeline || close_one(p->timeline, timeline_close(&r->timeline), fail);
    return ok;
}

void record_free(struct record *r)
{
    writer_drop(&r->rows);
    writer_drop(&r->launches);
    writer_drop(&r->log);
    timeline_free(&r->timeline);
}

#include "run/result/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "run/io/file.h"
#include "run/result/result.h"
#include "run/study/metric.h"

static void show_head(struct text *out)
{
    text_add(out, "start,end,owner");
    for (u32 k = 0; k < gpu_stat_row_n; k++) text_add(out, ",%s", gpu_stat_rows[k].name);
    for (u32 k = 0; k < gpu_ratio_row_n; k++) text_add(out, ",%s", gpu_ratio_rows[k].name);
    text_put(out, "\n", 1);
}

static void show_row(struct text *out, const struct gpu_stat *stat, const struct gpu_capacity *c)
{
    for (u32 k = 0; k < gpu_stat_row_n; k++) {
        text_add(out, ",%" PRIu64, stat_get(stat, &gpu_stat_rows[k]));
    }
    for (u32 k = 0; k < gpu_ratio_row_n; k++) {
        double value = ratio_of(&gpu_ratio_rows[k], stat, c);
        text_put(out, ",", 1);
        if (isfinite(value)) real_show(value, out);
    }
    text_put(out, "\n", 1);
}

/* Writes the rows of the last interval: a row per app, then the GPU. */
static void show_interval(struct record *r, const struct sim *s)
{
    struct text *out = &r->rows.text;
    const struct intervals *v = &s->intervals;
    const struct interval *last = &v->at[intervals_place(v, v->n - 1)];
    for (u32 a = 0; a <= s->app_n; a++) {
        struct gpu_stat stat;
        intervals_stat(v, v->n - 1, a, &stat);
        text_add(out, "%" PRIu64 ",%" PRIu64 ",", last->start, last->end);
        csv_quote(out, a < s->app_n ? s->apps[a].name : "gpu");
        show_row(out, &stat, &last->capacity);
    }
    writer_flow(&r->rows);
}

static void note_begin(struct sim_live *l, const struct sim *s)
{
    struct record *r = (struct record *)l;
    if (r->rows_path && !strcmp(r->rows_path, "-")) writer_open_fd(&r->rows, r->out_fd);
    else if (r->rows_path) writer_open(&r->rows, r->rows_path);
    if (r->rows_path) show_head(&r->rows.text);
    if (r->timeline_path) timeline_begin(&r->timeline, s, r->timeline_path);
}

static void note_interval(struct sim_live *l, const struct sim *s)
{
    struct record *r = (struct record *)l;
    if (r->rows_path) show_interval(r, s);
    if (r->timeline_path) timeline_interval(&r->timeline);
}

void record_start(struct record *r, const char *rows, const char *timeline, int out_fd,
                  struct sim_setup *setup)
{
    *r = (struct record){.live = {note_begin, note_interval}, .rows_path = rows,
                         .timeline_path = timeline, .out_fd = out_fd};
    if (rows || timeline) setup->live = &r->live;
    if (timeline) setup->sink = timeline_sink(&r->timeline);
}

static bool close_one(const char *path, int error, struct fail *fail)
{
    return !error || file_unwritten(path, error, NULL, 0, fail);
}

bool record_close(struct record *r, struct fail *fail)
{
    bool ok = !r->rows_path || close_one(r->rows_path, writer_close(&r->rows), fail);
    return (!r->timeline_path ||
            close_one(r->timeline_path, timeline_close(&r->timeline), fail)) && ok;
}

void record_free(struct record *r)
{
    writer_drop(&r->rows);
    writer_drop(&r->timeline.writer);
}

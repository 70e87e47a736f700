#include "run/result/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/io/json_writer.h"
#include "run/study/metric.h"

static void note_block(struct gpu_sink *sink, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                       u64 block_id, u64 start, u64 end)
{
    struct timeline *t = (struct timeline *)sink;
    size_t n = strlen(kernel) + 1; /* the kernel's name goes when its app does */
    *base_push(t->blocks, t->n, t->room) = (struct timeline_block){
        memcpy(base_alloc(n), kernel, n), block_id, start, end, app_id, sm_id, slot};
}

struct gpu_sink *timeline_start(struct timeline *t)
{
    *t = (struct timeline){.sink = {note_block}};
    return &t->sink;
}

static void name_sm(struct json_writer *j, u32 sm, u32 sm_n)
{
    struct text name = {0};
    if (sm < sm_n) text_add(&name, "SM %u", sm);
    else text_add(&name, "GPU");
    json_open_flat(j, NULL, '{');
    json_put_text(j, "name", "process_name");
    json_put_text(j, "ph", "M");
    json_put_integer(j, "pid", sm);
    json_open(j, "args", '{');
    json_put_text(j, "name", name.bytes);
    json_close(j, '}');
    json_close(j, '}');
    text_free(&name);
}

static void show_block(struct json_writer *j, const struct timeline_block *b, const struct sim *s)
{
    struct text name = {0};
    text_add(&name, "%s %s", s->apps[b->app].name, b->kernel);
    json_open_flat(j, NULL, '{');
    json_put_text(j, "name", name.bytes);
    json_put_text(j, "cat", s->apps[b->app].name);
    json_put_text(j, "ph", "X");
    json_put_integer(j, "ts", b->start);
    json_put_integer(j, "dur", b->end - b->start);
    json_put_integer(j, "pid", b->sm);
    json_put_integer(j, "tid", b->slot);
    json_open(j, "args", '{');
    json_put_integer(j, "block", b->block);
    json_close(j, '}');
    json_close(j, '}');
    text_free(&name);
}

/* Resident blocks of each app, at every cycle at which a number changes. */
struct change {
    u64 cycle;
    u32 app;
    bool up;
};

static int earlier(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    if (x->app != y->app) return x->app < y->app ? -1 : 1;
    return (int)x->up - (int)y->up;
}

static void show_counters(struct json_writer *j, const struct timeline *t, const struct sim *s)
{
    struct change *changes = base_alloc(t->n * 2 * sizeof *changes);
    for (size_t i = 0; i < t->n; i++) {
        changes[2 * i] = (struct change){t->blocks[i].start, t->blocks[i].app, true};
        changes[2 * i + 1] = (struct change){t->blocks[i].end, t->blocks[i].app, false};
    }
    qsort(changes, t->n * 2, sizeof *changes, earlier);
    u64 resident[APPS_MAX] = {0};
    for (size_t i = 0; i < t->n * 2; i++) {
        const struct change *c = &changes[i];
        if (c->up) resident[c->app]++;
        else resident[c->app]--;
        bool more = i + 1 < t->n * 2 && c[1].cycle == c->cycle && c[1].app == c->app;
        if (more) continue;
        json_open_flat(j, NULL, '{');
        json_put_text(j, "name", "resident blocks");
        json_put_text(j, "ph", "C");
        json_put_integer(j, "ts", c->cycle);
        json_put_integer(j, "pid", s->setup->gpu->machine.sm.count);
        json_open(j, "args", '{');
        for (u32 a = 0; a < s->app_n; a++) json_put_integer(j, s->apps[a].name, resident[a]);
        json_close(j, '}');
        json_close(j, '}');
    }
    free(changes);
}

/* Every ratio of every interval, per app and for the GPU; what is undefined is left out. */
static void show_intervals(struct json_writer *j, const struct sim *s)
{
    for (size_t i = 0; i < s->intervals.n; i++) {
        const struct interval *v = &s->intervals.at[i];
        struct gpu_stat stats[APPS_MAX + 1];
        for (u32 a = 0; a <= s->app_n; a++) intervals_stat(&s->intervals, i, a, &stats[a]);
        for (u32 k = 0; k < gpu_ratio_row_n; k++) {
            json_open_flat(j, NULL, '{');
            json_put_text(j, "name", gpu_ratio_rows[k].name);
            json_put_text(j, "ph", "C");
            json_put_integer(j, "ts", v->start);
            json_put_integer(j, "pid", s->setup->gpu->machine.sm.count);
            json_open(j, "args", '{');
            for (u32 a = 0; a <= s->app_n; a++) {
                double value = ratio_of(&gpu_ratio_rows[k], &stats[a], &v->capacity);
                if (!isfinite(value)) continue;
                json_put_real(j, a < s->app_n ? s->apps[a].name : "gpu", value);
            }
            json_close(j, '}');
            json_close(j, '}');
        }
    }
}

bool timeline_write(const struct timeline *t, const struct sim *s, const char *path,
                    struct fail *fail)
{
    struct text out = {0};
    struct json_writer j = {.out = &out};
    json_open(&j, NULL, '{');
    json_open(&j, "traceEvents", '[');
    u32 sm_n = s->setup->gpu->machine.sm.count;
    for (u32 i = 0; i <= sm_n; i++) name_sm(&j, i, sm_n);
    for (size_t i = 0; i < t->n; i++) show_block(&j, &t->blocks[i], s);
    show_counters(&j, t, s);
    show_intervals(&j, s);
    json_close(&j, ']');
    json_close(&j, '}');
    bool ok = file_write(path, out.bytes, out.size, fail);
    text_free(&out);
    return ok;
}

void timeline_free(struct timeline *t)
{
    for (size_t i = 0; i < t->n; i++) free((void *)t->blocks[i].kernel);
    free(t->blocks);
    *t = (struct timeline){0};
}

/* The table of `corun run --by`: kernels, streams or launches of the apps. */
#include "cli/terminal/part_table.h"

#include <math.h>
#include <stdlib.h>
#include "cli/terminal/table.h"
#include "run/study/metric.h"

enum { PARTS_SHOWN = 40 };
_Static_assert((u32)PARTS_SHOWN < (u32)TABLE_ROWS, "a row per part below the heads");

static const struct {
    const char *head, *ratio;
} columns[] = {
    {"L1 misses", "l1.miss_rate"},
    {"L2 misses", "l2.miss_rate"},
    {"DRAM bandwidth", "dram.bandwidth_fraction"},
};

static int by_cycles(const void *a, const void *b)
{
    const struct app_part *x = *(const struct app_part *const *)a;
    const struct app_part *y = *(const struct app_part *const *)b;
    return x->cycles != y->cycles ? x->cycles < y->cycles ? 1 : -1 : x < y ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
    const struct app_part *x = *(const struct app_part *const *)a;
    const struct app_part *y = *(const struct app_part *const *)b;
    if (x->app_id != y->app_id) return (int)x->app_id - (int)y->app_id;
    return x->number < y->number ? -1 : 1;
}

static void show_part(struct table *t, const struct sim *s, const struct app_part *p)
{
    struct gpu_capacity c;
    u32 column = 1;
    gpu_capacity(&s->setup->gpu->machine, p->cycles, &c);
    table_row(t, s->apps[p->app_id].name);
    if (s->parts.by == BY_LAUNCH) table_integer(t, column++, p->number);
    if (s->parts.by != BY_KERNEL) table_set(t, column++, "%u", p->stream);
    if (s->parts.by != BY_STREAM) table_set(t, column++, "%s", p->kernel);
    if (s->parts.by != BY_LAUNCH) table_integer(t, column++, p->launches);
    if (s->parts.by == BY_LAUNCH && p->began == NEVER) table_set(t, column, "-");
    else if (s->parts.by == BY_LAUNCH) table_integer(t, column, p->began);
    column += s->parts.by == BY_LAUNCH;
    table_integer(t, column++, p->cycles);
    table_real(t, column++, p->cycles ? (double)stat_kept_thread(&p->stats) / (double)p->cycles
                                      : (double)NAN, 2);
    for (u32 k = 0; k < COUNT_OF(columns); k++, column++) {
        double share = ratio_of(ratio_find(columns[k].ratio), &p->stats, &c);
        if (isfinite(share)) table_set(t, column, "%.1f %%", 100 * share);
        else table_set(t, column, "-");
    }
}

static void head(struct table *t, enum by by)
{
    const char *heads[TABLE_COLUMNS] = {"app"};
    u32 n = 1;
    if (by == BY_LAUNCH) heads[n++] = "launch";
    if (by != BY_KERNEL) heads[n++] = "stream";
    if (by != BY_STREAM) heads[n++] = "kernel";
    heads[n++] = by == BY_LAUNCH ? "start" : "launches";
    heads[n++] = "cycles";
    heads[n++] = "IPC";
    for (u32 k = 0; k < COUNT_OF(columns); k++) heads[n++] = columns[k].head;
    table_head(t, heads, n);
}

void part_table_show(const struct sim *s, struct text *out)
{
    u32 n = s->parts.n, shown = min_u32(n, PARTS_SHOWN);
    if (!n) return;
    const struct app_part **parts = base_alloc(n * sizeof *parts);
    struct table *t = base_alloc(sizeof *t);
    for (u32 k = 0; k < n; k++) parts[k] = &s->parts.at[k];
    qsort(parts, n, sizeof *parts, by_cycles);
    qsort(parts, shown, sizeof *parts, by_place);
    head(t, s->parts.by);
    for (u32 k = 0; k < shown; k++) show_part(t, s, parts[k]);
    table_show(t, out);
    if (shown < n)
        text_add(out, "the %u longest of %u; --json and --launches FILE have all\n", shown, n);
    free(t);
    free(parts);
}

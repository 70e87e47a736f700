#include "cli/terminal/delay_table.h"

#include <stdlib.h>
#include "cli/terminal/columns.h"
#include "cli/terminal/table.h"

static void show_row(struct table *t, const char *app, const char *kind,
                     const struct delay_summary *d)
{
    const u64 cycles[] = {d->p50, d->p95, d->p99, d->most};
    table_row(t, app);
    table_set(t, 1, "%s", kind);
    table_integer(t, 2, d->n);
    for (u32 k = 0; k < COUNT_OF(cycles); k++) {
        if (d->n) table_integer(t, 3 + k, cycles[k]);
        else table_set(t, 3 + k, "-");
    }
    table_integer(t, 7, d->open_n);
    if (d->open_n) table_integer(t, 8, d->open_most);
    else table_set(t, 8, "-");
}

void delay_table_show(const struct sim *s, struct text *out)
{
    static const char *const heads[] = {"delays in cycles", "of", "n", "p50", "p95", "p99", "max",
                                        "still waiting", "longest"};
    bool shown[DELAY_N] = {0};
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, COUNT_OF(heads));
    for (u32 a = 0; a < s->app_n; a++) {
        for (u32 k = 0; k < DELAY_N; k++) {
            const struct delay_summary *d = &s->apps[a].delays[k];
            if (!d->n && !d->open_n) continue;
            show_row(t, s->apps[a].name, delay_rows[k].name, d);
            shown[k] = true;
        }
    }
    table_show(t, out);
    free(t);
    size_t from = out->size;
    for (u32 k = 0; k < DELAY_N; k++)
        if (shown[k]) text_add(out, "%s: %s\n", delay_rows[k].name,
                               delay_rows[k].sentence);
    columns_wrap(out, from, columns_wide());
    text_put(out, "\n", 1);
}

void delay_never_show(const struct sim *s, struct text *out)
{
    size_t from = out->size;
    for (u32 a = 0; a < s->app_n; a++) {
        const struct delay_summary *d = &s->apps[a].delays[DELAY_launch];
        if (d->n || !d->open_n) continue;
        text_add(out, "%s: no launch has started a block; the first has waited for %llu cycles\n",
                 s->apps[a].name, (unsigned long long)d->open_most);
    }
    if (out->size == from) return;
    columns_wrap(out, from, columns_wide());
    text_put(out, "\n", 1);
}

/* The table of corun profile --lines: the ten source lines that cost an app most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/profile_lines.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/table.h"
#include "run/profile/hot.h"

enum { LINES_SHOWN = 10 };

/* Appends "kernel.cu:12". */
static void name_line(const struct hot *h, struct text *out)
{
    const char *slash = strrchr(h->in->name, '/');
    text_add(out, "%s:%u", slash ? slash + 1 : h->in->name, h->line);
    text_mask(out);
}

static void ratio(struct table *t, u32 column, u64 over, u64 under)
{
    table_real(t, column, under ? (double)over / (double)under : (double)NAN, 1);
}

static void line_row(struct table *t, const struct hot *h, double scheduler_cycles)
{
    const struct inst_stat *s = &h->sum;
    const struct stat_row *cause = hot_cause(s);
    struct text name = {0};
    name_line(h, &name);
    table_row(t, name.bytes);
    table_set(t, 1, "%.1f %%", 100 * (double)hot_cycles(s) / scheduler_cycles);
    table_integer(t, 2, s->issued);
    table_set(t, 3, "%s", cause ? cause->name : "-");
    table_integer(t, 4, s->l1_misses);
    ratio(t, 5, s->sectors, s->memory_instructions);
    table_integer(t, 6, s->conflict_cycles);
    ratio(t, 7, s->threads, s->issued);
    text_free(&name);
}

/* Shows the texts of the lines in the table. */
static void show_texts(const struct table *t, const struct hot_list *hot, struct text *out)
{
    u32 wide = 0;
    for (u32 k = 1; k < t->row_n; k++) wide = max_u32(wide, (u32)strlen(t->cells[k][0]));
    text_put(out, "\n", 1);
    for (u32 k = 1; k < t->row_n; k++) {
        struct text line = {0};
        hot_text(hot->at[k - 1].in, hot->at[k - 1].line, &line);
        text_mask(&line);
        u32 room = columns_wide() - min_u32(wide + 2, columns_wide() - 4);
        bool cut = line.size > room;
        text_add(out, "%-*s  %.*s%s\n", (int)wide, t->cells[k][0],
                 (int)(cut ? room - 3 : line.size), text_get(&line), cut ? "..." : "");
        text_free(&line);
    }
}

void show_hot_lines(const struct profile_row *rows, u32 n, struct text *out)
{
    static const char *const heads[] = {"line", "cycles", "issues", "main stall", "L1 misses",
                                        "sectors", "conflicts", "lanes"};
    struct table *t = base_alloc(sizeof *t);
    for (u32 i = 0; i < n; i++) {
        struct hot_list hot;
        if (!rows[i].lines || !rows[i].alone.known) continue;
        hot_find(&hot, rows[i].lines);
        size_t from = out->size;
        text_add(out, "\n%s: the %u lines with most scheduler cycles, of %u\n\n", rows[i].app,
                 min_u32(hot.n, LINES_SHOWN), hot.n);
        columns_wrap(out, from, columns_wide());
        table_head(t, heads, COUNT_OF(heads));
        for (u32 k = 0; k < hot.n && k < LINES_SHOWN; k++)
            line_row(t, &hot.at[k], rows[i].capacity.scheduler_cycles);
        table_show(t, out);
        show_texts(t, &hot, out);
        hot_free(&hot);
    }
    free(t);
}

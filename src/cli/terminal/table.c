#include "cli/terminal/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/terminal/columns.h"

void table_head(struct table *t, const char *const *heads, u32 n)
{
    check(n <= TABLE_COLUMNS);
    t->column_n = n;
    t->row_n = 1;
    for (u32 i = 0; i < n; i++) snprintf(t->cells[0][i], TABLE_CELL, "%s", heads[i]);
}

void table_row(struct table *t, const char *first)
{
    check(t->row_n < TABLE_ROWS);
    memset(t->cells[t->row_n], 0, sizeof t->cells[0]);
    snprintf(t->cells[t->row_n++][0], TABLE_CELL, "%s", first);
}

void table_set(struct table *t, u32 column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->cells[t->row_n - 1][column], TABLE_CELL, format, args);
    va_end(args);
}

void table_real(struct table *t, u32 column, double value, u32 digits)
{
    if (isfinite(value)) table_set(t, column, "%.*f", (int)digits, value);
    else table_set(t, column, "-");
}

void table_integer(struct table *t, u32 column, u64 value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    text_grouped(digits, t->cells[t->row_n - 1][column]);
}

static void show_part(const struct table *t, const u32 *widths, u32 first, u32 end,
                      struct text *out)
{
    char room[TABLE_CELL];
    for (u32 r = 0; r < t->row_n; r++) {
        text_add(out, "%-*s", (int)widths[0], columns_shorten(t->cells[r][0], widths[0], room));
        for (u32 i = first; i < end; i++) {
            const char *cell = columns_shorten(t->cells[r][i], widths[i], room);
            text_add(out, "  %*s", (int)widths[i], cell);
        }
        text_put(out, "\n", 1);
    }
}

void table_fit(const struct table *t, u32 columns, struct text *out)
{
    u32 widths[TABLE_COLUMNS] = {0}, whole = 0;
    for (u32 i = 0; i < t->column_n; i++) {
        for (u32 r = 0; r < t->row_n; r++)
            widths[i] = max_u32(widths[i], (u32)strlen(t->cells[r][i]));
        whole += widths[i] + (i ? 2 : 0);
    }
    if (whole > columns) {
        u32 rest = whole - widths[0], least = columns / 3; /* for the names, at most */
        u32 names = rest < columns ? max_u32(columns - rest, least) : least;
        widths[0] = min_u32(widths[0], names);
    }
    for (u32 i = 1; i < t->column_n; i++) widths[i] = min_u32(widths[i], columns - widths[0] - 2);
    u32 first = 1;
    do {
        u32 used = widths[0], end = first;
        while (end < t->column_n && (end == first || used + 2 + widths[end] <= columns))
            used += 2 + widths[end++];
        if (first > 1) text_put(out, "\n", 1);
        show_part(t, widths, first, end, out);
        first = end;
    } while (first < t->column_n);
}

void table_show(const struct table *t, struct text *out) { table_fit(t, columns_wide(), out); }

#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

void table_show(const struct table *t, struct text *out)
{
    u32 widths[TABLE_COLUMNS] = {0};
    for (u32 r = 0; r < t->row_n; r++) {
        for (u32 i = 0; i < t->column_n; i++) {
            widths[i] = max_u32(widths[i], (u32)strlen(t->cells[r][i]));
        }
    }
    for (u32 r = 0; r < t->row_n; r++) {
        text_add(out, "%-*s", (int)widths[0], t->cells[r][0]);
        for (u32 i = 1; i < t->column_n; i++) {
            text_add(out, "  %*s", (int)widths[i], t->cells[r][i]);
        }
        text_put(out, "\n", 1);
    }
}

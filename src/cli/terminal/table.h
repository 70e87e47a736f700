/* A text table. The first column is left-aligned, the others are right-aligned. */
#ifndef CORUN_TABLE_H
#define CORUN_TABLE_H

#include "base/text.h"

enum { TABLE_COLUMNS = 40, TABLE_ROWS = 64, TABLE_CELL = 160 };

struct table {
    u32 column_n, row_n;
    char cells[TABLE_ROWS][TABLE_COLUMNS][TABLE_CELL]; /* row 0: column heads */
};

void table_head(struct table *t, const char *const *heads, u32 n);
void table_row(struct table *t, const char *first);       /* new row, other cells empty */
void table_set(struct table *t, u32 column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));                /* sets a cell of the last row */
void table_real(struct table *t, u32 column, double value, u32 digits); /* NAN is shown as "-" */
void table_integer(struct table *t, u32 column, u64 value); /* shown as 1,234,567 */
/* Appends the table. If the table is wider than columns_wide(), names in the first column lose
 * their middle, down to a third of the width; columns that still do not fit follow in a table
 * below, with the names again. */
void table_show(const struct table *t, struct text *out);
/* Does the same for the given width, at least COLUMNS_LEAST. */
void table_fit(const struct table *t, u32 columns, struct text *out);

/* Legend of tables with causes of cycles without issue. */
#define LEGEND_CYCLES                                                                              \
    "no issue: scoreboard, operands not ready; no instruction, also at a barrier or ended; "       \
    "LSU or math throttle, pipeline full; policy, held back by the policy\n"
/* Legend of tables of metrics. */
#define LEGEND_METRICS                                                                             \
    "normalized IPC: IPC over IPC alone; lower is better for antt and max slowdown, higher for "   \
    "the rest\n"

#endif

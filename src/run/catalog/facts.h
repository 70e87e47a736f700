/* Tables of figures about the shipped programs, embedded in the binary: workloads/papers.csv
 * (figures published in the papers), stands.csv (mapping from a paper's program names to shipped
 * programs), registers.csv (registers per kernel by ptxas), measured.csv (figures measured with
 * corun by workloads/measure.py). Only `corun list` and `corun show` read the tables; simulations
 * never do. */
#ifndef CORUN_FACTS_H
#define CORUN_FACTS_H

#include "base/arena.h"

enum { FACT_COLUMNS = 8 };

struct fact { /* a row; cells in column order */
    const char *cells[FACT_COLUMNS];
};
struct facts {
    const char *path;
    struct arena arena;
    u32 column_n, row_n;
    const char *columns[FACT_COLUMNS]; /* names, from the first line of the file */
    struct fact *rows;
};

/* Reads the asset `path`. A missing cell is an internal error. */
void facts_open(struct facts *f, const char *path);
void facts_free(struct facts *f);
/* Returns the cell of row i in this column. An unknown column is an internal error. */
const char *facts_cell(const struct facts *f, u32 i, const char *column);
/* Returns the first row, from row `from` on, with `keys` in its first columns (NULL matches any
 * cell); row_n if none. */
u32 facts_find(const struct facts *f, u32 from, u32 key_n, const char *const *keys);

#endif

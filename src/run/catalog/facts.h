/* What is known of the shipped programs besides their code, as tables that are part of the binary:
 * workloads/papers.csv (what the papers print), stands.csv (which program stands for which of a
 * paper's names), registers.csv (what ptxas gives each kernel), measured.csv (what corun measured,
 * workloads/measure.py). `corun list` and `corun show` read them; no simulation does. */
#ifndef CORUN_FACTS_H
#define CORUN_FACTS_H

#include "base/arena.h"

enum { FACT_COLUMNS = 8 };

struct fact { /* a row; cells in the order of the file's first line */
    const char *cells[FACT_COLUMNS];
};
struct facts {
    const char *path;
    struct arena arena;
    u32 column_n, row_n;
    const char *columns[FACT_COLUMNS];
    struct fact *rows;
};

/* `path` among the assets. Every row has every column; else an internal error. */
void facts_open(struct facts *f, const char *path);
void facts_free(struct facts *f);
/* Of row i. A column that is not there is an internal error. */
const char *facts_cell(const struct facts *f, u32 i, const char *column);
/* The first row from `from` on whose first columns are `keys` (NULL: any); row_n: none. */
u32 facts_find(const struct facts *f, u32 from, u32 key_n, const char *const *keys);

#endif

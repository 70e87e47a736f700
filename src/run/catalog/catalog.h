/* What there is, as tables: machines, policies, workloads, statistics, options, opcodes, and one
 * machine, policy or workload in full. Made from the rows; `cli` prints them, and `--markdown`
 * makes the pages of docs/. */
#ifndef CORUN_CATALOG_H
#define CORUN_CATALOG_H

#include "base/arena.h"
#include "base/fail.h"

enum { CATALOG_COLUMNS = 12 };

struct catalog_columns {
    u32 n;
    const char *heads[CATALOG_COLUMNS];
};
struct catalog_row {
    struct catalog_row *next;
    const struct catalog_columns *columns; /* of this row and those below */
    const char *cells[CATALOG_COLUMNS];    /* [0] NULL: a heading, in cells[1]; what it says: [2] */
};
struct catalog {
    const char *title, *intro;
    const struct catalog_columns *columns; /* of rows to come */
    struct catalog_row *first, *last;
    struct arena arena;
};

/* Lists by name: rows of catalog.def. */
struct catalog_list {
    const char *name, *sentence;
    void (*make)(struct catalog *c);
};
extern const struct catalog_list catalog_lists[];
extern const u32 catalog_list_n;

/* One thing in full; false: an error placed in the argument. Free it in either case. */
bool catalog_gpu(struct catalog *c, const char *gpu, struct fail *fail);
bool catalog_policy(struct catalog *c, const char *name, struct fail *fail);
bool catalog_workload(struct catalog *c, const char *name, struct fail *fail);
/* A PTX file, each PTX of an executable or object, or the module of a workload (NAME:key=value,...):
 * kernels, registers, shared bytes, instruction mix. `source`, unless NULL, gets the text. After
 * false it still holds the kernels, each supported or why not. */
bool catalog_ptx(struct catalog *c, const char *argument, struct text *source, struct fail *fail);

/* The JSON Schema of every result. */
void catalog_schema(struct text *out);

void catalog_show(const struct catalog *c, bool markdown, struct text *out);
void catalog_free(struct catalog *c);
/* Lists that need more than a walk over rows. */
void catalog_workloads(struct catalog *c);
void catalog_parameters(struct catalog *c);
void catalog_result(struct catalog *c);

/* For makers. Cells are texts; NULL ends the row early. */
void catalog_start(struct catalog *c, const char *title, const char *intro, u32 column_n,
                   const char *const *columns);
void catalog_heading(struct catalog *c, const char *text);
void catalog_section(struct catalog *c, const char *text, const char *sentence); /* a heading */
void catalog_columns(struct catalog *c, u32 n, const char *const *heads); /* of what follows */
/* a heading whose rows have columns of their own */
void catalog_table(struct catalog *c, const char *text, u32 column_n, const char *const *columns);
void catalog_add(struct catalog *c, const char *const *cells);
/* An error that proposes the nearest of the names offered; false. */
bool catalog_unknown(const char *kind, const char *list, const char *name, struct nearest *nearest,
                     struct fail *fail);
const char *catalog_text(struct catalog *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

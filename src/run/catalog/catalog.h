/* Reference tables: lists of machines, policies, workloads, statistics, options and opcodes, and
 * details of a single machine, policy, workload or PTX file. Generated from the rows of .def files.
 * `cli` prints the tables; with `--markdown` they are the pages of docs/. */
#ifndef CORUN_CATALOG_H
#define CORUN_CATALOG_H

#include "base/arena.h"
#include "base/fail.h"

enum { CATALOG_COLUMNS = 16 };

struct catalog_columns {
    u32 n;
    const char *heads[CATALOG_COLUMNS];
};
struct catalog_row {
    struct catalog_row *next;
    const struct catalog_columns *columns; /* columns of the row's table */
    const char *cells[CATALOG_COLUMNS];    /* [0] NULL: a heading, [1] its text, [2] a sentence
                                            * below the heading or NULL */
};
struct catalog {
    const char *title, *intro;
    const struct catalog_columns *columns; /* columns of rows added next */
    struct catalog_row *first, *last;
    struct arena arena;
};

/* The lists of `corun list`, from the rows of catalog.def. */
struct catalog_list {
    const char *name, *sentence;
    void (*make)(struct catalog *c);
};
extern const struct catalog_list catalog_lists[];
extern const u32 catalog_list_n;

/* Make the details of a machine, policy or workload. false: an error was added, located in the
 * argument. The caller calls catalog_free in either case. */
bool catalog_gpu(struct catalog *c, const char *gpu, struct fail *fail);
bool catalog_policy(struct catalog *c, const char *name, struct fail *fail);
bool catalog_workload(struct catalog *c, const char *name, struct fail *fail);
/* Lists the kernels of a PTX file, of each PTX in an executable or object, or of a workload's
 * module (NAME:key=value,...) with registers, shared bytes and instruction mix, as on the machine;
 * gpu NULL: as the PTX says. Appends the PTX text to `source` unless NULL. If the result is false,
 * the catalog still contains the kernels; an unsupported kernel among several is listed with the
 * reason. The caller calls catalog_free in either case. */
struct gpu_file;
bool catalog_ptx(struct catalog *c, const char *argument, const struct gpu_file *gpu,
                 struct text *source, struct fail *fail);

/* Appends the JSON Schema of all results. */
void catalog_schema(struct text *out);

/* Appends the tables: as Markdown, or as text of the given width in characters. Words longer
 * than a line are broken only after a bar. */
void catalog_show(const struct catalog *c, bool markdown, u32 columns, struct text *out);
void catalog_free(struct catalog *c);
/* Make the lists that need more than a loop over rows. */
void catalog_workloads(struct catalog *c);
void catalog_parameters(struct catalog *c);
void catalog_result(struct catalog *c);

/* Functions for building a catalog. All texts are copied; a NULL cell is empty. `title` and `intro`
 * must outlive the catalog. */
void catalog_start(struct catalog *c, const char *title, const char *intro, u32 column_n,
                   const char *const *columns);
void catalog_heading(struct catalog *c, const char *text);
/* Adds a heading with a sentence below. */
void catalog_section(struct catalog *c, const char *text, const char *sentence);
/* Sets the columns of all rows added next. */
void catalog_columns(struct catalog *c, u32 n, const char *const *heads);
/* Sets the columns of all rows added next, and adds a heading. */
void catalog_table(struct catalog *c, const char *text, u32 column_n, const char *const *columns);
void catalog_add(struct catalog *c, const char *const *cells); /* adds a row */
/* Adds an error for an unknown name, with the nearest of the offered names. Returns false. */
bool catalog_unknown(const char *kind, const char *list, const char *name, struct nearest *nearest,
                     struct fail *fail);
/* Returns a formatted text, valid until catalog_free. */
const char *catalog_text(struct catalog *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

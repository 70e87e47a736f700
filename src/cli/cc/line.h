/* Command lines of clang for corun cc: building, printing, running. */
#ifndef CORUN_CC_LINE_H
#define CORUN_CC_LINE_H

#include "cli/common/command.h"

struct clang {
    struct console *c;
    struct text name;
    u32 version;
    bool shown, dry; /* print each command line; run none */
    bool serial;     /* omit -fopenmp */
};
/* Chooses CORUN_CLANG, else `clang`; if `clang` is older than 16, the first of clang-16 and
 * later. */
void clang_choose(struct clang *clang);

/* Lets host code run in one thread, with a warning, if the options have -fopenmp and clang has no
 * OpenMP library. */
void clang_check_openmp(struct clang *clang, const struct nvcc *o);

struct line;
struct line *line_new(const struct clang *clang, bool cxx);
void line_add(struct line *l, const char *argument); /* `argument` must outlive the run */
void line_add_all(struct line *l, const char *const *arguments); /* NULL-terminated */
void line_add_text(struct line *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds the options for clang of a row of nvcc.def. */
void line_add_given(struct line *l, const struct nvcc_given *given);
/* Runs and frees a command line; corun prints clang's messages. Returns false with an error, or
 * after a signal. */
bool line_run(struct clang *clang, struct line *l);

#endif

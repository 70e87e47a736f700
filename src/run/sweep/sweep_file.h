/* A sweep file: every combination of a set of apps, a policy, a machine, options and a rule. Parsed
 * from YAML with the location of each value, for error messages. `sweep` makes points of the
 * combinations and runs them. User documentation: docs/how-to/sweep.md. */
#ifndef CORUN_SWEEP_FILE_H
#define CORUN_SWEEP_FILE_H

#include "host/tree.h"
#include "run/study/batch.h"

enum { SWEEP_POINTS_MAX = 1000000, SWEEP_LIST_MAX = 4096 };

struct sweep_text {          /* a value and its location */
    const char *text;
    size_t offset;
};
struct sweep_apps {          /* apps sharing the GPU */
    const char *specs[APPS_MAX];
    u32 n;
};
struct sweep_machine {       /* a machine with one combination of options */
    struct gpu_file gpu;
    const char *options;     /* as in "l1.ways=8 l1.sets=64"; "" if none */
};
struct sweep_rule {
    enum until until;
    u64 cycles, instructions;
};

struct sweep_file {
    struct file_set files;
    struct arena arena;
    const struct source *source;
    const char *title;
    bool has_program;        /* an app is a CUDA program */
    bool names_gpus;         /* the file contains `gpus` */
    struct sweep_apps *apps;
    struct sweep_text *policies;
    struct sweep_machine *machines;
    struct sweep_rule *rules;
    u64 *seeds;
    u32 app_n, policy_n, machine_n, rule_n, seed_n;
    u32 app_room, policy_room, machine_room;
    enum alone_from from;
    enum alone_on on;
    enum by by;
};

/* Reads a sweep file. Returns false with errors and their locations in `fail`. Call sweep_file_free
 * in either case. */
bool sweep_file_open(struct sweep_file *f, const char *path, struct fail *fail);
void sweep_file_free(struct sweep_file *f);
u64 sweep_file_points(const struct sweep_file *f);
void sweep_apps_show(const struct sweep_apps *apps, struct text *out); /* as in "bfs + mm" */

#endif

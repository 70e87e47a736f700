/* A sweep file: every set of apps under every policy, machine, option and rule. Read from YAML with
 * the place of each value, so that what is wrong is shown where it stands; `sweep` makes the points
 * and runs them. docs/sweep.md is for its writers. */
#ifndef CORUN_SWEEP_FILE_H
#define CORUN_SWEEP_FILE_H

#include "host/tree.h"
#include "run/study/batch.h"

enum { SWEEP_POINTS_MAX = 1000000, SWEEP_LIST_MAX = 4096 };

struct sweep_text {          /* a value as it is used, and where it stands */
    const char *text;
    size_t offset;
};
struct sweep_apps {          /* one set that shares the GPU */
    const char *specs[APPS_MAX];
    u32 n;
};
struct sweep_machine {       /* a machine with one choice of options */
    struct gpu_file gpu;
    const char *options;     /* "l1.ways=8 l1.sets=64"; "" */
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
    bool has_program;        /* among its apps is a CUDA program */
    bool names_gpus;         /* `gpus` is given */
    struct sweep_apps *apps;
    struct sweep_text *policies;
    struct sweep_machine *machines;
    struct sweep_rule *rules;
    u64 *seeds;
    u32 app_n, policy_n, machine_n, rule_n, seed_n;
    u32 app_room, policy_room, machine_room;
    enum alone_from from;
    enum alone_on on;
};

/* false: errors in `fail`, each with its place. Free it in either case. */
bool sweep_file_open(struct sweep_file *f, const char *path, struct fail *fail);
void sweep_file_free(struct sweep_file *f);
u64 sweep_file_points(const struct sweep_file *f);

#endif

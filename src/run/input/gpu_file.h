/* The machine of a run: defaults of the parts' rows, then a machine file (gpus/NAME.yaml, shipped
 * in the binary, or a path) over its base, then --set. Every value remembers where it came from.
 * Given to `run`, printed by `show gpu`, written as `config`.
 *   machine: NAME            its name
 *   about: SENTENCE
 *   base: NAME or PATH       read first; optional; a path is relative to the file
 *   SECTION:
 *     KEY: {value: V, source: TEXT}      or KEY: V */
#ifndef CORUN_GPU_FILE_H
#define CORUN_GPU_FILE_H

#include "gpu/machine/machine.h"
#include "run/io/file.h"

/* The machine where the user names none; with a CUDA program among the apps one whose threads of a
 * warp progress independently, as on every device of capability 7.0 and later. */
#define GPU_DEFAULT "maxwell16"
#define GPU_DEFAULT_CUDA "rtx2060"
#define GPU_DEFAULT_CUDA_WHY                                                                       \
    GPU_DEFAULT_CUDA " is the default machine for CUDA programs: threads of a warp progress "      \
    "independently (sm.independent_threads), on " GPU_DEFAULT " they do not; --gpu names another"

struct gpu_value {
    const char *origin; /* "default", "maxwell16", "my.yaml:7", "--set" */
    const char *chain;  /* with the machines below that gave one: "my.yaml:7 < maxwell16" */
    bool own;           /* from a machine file of the user's */
    const char *source; /* why it has this value: paper and table; "" when none was given */
};

struct gpu_file {
    const char *name;         /* as chosen with --gpu */
    const char *about;
    struct machine machine;
    struct gpu_value *values;  /* one per row of machine_rows, as is: */
    struct conf_place *places; /* where the value stands */
    u32 given_n;               /* values taken so far */
    struct arena arena;
    struct file_set files;
};

/* Machine `gpu` (name or path) with `set_n` texts "section.key=value" applied in order. Errors name
 * the place. Free it in either case. */
bool gpu_file_open(struct gpu_file *g, const char *gpu, const char *const *sets, u32 set_n,
                   struct fail *fail);
void gpu_file_free(struct gpu_file *g);
/* NULL, or a sentence about a machine that tells CUDA programs a capability of 7.0 or more and has
 * no independent thread scheduling, as every such device has. */
const char *gpu_file_lock_step(const struct gpu_file *g);

/* An argument that means a file, not a shipped name: holds '/' or ends in .yaml or .yml. */
bool names_file(const char *argument);

#endif

/* The machine of a run. Later values override earlier values: defaults of the option rows, the base
 * machine, the machine file (gpus/NAME.yaml, embedded in the binary, or a path), --set. The origin
 * of every value is recorded. `run` simulates the machine, `show gpu` prints the machine, results
 * contain the machine under `config`. Format of a machine file:
 *   machine: NAME            name of the machine
 *   about: SENTENCE
 *   base: NAME or PATH       machine read first; optional; a path is relative to the file
 *   SECTION:
 *     KEY: {value: V, source: TEXT}      or KEY: V */
#ifndef CORUN_GPU_FILE_H
#define CORUN_GPU_FILE_H

#include "gpu/machine/energy.h"
#include "gpu/machine/machine.h"
#include "run/input/file_set.h"

/* Default machines: without and with a CUDA program among the apps. For CUDA programs the default
 * machine has independent thread scheduling, like every device of compute capability 7.0 and
 * later, and arithmetic as in NVIDIA's machine code. */
#define GPU_DEFAULT "maxwell16"
#define GPU_DEFAULT_CUDA "turing"
#define GPU_DEFAULT_CUDA_WHY                                                                       \
    GPU_DEFAULT_CUDA " is the default machine for CUDA programs: threads of a warp progress "      \
    "independently (sm.independent_threads), unlike on " GPU_DEFAULT "; choose another machine "   \
    "with --gpu"

struct gpu_value {
    const char *origin; /* "default", "maxwell16", "my.yaml:7", "--set" */
    const char *chain;  /* the origin, then overridden origins: "my.yaml:7 < maxwell16" */
    bool own;           /* from a user's machine file */
    const char *source; /* source of the value: paper and table; "" if not given */
};

struct gpu_file {
    const char *name;         /* as given with --gpu */
    const char *about;
    struct machine machine;
    struct energy_conf energy; /* read by --energy alone; part of no key of a run */
    struct gpu_value *values;  /* [row of machine_rows] */
    struct conf_place *places; /* [row of machine_rows] location of the value */
    struct gpu_value *energy_values;  /* [row of energy_rows] */
    struct conf_place *energy_places; /* [row of energy_rows] */
    u32 given_n;               /* number of values read so far */
    struct arena arena;
    struct file_set files;
};

/* Reads machine `gpu` (name or path) and applies `set_n` texts "section.key=value" in order. false:
 * errors in `fail`, with source locations. The caller calls gpu_file_free in either case. */
bool gpu_file_open(struct gpu_file *g, const char *gpu, const char *const *sets, u32 set_n,
                   struct fail *fail);
void gpu_file_free(struct gpu_file *g);
/* Returns a sentence if the machine reports compute capability 7.0 or more to CUDA programs without
 * independent thread scheduling, unlike all real devices of these capabilities. NULL otherwise. */
const char *gpu_file_lock_step(const struct gpu_file *g);

/* True if an argument names a file, not a shipped machine or workload: contains '/' or ends in
 * .yaml or .yml. */
bool names_file(const char *argument);

#endif

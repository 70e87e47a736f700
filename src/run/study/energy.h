/* Energy of a run (--energy), for the result pages; needs counts by instruction (sim_setup.lines).
 * All energies are whole pJ: the GPU is the exact sum of the apps and the unattributed energy.
 * Model: static power as in AccelWattch. Attribution (decision): SM cycles with blocks belong to
 * the apps in proportion to the cycles of their resident blocks; an SM cycle costs static power at
 * the app's mean number of active lanes, and the SM's part of the constant power. Unattributed: SMs
 * without blocks, their part of the constant power, counters of no app, rests of roundings. */
#ifndef CORUN_STUDY_ENERGY_H
#define CORUN_STUDY_ENERGY_H

#include "gpu/machine/energy.h"
#include "run/study/batch.h"

struct energy {
    u64 of[ENERGY_COMPONENT_N], total; /* pJ */
};

struct run_energy {
    struct energy apps[APPS_MAX], unattributed, gpu;
    double joules, seconds;
    double instructions;     /* thread instructions, without those of flushed blocks */
    double weighted_speedup; /* NAN: unknown */
};
/* Computes the energy of a finished run with counters by instruction. */
void run_energy(const struct batch_run *r, struct run_energy *out);

/* Figures of a run: rows of energy_metric.def. */
struct energy_metric {
    const char *name, *label, *unit; /* `label`, `unit` and `digits` in tables */
    u32 digits;
    double (*value)(const struct run_energy *e); /* NAN: undefined */
};
extern const struct energy_metric energy_metrics[];
extern const u32 energy_metric_n;

/* Returns false, with an error, if the machine gives no energies. */
bool energy_known(const struct gpu_file *g, struct fail *fail);

#endif

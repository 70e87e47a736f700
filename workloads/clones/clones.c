/* Stand-ins: synth with the parameters of a file each, fitted by fit.py to a paper's figures of a
 * program. None has a CPU reference. */
#include "workloads/synth/plan.h"

#define CLONE(title, from, what)                                                        \
    {.name = title, .sentence = what, .suite = from,                                    \
     .algorithm = "none: synth with the parameters of workloads/clones/" title ".yaml", \
     .input = "buffers of zeros; addresses follow from thread and loop numbers",        \
     .params = synth_params, .run = synth_run, .write = synth_write,                    \
     .preset = "workloads/clones/" title ".yaml"},
extern const struct workload workload_clones[];
const struct workload workload_clones[] = {
#include "workloads/clones/list.def"
};
extern const u32 workload_clone_n;
const u32 workload_clone_n = COUNT_OF(workload_clones);

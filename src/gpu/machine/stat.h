/* All counters of the GPU in one struct of u64, per app or summed, and the ratios of counters. */
#ifndef CORUN_GPU_STAT_H
#define CORUN_GPU_STAT_H

#include "chip/dram/dram.h"
#include "chip/l1/l1.h"
#include "chip/l2/l2.h"
#include "chip/sm/sm_conf.h"
#include "chip/tex/tex.h"
#include "chip/xbar/xbar.h"
#include "table/stat.h"

struct gpu_stat { /* all u64: see table/stat.h */
    struct sm_stat sm;
    struct tensor_stat tensor;
    struct preempt_stat preempt;
    struct residency_stat residency;
    struct allocator_stat allocator;
    struct carveout_stat carveout;
    struct l1_stat l1;
    struct tex_stat tex;
    struct xbar_stat to_l2, to_sm;
    struct l2_stat l2;
    struct dram_stat dram;
    /* blocks.max_resident: most blocks resident on one SM at once; the sum over apps is an upper
     * bound */
    u64 max_resident;
};

extern const struct stat_row inst_stat_rows[]; /* counters by instruction: struct inst_stat */
extern const u32 inst_stat_row_n;

struct gpu_capacity { /* maximum work of the whole GPU in `cycles` SM cycles */
    double cycles;
    double scheduler_cycles; /* cycles x SMs x schedulers */
    double sm_cycles;        /* cycles x SMs */
    double registers, shared_bytes; /* cycles x SMs x capacity of an SM */
    double l1_port_cycles;   /* cycles x SMs x L1 banks */
    double to_l2_flits, to_sm_flits; /* sustainable: crossbar cycles x output ports x 0.6 */
    double l2_cycles;  /* L2 cycles x slices */
    double dram_bytes; /* peak */
};

/* Instructions without those of flushed blocks, whose work is repeated. */
static inline u64 stat_kept_thread(const struct gpu_stat *s)
{
    return s->sm.inst_thread - s->preempt.lost_thread;
}
static inline u64 stat_kept_warp(const struct gpu_stat *s)
{
    return s->sm.inst_warp - s->preempt.lost_warp;
}

extern const struct stat_row gpu_stat_rows[];
extern const u32 gpu_stat_row_n;

struct ratio_row {
    const char *name, *unit, *sentence, *source;
    double (*numerator)(const struct gpu_stat *s, const struct gpu_capacity *c);
    /* returns 0 if the ratio is undefined */
    double (*denominator)(const struct gpu_stat *s, const struct gpu_capacity *c);
};
/* Returns the name of a cause of stall for tables and pages, in the words of NVIDIA's profilers:
 * "scoreboard" for stall.raw; NULL: the ratio is no cause. Keys of results keep the papers'
 * names. */
const char *stall_name(const struct ratio_row *row);
extern const struct ratio_row gpu_ratio_rows[];
extern const u32 gpu_ratio_row_n;

struct machine;
void gpu_capacity(const struct machine *m, u64 cycles, struct gpu_capacity *out);

#endif

/* A sweep as jobs of Slurm: an array that makes the isolated runs, an array of chunks, each `corun
 * sweep --shard` with a database of its own, and a job that merges these and removes them. All
 * stands in the folder RESULTS.db.chunks: scripts, logs, the chunks' databases, the jobs' numbers.
 * While these are in the queue nothing is submitted; after that, what RESULTS.db still lacks. */
#ifndef CORUN_SLURM_H
#define CORUN_SLURM_H

#include "run/sweep/sweep.h"

enum { SLURM_CHUNKS_MAX = 1000 }; /* Slurm's own limit, unless a cluster raises it */

struct slurm_setup {
    const struct sweep_setup *sweep;
    const char *const *options; /* for sbatch; each may be several words */
    u32 option_n;
    u32 chunks;                 /* 0: chosen by points and processors */
};

/* The scripts and how they would be submitted; changes nothing. */
bool slurm_show(const struct slurm_setup *setup, struct text *out, struct fail *fail);
/* Submits what is missing, unless jobs are on their way; says in `out` what it did. `count`: what
 * there was before. */
bool slurm_submit(const struct slurm_setup *setup, struct sweep_count *count, struct text *out,
                  struct fail *fail);
/* Until these jobs have ended, from the count of then; `count` becomes that of RESULTS.db, `out`
 * names the chunks that have not come to their end. */
bool slurm_wait(const struct slurm_setup *setup, struct sweep_count *count, struct text *out,
                struct fail *fail);

#endif

/* Runs a sweep as Slurm jobs: an array job for the isolated runs, an array job of chunks, each a
 * `corun sweep --shard` with its own database, and a job that merges and removes the chunks'
 * databases. The folder RESULTS.db.chunks holds scripts, logs, databases of the chunks and job ids.
 * Nothing is submitted while jobs are in the queue; afterwards, points missing in RESULTS.db are
 * submitted. */
#ifndef CORUN_SLURM_H
#define CORUN_SLURM_H

#include "run/sweep/sweep.h"

enum { SLURM_CHUNKS_MAX = 1000 }; /* Slurm's default limit for tasks of an array job */

struct slurm_setup {
    const struct sweep_setup *sweep;
    const char *const *options; /* options for sbatch; each may contain several words */
    u32 option_n;
    u32 chunks;                 /* number of chunks; 0: derived from points and processors */
};

/* Shows the scripts and the sbatch commands; changes nothing. */
bool slurm_show(const struct slurm_setup *setup, struct text *out, struct fail *fail);
/* Submits the missing points, unless jobs are in the queue. `out` gets a description of the
 * submitted jobs, `count` the state before the submission. */
bool slurm_submit(const struct slurm_setup *setup, struct sweep_count *count, struct text *out,
                  struct fail *fail);
/* Waits for the jobs to end. `count` holds the state at submission on entry and the state of
 * RESULTS.db on return; `out` names unfinished chunks. */
bool slurm_wait(const struct slurm_setup *setup, struct sweep_count *count, struct text *out,
                struct fail *fail);

#endif

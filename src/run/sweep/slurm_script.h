/* Texts for a sweep's Slurm jobs: the scripts and the sbatch command lines. Paths may contain any
 * byte. */
#ifndef CORUN_SLURM_SCRIPT_H
#define CORUN_SLURM_SCRIPT_H

#include "run/sweep/slurm.h"

struct command_words { /* words of a command line, NULL-terminated */
    const char **at;
    u32 n, room;
};
void words_free(struct command_words *w);

enum slurm_job { SLURM_ALONE, SLURM_CHUNK, SLURM_MERGE, SLURM_JOB_N }; /* in execution order */

struct slurm_script {
    struct text here;        /* working folder of the corun command */
    struct text file;        /* sweep file as named by the user, resolved from `here` */
    struct text corun, database, folder, cache; /* absolute paths; cache: "" if not set */
    struct text flags;            /* flags of the sweep, for every chunk */
    struct command_words options; /* user's options for sbatch */
    u32 alone_n, chunk_n;         /* alone_n: tasks for isolated runs, 0: none; chunk_n: chunks */
    struct slurm_chunk {
        struct sweep_shard shard;
        bool wanted;
    } *chunks;
};
bool slurm_script_open(struct slurm_script *s, const struct slurm_setup *setup, struct fail *fail);
void slurm_script_free(struct slurm_script *s);

const char *slurm_name(enum slurm_job kind);
u32 slurm_tasks(const struct slurm_script *s, enum slurm_job kind);
void slurm_path(const struct slurm_script *s, enum slurm_job kind, struct text *out);
void slurm_text(const struct slurm_script *s, enum slurm_job kind, struct text *out);
/* Appends the path of a chunk's database. */
void slurm_chunk_path(const struct slurm_script *s, u32 chunk, struct text *out);
/* Builds the sbatch command of a job. after: id of the job to wait for; NULL: none. */
void slurm_command(const struct slurm_script *s, enum slurm_job kind, const char *after,
                   struct command_words *out);

#endif

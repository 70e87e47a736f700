/* The jobs of a sweep under Slurm as text: the scripts, and the words of sbatch's command line. Any
 * byte of a path is taken as it is. */
#ifndef CORUN_SLURM_SCRIPT_H
#define CORUN_SLURM_SCRIPT_H

#include "run/sweep/slurm.h"

struct words {               /* of a command line; ends with NULL */
    const char **at;
    u32 n, room;
};
void words_free(struct words *w);

enum slurm_job { SLURM_ALONE, SLURM_CHUNK, SLURM_MERGE, SLURM_JOB_N }; /* in their order */

struct slurm_script {
    struct text here;        /* the folder in which the command was given */
    struct text file;        /* the sweep, as it was named there */
    struct text corun, database, folder, cache; /* absolute; cache: "" where unnamed */
    struct text flags;       /* of the sweep, for every chunk */
    struct words options;    /* the user's, for sbatch */
    u32 alone_n, chunk_n;    /* tasks that share the isolated runs, 0: none is needed; chunks */
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
void slurm_chunk_path(const struct slurm_script *s, u32 chunk, struct text *out); /* its database */
/* after: the number of the job whose end it waits for; NULL: none. */
void slurm_command(const struct slurm_script *s, enum slurm_job kind, const char *after,
                   struct words *out);

void shell_quote(const char *word, struct text *out); /* one word for a shell, whatever is in it */

#endif

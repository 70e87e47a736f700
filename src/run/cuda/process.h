/* The process of a CUDA program: started with two sockets and a piece of memory that it shares with
 * the simulator, all inherited, so that nobody else can open them; killed with all it has started,
 * also when the simulator itself is killed. */
#ifndef CORUN_PROCESS_H
#define CORUN_PROCESS_H

#include <sys/types.h>

#include "run/cuda/folder.h"
#include "run/jobs/reaper.h"

struct process_start {
    const char *path;               /* of the program */
    const char *const *arguments;   /* ends with NULL; the first is what it is called */
    const struct work_folder *folder; /* to start it in */
    const char *const *environment; /* "NAME=VALUE" beside or in place of corun's own; NULL at the
                                     * end */
    const char *library_path;       /* the whole of it, */
#define LIBRARY_PATH "LD_LIBRARY_PATH"
    int output_fd;                  /* for what it writes; -1: dropped */
    bool output_all;                /* also to standard error */
};
struct process {
    pid_t pid; /* 0: there is none */
    struct reaper reaper; /* parent of the process: ends with it all that descends from it */
    int pid_fd, calls, asks; /* the sockets: what it calls, and what it is asked for */
    u8 *memory; /* WIRE_MEMORY_END bytes, without pages until they are touched */
};

/* false: `why` says so. */
bool process_start(struct process *p, const struct process_start *how, struct text *why);
/* Something to read from this socket of its within so many milliseconds, or the end. */
enum process_news { PROCESS_SILENT, PROCESS_SAYS, PROCESS_ENDED };
enum process_news process_wait(const struct process *p, int socket, int ms);
/* How many of n bytes came or went within so many milliseconds; -1: no more will. */
s64 process_read(const struct process *p, int socket, void *to, size_t n, int ms);
s64 process_write(const struct process *p, int socket, const void *from, size_t n, int ms);
/* Nanoseconds of processor time that it has used so far. */
u64 process_used(const struct process *p);
/* Whether no thread of it runs: each sleeps, is stopped by a signal, or has ended. As long as
 * `waits` stays the same, none has run. */
struct process_rest {
    u64 waits;    /* how often all of them have begun to wait */
    bool stopped; /* by a signal: only another signal lets it go on */
};
bool process_rests(const struct process *p, struct process_rest *rest);
/* Reaps it; what waitpid says. Once process_wait says that it has ended. */
int process_end(struct process *p);
void process_stop(const struct process *p); /* it has ended, or will at once */
void process_kill(struct process *p); /* in any state; gives everything back */

#endif

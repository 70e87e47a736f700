/* The process of a CUDA program. The process shares two sockets and the device memory with the
 * simulator. All three are inherited file descriptors, inaccessible to other processes. The process
 * and all its descendants are killed at the end of the session, also when the simulator itself is
 * killed. */
#ifndef CORUN_PROCESS_H
#define CORUN_PROCESS_H

#include <sys/types.h>

#include "run/cuda/folder.h"
#include "run/jobs/reaper.h"

struct process_start {
    const char *path;               /* of the executable */
    const char *const *arguments;   /* argv: program name first, NULL last */
    const struct work_folder *folder; /* working folder */
    const char *const *environment; /* "NAME=VALUE", added to corun's own variables or replacing
                                     * them; NULL last */
    const char *library_path;       /* complete value of LD_LIBRARY_PATH */
#define LIBRARY_PATH "LD_LIBRARY_PATH"
    int output_fd;                  /* for the output of the program; -1: output is dropped */
    bool output_all;                /* output_fd receives standard error, too */
};
struct process {
    pid_t pid; /* 0: no process */
    struct reaper reaper; /* parent of the process; kills the process with all descendants */
    int pid_fd, calls, asks; /* calls: socket for calls of the program, asks: for our requests */
    int memory_fd;
    u8 *memory; /* device memory: mapping of WIRE_MEMORY_END bytes, pages allocated on first use */
};

/* Starts the process. false: the reason is in `why`. */
bool process_start(struct process *p, const struct process_start *how, struct text *why);
/* Waits up to `ms` milliseconds for data on the socket (PROCESS_SAYS) or for the end of the process
 * (PROCESS_ENDED). Pending data take precedence over the end. */
enum process_news { PROCESS_SILENT, PROCESS_SAYS, PROCESS_ENDED };
enum process_news process_wait(const struct process *p, int socket, int ms);
/* Transfer up to n bytes, waiting up to `ms` milliseconds. Return the number of bytes transferred;
 * -1: no further transfer is possible. */
s64 process_read(const struct process *p, int socket, void *to, size_t n, int ms);
s64 process_write(const struct process *p, int socket, const void *from, size_t n, int ms);
/* Returns the CPU time of the process so far, ns. */
u64 process_used(const struct process *p);
/* True if no thread of the process runs: each thread sleeps, is stopped by a signal, or has ended.
 * If two calls return true with equal `waits`, no thread has run between them. */
struct process_rest {
    u64 waits;    /* context switches of all threads so far */
    bool stopped; /* by a signal: only another signal can resume the process */
};
bool process_rests(const struct process *p, struct process_rest *rest);
/* Ends the process with all descendants. Returns the status as from waitpid. Call after
 * process_wait has returned PROCESS_ENDED. */
int process_end(struct process *p);
void process_stop(const struct process *p); /* kills the process, without waiting for its end */
void process_kill(struct process *p); /* kills the process in any state, releases all resources */

#endif

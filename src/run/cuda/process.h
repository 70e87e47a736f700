/* The process of a CUDA program: started with a socket and a piece of memory that it shares with
 * the simulator, both inherited, so that nobody else can open them; killed with all it has started,
 * also when the simulator itself is killed. */
#ifndef CORUN_PROCESS_H
#define CORUN_PROCESS_H

#include <sys/types.h>

#include "base/text.h"

struct process_start {
    const char *const *arguments;   /* ends with NULL; the first is the program's path */
    const char *folder;             /* to start it in; NULL: where corun is */
    const char *const *environment; /* "NAME=VALUE" beside or in place of corun's own; or NULL */
    const char *library_path;       /* folders before those of LD_LIBRARY_PATH */
    int output_fd;                  /* for what it writes; -1: dropped */
};
struct process {
    pid_t pid; /* 0: there is none */
    int pid_fd, socket;
    u8 *memory; /* WIRE_MEMORY_END bytes, without pages until they are touched */
};

/* false: `why` says so. */
bool process_start(struct process *p, const struct process_start *how, struct text *why);
/* Something to read within so many milliseconds, or the end. */
enum process_news { PROCESS_SILENT, PROCESS_CALLS, PROCESS_ENDED };
enum process_news process_wait(const struct process *p, int ms);
/* How many of n bytes came or went within so many milliseconds; -1: no more will. */
s64 process_read(const struct process *p, void *to, size_t n, int ms);
s64 process_write(const struct process *p, const void *from, size_t n, int ms);
/* Reaps it; what waitpid says. Once process_wait says that it has ended. */
int process_end(struct process *p);
void process_stop(const struct process *p); /* it has ended, or will at once */
void process_kill(struct process *p); /* in any state; gives everything back */

#endif

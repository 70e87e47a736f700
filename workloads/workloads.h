/* The shipped programs, from the rows of list.def: host program and PTX text, both inside the
 * binary, so that they are found from any working directory. `run` finds a program here by name and
 * hands its text to `host`. */
#ifndef CORUN_WORKLOADS_H
#define CORUN_WORKLOADS_H

#include "host/host.h"

struct workload_text {
    const char *bytes; /* a zero byte follows the last */
    u64 size_bytes;
    const char *path;  /* in the source tree, for messages about the text */
};
struct workload_entry {
    const struct workload *workload;
    const struct workload_text *ptx;
};

u32 workload_n(void);
const struct workload_entry *workload_at(u32 index);          /* in the order of list.def */
const struct workload_entry *workload_find(const char *name); /* NULL: there is none */

#endif

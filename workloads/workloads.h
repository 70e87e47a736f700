/* The shipped programs by name, from the rows of list.def. `run` finds a program here; its PTX text
 * is the text "workloads/NAME/kernel.ptx" that `run` holds. */
#ifndef CORUN_WORKLOADS_H
#define CORUN_WORKLOADS_H

#include "host/host.h"

u32 workload_n(void);
const struct workload *workload_at(u32 index);          /* in the order of list.def */
const struct workload *workload_find(const char *name); /* NULL: there is none */

#endif

/* Identification of the sources of this binary, and the number of the timing model. */
#ifndef CORUN_VERSION_H
#define CORUN_VERSION_H

enum { COMMIT_BYTES = 64 };
/* Git commit, followed by "-dirty" if files had changed; "": not built in a git checkout. The array
 * has a fixed size, and binaries built from equal sources differ in no other byte. */
extern const char version_commit[COMMIT_BYTES];

/* Number of the timing model, incremented with every model change that moves cycles. Stored results
 * and fitted parameters record their model number and are compared only with results of the same
 * number. 1: until pairs of kernels were compared with GPGPU-Sim; 2: apps are placed one after
 * another in memory, collectors serve classes in order; 3 and 4: collectors by number, schedulers
 * take turns, a full DRAM scheduler queue stalls the L2 slices; 5: in class order results take
 * turns at the write-back register, the shared-memory pipe can fill up; shares are enforced until
 * an app ends; 6: stores and atomics to global memory take effect at the end of their cycle. */
#define CORUN_MODEL 6

#endif

/* What this binary was built from, and the number of its timing model. */
#ifndef CORUN_VERSION_H
#define CORUN_VERSION_H

enum { COMMIT_BYTES = 64 };
/* The commit, "-dirty" behind it if files had changed; "": not built in a git checkout. Of fixed
 * size, so that binaries of equal sources differ here only. */
extern const char version_commit[COMMIT_BYTES];

/* Raised with every change of the machine's model that moves cycles: stored results, and what was
 * fitted, say of which model they are, and only those of this one are held against it. 1: until
 * pairs of kernels were held against GPGPU-Sim; 2: apps lie one after another in memory, collectors
 * in class order; 3 and 4: collectors by number, turns of schedulers, a full scheduler queue of
 * DRAM holds the L2 slices back; 5: in class order results take turns at the write-back
 * register, the pipe of shared memory fills up; shares are held to an app's end. */
#define CORUN_MODEL 5

#endif

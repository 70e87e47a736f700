/* Makes a machine file from a configuration of GPGPU-Sim. Every value follows a rule and names its
 * option as source. Options without a counterpart are listed; what changes the structure of the
 * machine is an error. */
#ifndef CORUN_IMPORT_H
#define CORUN_IMPORT_H

#include "base/fail.h"

/* Resources of a kernel's block, and the blocks of the grid: they decide the carve-out between L1
 * and shared memory. */
struct import_need {
    u64 threads, registers, shared, blocks; /* blocks 0: many */
};
enum { IMPORT_NEEDS_MAX = 256 };

struct import_setup {
    const char *config;
    const char *icnt; /* the crossbar's file; NULL: named by the configuration */
    const char *name; /* name of the machine */
    struct import_need needs[IMPORT_NEEDS_MAX];
    u32 need_n;
    bool force;       /* errors of structure become warnings */
};

/* Parses THREADS:REGISTERS:SHARED[:BLOCKS]. Returns false with an error. */
bool import_need_parse(struct import_need *need, const char *text, struct fail *fail);
/* Appends the machine file to `file`, and the summary of options without a counterpart to `told`.
 * Returns false with errors. */
bool import_make(const struct import_setup *setup, struct text *file, struct text *told,
                 struct fail *fail);

#endif

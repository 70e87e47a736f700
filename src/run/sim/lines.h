/* Counters by instruction of a run (`corun profile --lines`): per app and kernel the instructions
 * with PTX line, source position and counters. The sums over the instructions of an app equal the
 * app's counters; inst_stat.def names them. `lines_launch` gives the memory in which SMs count. */
#ifndef CORUN_LINES_H
#define CORUN_LINES_H

#include "base/arena.h"
#include "gpu/machine/stat.h"
#include "isa/ptx_inst.h"

struct launch;

struct listing_line {
    u32 line;              /* in the PTX text; 0: unknown */
    u32 text;              /* index in lines.texts of the PTX text; UINT32_MAX: unknown */
    struct origin origin;
    u8 unit, cost, space;  /* of the instruction: isa/inst.h */
    u8 reads, writes;      /* distinct registers; 64 bits in two registers count as one */
    u16 group_steps;       /* wgmma: isa/inst.h */
    bool loads;            /* of an access to L1: a load or cp.async; false: a store */
};

struct listing { /* a kernel of an app with all functions it can reach */
    u32 app_id, code_n;
    const char *name, *kernel; /* of the kernel: as in the PTX, as in C++ */
    const char **functions;       /* [pc] function that holds the instruction */
    struct listing_line *lines;   /* [pc] */
    struct inst_stat *counts;     /* [SM][pc]; after lines_sum the first code_n rows are sums */
};

struct lines {
    struct arena arena;
    u32 sm_n;
    struct listing *listings;     /* in the order of first launches */
    u32 listing_n, listing_room;
    struct source *texts;         /* copies of PTX texts */
    u32 text_n, text_room;
};

struct lines *lines_new(u32 sm_n);
void lines_free(struct lines *l); /* NULL: no effect */
/* Returns the counters of the launch's kernel, for struct launch. Equal kernels of the same app
 * share counters, also in later executions of the app. */
struct inst_stat *lines_launch(struct lines *l, const struct launch *launch);
/* Sums over the SMs, at the end of the run. */
void lines_sum(struct lines *l);

#endif

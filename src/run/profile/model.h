/* What paper 001 says beforehand of apps that share memory bandwidth (sections 3 and 5): an app's
 * IPC is its bandwidth over what an instruction moves, bytes of a miss * MPKI / 1000; bandwidth is
 * given out by a priority order or in equal parts (bandwidth.h). `corun model` asks. */
#ifndef CORUN_MODEL_H
#define CORUN_MODEL_H

#include "base/text.h"

enum { MODEL_APPS = 3, MODEL_SHARES = 7 }; /* orders of three, and in turn */

struct model_app {
    const char *name;
    double mpki, alone;      /* alone: bytes per SM cycle that it moves by itself */
    double measured_ipc;     /* by itself; NAN: not measured */
};

struct model {
    const char *gpu;         /* NULL: nothing was measured */
    double peak, miss_bytes, shift; /* shift: bytes per cycle that one app gives to another */
    u32 n;
    struct model_app apps[MODEL_APPS];
};

struct model_share {
    u32 order[MODEL_APPS];   /* who is served first; not with: */
    bool in_turn;
    double got[MODEL_APPS];  /* bytes per cycle */
    double ipc[MODEL_APPS], throughput, speedup; /* NAN: undefined, an app has no misses */
};

double model_ipc(const struct model *m, u32 app, double bytes_per_cycle);
/* All orders, then in turn; of one app its own. How many there are. */
u32 model_shares(const struct model *m, struct model_share out[MODEL_SHARES]);
/* By what throughput and weighted speedup grow when `from` gives m->shift to `to`: the same
 * wherever both have less than they would take. */
void model_shift(const struct model *m, u32 to, u32 from, double *throughput, double *speedup);
void model_json(const struct model *m, struct text *out);

#endif

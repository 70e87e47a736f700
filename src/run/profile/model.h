/* The analytical model of paper 001 (sections 3 and 5) for apps sharing memory bandwidth: an app's
 * IPC is its bandwidth divided by the bytes moved per instruction, bytes per miss * MPKI / 1000.
 * Bandwidth is divided by priority or in equal parts (bandwidth.h). Used by `corun model`. */
#ifndef CORUN_MODEL_H
#define CORUN_MODEL_H

#include "base/text.h"

enum { MODEL_APPS = 3, MODEL_SHARES = 7 }; /* shares: 6 orders of 3 apps, and round robin */

struct model_app {
    const char *name;
    double mpki, alone;      /* alone: bandwidth in an isolated run, bytes per SM cycle */
    double measured_ipc;     /* in an isolated run; NAN: not measured */
};

struct model {
    const char *gpu;         /* machine of the measurements; NULL: nothing was measured */
    /* peak bandwidth, bytes per cycle; bytes per L2 miss; bandwidth moved by model_shift, bytes per
     * cycle */
    double peak, miss_bytes, shift;
    u32 n;
    struct model_app apps[MODEL_APPS];
};

struct model_share {         /* a division of the bandwidth with its results */
    u32 order[MODEL_APPS];   /* apps by priority, highest first; unused if in_turn */
    bool in_turn;            /* round robin */
    double got[MODEL_APPS];  /* bytes per cycle */
    double ipc[MODEL_APPS], throughput, speedup; /* NAN: undefined, an app has no misses */
};

/* Returns the IPC of an app with this bandwidth; NAN for an app without misses. */
double model_ipc(const struct model *m, u32 app, double bytes_per_cycle);
/* Computes all priority orders, then round robin unless n is 1. Returns the number of shares. */
u32 model_shares(const struct model *m, struct model_share out[MODEL_SHARES]);
/* Computes the gain in throughput and weighted speedup if app `from` gives bandwidth m->shift to
 * app `to`. The gain is valid in all shares where both apps want more bandwidth than they have. */
void model_shift(const struct model *m, u32 to, u32 from, double *throughput, double *speedup);
void model_json(const struct model *m, struct text *out);

#endif

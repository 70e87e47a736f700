/* Advice on how apps share the GPU: curves of slowdown against SMs from isolated runs, the front of
 * splits, and the best split for a goal. The search simulates the split with the best prediction,
 * corrects all predictions by the result, and repeats, within a part of the warp instructions of a
 * sweep over all splits. The order of simulations does not depend on the number of threads. */
#ifndef CORUN_ADVISE_H
#define CORUN_ADVISE_H

#include "run/advise/splits.h"

struct advise_setup {
    const struct sim_setup *sim; /* `policy` is ignored */
    const char *goal;            /* text of the goal */
    const char *under;           /* text of the ways of sharing */
    u32 step;                    /* SMs between two splits */
    u32 budget;                  /* limit of warp instructions, in percent of the sweep */
    bool fresh;                  /* isolated runs are simulated, not taken from the cache */
    u32 threads;
};

struct advise {
    const struct advise_setup *setup;
    struct arena arena;
    const char *names[APPS_MAX];
    struct goal goal;
    u32 ways;                    /* bit w: splits of way w are candidates */
    struct curves curves;
    struct splits splits;
    const struct split *best;    /* a simulated split; NULL: no split has a value */
    u32 isolated_n, shared_n;    /* simulations, with cached isolated runs */
    u64 isolated_warp, shared_warp; /* warp instructions of these simulations */
    double sweep_warp;           /* of all splits and the isolated runs on all SMs; splits that are
                                  * not simulated count by estimate */
    bool interrupted;
    bool abnormal;               /* a simulation ended with an error of the simulated machine */
    bool exhausted;              /* the search stopped because of its limit of warp instructions */
    struct text told;            /* messages on abnormal simulations */
};

/* Gives the advice. Returns false if the input is wrong, with errors in `fail`. Call advise_free in
 * either case. The setup must outlive the advice. */
bool advise_make(struct advise *a, const struct advise_setup *setup, struct fail *fail);
void advise_free(struct advise *a);

/* Appends a sentence on the best split, without an end of the line. */
void advise_verdict(const struct advise *a, struct text *out);
/* Appends a line on the candidates, lines on ways that the machine does not have, and lines on the
 * cost and on the limit that ended the search. */
void advise_cost(const struct advise *a, struct text *out);
/* Writes the advice as JSON (schema corun-advice/1). */
void advise_json(const struct advise *a, struct text *out);

#endif

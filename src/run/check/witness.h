/* A mechanism that decides nothing: it sees, event by event, whether what a policy is shown keeps
 * the laws of blocks: what is resident fits, and none is lost or run twice. Stands beside the
 * policy that `contract` tests; what it finds are sentences. */
#ifndef CORUN_WITNESS_H
#define CORUN_WITNESS_H

#include "gpu/gpu.h"
#include "run/check/shares.h"
#include "run/input/mechanism.h"

struct witness_launch {    /* a launch at the GPU */
    u64 order, grid_blocks, ended;
    u32 app_id;
    const char *kernel;
    u8 *ends;              /* [block] times it has come to its end; 255: or more */
    bool shared_name;      /* another launch of the same name was there too: `ends` is not known */
};

struct witness {
    u64 link[1];           /* first: the way from the policy's counters to here */
    struct gpu_mechanism mechanism; /* for the run */
    struct gpu_sink sink;           /* for the run */
    u32 launch_n, room;
    struct witness_launch *launches;
    u64 started;           /* blocks */
    /* [app] an answer was seen that lets a kernel of it in, or gives it a block */
    bool let_in[APPS_MAX], given[APPS_MAX];
    u32 over_n, lost_n;    /* laws broken: resources, blocks */
    struct text over, lost; /* the first of them, each ending in "; " */

    /* Whether targets are final in time, looked at now and then: */
    const struct mechanisms *states_cycles; /* `decides_cycles` of these; NULL: it does not look */
    struct asked *asked;   /* of these */
    u64 next;              /* look */
    u32 set_n, set[APPS_MAX]; /* the kernels that run */
    u64 targets;           /* a hash */
    u64 stated, settled;   /* cycles: allowed; counted since these kernels run */
    bool final;            /* that time has come once */
    struct text late;      /* targets that changed behind it, each ending in "; " */

    bool looks;            /* at what apps have of what they are given; */
    struct shares shares;
};

void witness_init(struct witness *w);
void witness_free(struct witness *w);

#endif

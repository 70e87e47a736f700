/* The witness: a mechanism without decisions, added to the policy under test. At every event the
 * witness checks the laws of blocks in the policy's view: the resident blocks of an SM fit, and no
 * block is lost or run twice. Violations are recorded as sentences. */
#ifndef CORUN_WITNESS_H
#define CORUN_WITNESS_H

#include "gpu/gpu.h"
#include "run/check/shares.h"
#include "run/input/mechanism.h"

struct witness_launch {    /* a launch at the GPU */
    u64 order, grid_blocks, ended;
    u32 app_id;            /* of the run */
    const void *core;      /* of the view: distinguishes instances */
    const char *kernel;
    u8 *ends;              /* [block] number of completions; saturates at 255 */
    bool shared_name;      /* a concurrent launch has the same name: `ends` is meaningless */
};

struct witness {
    u64 link[1];           /* must be first: the mechanism's counters, cast back to the witness */
    struct gpu_mechanism mechanism; /* for the run */
    struct gpu_sink sink;           /* for the run */
    u32 launch_n, room;
    struct witness_launch *launches;
    u64 started;           /* number of blocks started */
    /* [app] the policy has admitted a kernel of the app; has given the app a target above 0 */
    bool let_in[APPS_MAX], given[APPS_MAX];
    u32 over_n, lost_n;    /* violations: resources exceeded; blocks lost or run twice */
    struct text over, lost; /* the first violations of each kind, each ending in "; " */

    /* Periodic check that targets become final within the stated number of cycles: */
    const struct mechanisms *states_cycles; /* mechanisms with decides_cycles; NULL: no check */
    struct hook_call *hook_call;   /* receives the calls of decides_cycles */
    u64 next;              /* cycle of the next check */
    u32 set_n, set[APPS_MAX]; /* ids of the running kernels at the last check */
    u64 targets;           /* hash of all targets at the last check */
    u64 stated, settled;   /* stated limit; settled cycles since these kernels run together */
    bool final;            /* the limit has been reached at least once */
    struct text late;      /* target changes after the limit, each ending in "; " */

    bool looks;            /* also check the apps' shares of resources (shares.h) */
    struct shares shares;
};

void witness_init(struct witness *w);
void witness_free(struct witness *w);

#endif

/* The carve-out of an SM: the size of shared memory where shared memory and L1 are one memory.
 * dispatch.c chooses the carve-out of an SM without blocks; life.c changes the carve-out (sm_carve)
 * and admits blocks within; the load/store unit gives L1 the rest (l1_change.h). Without a list of
 * carve-outs the carve-out is the whole shared memory, and nothing changes. */
#ifndef CORUN_SM_CARVEOUT_H
#define CORUN_SM_CARVEOUT_H

#include "cache/req.h"
#include "chip/sm/sm_conf.h"

#define NO_CARVEOUT UINT32_MAX
struct carveout {
    u32 bytes;      /* NO_CARVEOUT: no block has come yet */
    bool changing;  /* a change is waiting */
    struct {
        u64 since;  /* wait_cycles are counted up to this cycle */
        bool waits;
    } app[APPS_MAX];
    struct carveout_stat stat[APPS_MAX + 1]; /* the last for no app, always 0 */
};

void carveout_init(struct carveout *c, const struct sm_conf *conf);
/* Returns the counters, exact for the cycles before `now`. */
const struct carveout_stat *carveout_count(struct carveout *c, u32 app_id, u64 now);
/* Sets whether a block of the app waits for another carve-out from cycle `from` on. */
void carveout_note(struct carveout *c, u32 app_id, bool waits, u64 from);

#endif

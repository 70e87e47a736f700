/* Accesses to shared memory of other blocks of the cluster (distributed shared memory). An access
 * leaves the load/store unit for the network between the SMs of a GPC and ends after the latency,
 * as a landing (pending.c).
 *
 * Model: the network moves whole segments of 32 bytes (NVIDIA Hopper tuning guide: coalesced
 * accesses, aligned to 32 bytes). An SM's port moves sm.cluster_bytes per cycle for the SM's own
 * accesses, in the order of issue; banks and port of the owner's SM are not disturbed (guess).
 * Source of latency and bandwidth: Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU
 * Architecture, 2024. */
#include "chip/sm/lsu/pending.h"

static u32 segments_of(const struct effect *e)
{
    u32 n = 0;
    for (u32 left = e->mask; left; n++) {
        u64 first = e->address[__builtin_ctz(left)] / SECTOR_BYTES;
        for (u32 lanes = left; lanes; lanes &= lanes - 1)
            if (e->address[__builtin_ctz(lanes)] / SECTOR_BYTES == first)
                left &= ~(lanes & (0 - lanes));
    }
    return n;
}

struct release *remote_push(struct sm *sm, struct queued *q, u64 now)
{
    const struct effect *e = &sm->effect;
    q->cycles = (u32)div_up(segments_of(e) * SECTOR_BYTES, sm->conf->cluster_bytes);
    q->transaction_n = 1;
    q->filter = 0;
    struct pending *p = pending_new(sm, q, now);
    if (e->lands) {
        p->kind = REQ_COPY;
        p->release.copy = e->copy;
    }
    struct lsu *l = lsu_of(sm);
    l->network_at = max_u64(now, l->network_at) + q->cycles;
    p->issued = l->network_at; /* the port has moved all bytes */
    l->in_flight[q->app_id]++;
    sm->stat[q->owner].shared_inst++;
    return &p->release;
}

void remote_send(struct sm *sm, const struct queued *q, u64 now)
{
    u64 moved = max_u64(now, sm->lsu.pending[q->pending].issued - 1);
    lsu_of(sm)->unit_busy_until = now + 1;
    landing_add(sm, q->pending, moved + sm->conf->cluster_latency_cycles, now);
}

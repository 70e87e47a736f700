#include "run/sim/host_link.h"

#include "gpu/machine/clock.h"
#include "gpu/machine/stat.h"

/* Model: a copy over the link takes a latency, and the time of the bytes at the link's bandwidth.
 * On an H100 and an H200, copies to the device take 1.5 us more from 16 KB on, not up to 1 KB, and
 * copies to pageable memory always (guess: the engine is not asked for small copies to the device).
 * Copies take no bandwidth from the DRAM (guess: a link has a fiftieth of the DRAM's). Source:
 * times of copies by size, test/silicon. */
static u64 link_cycles(const struct machine *m, const struct host_copy *c)
{
    const struct link_conf *l = &m->link;
    struct rational gbs = c->pageable && l->pageable_gbs.num ? l->pageable_gbs : l->gbs;
    unsigned __int128 ns = (unsigned __int128)c->bytes * gbs.den / gbs.num + l->latency_ns;
    if (c->kind == COPY_TO_HOST ? c->pageable : c->bytes > l->inline_bytes) ns += l->engine_ns;
    return clock_cycles(m->clock.sm_mhz, (u64)ns);
}

/* Model: a copy within the device reads and writes every byte, a fill writes every byte, at a part
 * of the DRAM's peak bandwidth, behind a latency. Bytes in L2 take as long, and kernels beside the
 * copy lose no bandwidth (guess). Source: test/silicon. */
static u64 device_cycles(const struct machine *m, const struct host_copy *c)
{
    const struct link_conf *l = &m->link;
    struct gpu_capacity peak;
    gpu_capacity(m, 1, &peak);
    double bytes = (double)c->bytes * (c->kind == COPY_WITHIN ? 2 : 1);
    double part = (double)l->dram_percent.num / (double)l->dram_percent.den / 100;
    return (u64)(bytes / (peak.dram_bytes * part)) +
           clock_cycles(m->clock.sm_mhz, l->dram_latency_ns);
}

/* Model: a copy engine performs copies one after another, in the order in which the copies become
 * due, apps in app order. The device performs copies within the device and fills in the same way
 * (guess). */
u64 host_link_copy(struct host_link *l, const struct machine *m, const struct host_copy *c, u64 now,
                   u64 *start)
{
    bool within = copy_is_within(c->kind);
    u32 engine = m->link.engines > 1 && c->kind == COPY_TO_HOST;
    u64 *free_at = &l->free_at[within ? LINK_ENGINES : engine];
    *start = max_u64(now, *free_at);
    return *free_at = *start + (within ? device_cycles(m, c) : link_cycles(m, c));
}
